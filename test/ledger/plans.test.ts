import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { moveAll } from '../../src/ledger/move.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { listStatementEntries } from '../../src/ledger/statement.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'
import { plansOf } from '../support/plans.js'
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

test('a page of the statement reads only that page', async () => {
  const session = await openSession(db)
  const range = { ...place, first: 1n, below: 9_000n }
  await listStatementEntries(readerOf(session), range, { limit: 20 })
  const { rows } = await session.query<{ name: string }>(
    "select name from pg_prepared_statements where name like 'list_entries%'",
  )
  const bounds = [`${environmentId}`, 'USDC', '9000', '1']
  const values = [...bounds, '20', ...bounds, '20', '20']
  for (const { scans } of await plansOf(session, rows[0]!.name, values))
    expect(scans).toEqual([
      // What became of a hold, once for each hold on the page.
      'by ledger_resolutions_pkey',
      // What was charged before, once for each payment on the page that is charged again.
      'by ledger_transfers_pkey',
      // The fee of a release, once for each release on the page.
      "by ledger_transfers_pkey keeping (is_hold AND (credit = 'fees'::text))",
      'by resolution_entries_are_numbered_once',
      'by transfer_entries_are_numbered_once',
    ])
})
