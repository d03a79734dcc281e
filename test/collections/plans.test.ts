import type pg from 'pg'
import { expect, test } from 'vitest'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { createLogger } from '../../src/base/log.js'
import { expireAccounts } from '../../src/collections/accounts/end-accounts.js'
import { findAccountByNumber, getAccount } from '../../src/collections/accounts/find-accounts.js'
import {
  lockByRailAccount,
  lockCollectionAccounts,
} from '../../src/collections/accounts/store-accounts.js'
import { judgeDueNotices } from '../../src/collections/notices/judge-due-notices.js'
import { lockNotices, updateNotices } from '../../src/collections/notices/store-notices.js'
import { findPaymentByRailId, getPayment } from '../../src/collections/payments/find-payments.js'
import { findLatestPayments, lockPayments } from '../../src/collections/payments/store-payments.js'
import { sendReturns } from '../../src/collections/returns/send-returns.js'
import { lockReturns } from '../../src/collections/returns/store-returns.js'
import type { PayoutRail } from '../../src/payouts/ports.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { toStatement } from '../../src/postgres/statement.js'
import { runAlone } from '../../src/postgres/transactions/flush.js'
import { inTransaction, type Queryable, type Source } from '../../src/postgres/transactions/tx.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'
import { plansOf } from '../support/plans.js'
import { openSession, readerOf } from '../support/sessions.js'

// Accounts, payments and notices are never deleted, so queries that run with every payment must use
// an index. As in test/ledger/plans.test.ts, the server explains the statements of the code itself.

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
await db.rows(sql`
  insert into merchants select gen_random_uuid(), 'Ada', now() from generate_series(1, 2000)`)
await db.rows(sql`
  insert into environments (merchant_id, mode, created_at) select id, 'test', now() from merchants
  on conflict do nothing`)
// Every other account belongs to one large merchant. Few are open; nearly all are paid.
await db.rows(sql`
  insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
    account_name, bank_code, bank_name, asset, amount, merchant_reference, metadata, status, expires_at, paid_at, created_at,
    due_at)
  select case when n % 2 = 0 then ${environmentId}::int else 3 + n % 1900 end, gen_random_uuid(),
    'virtual_account', 'paper', lpad(n::text, 10, '0'), lpad(n::text, 10, '0'), 'Ada', '999', 'Paper', 'NGN', 100,
    'order ' || n, '{}', case when n % 20 = 0 then 'ACTIVE' else 'PAID' end, ${now},
    case when n % 20 > 0 then ${now}::timestamptz end, ${now},
    case when n % 20 = 0 then ${now}::timestamptz + n * interval '1 second' end
  from generate_series(1, 12000) n`)
await db.rows(sql`
  insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
    account_name, bank_code, bank_name, asset, merchant_reference, metadata, status, created_at)
  select environment_id, gen_random_uuid(), 'dedicated_account', rail, 'd' || number, 'd' || number, 'Ada',
    '999', 'Paper', 'NGN', number, '{}', 'ACTIVE', ${now}
  from collection_accounts`)
await db.rows(sql`
  insert into opened_bank_accounts (rail, reference, number, account_name, bank_code, bank_name,
    details, created_at)
  select rail, rail_account, number, 'Ada', '999', 'Paper', '{}', created_at
  from collection_accounts where kind = 'virtual_account'`)
await db.rows(sql`
  insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
    amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
    event_sequence, received_at, created_at)
  select environment_id, gen_random_uuid(), id, kind, rail, number, asset, 100,
    case when number like '%7' then 0 else 100 end, case when number like '%7' then 100 else 0 end,
    0, 0, 0, 'NONE', '{}', 0, ${now}, ${now}
  from collection_accounts where kind = 'virtual_account' or number like '%00'`)
await db.rows(sql`
  insert into payment_returns (environment_id, id, payment_id, rail, asset, amount, takes_from,
    destination, state, due_at, created_at)
  select environment_id, gen_random_uuid(), id, rail, 'NGN', 100, 'suspense', '{}',
    case when rail_id like '%777' then 'WAITING' else 'RETURNED' end, ${now}, ${now}
  from payments, generate_series(1, 2)`)
await db.rows(sql`
  insert into notices (rail, mode, id, report, state, due_at, received_at)
  select 'paper', 'test', n, '{"amount":"100","receivedAt":"2026-01-05T09:00:00.000Z"}',
    case when n % 1000 = 77 then 'WAITING' else 'BOOKED' end, ${now}, ${now}
  from generate_series(1, 40000) n`)
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
  return value instanceof Date ? value.toISOString() : `${value}`
}

const id = newId(now)
const ids = [`{${environmentId},7}`, `{${id},${newId(now)}}`]
const names = [{ environmentId, id }]
const virtual = { environmentId, kind: 'virtual_account' } as const

test('accounts are locked by number and by id', async () => {
  const session = await openSession(db)
  const wanted = [{ rail: 'paper', mode: 'test', railAccount: '0000000007' } as const]
  await inTransaction(session, async (tx) => {
    await lockByRailAccount(tx, wanted)
    await lockCollectionAccounts(tx, names)
  })
  const numbers = ['{paper,paper}', '{test,live}', '{0000000007,0000000008}']
  const byNumber = await plansOf(session, 'lock_collection_accounts_by_rail', numbers)
  for (const { scans } of byNumber)
    expect(scans).toEqual([
      'by checkout_sessions_pkey',
      'by collection_accounts_pkey',
      'by environments_pkey',
      'by rail_account_is_one_account',
    ])
  for (const { scans } of await plansOf(session, 'lock_collection_accounts', ids))
    expect(scans).toEqual([
      'by checkout_sessions_pkey',
      'by collection_accounts_pkey',
      'by collection_accounts_pkey',
    ])
})

// The index of due rows looks cheap while few are due, but each lock would scan all of it.
test('notices, payments and returns are locked by primary key', async () => {
  const session = await openSession(db)
  const notice = { rail: 'paper', mode: 'test', id: '77' } as const
  await inTransaction(session, async (tx) => {
    await lockNotices(tx, [notice])
    updateNotices(tx, [{ ...notice, state: 'UNMATCHED', reason: null, dueAt: now }])
    await lockPayments(tx, names)
    await lockReturns(tx, names)
  })
  const notices = ['{paper,paper}', '{test,test}', '{77,1077}']
  for (const { scans } of await plansOf(session, 'lock_notices', notices))
    expect(scans).toEqual([expect.stringMatching(/^by notices_pkey/)])
  const judged = [...notices, '{BOOKED,BOOKED}', '{null,null}', `{${now.toISOString()},null}`]
  for (const { scans } of await plansOf(session, 'update_notices', judged))
    expect(scans).toEqual([expect.stringMatching(/^by notices_pkey/)])
  for (const { scans } of await plansOf(session, 'lock_payments', ids))
    expect(scans).toEqual(['by payments_pkey'])
  for (const { scans } of await plansOf(session, 'lock_payment_returns', ids))
    expect(scans).toEqual(['by payment_returns_pkey'])
})

// Lanes run this statement, and so do the routes that show accounts, on the pool.
test.each([openSession, openFreeSession])(
  'the latest payments are found by account',
  async (open) => {
    const session = await open(db)
    await findLatestPayments(namingReader(session, { name: 'unnamed', values: [] }), names, 50)
    for (const { scans } of await plansOf(session, 'find_latest_payments', [...ids, '50']))
      expect(scans).toEqual(['by payments_of_account'])
  },
)

test('accounts are found by reference and by number', async () => {
  const reference = toReference(prefixes.virtualAccount, id)
  for (const open of [openSession, openFreeSession]) {
    const session = await open(db)
    const reader = readerOf(session)
    await getAccount(reader, { ...virtual, reference }).catch(() => {})
    await getPayment(reader, { environmentId, reference: toReference('pay_', id) }).catch(() => {})
    for (const { scans } of await plansOf(session, 'read_accounts', ids))
      expect(scans).toEqual(['by collection_accounts_pkey'])
    for (const { scans } of await plansOf(session, 'read_payments', ids))
      expect(scans).toEqual(['by payments_pkey'])
  }
  const session = await openFreeSession()
  const number = '0000000007'
  await findAccountByNumber(readerOf(session), { environmentId, rail: 'paper', number })
  const byNumber = ['paper', `${environmentId}`, number]
  for (const { scans } of await plansOf(session, 'find_account_by_number', byNumber))
    expect(scans).toEqual([
      expect.stringMatching(/^by opened_bank_accounts_by_number/),
      expect.stringMatching(/^by rail_account_is_one_account/),
    ])
  await findPaymentByRailId(readerOf(session), { rail: 'paper', railId: number })
  for (const { scans } of await plansOf(session, 'find_payment_by_rail_id', ['paper', number]))
    expect(scans).toEqual(['by payment_is_booked_once'])
})

/** A pool with only this connection. */
function poolOf(reader: Queryable, session: pg.Client): Database {
  const transaction: Database['transaction'] = (work) =>
    inTransaction(session, (tx) => work(Object.assign(Object.create(tx), reader)))
  return { rows: reader.rows, transaction } as Database
}

const noRail = { name: 'no-rail' }
const logger = createLogger('silent')

test('due rows are found with the index of due rows', async () => {
  const session = await openFreeSession()
  const pool = poolOf(namingReader(session, { name: 'unnamed', values: [] }), session)
  const lane = { run: async () => true as const, close: async () => {}, stats: undefined as never }
  await judgeDueNotices({ db: pool, rail: noRail.name, lane, logger }, now)
  await sendReturns({ db: pool, rail: noRail as PayoutRail, clock: manualClock(), logger }, now)
  const at = now.toISOString()
  const claims = [
    ['claim_due_notices', 'by notices_due', 'by notices_pkey'],
    [
      'claim_due_payment_returns',
      'by environments_pkey',
      'by payment_returns_due',
      'by payment_returns_pkey',
    ],
  ]
  for (const [statement = '', ...expected] of claims)
    for (const { scans } of await plansOf(session, statement, [at, at, '256', 'paper']))
      expect(scans.map((scan) => scan.split(' keeping')[0])).toEqual(expected)
})

// For one environment, the index of its open accounts is fine too.
test.each([
  ['of all', undefined, /^by collection_accounts_due/],
  ['of one environment', environmentId, /^by collection_accounts_(due|by_status)/],
])('accounts %s are expired with the index of due accounts', async (_, own, scan) => {
  const session = await openFreeSession()
  const given = { name: 'unnamed', values: [] as string[] }
  const past = new Date(now.getTime() - 1_000)
  await expireAccounts(poolOf(namingReader(session, given), session), past, own)
  for (const { scans } of await plansOf(session, given.name, given.values))
    expect(scans).toEqual([expect.stringMatching(scan)])
})
