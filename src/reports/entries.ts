import { limits } from '../base/limits.js'
import type { Purpose } from '../ledger/purposes.js'
import type { StatementKey } from '../ledger/statement.js'
import { findVatRates, vatOfTransfer } from '../ledger/vat-rates.js'
import type { VatRate } from '../money/vat.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { type BucketSize, bucketNames, type Period } from './calendar.js'
import { reportLimits } from './limits.js'
import { bucketRows, bucketStart } from './period-rows.js'

/** Entries of one purpose and effect in a bucket. A release counts by the lines of its hold. */
export type EntrySum = {
  start: Date
  purpose: Purpose
  effect: 'post' | 'hold' | 'release'
  amount: bigint
  /** The part of `amount` that is VAT; 0 unless it is a fee. */
  vat: bigint
}

/** The lines of a statement in a range of numbers: a release has those of its hold. */
export function entryLines(own: Sql, rates: VatRate[]): Sql {
  // The lines of a hold are read by their key, one by one.
  return sql`
    select created_at, purpose, case when is_hold then 'hold' else 'post' end as effect, amount,
      ${vatOfTransfer(rates, 'ledger_transfers')} as vat
    from ledger_transfers where ${own}
    union all
    select r.created_at, held.purpose, 'release', held.amount, held.vat
    from (select * from ledger_resolutions where ${own} and verb = 'release' offset 0) r
    cross join lateral (
      select purpose, amount, ${vatOfTransfer(rates, 'ledger_transfers')} as vat
      from ledger_transfers
      where environment_id = r.environment_id and cause_id = r.cause_id and is_hold offset 0) held`
}

function entryBuckets(
  { environmentId, asset }: StatementKey,
  { after, upTo }: { after: Sql; upTo: Sql },
  { buckets, rates }: { buckets: readonly BucketSize[]; rates: VatRate[] },
): Sql {
  const own = sql`environment_id = ${environmentId} and asset = ${asset}
    and entry_number > ${after} and entry_number <= ${upTo}`
  return sql`
    select size.bucket, ${bucketStart('created_at')} as bucket_start, purpose, effect,
      sum(amount)::bigint as amount, sum(vat)::bigint as vat
    from (${entryLines(own, rates)}) lines cross join ${bucketRows(buckets)}
    group by size.bucket, bucket_start, purpose, effect`
}

function lastSummedUp({ environmentId, asset }: StatementKey): Sql {
  return sql`coalesce((select last_number from report_entry_progress
    where environment_id = ${environmentId} and asset = ${asset}), 0)`
}

/** Buckets, purposes and effects without entries are absent. */
export async function readEntrySums(
  db: Queryable,
  key: StatementKey,
  { bucket, from, to }: Period & { bucket: BucketSize },
): Promise<EntrySum[]> {
  const rates = await findVatRates(db, key.environmentId)
  const live = { after: sql`(select number from last)`, upTo: sql`${limits.money.ledgerMax}` }
  return db.rows(sql<EntrySum>`
    with last as materialized (select ${lastSummedUp(key)} as number)
    select bucket_start as start, purpose, effect, sum(amount)::bigint as amount,
      sum(vat)::bigint as vat
    from (
      select bucket_start, purpose, effect, amount, vat from report_entries
      where environment_id = ${key.environmentId} and asset = ${key.asset} and bucket = ${bucket}
        and bucket_start >= ${from} and bucket_start < ${to}
      union all
      select bucket_start, purpose, effect, amount, vat
      from (${entryBuckets(key, live, { buckets: [bucket], rates })}) live
      where bucket_start >= ${from} and bucket_start < ${to}) buckets
    group by bucket_start, purpose, effect order by bucket_start, purpose, effect`)
}

/** Sums up the next entries. Returns how many: fewer than the limit at the end of the statement. */
export async function sumUpEntries(tx: Tx, key: StatementKey): Promise<number> {
  const { environmentId, asset } = key
  const rates = await findVatRates(tx, environmentId)
  const own = sql`environment_id = ${environmentId} and asset = ${asset}`
  const next = { after: sql`(select number from last)`, upTo: sql`(select number from next)` }
  const [row] = await tx.rows(sql<{ count: bigint }>`
    with last as materialized (select ${lastSummedUp(key)} as number),
    next as materialized (
      select least(last.number + ${reportLimits.entriesPerStepMax}::bigint, greatest(last.number,
        (select max(entry_number) from ledger_transfers where ${own}),
        (select max(entry_number) from ledger_resolutions where ${own}))) as number
      from last),
    written as (
      insert into report_entries as e
        (environment_id, asset, bucket, bucket_start, purpose, effect, amount, vat)
      select ${environmentId}, ${asset}, sums.*
      from (${entryBuckets(key, next, { buckets: bucketNames, rates })}) sums
      on conflict (environment_id, asset, bucket, bucket_start, purpose, effect) do update set
        amount = e.amount + excluded.amount, vat = e.vat + excluded.vat
      returning 1),
    noted as (
      insert into report_entry_progress (environment_id, asset, last_number)
      select ${environmentId}, ${asset}, next.number from next, last
      where next.number > last.number
      on conflict (environment_id, asset) do update set last_number = excluded.last_number
      returning 1)
    select next.number - last.number as count from next, last`)
  return Number(row!.count)
}
