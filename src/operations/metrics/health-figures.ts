import { after, hour, minute, type RealTime } from '../../base/clock.js'
import { firstIdAt } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** Counted up to a limit: `isMore` says that there are more. */
export type ReceivedLately = {
  count: number
  isMore: boolean
  amounts: { asset: Asset; amount: number | string }[]
}

/** Payments of all merchants in the last hour, newest first, by the index on recorded notices. */
export async function readReceivedLately(db: Queryable, now: RealTime): Promise<ReceivedLately> {
  const { healthRowsMax } = limits.operator
  const rows = await db.rows(sql<{ asset: Asset; count: number; amount: bigint }>`
    with rails as (select distinct rail from reconciliations),
    latest as (
      select n.rail, n.id from rails cross join lateral (
        select rail, id from notices
        where state = 'BOOKED' and notices.rail = rails.rail
          and received_at >= ${after(now, -hour)} and received_at <= ${now}
        order by received_at desc limit ${healthRowsMax}) n
      limit ${healthRowsMax})
    select p.asset, count(*)::int as count, sum(p.amount)::bigint as amount
    from latest join payments p on p.rail = latest.rail and p.rail_id = latest.id
    group by p.asset order by p.asset`)
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  return {
    count,
    isMore: count >= healthRowsMax,
    amounts: rows.map(({ asset, amount }) => ({ asset, amount: toWire(amount, asset) })),
  }
}

/** From the notice of a payment to its delivered webhook, where the first attempt succeeded. */
export type WebhookDelay = { p99Ms: number | null; measured: number }

export async function readWebhookDelay(db: Queryable, now: RealTime): Promise<WebhookDelay> {
  const { delaysMeasuredMax } = limits.operator
  const [row] = await db.rows(sql<WebhookDelay>`
    with rails as (select distinct rail from reconciliations),
    latest as (
      select n.rail, n.id, n.received_at from rails cross join lateral (
        select rail, id, received_at from notices
        where state = 'BOOKED' and notices.rail = rails.rail
          and received_at >= ${after(now, -hour)} and received_at <= ${now}
        order by received_at desc limit ${delaysMeasuredMax}) n
      order by n.received_at desc limit ${delaysMeasuredMax}),
    delays as (
      select extract(epoch from d.finished_at - latest.received_at) * 1000 as ms
      from latest join payments p on p.rail = latest.rail and p.rail_id = latest.id
      join events e on e.environment_id = p.environment_id and e.cause_id = p.id
      join deliveries d on d.environment_id = e.environment_id and d.event_id = e.id
      where d.state = 'DELIVERED' and d.attempts = 1)
    select percentile_cont(0.99) within group (order by greatest(ms, 0)) as p99_ms,
      count(*)::int as measured from delays`)
  return row!
}

const bucketMs = 10 * minute

/** Payouts per ten minutes of the last three hours, by when they were submitted. */
export async function readPayoutRate(
  db: Queryable,
  now: RealTime,
): Promise<{ buckets: { start: Date; count: number }[]; isMore: boolean }> {
  const { healthRowsMax } = limits.operator
  const endMs = Math.ceil(now.getTime() / bucketMs) * bucketMs
  const startMs = endMs - 3 * hour
  // Ids begin with their time. Those of a moved test clock are in the future and left out.
  const rows = await db.rows(sql<{ bucket: number; count: number }>`
    select floor((extract(epoch from submitted_at) * 1000 - ${startMs}::float8) / ${bucketMs})::int
      as bucket, count(*)::int as count
    from (
      select submitted_at from payouts
      where id >= ${firstIdAt(new Date(startMs))} and id < ${firstIdAt(new Date(endMs))}
      order by id desc limit ${healthRowsMax}) latest
    group by 1`)
  const counts = new Map(rows.map(({ bucket, count }) => [bucket, count]))
  const buckets = Array.from({ length: (endMs - startMs) / bucketMs }, (_, index) => ({
    start: new Date(startMs + index * bucketMs),
    count: counts.get(index) ?? 0,
  }))
  return { buckets, isMore: rows.reduce((sum, { count }) => sum + count, 0) >= healthRowsMax }
}

/** What waits for an operator. */
export type Queues = {
  kyc: number
  notices: number
  payouts: number
  differences: number
  actions: number
  endpointsOff: number
}

export async function countQueues(db: Queryable, now: RealTime): Promise<Queues> {
  const [row] = await db.rows(sql<Queues>`
    select
      (select count(*) from environments where kyc_status = 'SUBMITTED')::int as kyc,
      (select count(*) from (
        (select from notices where state in ('WAITING', 'UNMATCHED') and state = 'UNMATCHED'
          limit ${limits.metrics.rowsCountedMax})
        union all
        (select from notices where state = 'REFUSED' limit ${limits.metrics.rowsCountedMax})
      ) held)::int as notices,
      (select count(*) from payouts
        where status = 'SUBMITTED' and is_review_required)::int as payouts,
      (select count(*) from reconciliation_differences where resolved_at is null)::int
        as differences,
      (select count(*) from operator_actions
        where state = 'WAITING' and expires_at > ${now})::int as actions,
      (select count(*) from webhook_endpoints
        where disabled_reason in ('gone', 'failing') and deleted_at is null)::int
        as endpoints_off`)
  return row!
}

export type RailOutcomes = {
  rail: string
  completed: number
  failed: number
  open: number
  oldestOpenAt: Date | null
}

/**
 * Payouts of the last hour by rail, and those that are open. Stored, so of every process. A payout
 * that was rejected or not approved in time was never submitted, so its rail did not fail.
 */
export async function readRailOutcomes(db: Queryable, now: RealTime): Promise<RailOutcomes[]> {
  const { healthRowsMax } = limits.operator
  return db.rows(sql<RailOutcomes>`
    with latest as (
      select rail, status, submitted_at from payouts
      where id >= ${firstIdAt(after(now, -hour))} and id < ${firstIdAt(after(now, minute))}
      order by id desc limit ${healthRowsMax}),
    ended as (
      select rail, count(*) filter (where status = 'COMPLETED')::int as completed,
        count(*) filter (where status in ('FAILED', 'REVERSED'))::int as failed
      from latest where submitted_at is not null group by rail),
    open as (
      select rail, count(*)::int as open, min(submitted_at) as oldest
      from (select rail, submitted_at from payouts where status = 'SUBMITTED'
        order by submitted_at limit ${healthRowsMax}) waiting group by rail)
    select rail, coalesce(completed, 0) as completed, coalesce(failed, 0) as failed,
      coalesce(open, 0) as open, oldest as oldest_open_at
    from ended full join open using (rail) order by rail`)
}
