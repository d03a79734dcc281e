import type { EnvironmentId } from '../base/environment.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { type BucketSize, bucketNames, type Period, splitPeriod } from './calendar.js'
import { bucketRows, bucketStart, periodRows } from './period-rows.js'
import { readSummedUp } from './summed-up.js'

/** Kinds of payouts that merchants create. */
export const reportedKinds = ['bank_transfer', 'crypto_transfer'] as const

export type ReportedKind = (typeof reportedKinds)[number]

export type PayoutTimesBucket = {
  start: Date
  completed: bigint
  failed: bigint
  /** Null: none was completed. */
  medianMs: bigint | null
  p95Ms: bigint | null
}

/**
 * Payouts by when they ended, which never changes: a transfer that its bank reverses later was
 * completed all the same. One that was never submitted was rejected or not approved by members,
 * which is no failure. The expression is that of the index.
 */
function payoutTimes(
  environmentId: EnvironmentId,
  { kinds, buckets }: { kinds: readonly ReportedKind[]; buckets: readonly BucketSize[] },
  periods: Period[],
): Sql {
  return sql`
    select kind, size.bucket, ${bucketStart('ended_at')} as bucket_start,
      count(completed_ms) as completed, count(*) - count(completed_ms) as failed,
      percentile_disc(0.5) within group (order by completed_ms) as median_ms,
      percentile_disc(0.95) within group (order by completed_ms) as p95_ms
    from (
      select p.kind, coalesce(p.completed_at, p.failed_at) as ended_at,
        round(extract(epoch from case when p.completed_at > p.submitted_at
          then p.completed_at - p.submitted_at
          when p.completed_at is not null then interval '0' end) * 1000)
          ::bigint as completed_ms
      from ${periodRows(periods)}
      cross join unnest(${kinds}::text[]) as wanted (kind)
      join payouts p on p.environment_id = ${environmentId} and p.kind = wanted.kind
        and coalesce(p.completed_at, p.failed_at) >= period.starts_at
        and coalesce(p.completed_at, p.failed_at) < period.ends_at
        and p.submitted_at is not null) ended
    cross join ${bucketRows(buckets)}
    group by kind, size.bucket, bucket_start`
}

/** Buckets in which no payout ended are absent. */
export async function readPayoutTimes(
  db: Queryable,
  { environmentId, kind }: { environmentId: EnvironmentId; kind: ReportedKind },
  { bucket, ...period }: Period & { bucket: BucketSize },
): Promise<PayoutTimesBucket[]> {
  const state = await readSummedUp(db, environmentId, 'payout_times')
  const { summedUp, live } = splitPeriod(period, state)
  return db.rows(sql<PayoutTimesBucket>`
    select t.bucket_start as start, t.completed, t.failed, t.median_ms, t.p95_ms
    from ${periodRows(summedUp)}
    join report_payout_times t on t.environment_id = ${environmentId} and t.kind = ${kind}
      and t.bucket = ${bucket} and t.bucket_start >= period.starts_at
      and t.bucket_start < period.ends_at
    union all
    select bucket_start, completed, failed, median_ms, p95_ms
    from (${payoutTimes(environmentId, { kinds: [kind], buckets: [bucket] }, live)}) live
    order by start`)
}

export function sumUpPayoutTimes(tx: Tx, environmentId: EnvironmentId, days: Period[]): void {
  tx.write(sql`
    delete from report_payout_times t using ${periodRows(days)}
    where t.environment_id = ${environmentId} and t.kind = any(${reportedKinds})
      and t.bucket = any(${bucketNames})
      and t.bucket_start >= period.starts_at and t.bucket_start < period.ends_at`)
  const all = payoutTimes(environmentId, { kinds: reportedKinds, buckets: bucketNames }, days)
  tx.write(sql`
    insert into report_payout_times (environment_id, kind, bucket, bucket_start, completed, failed,
      median_ms, p95_ms)
    select ${environmentId}, times.* from (${all}) times`)
}
