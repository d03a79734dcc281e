import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { toEnvironmentId } from '../../src/base/environment.js'
import type { Database } from '../../src/postgres/database.js'
import { readList } from '../../src/postgres/lists/find-ids.js'
import { listTexts, replannedNames, toStatement } from '../../src/postgres/statement.js'
import type { Queryable, Source } from '../../src/postgres/transactions/tx.js'
import { costsOfReadingByKey } from '../../src/postgres/wire/connection.js'
import { deliveryListOf } from '../../src/webhooks/deliveries/find-deliveries.js'
import { countMissed } from '../../src/webhooks/deliveries/redeliver.js'
import type { WebhookEndpoint } from '../../src/webhooks/endpoints/endpoint.js'
import { freshDatabase } from '../support/database.js'
import { indexScansOf } from '../support/plans.js'
import { openSession } from '../support/sessions.js'

// Until the first autoanalyze of a new database the planner knows nothing but the size of tables. It
// takes an index on a status for as selective as a key, and then reads all open rows for each row
// of a batch. These tests explain every statement over a list on such tables.

const source = path.resolve(import.meta.dirname, '../../src')
for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' }))
  if (file.endsWith('.ts') && /listStatement|keyedRead/.test(readSource(file)))
    await import(path.join(source, file))

function readSource(file: string): string {
  return readFileSync(path.join(source, file), 'utf8')
}

const db = await freshDatabase()
const sizesDb = await freshDatabase()
const referencesDb = await freshDatabase()
const rowCount = 8_000

/** Columns that many rows share. A scan by these alone reads too much. */
const shared = ['environment_id', 'rail', 'mode', 'kind', 'status', 'state', 'asset']

/** Tables with few rows per environment, which may be read by environment. */
const small = ['environment_settings', 'ledger_accounts', 'webhook_endpoints']

/** Values that put every row into the partial indexes on open rows. */
const openValues: Record<string, string> = {
  'payouts.status': 'SUBMITTED',
  'payout_attempts.state': 'LIVE',
  'collection_accounts.status': 'ACTIVE',
  'collection_accounts.kind': 'dedicated_account',
  'payment_returns.state': 'WAITING',
  'notices.state': 'WAITING',
  'deliveries.state': 'PENDING',
  'sweeps.state': 'LIVE',
}

const valuesByType: Record<string, string> = {
  _int4: `'{1}'`,
  _text: `'{x}'`,
  bool: 'true',
  bytea: 'sha256(n::text::bytea)',
  int2: '1',
  int4: 'n',
  int8: 'n',
  json: `'{}'`,
  timestamptz: 'now()',
  uuid: `lpad(to_hex(n), 32, '0')::uuid`,
  xid8: 'n::text::xid8',
}

/** Plans do not depend on checks and foreign keys, so rows need not satisfy them. */
async function dropRules(session: pg.Client): Promise<void> {
  await session.query(`
    do $$ declare found record; begin
      for found in select conrelid::regclass as owner, conname as name from pg_constraint
        where connamespace = 'public'::regnamespace and contype in ('c', 'f')
      loop execute format('alter table %s drop constraint %I', found.owner, found.name); end loop;
      for found in select tgrelid::regclass as owner, tgname as name from pg_trigger
        where not tgisinternal
      loop execute format('drop trigger %I on %s', found.name, found.owner); end loop;
      for found in select oid::regclass as name from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
      loop execute format('alter table %s set (autovacuum_enabled = off)', found.name); end loop;
    end $$`)
}

/** All rows of tables that have environments belong to one. */
async function fillTables(session: pg.Client): Promise<void> {
  await fill(session, { from: 1, to: rowCount })
}

type Filling = {
  from: number
  to: number
  /** All tables by default. */
  only?: string[]
  textLength?: number
}

async function fill(session: pg.Client, filling: Filling): Promise<void> {
  const { from, to, only, textLength = 16 } = filling
  const { rows: tables } = await session.query<{ name: string; columns: string }>(`
    select table_name as name, json_agg(json_build_array(column_name, udt_name)) as columns
    from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' and table_name <> 'migrations'
    group by table_name`)
  for (const { name, columns: json } of tables) {
    if (only && !only.includes(name)) continue
    const columns = JSON.parse(json) as [string, string][]
    const values = columns.map(([column, type]) => {
      const open = openValues[`${name}.${column}`]
      if (open) return `'${open}'`
      if (shared.includes(column)) return type === 'text' ? `'x'` : '1'
      if (type === 'text') return `rpad(md5(n::text), ${textLength}, 'x')`
      return valuesByType[type] ?? 'null'
    })
    await session.query(`
      insert into ${name} (${columns.map(([column]) => column).join(', ')}) overriding system value
      select ${values.join(', ')} from generate_series(${from}, ${to}) n on conflict do nothing`)
  }
}

const samples: Record<string, (index: number) => string> = {
  bigint: String,
  boolean: () => 'true',
  bytea: () => '\\\\x00',
  integer: String,
  smallint: () => '1',
  text: (index) => `t${index}`,
  'timestamp with time zone': () => '2026-01-01',
  uuid: (index) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
}

function toLiteral(type: string, listLength: number): string {
  const sample = samples[type.replace('[]', '')] ?? String
  if (!type.endsWith('[]')) return `'${sample(1)}'`
  const list = Array.from({ length: listLength }, (_, index) => `"${sample(index)}"`)
  return `'{${list.join(',')}}'`
}

/**
 * Few sweeps are in progress, and few returns of an environment wait for a worker, at a time. The
 * others only read.
 */
const harmless = [
  // By account number, too, which is an expression.
  /^find_other_deposits: notices_refused_by_account of/,
  // No notice of these tables is refused: with statistics, the planner knows that it is empty.
  /^find_other_deposits: notices_refused of/,
  /^list_balances: payment_returns_(waiting|due) of/,
  /^(end|lock|postpone)_sweep(s|_parts): /,
  /^find_(largest|latest)_payments: payments_pkey/,
  /^read_sessions: /,
]

/** Scans by less than a key, as `statement: scan`. */
async function findWideScans(
  session: pg.Client,
  mode: 'custom' | 'generic',
  listLength: number,
  only?: string[],
): Promise<string[]> {
  await session.query(`set plan_cache_mode = force_${mode}_plan`)
  const wide = new Set<string>()
  for (const [name, text] of listTexts) {
    if (only && !only.includes(name)) continue
    if (mode === 'generic' && replannedNames.has(name)) continue
    await session.query(`prepare ${name} as ${text}`)
    const { rows } = await session.query<{ types: string[] }>(
      'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
      [name],
    )
    const values = rows[0]!.types.map((type) => toLiteral(type, listLength))
    const scans = await indexScansOf(session, `execute ${name}(${values.join(', ')})`)
    for (const { table, index, columns } of scans) {
      const isByKey = columns.some((column) => !shared.includes(column))
      const isSmall = small.includes(table) && columns.includes('environment_id')
      if (!isByKey && !isSmall) wide.add(`${name}: ${index ?? 'all'} of ${table}`)
    }
    await session.query(`deallocate ${name}`)
  }
  return [...wide].filter((one) => !harmless.some((known) => known.test(one)))
}

/** Plans like a lane, without its short timeouts. */
async function openLaneSession(of: Database): Promise<pg.Client> {
  const session = await openSession(of)
  await session.query(costsOfReadingByKey)
  return session
}

// A session keeps a generic plan until the table is analyzed.
test('a plan made while tables are empty reads by key', async () => {
  const session = await openLaneSession(db)
  const wide = await findWideScans(session, 'generic', 64)
  // All endpoints: few, as long as the table has no statistics.
  const endpoints = 'insert_deliveries: webhook_endpoints_in_use of webhook_endpoints'
  expect(wide.filter((one) => one !== endpoints)).toEqual([])
})

test('statements over a list read large tables without statistics by key', async () => {
  const session = await openLaneSession(db)
  await dropRules(session)
  await fillTables(session)
  expect(await findWideScans(session, 'generic', 64)).toEqual([])
  expect(await findWideScans(session, 'custom', 1)).toEqual([])
  expect(await findWideScans(session, 'custom', 64)).toEqual([])
})

// Lanes keep one plan per statement and connection until a table is analyzed or vacuumed, whatever
// the table holds then.
test('the plan for any list reads by key, at every size and with statistics', async () => {
  const session = await openLaneSession(sizesDb)
  await dropRules(session)
  const wide: Record<string, string[]> = {}
  const check = async (label: string) => {
    const found = await findWideScans(session, 'generic', 64)
    const large = found.filter((one) => !small.some((table) => one.endsWith(` of ${table}`)))
    if (large.length > 0) wide[label] = large
  }
  await fill(session, { from: 1, to: 20 })
  await session.query('analyze')
  await check('20 rows')
  await fill(session, { from: 21, to: 200 })
  await check('200 rows, analyzed at 20')
  await session.query('analyze')
  await check('200 rows')
  await fill(session, { from: 201, to: rowCount })
  await session.query('analyze')
  await check(`${rowCount} rows`)
  // The planner multiplies rows per page by the pages of the file.
  await session.query(`
    update pg_class set reltuples = 1e6
    where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  await check('a million rows')
  expect(wide).toEqual({})
}, 120_000)

// By the index on endpoints, each event would read all deliveries of the endpoint.
test('deliveries of events are read by key', async () => {
  const session = await openSession(db)
  const endpoint = { environmentId: toEnvironmentId(1), id: samples.uuid!(1) } as WebhookEndpoint
  const plans: string[] = []
  const explaining = {
    async rows(source: Source<unknown>) {
      const { text, values } = toStatement(source)
      const { rows } = await session.query({ text: `explain ${text}`, values })
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      return [{ count: 0, scanned: 0, ids: [] }]
    },
  } as Queryable
  await countMissed(explaining, new Date(), { endpoint, since: new Date(0), types: undefined })
  const filter = { state: 'PENDING', types: ['payment.held'] } as const
  const page = { before: undefined, limit: 20 }
  const { environmentId } = endpoint
  const list = deliveryListOf(endpoint)
  await readList(explaining, list, { environmentId, filter }, page)
  expect(plans).toHaveLength(2)
  for (const plan of plans) {
    expect(plan).toContain('deliveries_pkey')
    expect(plan).not.toContain('deliveries_of_endpoint')
  }
})

// The height of an index counts as cost: at some sizes the index on the status, whose rows are
// shorter, counts as cheaper than the unique index on references. These are planned for every list,
// so a wide plan is harmless while the table has few rows, where each read costs little. `npm run
// storm` reads larger tables, too, and with short references.
test('references are read by key, however long and however many', async () => {
  const session = await openSession(referencesDb)
  await dropRules(session)
  const tables = ['payouts', 'collection_accounts']
  const statements = ['find_merchant_references', 'find_external_references']
  expect([...replannedNames]).toEqual(expect.arrayContaining(statements))
  const wide: Record<string, string[]> = {}
  const check = async (label: string) => {
    const found = [
      ...(await findWideScans(session, 'custom', 1, statements)),
      ...(await findWideScans(session, 'custom', 64, statements)),
    ]
    if (found.length > 0) wide[label] = found
  }
  for (const textLength of [32, 100]) {
    let from = 1
    for (const to of [300, 4_000, 9_000, 20_000, 30_000]) {
      await fill(session, { from, to, only: tables, textLength })
      from = to + 1
      await check(`${to} rows, ${textLength} characters`)
    }
    await session.query('truncate payouts, collection_accounts cascade')
  }
  for (const to of [20, 100, 1_000]) {
    await fill(session, { from: 1, to, only: tables })
    await session.query('analyze payouts, collection_accounts')
    await check(`${to} analyzed rows`)
  }
  expect(wide).toEqual({})
})
