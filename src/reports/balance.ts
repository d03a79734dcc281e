import type { StatementKey } from '../ledger/statement.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { type BucketSize, bucketNames, listBuckets, type Period } from './calendar.js'
import { reportLimits } from './limits.js'
import { bucketRows, bucketStart } from './period-rows.js'

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
  return sql`coalesce((select max(last_number) from report_balances
    where environment_id = ${environmentId} and asset = ${asset} and bucket = 'day'), 0)`
}

/** Sums of the entries in a bucket; with `start` null, of those before the period. */
type Row = { start: Date | null; number: bigint; closing: bigint; lowest: bigint }

/**
 * The balance after the last entry before each bucket's end: the one with the highest number, which
 * can have a slightly earlier time than the one before it.
 */
export async function readBalances(
  db: Queryable,
  key: StatementKey,
  { bucket, from, to }: Period & { bucket: BucketSize },
): Promise<BalanceReport> {
  const { environmentId, asset } = key
  const own = sql`environment_id = ${environmentId} and asset = ${asset} and bucket = ${bucket}`
  const rows = await db.rows(sql<Row>`
    with last as materialized (select ${lastSummedUp(key)} as number)
    (select null::timestamptz as start, last_number as number, closing, lowest
      from report_balances where ${own} and bucket_start < ${from}
      order by last_number desc limit 1)
    union all
    select bucket_start, last_number, closing, lowest
    from report_balances where ${own} and bucket_start >= ${from} and bucket_start < ${to}
    union all
    select case when created_at >= ${from} then ${bucketStart('created_at')} end as start,
      max(entry_number), (max(array[entry_number, available_after]))[2], min(available_after)
    from (${entriesAfter(key, sql`(select number from last)`)}) entries
    cross join ${bucketRows([bucket])}
    where created_at < ${to}
    group by start`)
  return toReport(listBuckets(bucket, { from, to }), rows)
}

function toReport(starts: Date[], rows: Row[]): BalanceReport {
  const byStart = new Map<number | undefined, Row>()
  // A bucket that is partly summed up has two rows.
  for (const row of rows) {
    const other = byStart.get(row.start?.getTime())
    byStart.set(row.start?.getTime(), other ? join(row, other) : row)
  }
  const before = byStart.get(undefined)
  const opening = before?.closing ?? 0n
  let last = { number: before?.number ?? 0n, closing: opening }
  const buckets = starts.map((start) => {
    const row = byStart.get(start.getTime())
    const lowest = row && row.lowest < last.closing ? row.lowest : last.closing
    if (row && row.number > last.number) last = row
    return { start, closing: last.closing, lowest }
  })
  return { opening, buckets }
}

function join(first: Row, second: Row): Row {
  const { start, number, closing } = first.number > second.number ? first : second
  return {
    start,
    number,
    closing,
    lowest: first.lowest < second.lowest ? first.lowest : second.lowest,
  }
}

/** Sums up the next entries. Returns how many: fewer than the limit at the end of the statement. */
export async function sumUpBalance(tx: Tx, key: StatementKey): Promise<number> {
  const { entriesPerStepMax } = reportLimits
  const [row] = await tx.rows(sql<{ count: bigint }>`
    with last as materialized (select ${lastSummedUp(key)} as number),
    entries as materialized (
      select * from (${entriesAfter(key, sql`(select number from last)`)}) entries
      where entry_number <= (select number from last) + ${entriesPerStepMax}::bigint),
    written as (
      insert into report_balances as b
        (environment_id, asset, bucket, bucket_start, last_number, closing, lowest)
      select ${key.environmentId}, ${key.asset}, size.bucket, ${bucketStart('created_at')} as start,
        max(entry_number), (max(array[entry_number, available_after]))[2], min(available_after)
      from entries cross join ${bucketRows(bucketNames)} group by size.bucket, start
      on conflict (environment_id, asset, bucket, bucket_start) do update set
        last_number = excluded.last_number, closing = excluded.closing,
        lowest = least(b.lowest, excluded.lowest)
      returning 1)
    select count(*) as count from entries`)
  return Number(row!.count)
}
