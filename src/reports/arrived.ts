import type { EnvironmentId } from '../base/environment.js'
import { type Asset, assetNames } from '../money/assets.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { type BucketSize, bucketNames, type Period, splitPeriod } from './calendar.js'
import { bucketRows, bucketStart, idPeriodRows, periodRows } from './period-rows.js'
import { readSummedUp } from './summed-up.js'

export type ArrivedBucket = { start: Date; amount: bigint; count: bigint }

/** Payments by when they were recorded. What arrived never changes, whatever becomes of it. */
function arrivedBuckets(
  environmentId: EnvironmentId,
  { assets, buckets }: { assets: readonly Asset[]; buckets: readonly BucketSize[] },
  periods: Period[],
): Sql {
  return sql`
    select p.asset, size.bucket, ${bucketStart('p.created_at')} as bucket_start,
      sum(p.amount)::bigint as amount, count(*) as count
    from ${idPeriodRows(periods)}
    join payments p on p.environment_id = ${environmentId}
      and p.id >= period.first_id and p.id < period.end_id
      and p.created_at >= period.starts_at and p.created_at < period.ends_at
      and p.asset = any(${assets})
    cross join ${bucketRows(buckets)}
    group by p.asset, size.bucket, bucket_start`
}

/** Buckets without payments are absent. */
export async function readArrived(
  db: Queryable,
  { environmentId, asset }: { environmentId: EnvironmentId; asset: Asset },
  { bucket, ...period }: Period & { bucket: BucketSize },
): Promise<ArrivedBucket[]> {
  const state = await readSummedUp(db, environmentId, 'received')
  const { summedUp, live } = splitPeriod(period, state)
  const wanted = { assets: [asset], buckets: [bucket] }
  return db.rows(sql<ArrivedBucket>`
    select r.bucket_start as start, r.amount, r.count
    from ${periodRows(summedUp)}
    join report_received r on r.environment_id = ${environmentId} and r.asset = ${asset}
      and r.bucket = ${bucket} and r.bucket_start >= period.starts_at
      and r.bucket_start < period.ends_at
    union all
    select bucket_start, amount, count from (${arrivedBuckets(environmentId, wanted, live)}) live
    order by start`)
}

export function sumUpArrived(tx: Tx, environmentId: EnvironmentId, days: Period[]): void {
  tx.write(sql`
    delete from report_received r using ${periodRows(days)}
    where r.environment_id = ${environmentId} and r.asset = any(${assetNames})
      and r.bucket = any(${bucketNames})
      and r.bucket_start >= period.starts_at and r.bucket_start < period.ends_at`)
  const all = { assets: assetNames, buckets: bucketNames }
  tx.write(sql`
    insert into report_received (environment_id, asset, bucket, bucket_start, amount, count)
    select ${environmentId}, sums.* from (${arrivedBuckets(environmentId, all, days)}) sums`)
}
