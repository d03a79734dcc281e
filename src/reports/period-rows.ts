import { after, minute } from '../base/clock.js'
import { firstIdAt } from '../base/ids.js'
import { type Sql, sql } from '../postgres/sql.js'
import { type BucketSize, type Period, startOf } from './calendar.js'

/** A FROM item `period` with the columns `starts_at` and `ends_at`. */
export function periodRows(periods: Period[]): Sql {
  return sql`unnest(
    ${periods.map(({ from }) => from.toISOString())}::timestamptz[],
    ${periods.map(({ to }) => to.toISOString())}::timestamptz[]) as period (starts_at, ends_at)`
}

/**
 * The same with the columns `first_id` and `end_id`: the range of a primary key in which all rows
 * of the period are. An id has the time of its row; the margin is for rounding.
 */
export function idPeriodRows(periods: Period[]): Sql {
  const marginMs = minute
  return sql`unnest(
    ${periods.map(({ from }) => from.toISOString())}::timestamptz[],
    ${periods.map(({ to }) => to.toISOString())}::timestamptz[],
    ${periods.map(({ from }) => firstIdAt(after(from, -marginMs)))}::uuid[],
    ${periods.map(({ to }) => firstIdAt(after(to, marginMs)))}::uuid[])
    as period (starts_at, ends_at, first_id, end_id)`
}

/** A FROM item `size` with the columns `bucket` and `width`. */
export function bucketRows(buckets: readonly BucketSize[]): Sql {
  return sql`unnest(${buckets}::text[],
    ${buckets.map((bucket) => `1 ${bucket}`)}::interval[]) as size (bucket, width)`
}

const anyMidnight = startOf('day', new Date(0)).toISOString()

/** When the bucket of a time began. Fast, because Lagos keeps its distance from UTC all year. */
export function bucketStart(time: string): Sql {
  return sql.raw(`date_bin(size.width, ${time}, timestamptz '${anyMidnight}')`)
}
