import { after, type RealTime } from '../../base/clock.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'
import type { Payout } from '../payout.js'

/**
 * Payouts whose reversal is due to be retried. They need no lease: reversing locks the payout, and
 * a repeat changes nothing.
 */
export async function listWaitingReversals(
  db: Queryable,
  now: RealTime,
  rail: string,
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>({
    name: 'list_waiting_reversals',
    text: `
      select payout_id as id from waiting_reversals
      where rail = $1 and due_at <= $2
      order by due_at limit $3`,
    values: [rail, now, payoutLimits.waitingReversalsPerBatchMax],
  })
  return rows.map(({ id }) => id)
}

const names = { environmentId: 'int4', payoutId: 'uuid' } as const

const deleteWaiting = listStatement({
  name: 'forget_waiting_reversals',
  columns: names,
  text: (list) => `
    delete from waiting_reversals w
    using ${list} where w.environment_id = list.environment_id and w.payout_id = list.payout_id`,
})

const insertWaiting = listStatement({
  name: 'remember_waiting_reversals',
  columns: { ...names, rail: 'text', dueAt: 'timestamptz' },
  text: (list, parameter, columns) => `
    insert into waiting_reversals (${columns}, created_at)
    select ${columns}, ${parameter(0)}::timestamptz from ${list}
    on conflict (environment_id, payout_id) do update set due_at = excluded.due_at`,
})

export function deleteWaitingReversals(tx: Tx, payouts: Payout[]): void {
  if (payouts.length > 0) tx.write(deleteWaiting(payouts.map(toKey)))
}

/** An early one is completed soon; one that does not fit into the balance may wait for long. */
export function storeWaitingReversals(
  tx: Tx,
  now: RealTime,
  { early, unbooked }: { early: Payout[]; unbooked: Payout[] },
): void {
  const { reversalIntervalMs, unbookedReversalIntervalMs } = payoutLimits
  const toRow = (dueAt: Date) => (payout: Payout) => ({
    ...toKey(payout),
    rail: payout.rail,
    dueAt,
  })
  const rows = [
    ...early.map(toRow(after(now, reversalIntervalMs))),
    ...unbooked.map(toRow(after(now, unbookedReversalIntervalMs))),
  ]
  if (rows.length > 0) tx.write(insertWaiting(rows, now))
}

function toKey({ environmentId, id }: Payout) {
  return { environmentId, payoutId: id }
}
