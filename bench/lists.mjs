/**
 * node bench/lists.mjs: how long filters, searches and counts take over HTTP on millions of
 * payments, and the time and memory of an export of 200,000 of them. See README.md.
 */
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { requireFreeSpace } from './disk.mjs'
import { readResidentMb } from './memory.mjs'
import { describeMachine, median, printCells } from './report.mjs'
import { startService } from './start-manilla.mjs'

const paymentCount = Math.round(Number(process.env.LISTS_MILLIONS ?? 1) * 1e6)
const exportedCount = 200_000
const rounds = 5
const bytesPerPayment = 3_000
const dayMs = 86_400_000
/** The payments of the exported month; the others are older. */
const month = { from: Date.UTC(2026, 9, 1), days: 31 }
const olderDays = 300

requireFreeSpace(tmpdir(), 4e9 + paymentCount * bytesPerPayment, 'This run')
await buildOrExit()
const { openBooks, withWorkbench } = await import('./workbench.mjs')
const settings = { fsync: 'off', full_page_writes: 'off', max_wal_size: '8GB' }
await withWorkbench(settings, measureLists)

async function measureLists({ serverUrl, folder }) {
  const books = await openBooks({ folder: path.join(folder, 'books'), databaseUrl: serverUrl })
  await fill(serverUrl, books.environmentId)
  const service = await startService('manilla.mjs', { words: ['serve'], env: books.env })
  const get = (target, headers = {}) =>
    fetch(`${service.url}${target}`, {
      headers: { authorization: `Bearer ${books.key}`, ...headers },
    })
  const measured = []
  for (const [name, target] of Object.entries(queries())) {
    const times = []
    let found = ''
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now()
      const response = await get(target)
      const { data } = await response.json()
      times.push(performance.now() - startedAt)
      if (!response.ok) throw new Error(`${target} answered ${response.status}`)
      found = data.items ? `${data.items.length} items` : `total ${data.total}`
    }
    measured.push({ name, found, first: times[0], middle: median(times) })
  }
  const { cpu, cores } = describeMachine()
  console.log(`\n${paymentCount.toLocaleString('en')} payments; ${cores} × ${cpu}`)
  printCells(
    [
      ['query', ({ name }) => name],
      ['found', ({ found }) => found],
      ['first ms', ({ first }) => first.toFixed(0)],
      ['median ms', ({ middle }) => middle.toFixed(0)],
    ],
    measured,
  )
  await measureExport(service, get)
  await service.stop()
  await books.db.close()
}

function queries() {
  const payments = '/v1/collections/payments'
  const october = 'from=2026-10-01T00:00Z&to=2026-11-01T00:00Z'
  return {
    'newest page': payments,
    'payer, common name': `${payments}?sender=chuka`,
    'payer, rare name': `${payments}?sender=zainab`,
    'payer, two words, month': `${payments}?sender=chuka+obi&${october}`,
    order: `${payments}?merchantReference=order-${Math.floor(paymentCount / 2)}`,
    'date and status': `${payments}?${october}&status=ACCEPTED`,
    'exact amount, rare': `${payments}?minAmount=99999&maxAmount=99999`,
    'amounts, common': `${payments}?minAmount=10000&maxAmount=50000`,
    'payer that does not exist': `${payments}?sender=nobody`,
    'search by name': '/v1/search?q=zainab',
    'search by order': `/v1/search?q=order-${Math.floor(paymentCount / 2)}`,
    'counts of a month': `${payments}/counts?${october}`,
    'counts by payer': `${payments}/counts?sender=zainab`,
  }
}

async function measureExport({ pid }, get) {
  const before = readResidentMb(pid)
  const target = '/v1/collections/payments?from=2026-10-01T00:00Z&to=2026-11-01T00:00Z'
  const startedAt = performance.now()
  const response = await get(target, { accept: 'text/csv' })
  let [lines, bytes, most] = [0, 0, before]
  let firstMs
  for await (const part of response.body) {
    firstMs ??= performance.now() - startedAt
    bytes += part.length
    for (const byte of part) if (byte === 10) lines += 1
    most = Math.max(most, readResidentMb(pid))
  }
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(
    `\nExport: ${(lines - 1).toLocaleString('en')} rows, ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s; first bytes after ${Math.round(firstMs)} ms; memory of the API ${Math.round(before)} MB before, at most ${Math.round(most)} MB`,
  )
  if (lines !== exportedCount + 1) throw new Error(`${exportedCount} rows were expected`)
}

/** Through the triggers that index names, without the write-ahead log. */
async function fill(url, environmentId) {
  const client = new pg.Client(url)
  await client.connect()
  const startedAt = performance.now()
  await client.query('alter table payments set unlogged; alter table search_terms set unlogged')
  await client.query('alter table collection_accounts set unlogged')
  const older = paymentCount - exportedCount
  const parts = [
    { count: older, offset: 0, from: month.from - olderDays * dayMs, days: olderDays },
    { count: exportedCount, offset: older, from: month.from, days: month.days },
  ]
  for (const part of parts)
    for (let done = 0; done < part.count; done += 100_000) {
      const rows = series(part, done, Math.min(done + 100_000, part.count))
      await client.query(accountsOf(environmentId, rows))
      await client.query(paymentsOf(environmentId, rows))
    }
  await client.query('vacuum analyze')
  await client.end()
  console.log(`rows written: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
}

/** Rows spread evenly over the days, with the id of their time. */
function series({ count, offset, from, days }, first, end) {
  return `(
    select n, ('epoch'::timestamptz + ms * interval '1 millisecond') as at,
      (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid as id
    from (select n + ${offset} as n, ${from} + n * ${days * dayMs}::bigint / ${count} as ms
      from generate_series(${first}::bigint, ${end - 1}::bigint) n) timed) one`
}

function accountsOf(environmentId, rows) {
  return `
    insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
      account_name, bank_code, bank_name, asset, amount, merchant_reference, metadata, status,
      amount_received, amount_accepted, expires_at, paid_at, created_at)
    select ${environmentId}, id, 'virtual_account', 'sandbox-bank', n::text, lpad(n::text, 10, '0'),
      'Ada', '999', 'Sandbox', 'NGN', n % 90000 + 10000, 'order-' || n, '{}', 'PAID',
      n % 90000 + 10000, n % 90000 + 10000, at, at, at
    from ${rows}`
}

/** One payer in 50 is a Chuka, one in 20,000 is Zainab. */
function paymentsOf(environmentId, rows) {
  return `
    insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
      amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
      session_id, narration, event_sequence, received_at, created_at)
    select ${environmentId}, id, id, 'virtual_account', 'sandbox-bank', 'sbp_' || n, 'NGN',
      n % 90000 + 10000, n % 90000 + 10000, 0, 0, 0, 100, 'NONE',
      json_build_object('name', case when n % 20000 = 7 then 'ZAINAB BELLO'
          when n % 50 = 0 then 'CHUKA ' || case when n % 100 = 0 then 'OBI' else 'EZE' end
          else 'PAYER' || n % 3000 || ' NAME' || n % 70 end,
        'accountNumber', lpad((n % 1000000)::text, 10, '0'), 'bankCode', '058', 'bankName', 'GTB'),
      '0000582611' || lpad(n::text, 20, '0'), 'order ' || n, 1, at, at
    from ${rows}`
}
