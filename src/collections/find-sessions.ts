import { type RawBuilder, sql } from 'kysely'
import type { EnvironmentId, Mode } from '../environment.js'
import { limits } from '../limits.js'
import {
  defaultSettings,
  mergeSettings,
  type Settings,
  type SettingsPatch,
} from '../merchants/settings-document.js'
import type { Destination } from '../payouts/ports.js'
import { listStatement } from '../postgres/statement.js'
import type { Reader } from '../postgres/tx.js'
import { Refusal } from '../refusal.js'
import type { Account, AccountStatus } from './account.js'
import type { Payment } from './payment.js'
import { referencePattern, type Session } from './session.js'
import { accountColumns } from './store-accounts.js'
import { findLatestPayments } from './store-payments.js'
import { findDestinations } from './store-returns.js'

/** A session with everything that it is shown with. */
export type FoundSession = {
  session: Session
  account: Account
  /** The latest, newest first. */
  payments: Payment[]
  mode: Mode
  clockOffsetMs: number
  merchantId: string
  checkout: Settings['checkout']
  paymentMethods: Settings['paymentMethods']
}

/** With what only payers are told. */
export type PublicSession = FoundSession & {
  /** Where money goes back to, by the id of the payment. */
  sentBackTo: Map<string, Destination>
}

const columns = `s.environment_id as "environmentId", s.id, s.reference,
  s.account_id as "accountId", s.description, s.customer_name as "customerName",
  s.customer_email as "customerEmail", s.merchant_reference as "merchantReference", s.url,
  s.success_url as "successUrl", s.cancel_url as "cancelUrl", s.metadata,
  s.event_sequence as "eventSequence", s.created_at as "createdAt", e.mode,
  e.clock_offset_ms::float8 as "clockOffsetMs", e.merchant_id as "merchantId",
  m.display_name as "merchantName", c.document as settings`

const owners = `
  join environments e on e.id = s.environment_id
  join merchants m on m.id = e.merchant_id
  left join environment_settings c on c.environment_id = s.environment_id`

type Row = Session &
  Omit<FoundSession, 'session' | 'account' | 'payments' | 'checkout' | 'paymentMethods'> & {
    merchantName: string
    settings: string | null
  }

const publicNames = { reference: 'text' } as const

const findPublic = listStatement<typeof publicNames, Row>({
  name: 'find_public_sessions',
  columns: publicNames,
  text: (list) => `
    select ${columns} from ${list}
    join checkout_sessions s on s.reference = list.reference ${owners}`,
})

const findPublicAccounts = listStatement<typeof publicNames, Account>({
  name: 'find_public_session_accounts',
  columns: publicNames,
  text: (list) => `
    select ${accountColumns} from ${list}
    join checkout_sessions s on s.reference = list.reference
    join collection_accounts a on a.environment_id = s.environment_id and a.id = s.account_id`,
})

const isReference = new RegExp(referencePattern)

/**
 * For everyone who knows a reference, whoever's session it is; undefined where there is none, and
 * for what cannot be one: nobody learns the difference.
 */
export async function findByReferences(
  db: Reader,
  references: string[],
): Promise<(PublicSession | undefined)[]> {
  // Many pages may show one session: named twice, its payments would be found twice.
  const unique = [...new Set(references)].filter((reference) => isReference.test(reference))
  if (unique.length === 0) return references.map(() => undefined)
  const names = unique.map((reference) => ({ reference }))
  const [rows, accounts] = await Promise.all([
    db.rows(findPublic(names)),
    db.rows(findPublicAccounts(names)),
  ])
  const found = await complete(db, rows, accounts)
  const isGoingBack = (one: Payment) => one.amountReturning > 0n || one.amountReturned > 0n
  const goingBack = found.flatMap(({ payments }) => payments.filter(isGoingBack))
  const sentBackTo = await findDestinations(db, goingBack)
  const byReference = new Map(found.map((one) => [one.session.reference, { ...one, sentBackTo }]))
  return references.map((reference) => byReference.get(reference))
}

export type SessionName = { environmentId: EnvironmentId; reference: string }

export async function getSession(db: Reader, name: SessionName): Promise<FoundSession> {
  const [found] = await findByReferences(db, [name.reference])
  if (found?.session.environmentId === name.environmentId) return found
  throw new Refusal('not_found', {
    message: `There is no checkout session ${name.reference} in this environment.`,
  })
}

export type SessionFilter = {
  merchantReference: string | undefined
  status: AccountStatus | undefined
  beforeId: string | undefined
  limit: number
}

/** Newest first. */
export async function listSessions(
  db: Reader,
  environmentId: EnvironmentId,
  { merchantReference, status, beforeId, limit }: SessionFilter,
): Promise<FoundSession[]> {
  const where = [
    sql`s.environment_id = ${environmentId}`,
    merchantReference !== undefined && sql`s.merchant_reference = ${merchantReference}`,
    status && sql`a.status = ${status}`,
    beforeId && sql`s.id < ${beforeId}`,
  ].filter((condition): condition is RawBuilder<unknown> => Boolean(condition))
  const rows = await db.rows(sql<Row>`
    select ${sql.raw(columns)} from checkout_sessions s
    join collection_accounts a on a.environment_id = s.environment_id and a.id = s.account_id
    ${sql.raw(owners)}
    where ${sql.join(where, sql` and `)} order by s.id desc limit ${limit}`)
  return completeOf(db, environmentId, rows)
}

/** Those of accounts that are locked, for telling of them. */
export async function findOfAccounts(
  db: Reader,
  environmentId: EnvironmentId,
  accountIds: string[],
): Promise<FoundSession[]> {
  const rows = await db.rows(sql<Row>`
    select ${sql.raw(columns)} from checkout_sessions s ${sql.raw(owners)}
    where s.environment_id = ${environmentId} and s.account_id = any(${accountIds}::uuid[])`)
  return completeOf(db, environmentId, rows)
}

async function completeOf(db: Reader, environmentId: EnvironmentId, rows: Row[]) {
  const accounts = await db.rows(sql<Account>`
    select ${sql.raw(accountColumns)} from collection_accounts a
    where a.environment_id = ${environmentId}
      and a.id = any(${rows.map(({ accountId }) => accountId)}::uuid[])`)
  return complete(db, rows, accounts)
}

async function complete(db: Reader, rows: Row[], accounts: Account[]): Promise<FoundSession[]> {
  const paid = accounts.filter(({ amountReceived }) => amountReceived > 0n)
  const payments = await findLatestPayments(db, paid, limits.collections.paymentsShown)
  const byId = new Map(accounts.map((account) => [account.id, account]))
  return rows.map((row) => {
    const { mode, clockOffsetMs, merchantId, merchantName, settings, ...session } = row
    const account = byId.get(session.accountId)!
    return {
      ...{ session, account, payments: payments.get(account.id) ?? [] },
      ...{ mode, clockOffsetMs, merchantId },
      ...settingsOf(merchantName, settings),
    }
  })
}

function settingsOf(merchantName: string, stored: string | null) {
  const standard = defaultSettings({ merchantName })
  const patch = stored === null ? {} : (JSON.parse(stored) as SettingsPatch)
  const { checkout, paymentMethods } = mergeSettings(standard, patch)
  return { checkout, paymentMethods }
}
