import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { StatementLine } from '../../ledger/statement.js'
import type { Payout } from '../payout.js'

/**
 * One payout to the merchant's primary bank account or, after a conversion, to its wallet, and the
 * part of the naira statement since the settlement before it. `opening` plus all changes in `lines`
 * is what the payout or the conversion took, and `closing`.
 */
export type Settlement = {
  environmentId: EnvironmentId
  id: string
  payoutId: string
  /** The conversion of a settlement to a wallet; null: to a bank account. */
  conversionId: string | null
  /** The naira that the conversion took, with its fee. */
  convertedAmount: bigint | null
  conversionFee: bigint | null
  /** In the time of the environment; null: requested by the merchant. */
  scheduledFor: Date | null
  /** Above 1: the rest of what one transfer may carry. */
  part: number
  reserve: bigint
  firstEntry: bigint
  lastEntry: bigint
  opening: bigint
  closing: bigint
  /** Without the entries of the payout or the conversion. */
  lines: StatementLine[]
  previousAt: Date | null
  createdAt: Date
}

export const settlementStatuses = ['SUBMITTED', 'PAID', 'FAILED', 'REVERSED'] as const

export type SettlementStatus = (typeof settlementStatuses)[number]

export function settlementReference({ id }: Pick<Settlement, 'id'>): string {
  return toReference(prefixes.settlement, id)
}

/** Merchants may choose such references too: then no settlement is found. */
export function maySettle({ kind, merchantReference }: Payout): boolean {
  const isTransfer = kind === 'bank_transfer' || kind === 'crypto_transfer'
  return isTransfer && (merchantReference?.startsWith(prefixes.settlement) ?? false)
}
