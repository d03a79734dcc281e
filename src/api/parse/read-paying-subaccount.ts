import Type from 'typebox'
import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes, unusedId } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { referenceSample } from '../../base/shapes.js'
import { type SubaccountName, subaccountName } from '../../ledger/accounts.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { judgePaying } from '../../subaccounts/lock-paying-subaccounts.js'
import { getSubaccount } from '../../subaccounts/store-subaccounts.js'

const subaccountText = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      description,
      examples: [referenceSample(prefixes.subaccount)],
    }),
  )

/** In the body of what a sub-account can pay. The examples are paid by the merchant. */
export const fromIn = Object.assign(
  subaccountText(
    'Reference of the sub-account that pays amount and fee. Default: you pay. It must be `ACTIVE`.',
  ),
  { 'x-left-out': true },
)

/** Throws a refusal if the sub-account is unknown or pays nothing. */
export async function readPayingSubaccount(
  db: Queryable,
  environmentId: EnvironmentId,
  reference: string,
): Promise<SubaccountName> {
  const subaccount = await getSubaccount(db, { environmentId, reference })
  const problem = judgePaying(subaccount)
  if (problem) throw problem
  return subaccountName(subaccount.id)
}

export const subaccountFilter = (what: string) =>
  subaccountText(`Only ${what} of this sub-account, by its reference.`)

/** An unknown sub-account has no rows. */
export function readSubaccountFilter(reference: string | undefined): { subaccountId?: string } {
  if (reference === undefined) return {}
  return { subaccountId: fromReference(prefixes.subaccount, reference) ?? unusedId }
}
