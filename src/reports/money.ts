import type { Purpose } from '../ledger/purposes.js'
import type { StatementKey } from '../ledger/statement.js'
import { returnKindOf } from '../payouts/payout.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { readArrived } from './arrived.js'
import type { BucketSize, Period } from './calendar.js'
import { type EntrySum, readEntrySums } from './entries.js'
import { sumFees } from './fees.js'
import { readLeft } from './left.js'
import { bucketRows, bucketStart } from './period-rows.js'

/** What payments brought, in the words of `docs/guides/reports.md`. */
export type Money = {
  /** Credited to the balance. */
  received: bigint
  /** Payments that arrived, whatever became of them, and their number. */
  arrived: bigint
  count: bigint
  /** The part of `arrived` that waits for a decision now. */
  held: bigint
  returned: bigint
  refunded: bigint
  /** Kept, of all kinds. */
  fees: bigint
  /** `received` − `refunded` − `fees`. */
  net: bigint
}

export type MoneyBucket = Money & { start: Date }

/** Credits of payments on a statement: at once, or kept after they were held. */
export const receivedPurposes: Purpose[] = ['payment', 'payment_accepted']

export function sumReceived(entries: Omit<EntrySum, 'start'>[]): bigint {
  return entries
    .filter(({ purpose }) => receivedPurposes.includes(purpose))
    .reduce((sum, { amount }) => sum + amount, 0n)
}

/** Buckets in which nothing happened are absent. */
export async function readMoney(
  db: Queryable,
  key: StatementKey,
  period: Period & { bucket: BucketSize },
): Promise<MoneyBucket[]> {
  const entries = await readEntrySums(db, key, period)
  const arrived = byStart(await readArrived(db, key, period))
  const held = byStart(await readHeld(db, key, period))
  const left = byStart(await readLeft(db, key, { ...period, kinds: [returnKindOf(key)] }))
  const entriesOf = new Map<number, EntrySum[]>()
  for (const entry of entries) {
    const own = entriesOf.get(entry.start.getTime())
    if (own) own.push(entry)
    else entriesOf.set(entry.start.getTime(), [entry])
  }
  const starts = [entriesOf, arrived, held, left].flatMap((byStart) => [...byStart.keys()])
  return [...new Set(starts)]
    .sort((a, b) => a - b)
    .map((start) => {
      const own = entriesOf.get(start) ?? []
      const received = sumReceived(own)
      const refunded = left.get(start)?.refunded ?? 0n
      const fees = sumFees(own).kept
      return {
        start: new Date(start),
        received,
        arrived: arrived.get(start)?.amount ?? 0n,
        count: arrived.get(start)?.count ?? 0n,
        held: held.get(start)?.amount ?? 0n,
        returned: left.get(start)?.returned ?? 0n,
        refunded,
        fees,
        net: received - refunded - fees,
      }
    })
}

const noMoney: Money = {
  received: 0n,
  arrived: 0n,
  count: 0n,
  held: 0n,
  returned: 0n,
  refunded: 0n,
  fees: 0n,
  net: 0n,
}

export function sumMoney(buckets: Money[]): Money {
  const sum = { ...noMoney }
  for (const bucket of buckets)
    for (const name of Object.keys(noMoney) as (keyof Money)[]) sum[name] += bucket[name]
  return sum
}

/** What waits for a decision now, by when the payments were recorded. */
function readHeld(
  db: Queryable,
  { environmentId, asset }: StatementKey,
  { bucket, from, to }: Period & { bucket: BucketSize },
): Promise<{ start: Date; amount: bigint }[]> {
  return db.rows(sql<{ start: Date; amount: bigint }>`
    select ${bucketStart('p.created_at')} as start, sum(p.amount_held)::bigint as amount
    from payments p cross join ${bucketRows([bucket])}
    where p.environment_id = ${environmentId} and p.status = 'HELD' and p.asset = ${asset}
      and p.created_at >= ${from} and p.created_at < ${to}
    group by start order by start`)
}

function byStart<Bucket extends { start: Date }>(buckets: Bucket[]): Map<number, Bucket> {
  return new Map(buckets.map((bucket) => [bucket.start.getTime(), bucket]))
}
