import type { EnvironmentId } from '../base/environment.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import { type BucketSize, type Period, splitPeriod, timeZone } from './calendar.js'
import { idPeriodRows, periodRows } from './period-rows.js'
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
function conversionHours(environmentId: EnvironmentId, periods: Period[]): Sql {
  return sql`
    select date_trunc('hour', s.created_at, ${timeZone}) as hour_start, count(*) as created,
      count(s.opened_at) as opened,
      count(*) filter (where s.status = 'paid') as paid,
      count(*) filter (where s.status = 'expired') as expired,
      count(*) filter (where s.status = 'cancelled') as cancelled
    from ${idPeriodRows(periods)}
    join checkout_sessions s on s.environment_id = ${environmentId}
      and s.id >= period.first_id and s.id < period.end_id
      and s.created_at >= period.starts_at and s.created_at < period.ends_at
    group by hour_start`
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
    select date_trunc(${bucket}, hour_start, ${timeZone}) as start,
      sum(created)::bigint as created, sum(opened)::bigint as opened, sum(paid)::bigint as paid,
      sum(expired)::bigint as expired, sum(cancelled)::bigint as cancelled
    from (
      select hour_start, created, opened, paid, expired, cancelled
      from ${periodRows(summedUp)}
      join report_conversion_hours h on h.environment_id = ${environmentId}
        and h.hour_start >= period.starts_at and h.hour_start < period.ends_at
      union all
      ${conversionHours(environmentId, live)}
    ) hours
    group by start order by start`)
}

export function sumUpConversion(tx: Tx, environmentId: EnvironmentId, days: Period[]): void {
  tx.write(sql`
    delete from report_conversion_hours h using ${periodRows(days)}
    where h.environment_id = ${environmentId}
      and h.hour_start >= period.starts_at and h.hour_start < period.ends_at`)
  tx.write(sql`
    insert into report_conversion_hours
      (environment_id, hour_start, created, opened, paid, expired, cancelled)
    select ${environmentId}, hours.* from (${conversionHours(environmentId, days)}) hours`)
}
