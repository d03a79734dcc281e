/**
 * node bench/reports.mjs: PostgreSQL time of every report on millions of payments, with the sums
 * that a worker keeps, and optionally from rows alone. See README.md.
 */
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { requireFreeSpace } from './disk.mjs'
import { describeMachine, median, printCells } from './report.mjs'

const paymentCount = Math.round(Number(process.env.REPORTS_MILLIONS ?? 5) * 1e6)
/** Sessions, payouts and balance entries. */
const otherCount = Math.round(paymentCount / 5)
const days = 366
const rounds = 5
/** Makes writing take twice as long. */
const measuresAllIndexes = process.env.REPORTS_ALL_INDEXES === '1'
const measuresRows = process.env.REPORTS_FROM_ROWS === '1'
const tables = ['payments', 'ledger_transfers', 'payouts', 'checkout_sessions']
const bytesPerPayment = 1_700

requireFreeSpace(tmpdir(), 4e9 + paymentCount * bytesPerPayment, 'This run')
await buildOrExit()
const { Database } = await import('../dist/postgres/database.js')
const { toStatement } = await import('../dist/postgres/statement.js')
const { startOfNext } = await import('../dist/reports/calendar.js')
const { readBalances } = await import('../dist/reports/balance.js')
const { readConversion } = await import('../dist/reports/conversion.js')
const { readPayoutTimes } = await import('../dist/reports/payout-times.js')
const { readMoney } = await import('../dist/reports/money.js')
const { sumUpReports } = await import('../dist/reports/sum-up.js')
const { openBooks, withWorkbench } = await import('./workbench.mjs')

const now = new Date()
const dayMs = 86_400_000
const settings = { fsync: 'off', full_page_writes: 'off', max_wal_size: '8GB' }
await withWorkbench(settings, measureReports)

async function measureReports({ serverUrl, folder }) {
  const books = await openBooks({ folder: path.join(folder, 'books'), databaseUrl: serverUrl })
  const { db } = books
  const reader = await openReader(serverUrl)
  // Unlike that of test mode, it has no rows yet.
  const { rows: found } = await reader.client.query(
    `select id from environments where mode = 'live'`,
  )
  const environmentId = found[0].id
  await timed('rows written', () => fill(reader.client, serverUrl, environmentId))
  const cases = casesOf(reader, environmentId)
  const fromRows = measuresRows ? await measureAll(reader, cases, 1) : []
  await timed('summed up', () => sumUpReports(new Database(serverUrl, () => {}), now))
  await reader.client.query(`
    analyze report_received, report_entries, report_conversion, report_balances,
      report_payout_times`)
  const fromSums = await measureAll(reader, cases, rounds)
  const again = await timed('a run with nothing to do', () => sumUpReports(db, now))
  console.log(`  (${again} environments)`)
  const { rows: sizes } = await reader.client.query(`
    select relname, pg_size_pretty(pg_total_relation_size(oid)) as size, reltuples::int8 as count
    from pg_class where relkind = 'r' and relname ~ '^(report_|payments$)' order by relname`)
  for (const { relname, size, count } of sizes) console.log(`  ${relname}: ${count} rows, ${size}`)
  const table = cases.map(({ name }, index) => ({
    name,
    rows: fromRows[index],
    sums: fromSums[index],
  }))
  const { cpu, cores } = describeMachine()
  console.log(
    `
${paymentCount.toLocaleString('en')} payments in ${days} days; ${cores} × ${cpu}`,
  )
  printCells(
    [
      ['report', ({ name }) => name],
      ['ms from rows', ({ rows: ms }) => ms?.toFixed(1) ?? ''],
      ['ms with sums', ({ sums: ms }) => ms.toFixed(1)],
    ],
    table,
  )
  await reader.client.end()
  await db.close()
  const slow = table.filter(({ sums }) => sums >= 100)
  if (slow.length > 0) throw new Error(`over 100 ms: ${slow.map(({ name }) => name).join(', ')}`)
}

async function timed(what, work) {
  const startedAt = performance.now()
  const result = await work()
  console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

function casesOf(reader, environmentId) {
  const period = (bucket, count) => {
    const to = startOfNext(bucket, now)
    return { bucket, to, from: new Date(to - count * (bucket === 'day' ? dayMs : dayMs / 24)) }
  }
  const periods = [
    ['365 days', period('day', 365)],
    ['30 days', period('day', 30)],
    ['744 hours', period('hour', 744)],
  ]
  const kinds = [
    ['received', (one) => readMoney(reader, { environmentId, asset: 'NGN' }, one)],
    ['conversion', (one) => readConversion(reader, environmentId, one)],
    ['balance', (one) => readBalances(reader, { environmentId, asset: 'NGN' }, one)],
    [
      'payout times',
      (one) => readPayoutTimes(reader, { environmentId, kind: 'bank_transfer' }, one),
    ],
  ]
  return kinds.flatMap(([kind, read]) =>
    periods.map(([length, one]) => ({ name: `${kind}, ${length}`, read: () => read(one) })),
  )
}

async function measureAll(reader, cases, times) {
  const results = []
  for (const { name, read } of cases) {
    const measured = []
    for (let round = 0; round < times; round += 1) {
      reader.ms = 0
      await read()
      measured.push(reader.ms)
    }
    results.push(median(measured))
    console.log(`  ${name}: ${measured.map((ms) => ms.toFixed(1)).join(', ')} ms`)
  }
  return results
}

/** Adds up what the server reports for planning and executing each statement. */
async function openReader(url) {
  const client = new pg.Client(url)
  await client.connect()
  client.on('error', () => {}) // reported by the statement that runs
  // As the pool of the API.
  await client.query(
    'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off',
  )
  return {
    client,
    ms: 0,
    async rows(source) {
      const { text, values } = toStatement(source)
      const { rows } = await client.query(
        `explain (analyze, timing off, format json) ${text}`,
        values,
      )
      const [plan] = rows[0]['QUERY PLAN']
      this.ms += plan['Planning Time'] + plan['Execution Time']
      return (await client.query(text, values)).rows
    },
  }
}

/**
 * Writes faster than the service would: in several sessions, without the write-ahead log and
 * triggers, and without the indexes that reports have no use for.
 */
async function fill(client, url, environmentId) {
  const { rows: indexes } = await client.query(
    `select indexdef, indexrelid::regclass as name, indexname in
        ('payouts_ended', 'payouts_by_status', 'payments_by_status',
          'transfer_entries_are_numbered_once') as "isUsed" from pg_indexes
      join pg_index on indexrelid = indexname::regclass
      where tablename = any($1) and not indisprimary
        and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  for (const table of tables) await client.query(`alter table ${table} set unlogged`)
  const halves = (count, insert) => [
    insert(series(count, 1, count / 2)),
    insert(series(count, count / 2 + 1, count)),
  ]
  await inParallel(url, [
    ...halves(paymentCount, (rows) => insertPayments(environmentId, rows)),
    ...halves(otherCount, (rows) => insertEntries(environmentId, rows)),
    ...halves(otherCount, (rows) => insertPayouts(environmentId, rows)),
    ...halves(otherCount, (rows) => insertSessions(environmentId, rows)),
  ])
  const used = indexes.filter(({ isUsed }) => isUsed || measuresAllIndexes)
  await inParallel(
    url,
    used.map(({ indexdef }) => indexdef),
  )
  await client.query('vacuum analyze')
}

async function inParallel(url, statements) {
  const waiting = [...statements]
  const run = async () => {
    const session = new pg.Client(url)
    await session.connect()
    session.on('error', () => {})
    await session.query(
      `set session_replication_role = replica; set maintenance_work_mem = '256MB'`,
    )
    for (let next = waiting.shift(); next; next = waiting.shift()) await session.query(next)
    await session.end()
  }
  await Promise.all([run(), run(), run(), run()])
}

/** Rows `n` of `count`, spread evenly over the days until now, with the id of their time. */
function series(count, from, to) {
  const first = now.getTime() - days * dayMs
  return `(
    select n, ('epoch'::timestamptz + ms * interval '1 millisecond') as at,
      (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid as id
    from (select n, ${first} + n * ${days * dayMs}::bigint / ${count} as ms
      from generate_series(${from}::bigint, ${to}::bigint) n) timed) one`
}

function insertPayments(environmentId, rows) {
  return `
    insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
      amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
      session_id, narration, event_sequence, received_at, created_at)
    select ${environmentId}, id, id, 'virtual_account', 'sandbox-bank', 'sbp_' || n, 'NGN',
      n % 900 + 100, n % 900 + 100, 0, 0, 0, 0, 'NONE',
      '{"name":"CHINEDU OKAFOR","accountNumber":"0123456789","bankCode":"058","bankName":"GTB"}',
      '000058261115085656123456789012', 'order', 1, at, at
    from ${rows}`
}

function insertEntries(environmentId, rows) {
  return `
    insert into ledger_transfers (environment_id, cause_id, purpose, asset, debit, credit, amount,
      is_hold, entry_number, available_after, created_at)
    select ${environmentId}, id, 'payment', 'NGN', 'clearing', 'available', n % 900 + 100, false,
      n, n * 500, at
    from ${rows}`
}

function insertPayouts(environmentId, rows) {
  return `
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, metadata, status, event_sequence, submitted_at, created_at, completed_at)
    select ${environmentId}, id, 'bank_transfer', 'sandbox-bank', 'NGN', 100, 0, '100',
      '{"bankCode":"058","accountNumber":"0123456789"}', '{}', 'COMPLETED', 2, at, at,
      at + n % 5000 * interval '3 milliseconds'
    from ${rows}`
}

function insertSessions(environmentId, rows) {
  return `
    insert into checkout_sessions (environment_id, id, reference, account_id, description,
      customer_name, customer_email, merchant_reference, url, metadata, event_sequence, status,
      created_at, opened_at)
    select ${environmentId}, id, rpad(id::text, 42, '0'), id, 'Two loaves of agege bread',
      'Ada Obi', 'ada@example.com', 'order-' || n, 'https://pay.example/checkout/' || id, '{}', 1,
      case n % 3 when 0 then 'expired' else 'paid' end, at, at
    from ${rows}`
}
