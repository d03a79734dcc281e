import { after, day } from '../../base/clock.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { listBalancesOf } from '../../ledger/balances.js'
import type { KycStatus } from '../../merchants/kyc/kyc.js'
import { toWire } from '../../money/amounts.js'
import { type Asset, assetNames } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { receivedPurposes } from '../../reports/money.js'

type Row = {
  id: string
  name: string
  createdAt: Date
  suspendedAt: Date | null
  kycStatus: KycStatus
  members: number
  keys: number
  testId: EnvironmentId
  liveId: EnvironmentId
}

type Amount = { asset: Asset; amount: number | string }

/** A merchant as operators see it. Amounts are of live mode, or of test mode if it is not used. */
export type FoundMerchant = Omit<Row, 'testId' | 'liveId'> & {
  environments: Record<Mode, EnvironmentId>
  balances: Record<Mode, Amount[]>
  /** Payments of the last 30 days, whole days as the reports have them. */
  received: Record<Mode, Amount[]>
}

const columns = sql`
  m.id, m.display_name as name, m.created_at, m.suspended_at, live.kyc_status, test.id as test_id,
  live.id as live_id,
  (select count(*)::int from memberships s
    where s.merchant_id = m.id and s.disabled_at is null) as members,
  (select count(*)::int from api_keys k where k.environment_id in (test.id, live.id)
    and k.revoked_at is null) as keys`

const tables = sql`
  merchants m join environments live on live.merchant_id = m.id and live.mode = 'live'
    join environments test on test.merchant_id = m.id and test.mode = 'test'`

type Page = { q: string | undefined; before: string | undefined; limit: number }

/** Newest first. */
export async function findMerchants(
  db: Queryable,
  now: Date,
  { q, before, limit }: Page,
): Promise<FoundMerchant[]> {
  const pattern = q === undefined ? undefined : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const rows = await db.rows(sql<Row>`
    select ${columns} from ${tables}
    where true ${before === undefined ? sql`` : sql`and m.id < ${before}`}
      ${pattern === undefined ? sql`` : sql`and m.display_name ilike ${pattern}`}
    order by m.id desc limit ${limit}`)
  return addAmounts(db, now, rows)
}

export async function findMerchant(
  db: Queryable,
  now: Date,
  id: string,
): Promise<FoundMerchant | undefined> {
  const rows = await db.rows(sql<Row>`select ${columns} from ${tables} where m.id = ${id}`)
  return (await addAmounts(db, now, rows))[0]
}

async function addAmounts(db: Queryable, now: Date, rows: Row[]): Promise<FoundMerchant[]> {
  const ids = rows.flatMap(({ testId, liveId }) => [testId, liveId])
  if (ids.length === 0) return []
  const balances = await listBalancesOf(db, ids)
  const sums = await db.rows(sql<{ environmentId: number; asset: Asset; amount: bigint }>`
    select environment_id, asset, sum(amount)::bigint as amount
    from report_entries
    where environment_id = any(${ids}) and asset = any(${assetNames}) and bucket = 'day'
      and bucket_start >= ${after(now, -30 * day)} and purpose = any(${receivedPurposes})
    group by environment_id, asset order by asset`)
  const balancesOf = (id: EnvironmentId): Amount[] =>
    balances
      .filter((row) => row.environmentId === id && row.available + row.held + row.pending > 0n)
      .map(({ asset, available }) => ({ asset, amount: toWire(available, asset) }))
  const receivedOf = (id: EnvironmentId): Amount[] =>
    sums
      .filter(({ environmentId }) => environmentId === id)
      .map(({ asset, amount }) => ({ asset, amount: toWire(amount, asset) }))
  return rows.map(({ testId, liveId, ...row }) => ({
    ...row,
    environments: { test: testId, live: liveId },
    balances: { test: balancesOf(testId), live: balancesOf(liveId) },
    received: { test: receivedOf(testId), live: receivedOf(liveId) },
  }))
}
