import type { EnvironmentId } from '../base/environment.js'
import { type LedgerAccountKey, owedName, subaccountName } from '../ledger/accounts.js'
import type { Book } from '../ledger/book.js'
import type { MovementLine } from '../ledger/movement.js'
import type { Purpose } from '../ledger/purposes.js'
import { smallerOf } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'

type Place = { environmentId: EnvironmentId; asset: Asset }

/** Ledger accounts that exist only if a sub-account has ever owed something. */
export function receivableAccounts(
  { environmentId, asset }: Place,
  subaccountIds: string[],
): LedgerAccountKey[] {
  if (subaccountIds.length === 0) return []
  const names = ['receivables' as const, ...subaccountIds.map(owedName)]
  return names.map((name) => ({ environmentId, asset, name }))
}

/** What a sub-account owes the merchant. The account must have been locked if it exists. */
export function owedBy(book: Book, place: Place, subaccountId: string): bigint {
  const { environmentId, asset } = place
  const owed = book.find({ environmentId, asset, name: owedName(subaccountId) })
  return owed ? owed.debitsPosted - owed.creditsPosted : 0n
}

/** The purposes of what a credit pays of a debt: the money, and the debt that ends. */
export type RecoveryPurposes = { money: Purpose; debt: Purpose }

/**
 * A credit to a sub-account pays first what it owes the merchant. These lines come after the one
 * that credits `amount`. `owed` is what it owes before.
 */
export function recoverFirst(
  { subaccountId, amount, owed }: { subaccountId: string; amount: bigint; owed: bigint },
  purposes: RecoveryPurposes,
): MovementLine[] {
  const recovered = smallerOf(owed, amount)
  if (recovered === 0n) return []
  return [
    {
      debit: subaccountName(subaccountId),
      credit: 'available',
      amount: recovered,
      purpose: purposes.money,
    },
    {
      debit: 'receivables',
      credit: owedName(subaccountId),
      amount: recovered,
      purpose: purposes.debt,
    },
  ]
}
