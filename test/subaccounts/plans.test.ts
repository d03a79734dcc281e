import type pg from 'pg'
import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { closeSettled } from '../../src/payouts/settlements/close-subaccounts.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { toStatement } from '../../src/postgres/statement.js'
import { runAlone } from '../../src/postgres/transactions/flush.js'
import { inTransaction, type Queryable, type Source } from '../../src/postgres/transactions/tx.js'
import { giveBack } from '../../src/subaccounts/shares/give-back.js'
import { findRefundSplits } from '../../src/subaccounts/shares/refund-splits.js'
import { releaseShares } from '../../src/subaccounts/shares/release-shares.js'
import {
  findShares,
  lockGivingBack,
  lockShares,
} from '../../src/subaccounts/shares/store-shares.js'
import { findSplits } from '../../src/subaccounts/splits/store-splits.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'
import { plansOf } from '../support/plans.js'
import { openSession } from '../support/sessions.js'

// Shares and what refunds take back are never deleted, so queries that run with every payment and
// refund must use an index. As in test/ledger/plans.test.ts, the server explains the statements of
// the code itself.

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
await db.rows(sql`
  insert into merchants select gen_random_uuid(), 'Ada', now() from generate_series(1, 2000)`)
await db.rows(sql`
  insert into environments (merchant_id, mode, created_at) select id, 'test', now() from merchants
  on conflict do nothing`)
const splitId = newId(now)
await db.rows(sql`
  insert into subaccounts (environment_id, id, name, status, closing_payout_id, created_at)
  select ${environmentId}, gen_random_uuid(), 'Seller ' || n,
    case when n % 1000 = 0 then 'PAUSED' else 'ACTIVE' end,
    case when n % 1000 = 0 then gen_random_uuid() end, ${now}
  from generate_series(1, 10000) n`)
await db.rows(sql`
  insert into splits (environment_id, id, fee_bearer, created_at)
  select ${environmentId}, id, 'merchant', ${now}
  from (select ${splitId}::uuid as id union all
    select gen_random_uuid() from generate_series(1, 10000)) ids`)
await db.rows(sql`
  insert into split_lines (environment_id, split_id, line, subaccount_id, basis_points)
  select environment_id, id, line,
    (select id from subaccounts where environment_id = ${environmentId} limit 1), 100
  from splits, generate_series(0, 2) line`)
await db.rows(sql`
  insert into payment_shares (environment_id, id, payment_id, part, line, split_id, subaccount_id,
    mode, asset, amount, fee, status, release_at, due_at, created_at)
  select environment_id, gen_random_uuid(), gen_random_uuid(), 0, 0, ${splitId}, id, 'test', 'NGN',
    100, 0, case when n = 1 and name like '%00' then 'PENDING' else 'POSTED' end, ${now},
    case when n = 1 and name like '%00' then ${now}::timestamptz end, ${now}
  from subaccounts, generate_series(1, 3) n`)
await db.rows(sql`
  insert into share_take_backs (environment_id, id, return_id, share_id, subaccount_id, mode, asset,
    taken, taken_pending, owed, state, due_at, created_at)
  select environment_id, gen_random_uuid(), gen_random_uuid(), id, subaccount_id, 'test', 'NGN', 1,
    0, 0, case when number % 100 = 0 then 'GIVING_BACK' else 'TAKEN' end,
    case when number % 100 = 0 then ${now}::timestamptz end, ${now}
  from (select s.*, row_number() over () as number from payment_shares s) s`)
await db.rows(sql`analyze`)

/** A session with the planner settings of the pool; a lane's are stricter. */
async function openFreeSession(): Promise<pg.Client> {
  const session = await openSession(db)
  await session.query(
    'set enable_seqscan = on; set enable_hashjoin = on; set enable_mergejoin = on',
  )
  return session
}

/** Names unnamed statements, so that the server can explain them. */
function namingReader(session: pg.Client, given: { name: string; values: string[] }): Queryable {
  return {
    async rows<Row>(source: Source<Row>) {
      const statement = toStatement(source)
      if (statement.name === undefined) given.values = statement.values.map(toText)
      const { rows } = await runAlone(session, { ...given, ...statement })
      return rows as Row[]
    },
  }
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return `{${value.join(',')}}`
  return value instanceof Date ? value.toISOString() : `${value}`
}

function poolOf(session: pg.Client, reader: Queryable): Database {
  const transaction: Database['transaction'] = (work) =>
    inTransaction(session, (tx) => work(Object.assign(Object.create(tx), reader)))
  return { rows: reader.rows, transaction } as Database
}

const withoutFilters = (scans: string[]) => scans.map((scan) => scan.split(' keeping')[0])
const id = newId(now)
const ids = [`{${environmentId},7}`, `{${id},${newId(now)}}`]
const names = [{ environmentId, id }]

test.each([
  ['lanes', openSession],
  ['the pool', openFreeSession],
])('shares and splits are found by key on connections of %s', async (_, open) => {
  const session = await open(db)
  await inTransaction(session, async (tx) => {
    await findSplits(tx, names)
    await findShares(tx, names)
    await lockShares(tx, names)
  })
  const expected = [
    ['find_splits', 'by splits_pkey'],
    ['find_split_lines', 'by split_lines_pkey'],
    ['find_payment_shares', 'by payment_is_shared_once'],
    ['lock_payment_shares', 'by payment_shares_pkey'],
  ]
  for (const [statement = '', scan] of expected)
    for (const { scans } of await plansOf(session, statement, ids)) expect(scans).toEqual([scan])
})

test('what refunds took is found by refund and by share', async () => {
  const session = await openFreeSession()
  const given = { name: 'of_refund', values: [] as string[] }
  await findRefundSplits(namingReader(session, given), environmentId, [id])
  for (const { scans } of await plansOf(session, given.name, given.values))
    expect(scans).toEqual(['by payment_shares_pkey', 'by refund_takes_back_once'])
  const [share] = await db.rows(sql<Parameters<typeof lockGivingBack>[1][0]>`
    select environment_id, id from payment_shares limit 1`)
  const ofShare = { name: 'of_share', values: [] as string[] }
  const reader = namingReader(session, ofShare)
  await poolOf(session, reader).transaction((tx) => lockGivingBack(tx, [share!]))
  for (const { scans } of await plansOf(session, ofShare.name, ofShare.values))
    expect(withoutFilters(scans)).toEqual(['by take_backs_of_share'])
})

test('due shares and take-backs are found with the index of due rows', async () => {
  const session = await openFreeSession()
  const pool = poolOf(session, namingReader(session, { name: 'unnamed', values: [] }))
  const past = new Date(now.getTime() - 86_400_000) as typeof now
  await releaseShares({ db: pool, mode: 'test' }, past)
  await giveBack({ db: pool, mode: 'test' }, past)
  const at = now.toISOString()
  const claims = [
    ['payment_shares', 'by environments_pkey', 'by payment_shares_pkey', 'by shares_due'],
    ['share_take_backs', 'by share_take_backs_pkey', 'by take_backs_due'],
  ]
  for (const [table, ...expected] of claims)
    for (const { scans } of await plansOf(session, `claim_due_${table}`, [at, at, '64', 'test']))
      expect(withoutFilters(scans)).toEqual(expected)
})

test('sub-accounts that are closing are found without reading the others', async () => {
  const session = await openFreeSession()
  const given = { name: 'closing', values: [] as string[] }
  await closeSettled(poolOf(session, namingReader(session, given)), now)
  for (const { scans } of await plansOf(session, given.name, given.values)) {
    expect(withoutFilters(scans)).toContain('by subaccounts_closing')
    expect(withoutFilters(scans)).not.toContain('Seq Scan of subaccounts')
  }
})
