import { after, type RealTime } from '../base/clock.js'
import { toReference } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { payoutLimits } from '../payouts/limits.js'
import { type PayoutKind, payoutKinds } from '../payouts/payout.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { sweepReference } from './store-sweeps.js'

/** A transaction of a payout or sweep that can no longer land and has no outcome. */
export type ExpiredAttempt = {
  rail: string
  reference: string
  /** Signature of the transaction. */
  token: string
  signedAt: Date
}

type Row = Omit<ExpiredAttempt, 'reference'> & { id: string; kind: PayoutKind | 'sweep' }

/**
 * Attempts on a chain that are open minutes after their signing, oldest first. A transaction is
 * valid for about a minute, so its outcome is known by then unless too few nodes respond, agree, or
 * have the history of that time. Reads the open rows of chains only, up to a limit.
 */
export async function listExpiredAttempts(
  db: Queryable,
  now: RealTime,
  limit: number,
): Promise<ExpiredAttempt[]> {
  const before = after(now, -payoutLimits.expiredAfterMs)
  const rows = await db.rows(sql<Row>`
    with recursive rails as (
      (select rail from payout_attempts where state = 'LIVE' order by rail limit 1)
      union all
      select (select rail from payout_attempts where state = 'LIVE' and rail > rails.rail
        order by rail limit 1)
      from rails where rails.rail is not null)
    select open.rail, open.token, open.created_at as signed_at, p.id, p.kind
    from rails cross join lateral (
      select * from payout_attempts
      where state = 'LIVE' and rail = rails.rail
      order by due_at limit ${limits.metrics.rowsCountedMax}) as open
    join payouts p on p.environment_id = open.environment_id and p.id = open.payout_id
    where rails.rail like 'solana:%' and open.created_at < ${before}
    union all
    select rail, token, created_at, id, 'sweep' from (
      select * from sweeps where state = 'LIVE' limit ${limits.metrics.rowsCountedMax}) as open
    where created_at < ${before}
    order by signed_at limit ${limit}`)
  return rows.map(({ id, kind, ...row }) => ({
    ...row,
    reference: kind === 'sweep' ? sweepReference(id) : toReference(payoutKinds[kind].prefix, id),
  }))
}
