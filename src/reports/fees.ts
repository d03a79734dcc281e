import type { Purpose } from '../ledger/purposes.js'
import type { StatementKey } from '../ledger/statement.js'
import { findVatRates, vatOfTransfer } from '../ledger/vat-rates.js'
import type { VatRate } from '../money/vat.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { BucketSize, Period } from './calendar.js'
import { type EntrySum, readEntrySums } from './entries.js'
import { bucketRows, bucketStart } from './period-rows.js'

export const feeKinds = ['payment', 'bank_transfer', 'crypto_transfer', 'conversion'] as const

export type FeeKind = (typeof feeKinds)[number]

/** Every purpose of a ledger transfer to or from `fees`; a test compares them with the ledger. */
export const kindsOfFees: Partial<Record<Purpose, FeeKind>> = {
  payment_fee: 'payment',
  payment_accepted_fee: 'payment',
  bank_payout_fee: 'bank_transfer',
  bank_payout_fee_reversal: 'bank_transfer',
  crypto_payout_fee: 'crypto_transfer',
  conversion_fee: 'conversion',
}

/**
 * `charged` when the money is taken or held, `released` when a payout fails and its hold ends,
 * `reversed` when the bank returns a transfer. `kept` is the ledger account `fees`.
 */
export type Fees = {
  charged: bigint
  released: bigint
  reversed: bigint
  kept: bigint
  /** The part of `kept` that is VAT. */
  vat: bigint
}

/** The fees of all kinds, or of one. */
export function sumFees(entries: Omit<EntrySum, 'start'>[], kind?: FeeKind): Fees {
  const fees: Fees = { charged: 0n, released: 0n, reversed: 0n, kept: 0n, vat: 0n }
  for (const { purpose, effect, amount, vat } of entries) {
    const own = kindsOfFees[purpose]
    if (own === undefined || (kind !== undefined && own !== kind)) continue
    const change = effect === 'release' ? 'released' : isReversal(purpose) ? 'reversed' : 'charged'
    fees[change] += amount
    fees.kept += change === 'charged' ? amount : -amount
    fees.vat += change === 'charged' ? vat : -vat
  }
  return fees
}

function isReversal(purpose: Purpose): boolean {
  return purpose === 'bank_payout_fee_reversal'
}

/** The entries that changed `fees`, of the merchant's statement and those of its sub-accounts. */
export async function readFees(
  db: Queryable,
  key: Pick<StatementKey, 'environmentId' | 'asset'>,
  period: Period & { bucket: BucketSize },
): Promise<EntrySum[]> {
  const [own, ofSubaccounts] = await Promise.all([
    readEntrySums(db, key, period),
    readSubaccountFees(db, key, period),
  ])
  return [...own, ...ofSubaccounts]
}

async function readSubaccountFees(
  db: Queryable,
  { environmentId, asset }: Pick<StatementKey, 'environmentId' | 'asset'>,
  { bucket, from, to }: Period & { bucket: BucketSize },
): Promise<EntrySum[]> {
  const own = sql`environment_id = ${environmentId} and asset = ${asset}
    and created_at >= ${from} and created_at < ${to}`
  const rates = await findVatRates(db, environmentId)
  return db.rows(sql<EntrySum>`
    select ${bucketStart('created_at')} as start, purpose, effect, sum(amount)::bigint as amount,
      sum(vat)::bigint as vat
    from (${subaccountFeeLines(own, rates)}) lines cross join ${bucketRows([bucket])}
    group by start, purpose, effect order by start, purpose, effect`)
}

/**
 * The fees that sub-accounts paid, which are on no statement of the merchant. By time, not by
 * number: each sub-account numbers its own statement. Both tables are read by partial indexes,
 * which are empty without payouts of sub-accounts.
 */
export function subaccountFeeLines(own: Sql, rates: VatRate[]): Sql {
  const vat = vatOfTransfer(rates, 'ledger_transfers')
  return sql`
    select created_at, purpose, case when is_hold then 'hold' else 'post' end as effect, amount,
      ${vat} as vat
    from ledger_transfers
    where ${own} and subaccount_id is not null and entry_number is null
      and (debit = 'fees' or credit = 'fees')
    union all
    select r.created_at, held.purpose, 'release', held.amount, held.vat
    from (select * from ledger_resolutions where ${own} and subaccount_id is not null offset 0) r
    cross join lateral (
      select purpose, amount, ${vat} as vat from ledger_transfers
      where environment_id = r.environment_id and cause_id = r.cause_id and is_hold
        and credit = 'fees' offset 0) held`
}
