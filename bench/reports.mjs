/**
 * node bench/reports.mjs: PostgreSQL time of every report on millions of payments, first computed
 * from rows alone and then with the sums that a worker keeps. See README.md.
 */
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { requireFreeSpace } from './disk.mjs'
import { describeMachine, median, printCells } from './report.mjs'

const paymentCount = Math.round(Number(process.env.REPORTS_MILLIONS ?? 5) * 1e6)
/** Sessions and payouts. */
const otherCount = Math.round(paymentCount / 5)
const days = 366
const rounds = 5
const bytesPerPayment = 1_700

requireFreeSpace(tmpdir(), 4e9 + paymentCount * bytesPerPayment, 'This run')
await buildOrExit()
const { Database } = await import('../dist/postgres/database.js')
const { toStatement } = await import('../dist/postgres/statement.js')
const { startOfNext } = await import('../dist/reports/calendar.js')
const { readBalances } = await import('../dist/reports/balance.js')
const { readConversion } = await import('../dist/reports/conversion.js')
const { readPayoutTimes } = await import('../dist/reports/payout-times.js')
const { readReceived } = await import('../dist/reports/received.js')
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
  await timed('rows written', () => fill(reader.client, environmentId))
  const cases = casesOf(reader, environmentId)
  const fromRows = await measureAll(reader, cases, 1)
  await timed('summed up', () => sumUpReports(new Database(serverUrl, () => {}), now))
  await reader.client.query('vacuum analyze')
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
      ['ms from rows', ({ rows: ms }) => ms.toFixed(1)],
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
    ['received', (one) => readReceived(reader, { environmentId, asset: 'NGN' }, one)],
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
  for (const { read } of cases) {
    const measured = []
    for (let round = 0; round < times; round += 1) {
      reader.ms = 0
      await read()
      measured.push(reader.ms)
    }
    results.push(median(measured))
  }
  return results
}

/** Adds up what the server reports for planning and executing each statement. */
async function openReader(url) {
  const client = new pg.Client(url)
  await client.connect()
  client.on('error', () => {}) // reported by the statement that runs
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

/** The n-th of `count` rows, spread evenly over the days until now. */
function timeOf(count) {
  return `date_trunc('milliseconds', timestamptz '${now.toISOString()}' - (${count} - n) * (interval '${days} days' / ${count}))`
}

function idAt(time, salt) {
  return `(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0')
    || '7' || substr(md5('${salt}' || n), 1, 3) || '8' || substr(md5('${salt}' || n), 4, 15))::uuid`
}

async function fill(client, environmentId) {
  // Without triggers, and with the indexes made at once afterwards: only for speed.
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`)
  const { rows: indexes } = await client.query(`
    select indexdef, indexrelid::regclass as name from pg_indexes
    join pg_index on indexrelid = indexname::regclass
    where tablename in ('payments', 'ledger_transfers', 'payouts', 'checkout_sessions')
      and not indisprimary and not exists (select from pg_constraint where conindid = indexrelid)`)
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await client.query(`
    insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
      amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
      session_id, narration, event_sequence, received_at, created_at)
    select ${environmentId}, id, id, 'virtual_account', 'sandbox-bank', 'sbp_' || n, 'NGN', n % 900 + 100,
      n % 900 + 100, 0, 0, 0, 0, 'NONE',
      '{"name":"CHINEDU OKAFOR","accountNumber":"0123456789","bankCode":"058","bankName":"GTB"}',
      '000058261115085656123456789012', 'order', 1, at, at
    from (select n, at, ${idAt('at', 'payment')} as id
      from (select n, ${timeOf(paymentCount)} as at from generate_series(1, ${paymentCount}) n) one) two`)
  await client.query(`
    insert into ledger_transfers (environment_id, cause_id, purpose, asset, debit, credit, amount,
      is_hold, entry_number, available_after, created_at)
    select ${environmentId}, ${idAt('at', 'payment')}, 'payment', 'NGN', 'clearing', 'available',
      n % 900 + 100, false, n, n * 500::bigint, at
    from (select n, ${timeOf(paymentCount)} as at from generate_series(1, ${paymentCount}) n) one`)
  await client.query(`
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, metadata, status, event_sequence, submitted_at, created_at, completed_at)
    select ${environmentId}, ${idAt('at', 'payout')}, 'bank_transfer', 'sandbox-bank', 'NGN', 100, 0, '100',
      '{"bankCode":"058","accountNumber":"0123456789"}', '{}', 'COMPLETED', 2, at, at,
      at + n % 5000 * interval '3 milliseconds'
    from (select n, ${timeOf(otherCount)} as at from generate_series(1, ${otherCount}) n) one`)
  await client.query(`
    insert into checkout_sessions (environment_id, id, reference, account_id, description,
      customer_name, customer_email, merchant_reference, url, metadata, event_sequence, status,
      created_at, opened_at)
    select ${environmentId}, id, rpad(id::text, 42, '0'), id, 'Two loaves of agege bread', 'Ada Obi',
      'ada@example.com', 'order-' || n, 'https://pay.example/checkout/' || id, '{}', 1,
      case n % 3 when 0 then 'expired' else 'paid' end, at, at
    from (select n, at, ${idAt('at', 'session')} as id
      from (select n, ${timeOf(otherCount)} as at from generate_series(1, ${otherCount}) n) one) two`)
  for (const { indexdef } of indexes) await client.query(indexdef)
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.query('reset session_replication_role')
}
