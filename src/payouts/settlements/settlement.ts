import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { StatementLine } from '../../ledger/statement.js'
import type { Payout } from '../payout.js'

/**
 * One payout to the merchant's primary bank account, and the part of the naira statement since the
 * settlement before it. `opening` plus all changes in `lines` is the amount, the fee and `closing`.
 */
export type Settlement = {
  environmentId: EnvironmentId
  id: string
  payoutId: string
  /** In the time of the environment; null: requested by the merchant. */
  scheduledFor: Date | null
  /** Above 1: the rest of what one transfer may carry. */
  part: number
  reserve: bigint
  firstEntry: bigint
  lastEntry: bigint
  opening: bigint
  closing: bigint
  /** Without the entries of the payout. */
  lines: StatementLine[]
  previousAt: Date | null
  createdAt: Date
}

export function settlementReference({ id }: Pick<Settlement, 'id'>): string {
  return toReference(prefixes.settlement, id)
}

/** Merchants may choose such references too: then no settlement is found. */
export function maySettle({ kind, merchantReference }: Payout): boolean {
  return kind === 'bank_transfer' && (merchantReference?.startsWith(prefixes.settlement) ?? false)
}
