import type pg from 'pg'
import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { listBalances } from '../../src/ledger/balances.js'
import { moveAll } from '../../src/ledger/move.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { listStatementEntries } from '../../src/ledger/statement.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction, type Queryable } from '../../src/postgres/transactions/tx.js'
import { findSubaccountBalances } from '../../src/subaccounts/subaccount-balances.js'
import { readChangeMarks } from '../../src/timeline/change-marks.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'
import { measuringReader, plansOf, type Work } from '../support/plans.js'
import { openSession, readerOf } from '../support/sessions.js'

// The ledger only grows, so every statement of a payout must use an index. The server explains the
// prepared statements of the code on tables that are large enough.

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const place = { environmentId, asset: 'USDC' } as const

await db.rows(sql`
  insert into merchants select gen_random_uuid(), 'Ada Stores', now() from generate_series(1, 3000)`)
await db.rows(sql`
  insert into environments (merchant_id, mode, created_at) select id, 'test', now() from merchants
  on conflict do nothing`)
await db.rows(sql`
  insert into ledger_accounts (environment_id, asset, name)
  select e.id, 'USDC', name from environments e, unnest(array['available', 'treasury', 'fees']) name`)
await db.rows(sql`
  insert into ledger_transfers
  select 1 + n % 3000, gen_random_uuid(), 'crypto_payout', 'USDC', 'available', 'treasury', 1, true,
    1 + n / 3000, 0, now()
  from generate_series(0, 59999) n`)
await db.rows(sql`
  insert into ledger_resolutions
  select environment_id, cause_id, 'release', purpose, asset, debit, amount, 1000 + entry_number, 0,
    now()
  from ledger_transfers`)

/** As many sub-accounts as a large platform has, and one of them with a long statement. */
const seller = newId(now)
await db.rows(sql`
  insert into ledger_accounts (environment_id, asset, name)
  select ${environmentId}, 'USDC', 'sub:' || gen_random_uuid() from generate_series(1, 100000)`)
await db.rows(sql`
  insert into ledger_transfers (environment_id, cause_id, purpose, asset, debit, credit, amount,
    is_hold, created_at, subaccount_id, subaccount_entry, subaccount_after)
  select ${environmentId}, gen_random_uuid(), 'crypto_payout', 'USDC', 'sub:' || id, 'treasury', 1,
    true, now(), id, 1 + n / 20, 0
  from generate_series(0, 19999) n,
    lateral (select case n % 20 when 0 then ${seller}::uuid
      else md5((n % 20)::text)::uuid end as id) s`)
await db.rows(sql`
  insert into ledger_resolutions (environment_id, cause_id, verb, purpose, asset, debit, amount,
    created_at, subaccount_id, subaccount_entry, subaccount_after)
  select environment_id, cause_id, 'release', purpose, asset, debit, amount, now(), subaccount_id,
    1000 + subaccount_entry, 0
  from ledger_transfers where subaccount_id is not null`)
await db.rows(sql`analyze`)

test('locking the accounts of a batch uses the primary key', async () => {
  const session = await openSession(db)
  const other = { ...place, asset: 'USDT' } as const
  await inTransaction(session, (tx) => moveAll(tx, now, [fundingOf(other, 1n)]))
  const values = [`{${environmentId},7}`, '{USDC,USDC}', '{available,fees}']
  for (const { scans } of await plansOf(session, 'lock_accounts', values))
    expect(scans).toEqual(['by ledger_accounts_pkey'])
})

test('writing the accounts of a batch uses the primary key', async () => {
  const session = await openSession(db)
  const other = { ...place, asset: 'USDT' } as const
  await inTransaction(session, (tx) => moveAll(tx, now, [fundingOf(other, 1n)]))
  const sums = Array.from({ length: 5 }, () => '{1}')
  const values = [`{${environmentId}}`, '{USDC}', '{available}', ...sums]
  for (const { scans } of await plansOf(session, 'update_accounts', values))
    expect(scans).toEqual(['by ledger_accounts_pkey'])
})

test('finding holds and resolutions uses the cause, never a scan of the ledger', async () => {
  const session = await openSession(db)
  const other = { ...place, asset: 'USDT' } as const
  const hold = holdOf(other, 1n)
  await inTransaction(session, (tx) => moveAll(tx, now, [fundingOf(other, 1n), hold]))
  await inTransaction(session, (tx) =>
    resolveAll(tx, now, [{ environmentId, causeId: hold.causeId, verb: 'settle' }]),
  )
  const values = [`{${environmentId},7}`, `{${newId(now)},${newId(now)}}`]
  for (const { scans } of await plansOf(session, 'find_holds', values))
    expect(scans).toEqual(['by ledger_transfers_pkey keeping is_hold'])
  for (const { scans } of await plansOf(session, 'find_resolved', values))
    expect(scans).toEqual(['by ledger_resolutions_pkey'])
})

/** The statement that the code under test prepared on this session. */
async function preparedOn(session: pg.Client, start: string): Promise<string> {
  const { rows } = await session.query<{ name: string }>(
    `select name from pg_prepared_statements where starts_with(name, '${start}')`,
  )
  expect(rows).toHaveLength(1)
  return rows[0]!.name
}

test('a page of the statement reads only that page', async () => {
  const session = await openSession(db)
  const range = { ...place, first: 1n, below: 9_000n }
  await listStatementEntries(readerOf(session), range, { limit: 20 })
  const statement = await preparedOn(session, 'list_entries')
  const bounds = [`${environmentId}`, 'USDC', '9000', '1']
  const values = [...bounds, '20', ...bounds, '20', '20']
  for (const { scans } of await plansOf(session, statement, values))
    expect(scans).toEqual([
      // What became of a hold, once for each hold on the page.
      'by ledger_resolutions_pkey',
      // What was charged before, once for each payment on the page that is charged again.
      'by ledger_transfers_pkey',
      // The fee and the levy of a release, once for each release on the page.
      "by ledger_transfers_pkey keeping (is_hold AND (credit = 'fees'::text))",
      "by ledger_transfers_pkey keeping (is_hold AND (credit = 'levies'::text))",
      'by resolution_entries_are_numbered_once',
      'by transfer_entries_are_numbered_once',
    ])
})

test('a page of the statement of a sub-account reads only that page', async () => {
  const session = await openSession(db)
  const range = { ...place, subaccountId: seller, first: 1n, below: 9_000n }
  await listStatementEntries(readerOf(session), range, { limit: 20 })
  const statement = await preparedOn(session, 'list_subaccount_entries')
  const bounds = [`${environmentId}`, seller, 'USDC', '9000', '1']
  const values = [`sub:${seller}`, ...bounds, '20', ...bounds, '20', '20']
  for (const { scans } of await plansOf(session, statement, values))
    expect(scans).toEqual([
      'by ledger_resolutions_pkey',
      'by ledger_transfers_pkey',
      "by ledger_transfers_pkey keeping (is_hold AND (credit = 'fees'::text))",
      "by ledger_transfers_pkey keeping (is_hold AND (credit = 'levies'::text))",
      'by resolution_subaccount_entries_are_numbered_once',
      'by transfer_subaccount_entries_are_numbered_once',
    ])
})

// An index that starts with the environment is no proof: all 100,000 accounts may be in one
// environment. The rows that were read are.
test.each(['force_custom_plan', 'force_generic_plan'])(
  'balances are read without the ledger accounts of 100,000 sub-accounts (%s)',
  async (mode) => {
    const session = await openSession(db)
    await session.query(`set plan_cache_mode = ${mode}`)
    const readers = {
      balances: (reader: Queryable) => listBalances(reader, environmentId),
      'balances of a sub-account': (reader: Queryable) =>
        findSubaccountBalances(reader, [{ environmentId, id: seller }]),
      'change marks': (reader: Queryable) => readChangeMarks(reader, [environmentId]),
    }
    for (const [what, read] of Object.entries(readers)) {
      const work: Work = { rows: 0, buffers: 0, nodes: [] }
      await read(measuringReader(session, work))
      expect({ what, ...work, isSmall: work.rows < 100 && work.buffers < 300 }).toMatchObject({
        isSmall: true,
      })
    }
  },
)
