import { subaccountName } from '../ledger/accounts.js'
import type { StatementKey } from '../ledger/statement.js'
import type { PayoutKind } from '../payouts/payout.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { BucketSize, Period } from './calendar.js'
import { bucketRows, bucketStart } from './period-rows.js'

/** Money that was sent, by what for; see `docs/guides/reports.md`. */
type SentBucket = { start: Date; paidOut: bigint; refunded: bigint; returned: bigint }

/**
 * Payouts of the merchant, or of a sub-account, that arrived, by when they did, less those that the
 * bank reversed, by when it did: past figures never change. Both are found by an index.
 * Buckets without either are absent.
 */
export async function readSent(
  db: Queryable,
  { environmentId, asset, subaccountId }: StatementKey,
  { bucket, from, to, kinds }: Period & { bucket: BucketSize; kinds: PayoutKind[] },
): Promise<SentBucket[]> {
  const way = sql`case when p.kind in ('bank_transfer', 'crypto_transfer') then 'paid_out'
    when p.takes_from = 'available' then 'refunded' else 'returned' end as way`
  const payer =
    subaccountId === undefined
      ? sql`left(p.takes_from, 4) <> 'sub:'`
      : sql`p.takes_from = ${subaccountName(subaccountId)}`
  const own = sql`p.environment_id = ${environmentId} and p.kind = wanted.kind and ${payer}`
  return db.rows(sql<SentBucket>`
    select ${bucketStart('at')} as start,
      coalesce(sum(amount) filter (where way = 'paid_out'), 0)::bigint as paid_out,
      coalesce(sum(amount) filter (where way = 'refunded'), 0)::bigint as refunded,
      coalesce(sum(amount) filter (where way = 'returned'), 0)::bigint as returned
    from (
      select ${way}, p.asset, p.amount, p.completed_at as at
      from unnest(${kinds}::text[]) as wanted (kind) join payouts p on ${own}
        and coalesce(p.completed_at, p.failed_at) >= ${from}
        and coalesce(p.completed_at, p.failed_at) < ${to} and p.completed_at is not null
      union all
      select ${way}, p.asset, -p.amount, p.reversed_at
      from unnest(${kinds}::text[]) as wanted (kind) join payouts p on ${own}
        and p.status = 'REVERSED' and p.reversed_at >= ${from} and p.reversed_at < ${to}) ended
    cross join ${bucketRows([bucket])}
    where asset = ${asset} group by start order by start`)
}
