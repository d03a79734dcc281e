import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Asset } from '../money/assets.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import { type BucketSize, listBuckets, type Period, timeZone } from './calendar.js'

type StatementKey = { environmentId: EnvironmentId; asset: Asset }

export type BalanceBucket = { start: Date; closing: bigint; lowest: bigint }

export type BalanceReport = { opening: bigint; buckets: BalanceBucket[] }

/**
 * The statement after an entry number, in order. A transaction takes the next number under the lock
 * of its balance and keeps it until the commit: the entries of one statement have no gaps.
 */
function entriesAfter({ environmentId, asset }: StatementKey, number: Sql): Sql {
  return sql`
    select created_at, entry_number, available_after from ledger_transfers
    where environment_id = ${environmentId} and asset = ${asset} and entry_number > ${number}
    union all
    select created_at, entry_number, available_after from ledger_resolutions
    where environment_id = ${environmentId} and asset = ${asset} and entry_number > ${number}`
}

function lastSummedUp({ environmentId, asset }: StatementKey): Sql {
  return sql`coalesce((select max(last_number) from report_balance_hours
    where environment_id = ${environmentId} and asset = ${asset}), 0)`
}

/**
 * The balance after the last entry before each bucket's end: the one with the highest number, which
 * can have a slightly earlier time than the one before it.
 */
export async function readBalances(
  db: Queryable,
  key: StatementKey,
  { bucket, from, to }: Period & { bucket: BucketSize },
): Promise<BalanceReport> {
  type Row = { start: Date | null; number: bigint; closing: bigint; lowest: bigint }
  const rows = await db.rows(sql<Row>`
    with last as materialized (select ${lastSummedUp(key)} as number)
    select case when at >= ${from} then date_trunc(${bucket}, at, ${timeZone}) end as start,
      (max(array[number, closing]))[1] as number, (max(array[number, closing]))[2] as closing,
      min(lowest) as lowest
    from (
      select hour_start as at, last_number as number, closing, lowest from report_balance_hours
      where environment_id = ${key.environmentId} and asset = ${key.asset} and hour_start < ${to}
      union all
      select created_at, entry_number, available_after, available_after
      from (${entriesAfter(key, sql`(select number from last)`)}) entries
      where created_at < ${to}
    ) hours
    group by start order by start nulls first`)
  return toReport(listBuckets(bucket, { from, to }), rows)

  function toReport(starts: Date[], found: Row[]): BalanceReport {
    const byStart = new Map(found.map((row) => [row.start?.getTime(), row]))
    const before = byStart.get(undefined)
    let last = { number: before?.number ?? 0n, closing: before?.closing ?? 0n }
    const opening = last.closing
    const buckets = starts.map((start) => {
      const row = byStart.get(start.getTime())
      const lowest = row && row.lowest < last.closing ? row.lowest : last.closing
      if (row && row.number > last.number) last = row
      return { start, closing: last.closing, lowest }
    })
    return { opening, buckets }
  }
}

/** Sums up the next entries. Returns how many: fewer than the limit at the end of the statement. */
export async function sumUpBalance(tx: Tx, key: StatementKey): Promise<number> {
  const { entriesPerStepMax } = limits.reports
  const [row] = await tx.rows(sql<{ count: bigint }>`
    with last as materialized (select ${lastSummedUp(key)} as number),
    entries as materialized (
      select * from (${entriesAfter(key, sql`(select number from last)`)}) entries
      where entry_number <= (select number from last) + ${entriesPerStepMax}::bigint),
    written as (
      insert into report_balance_hours as h
        (environment_id, asset, hour_start, last_number, closing, lowest)
      select ${key.environmentId}, ${key.asset}, date_trunc('hour', created_at, ${timeZone}),
        max(entry_number), (max(array[entry_number, available_after]))[2], min(available_after)
      from entries group by 3
      on conflict (environment_id, asset, hour_start) do update set
        last_number = excluded.last_number, closing = excluded.closing,
        lowest = least(h.lowest, excluded.lowest)
      returning 1)
    select count(*) as count from entries`)
  return Number(row!.count)
}
