import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { StatementSum } from '../../ledger/statement.js'
import { column, Table } from '../../postgres/table.js'
import type { Payout } from '../payout.js'

/** A line as it is stored. Sums are text, because a JSON number is not exact. */
type StoredLine = Omit<StatementSum, 'change' | 'vat'> & {
  change: string
  /** Absent: 0. */
  vat?: string | undefined
}

export const settlements = new Table('settlements', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  payoutId: column.uuid(),
  /** Whose statement it covers; null: the merchant's. */
  subaccountId: column.uuid().orNull(),
  /** The conversion of a settlement to a wallet; null: to a bank account. */
  conversionId: column.uuid().orNull(),
  /** The naira that the conversion took, with its fee. */
  convertedAmount: column.int8().orNull(),
  conversionFee: column.int8().orNull(),
  /** In the time of the environment; null: requested by the merchant. */
  scheduledFor: column.time().orNull(),
  /** Above 1: the rest of what one transfer may carry. */
  part: column.int4(),
  reserve: column.int8(),
  firstEntry: column.int8(),
  lastEntry: column.int8(),
  opening: column.int8(),
  closing: column.int8(),
  /** Without the entries of the payout or the conversion. */
  lines: column.json<StoredLine[]>(),
  previousAt: column.time().orNull(),
  createdAt: column.time(),
})

/**
 * One payout to the bank account of a sub-account, to the merchant's primary bank account or, after
 * a conversion, to its wallet, and the part of the naira statement since the settlement before it.
 * `opening` plus all changes in `lines` is what the payout or the conversion took, and `closing`.
 */
export type Settlement = Omit<typeof settlements.row, 'lines'> & { lines: StatementSum[] }

export const settlementStatuses = ['PENDING', 'SUBMITTED', 'PAID', 'FAILED', 'REVERSED'] as const

export type SettlementStatus = (typeof settlementStatuses)[number]

export function settlementReference({ id }: Pick<Settlement, 'id'>): string {
  return toReference(prefixes.settlement, id)
}

/** Merchants may choose such references too: then no settlement is found. */
export function maySettle({ kind, merchantReference }: Payout): boolean {
  const isTransfer = kind === 'bank_transfer' || kind === 'crypto_transfer'
  return isTransfer && (merchantReference?.startsWith(prefixes.settlement) ?? false)
}
