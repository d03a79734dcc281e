import type { EnvironmentId } from '../base/environment.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { type BucketSize, bucketNames, type Period, splitPeriod } from './calendar.js'
import { bucketRows, bucketStart, idPeriodRows, periodRows } from './period-rows.js'
import { readSummedUp } from './summed-up.js'

export type ConversionBucket = {
  start: Date
  created: bigint
  opened: bigint
  paid: bigint
  expired: bigint
  cancelled: bigint
}

/** Sessions by when they were created, so that the counts of a bucket are about the same ones. */
function conversionBuckets(
  environmentId: EnvironmentId,
  buckets: readonly BucketSize[],
  periods: Period[],
): Sql {
  return sql`
    select size.bucket, ${bucketStart('s.created_at')} as bucket_start, count(*) as created,
      count(s.opened_at) as opened,
      count(*) filter (where s.status = 'paid') as paid,
      count(*) filter (where s.status = 'expired') as expired,
      count(*) filter (where s.status = 'cancelled') as cancelled
    from ${idPeriodRows(periods)}
    join checkout_sessions s on s.environment_id = ${environmentId}
      and s.id >= period.first_id and s.id < period.end_id
      and s.created_at >= period.starts_at and s.created_at < period.ends_at
    cross join ${bucketRows(buckets)}
    group by size.bucket, bucket_start`
}

/** Buckets without sessions are absent. */
export async function readConversion(
  db: Queryable,
  environmentId: EnvironmentId,
  { bucket, ...period }: Period & { bucket: BucketSize },
): Promise<ConversionBucket[]> {
  const state = await readSummedUp(db, environmentId, 'conversion')
  const { summedUp, live } = splitPeriod(period, state)
  return db.rows(sql<ConversionBucket>`
    select c.bucket_start as start, c.created, c.opened, c.paid, c.expired, c.cancelled
    from ${periodRows(summedUp)}
    join report_conversion c on c.environment_id = ${environmentId} and c.bucket = ${bucket}
      and c.bucket_start >= period.starts_at and c.bucket_start < period.ends_at
    union all
    select bucket_start, created, opened, paid, expired, cancelled
    from (${conversionBuckets(environmentId, [bucket], live)}) live
    order by start`)
}

export function sumUpConversion(tx: Tx, environmentId: EnvironmentId, days: Period[]): void {
  tx.write(sql`
    delete from report_conversion c using ${periodRows(days)}
    where c.environment_id = ${environmentId} and c.bucket = any(${bucketNames})
      and c.bucket_start >= period.starts_at and c.bucket_start < period.ends_at`)
  tx.write(sql`
    insert into report_conversion
      (environment_id, bucket, bucket_start, created, opened, paid, expired, cancelled)
    select ${environmentId}, sums.*
    from (${conversionBuckets(environmentId, bucketNames, days)}) sums`)
}
