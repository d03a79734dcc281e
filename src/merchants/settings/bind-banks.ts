import type { EnvironmentId, Mode } from '../../base/environment.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'

/** Null: the bank of the configuration. */
export type BankBinding = { collectBank: string | null; payoutBank: string | null }

/**
 * Chooses the banks of one merchant for new accounts and payouts. Existing ones stay at their bank.
 */
export function bindBanks(
  tx: Tx,
  id: EnvironmentId,
  { collectBank, payoutBank }: BankBinding,
): void {
  tx.write(sql`
    update environments set collect_bank = ${collectBank}, payout_bank = ${payoutBank}
    where id = ${id}`)
}

export type BoundBank = { mode: Mode; bank: string; merchants: number }

/** Banks that merchants are bound to, and how many are. */
export function listBoundBanks(db: Queryable): Promise<BoundBank[]> {
  return db.rows(sql<BoundBank>`
    select e.mode, bound.bank, count(distinct e.id)::int as merchants from environments e
    cross join lateral (values (e.collect_bank), (e.payout_bank)) bound (bank)
    where bound.bank is not null group by e.mode, bound.bank order by e.mode, bound.bank`)
}
