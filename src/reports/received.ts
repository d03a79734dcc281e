import type { EnvironmentId } from '../base/environment.js'
import { type Asset, assetNames } from '../money/assets.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import { type BucketSize, type Period, splitPeriod, timeZone } from './calendar.js'
import { idPeriodRows, periodRows } from './period-rows.js'
import { readSummedUp } from './summed-up.js'

export type ReceivedBucket = { start: Date; amount: bigint; count: bigint }

/** Payments by when they were recorded. What arrived never changes, whatever happens to it later. */
function receivedHours(environmentId: EnvironmentId, periods: Period[]): Sql {
  return sql`
    select p.asset, date_trunc('hour', p.created_at, ${timeZone}) as hour_start,
      sum(p.amount)::bigint as amount, count(*) as count
    from ${idPeriodRows(periods)}
    join payments p on p.environment_id = ${environmentId}
      and p.id >= period.first_id and p.id < period.end_id
      and p.created_at >= period.starts_at and p.created_at < period.ends_at
    group by p.asset, hour_start`
}

/** Buckets without payments are absent. */
export async function readReceived(
  db: Queryable,
  { environmentId, asset }: { environmentId: EnvironmentId; asset: Asset },
  { bucket, ...period }: Period & { bucket: BucketSize },
): Promise<ReceivedBucket[]> {
  const state = await readSummedUp(db, environmentId, 'received')
  const { summedUp, live } = splitPeriod(period, state)
  return db.rows(sql<ReceivedBucket>`
    select date_trunc(${bucket}, hour_start, ${timeZone}) as start,
      sum(amount)::bigint as amount, sum(count)::bigint as count
    from (
      select asset, hour_start, amount, count
      from ${periodRows(summedUp)}
      join report_received_hours h on h.environment_id = ${environmentId}
        and h.asset = ${asset} and h.hour_start >= period.starts_at
        and h.hour_start < period.ends_at
      union all
      select * from (${receivedHours(environmentId, live)}) live where live.asset = ${asset}
    ) hours
    group by start order by start`)
}

export function sumUpReceived(tx: Tx, environmentId: EnvironmentId, days: Period[]): void {
  tx.write(sql`
    delete from report_received_hours h using ${periodRows(days)}
    where h.environment_id = ${environmentId} and h.asset = any(${assetNames})
      and h.hour_start >= period.starts_at and h.hour_start < period.ends_at`)
  tx.write(sql`
    insert into report_received_hours (environment_id, asset, hour_start, amount, count)
    select ${environmentId}, hours.* from (${receivedHours(environmentId, days)}) hours`)
}
