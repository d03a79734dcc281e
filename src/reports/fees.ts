import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Asset } from '../money/assets.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import { type BucketSize, bucketNames, type Period } from './calendar.js'
import { bucketRows, bucketStart } from './period-rows.js'

type StatementKey = { environmentId: EnvironmentId; asset: Asset }

export const feeKinds = ['payment', 'bank_transfer', 'crypto_transfer', 'conversion'] as const

export type FeeKind = (typeof feeKinds)[number]

/** Every purpose of a ledger transfer to or from `fees`; a test compares them with the ledger. */
export const kindsOfFees: Record<string, FeeKind> = {
  payment_fee: 'payment',
  payment_accepted_fee: 'payment',
  bank_payout_fee: 'bank_transfer',
  bank_payout_fee_reversal: 'bank_transfer',
  crypto_payout_fee: 'crypto_transfer',
  conversion_fee: 'conversion',
}

/**
 * `charged` when the money is taken or held, `released` when a payout fails and its hold ends,
 * `reversed` when the bank returns a transfer. Together they are the ledger account `fees`.
 */
export type Fees = { charged: bigint; released: bigint; reversed: bigint }

export type FeeBucket = Fees & { start: Date; kind: FeeKind }

/** The fees on a statement after an entry number, by bucket and kind. */
function feeBuckets(
  { environmentId, asset }: StatementKey,
  { after, upTo }: { after: Sql; upTo: Sql },
  buckets: readonly BucketSize[],
): Sql {
  const own = sql`environment_id = ${environmentId} and asset = ${asset}
    and entry_number > ${after} and entry_number <= ${upTo}`
  const purposes = Object.keys(kindsOfFees)
  // A hold has one line for the fee. It is read by its key, one by one.
  return sql`
    select kinds.kind, size.bucket, ${bucketStart('created_at')} as bucket_start,
      coalesce(sum(amount) filter (where change = 'charged'), 0)::bigint as charged,
      coalesce(sum(amount) filter (where change = 'released'), 0)::bigint as released,
      coalesce(sum(amount) filter (where change = 'reversed'), 0)::bigint as reversed
    from (
      select created_at, purpose, amount,
        case when credit = 'fees' then 'charged' else 'reversed' end as change
      from ledger_transfers where ${own} and (credit = 'fees' or debit = 'fees')
      union all
      select r.created_at, held.purpose, held.amount, 'released'
      from (select * from ledger_resolutions where ${own} and verb = 'release' offset 0) r
      cross join lateral (
        select purpose, amount from ledger_transfers
        where environment_id = r.environment_id and cause_id = r.cause_id
          and is_hold and credit = 'fees' offset 0) held) changes
    left join unnest(${purposes}::text[], ${purposes.map((name) => kindsOfFees[name]!)}::text[])
      as kinds (purpose, kind) using (purpose)
    cross join ${bucketRows(buckets)}
    group by kinds.kind, size.bucket, bucket_start`
}

function lastSummedUp({ environmentId, asset }: StatementKey): Sql {
  return sql`coalesce((select last_number from report_fee_progress
    where environment_id = ${environmentId} and asset = ${asset}), 0)`
}

/** Buckets and kinds without fees are absent. */
export async function readFees(
  db: Queryable,
  key: StatementKey,
  { bucket, from, to }: Period & { bucket: BucketSize },
): Promise<FeeBucket[]> {
  const live = { after: sql`(select number from last)`, upTo: sql`${limits.money.ledgerMax}` }
  return db.rows(sql<FeeBucket>`
    with last as materialized (select ${lastSummedUp(key)} as number)
    select bucket_start as start, kind, sum(charged)::bigint as charged,
      sum(released)::bigint as released, sum(reversed)::bigint as reversed
    from (
      select kind, bucket_start, charged, released, reversed from report_fees
      where environment_id = ${key.environmentId} and asset = ${key.asset} and bucket = ${bucket}
        and bucket_start >= ${from} and bucket_start < ${to}
      union all
      select kind, bucket_start, charged, released, reversed
      from (${feeBuckets(key, live, [bucket])}) live
      where bucket_start >= ${from} and bucket_start < ${to}) buckets
    group by bucket_start, kind order by bucket_start, kind`)
}

/** Sums up the next entries. Returns how many: fewer than the limit at the end of the statement. */
export async function sumUpFees(tx: Tx, key: StatementKey): Promise<number> {
  const { environmentId, asset } = key
  const own = sql`environment_id = ${environmentId} and asset = ${asset}`
  const next = { after: sql`(select number from last)`, upTo: sql`(select number from next)` }
  const [row] = await tx.rows(sql<{ count: bigint }>`
    with last as materialized (select ${lastSummedUp(key)} as number),
    next as materialized (
      select least(last.number + ${limits.reports.entriesPerStepMax}::bigint, greatest(last.number,
        (select max(entry_number) from ledger_transfers where ${own}),
        (select max(entry_number) from ledger_resolutions where ${own}))) as number
      from last),
    written as (
      insert into report_fees as f
        (environment_id, asset, kind, bucket, bucket_start, charged, released, reversed)
      select ${environmentId}, ${asset}, sums.* from (${feeBuckets(key, next, bucketNames)}) sums
      on conflict (environment_id, asset, bucket, bucket_start, kind) do update set
        charged = f.charged + excluded.charged, released = f.released + excluded.released,
        reversed = f.reversed + excluded.reversed
      returning 1),
    noted as (
      insert into report_fee_progress (environment_id, asset, last_number)
      select ${environmentId}, ${asset}, next.number from next, last
      where next.number > last.number
      on conflict (environment_id, asset) do update set last_number = excluded.last_number
      returning 1)
    select next.number - last.number as count from next, last`)
  return Number(row!.count)
}
