import { sql } from '../postgres/sql.js'
import type { Reader } from '../postgres/tx.js'
import type { Payment } from './payment.js'
import { type ReturnRow, returnColumns, toReturnOf } from './store-returns.js'

/**
 * What of a payment went back, or was to, newest first. Where it goes is what the rail said of it,
 * once it was asked.
 */
export async function listReturns(
  db: Reader,
  { environmentId, id }: Payment,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
) {
  const before = beforeId === undefined ? sql`` : sql`and r.id < ${beforeId}`
  const rows = await db.rows(sql<ReturnRow & Carried>`
    select ${sql.raw(returnColumns('r'))}, p.destination as resolved,
      p.failure_reason as "failureReason",
      coalesce(p.reversed_at, p.failed_at, p.completed_at) as "endedAt"
    from payment_returns r
    left join payouts p on p.environment_id = r.environment_id and p.id = r.id
    where r.environment_id = ${environmentId} and r.payment_id = ${id} ${before}
    order by r.id desc limit ${limit}`)
  return rows.map(({ resolved, failureReason, endedAt, ...row }) => ({
    ...toReturnOf({ ...row, destination: resolved ?? row.destination }),
    failureReason,
    endedAt,
  }))
}

/** What the payout says that carries it, as far as there is one. */
type Carried = { resolved: string | null; failureReason: string | null; endedAt: Date | null }
