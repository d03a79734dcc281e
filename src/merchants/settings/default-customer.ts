import Type, { type Static } from 'typebox'
import type { EnvironmentTime } from '../../base/clock.js'
import { emailPattern, phonePattern } from '../../base/contact-patterns.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { sql } from '../../postgres/sql.js'
import { upsert } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { findApprovedForm } from '../kyc/kyc-submissions.js'
import { visible } from './settings-document.js'

const closed = { additionalProperties: false }

const orNull = (
  pattern: { pattern: string; maxLength?: number; format?: string },
  { example, description }: { example: string; description: string },
) => Type.Union([Type.String(pattern), Type.Null()], { description, examples: [example] })

/** Masked but for its last digits when it is read. */
export const maskedNumberPattern = '^(\\d{11}|\\*{7}\\d{4})$'

const identityNumber = (name: string) =>
  Type.Union([Type.String({ pattern: maskedNumberPattern }), Type.Null()], {
    description: `${name}, 11 digits. Stored encrypted, and answered with its last four digits only; sent back like that, it stays as it is.`,
    examples: ['*******2226'],
  })

export const aboutDefaultCustomer =
  'Sent to a live bank that needs to know the customer of a dedicated account if the request lacks it. A field that is null here comes from your approved KYC.'

export const DefaultCustomer = Type.Object(
  {
    name: orNull(
      { ...visible, maxLength: limits.names.length },
      { example: 'Ada Obi', description: 'Name of the customer, first name first.' },
    ),
    email: orNull(
      { pattern: emailPattern, maxLength: limits.names.length },
      { example: 'ada@shop.example', description: 'E-mail address of the customer.' },
    ),
    phone: orNull(
      { pattern: phonePattern },
      { example: '+2348012345678', description: 'Phone number of the customer.' },
    ),
    bvn: identityNumber('Bank Verification Number'),
    nin: identityNumber('National Identification Number'),
  },
  {
    ...closed,
    description: aboutDefaultCustomer,
  },
)
export type DefaultCustomer = Static<typeof DefaultCustomer>

const empty: DefaultCustomer = { name: null, email: null, phone: null, bvn: null, nin: null }

export async function getDefaultCustomer(
  db: Queryable,
  seal: Seal,
  environmentId: EnvironmentId,
): Promise<DefaultCustomer> {
  const [row] = await db.rows(sql<{ sealed: string }>`
    select sealed_customer as sealed from default_customers
    where environment_id = ${environmentId}`)
  return row ? { ...empty, ...(JSON.parse(seal.open(row.sealed)) as DefaultCustomer) } : empty
}

/** As the settings show it. */
export function maskCustomer(customer: DefaultCustomer): DefaultCustomer {
  const mask = (number: string | null) => number && `*******${number.slice(-4)}`
  return { ...customer, bvn: mask(customer.bvn), nin: mask(customer.nin) }
}

/** Changes the fields that are sent. The caller has locked the environment. */
export async function patchDefaultCustomer(
  tx: Tx,
  now: EnvironmentTime,
  { seal, environmentId }: { seal: Seal; environmentId: EnvironmentId },
  patch: Partial<DefaultCustomer>,
): Promise<DefaultCustomer> {
  const before = await getDefaultCustomer(tx, seal, environmentId)
  const shown = maskCustomer(before)
  const changed = { ...before, ...patch }
  for (const field of ['bvn', 'nin'] as const) {
    if (!patch[field]?.startsWith('*')) continue
    if (patch[field] !== shown[field])
      throw invalidField(`dedicatedAccounts.defaultCustomer.${field}`, 'must be 11 digits')
    changed[field] = before[field]
  }
  const sealed = seal.seal(JSON.stringify(changed))
  const saved = { sealedCustomer: sealed, updatedAt: now }
  tx.write(upsert('default_customers', { environmentId }, saved))
  return changed
}

/**
 * What stands in for the customer of a dedicated account, field by field: the setting, then, in
 * live mode, the approved KYC. The name is that of the person whose BVN it is.
 */
export async function findStandIn(
  db: Queryable,
  seal: Seal,
  { id, mode, merchantId }: Pick<Environment, 'id' | 'mode' | 'merchantId'>,
): Promise<DefaultCustomer> {
  const chosen = await getDefaultCustomer(db, seal, id)
  const form = mode === 'live' ? await findApprovedForm(db, seal, merchantId) : undefined
  if (!form) return chosen
  const { contact, business, people } = form
  const person = people.find(({ bvn }) => bvn !== null)
  const hasOwnNumber = chosen.bvn !== null || chosen.nin !== null
  return {
    name: chosen.name ?? person?.name ?? contact.name ?? business.legalName,
    email: chosen.email ?? contact.email,
    phone: chosen.phone ?? contact.phone,
    bvn: hasOwnNumber ? chosen.bvn : (person?.bvn ?? null),
    nin: chosen.nin,
  }
}
