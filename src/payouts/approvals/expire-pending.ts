import { toEnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { FollowReturns } from '../attempts/followed-returns.js'
import { logPayouts } from '../attempts/log-payouts.js'
import { payoutLimits } from '../limits.js'
import { approversOf, findExpiries, missingApprovals } from './find-approvers.js'
import {
  endPending,
  type Pending,
  type PendingRow,
  pendingColumns,
  toPending,
} from './pending-payouts.js'

/**
 * Ends payouts not approved in time, of one environment or of all. Those whose approvers may not
 * approve yet, or have had little time, wait longer. The time is that of the environment, whose
 * clock may have been advanced; Returns how many were due.
 */
export async function expirePending(
  { db, logger, follow }: { db: Database; logger: Logger; follow: FollowReturns },
  now: Date,
  environmentId?: EnvironmentId,
): Promise<number> {
  const own = environmentId === undefined ? sql`` : sql`and p.environment_id = ${environmentId}`
  const { due, ended } = await db.transaction(async (tx) => {
    const rows = await tx.rows(sql<PendingRow>`
      select ${pendingColumns}
      from payouts p join environments e on e.id = p.environment_id
      where p.status = 'PENDING' ${own}
        and p.approve_by <= ${now}::timestamptz + e.clock_offset_ms * interval '1 millisecond'
      order by p.environment_id, p.id limit ${payoutLimits.expiriesPerBatchMax}
      for no key update of p skip locked`)
    const pending = rows.map(toPending)
    const expiries = await findExpiriesOf(tx, pending)
    const over: Pending[] = []
    for (const one of pending) {
      const expiresAt = expiries.get(one.payout.id)!
      if (expiresAt <= toEnvironmentTime(now, one.clockOffsetMs)) over.push(one)
      else extendWait(tx, one, expiresAt)
    }
    if (over.length === 0) return { due: pending.length, ended: [] }
    const ended = await endPending(tx, now, over, { reason: 'approval_expired', follow })
    return { due: pending.length, ended }
  })
  logPayouts({ db, logger }, ended)
  return due
}

async function findExpiriesOf(db: Queryable, pending: Pending[]): Promise<Map<string, Date>> {
  const expiries = new Map<string, Date>()
  for (const environmentId of new Set(pending.map(({ payout }) => payout.environmentId))) {
    const own = pending.filter(({ payout }) => payout.environmentId === environmentId)
    const waiting = own.map(({ payout }) => ({
      ...payout,
      waitsSince: payout.createdAt,
      approvedBy: approversOf(payout.approval!),
      missing: missingApprovals(payout.approval!),
    }))
    for (const [id, expiresAt] of await findExpiries(db, environmentId, waiting))
      expiries.set(id, expiresAt)
  }
  return expiries
}

function extendWait(tx: Tx, { payout: { environmentId, id } }: Pending, expiresAt: Date): void {
  tx.write(sql`
    update payouts set approve_by = ${expiresAt}
    where environment_id = ${environmentId} and id = ${id} and status = 'PENDING'`)
}
