/**
 * npm run proof:rows: whether millions of finished payouts and payments slow the API down. Two
 * databases on one PostgreSQL, one empty and one full, are measured in turns: every path of
 * paths.mjs and every list. Exits with 1 if one needs too much more processor time on the full
 * database. See README.md.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { requireFreeSpace } from './disk.mjs'
import { describeMachine, median, printCells, whole } from './report.mjs'

/** Payouts, and as many payments. */
const rowCount = Math.round(Number(process.env.ROWS_MILLIONS ?? 3) * 1e6)
const rounds = Number(process.env.ROWS_ROUNDS ?? 5)
const seconds = Number(process.env.ROWS_SECONDS ?? 3)
/** Keys of paths; all without it. */
const selected = process.env.ROWS_ONLY?.split(',')
/** Processor time of Node and PostgreSQL on the full database, as a multiple of the empty one's. */
const ratioMax = 1.2
const warmRequests = Number(process.env.ROWS_WARM ?? 16_000)
const isVerified = process.env.ROWS_VERIFY !== '0'
/** On disk, with indexes and room for sorting; PostgreSQL's log and the measured rows come on top. */
const bytesPerPayout = 7_000
const bytesPerPayment = 7_000
const bytesBeside = 8e9
const referencesRead = 1_000
/** Of the deposit wallets, which hold nothing here. */
const walletWords = `${'abandon '.repeat(11)}about`
const connections = 128

requireFreeSpace(tmpdir(), bytesBeside + rowCount * (bytesPerPayout + bytesPerPayment), 'This run')
await buildOrExit()
const { toReference, fromReference } = await import('../dist/base/ids.js')
const { toIdempotencyKey } = await import('../dist/idempotency/key.js')
const { concludePayouts } = await import('../dist/payouts/attempts/conclude-payouts.js')
const { sql } = await import('../dist/postgres/sql.js')
const { openChain } = await import('./chain.mjs')
const { listPaths } = await import('./list-plans.mjs')
const { createListed } = await import('./listed.mjs')
const { seedPayments } = await import('./seed-payments.mjs')
const { startMeter } = await import('./cpu.mjs')
const { paths } = await import('./paths.mjs')
const { startProcess } = await import('./processes.mjs')
const { seedPayouts } = await import('./seed-payouts.mjs')
const { assertLedgerIsClean, fundEnvironments, openBooks, withWorkbench } = await import(
  './workbench.mjs'
)

const cryptoPath = paths.find(({ key }) => key === 'crypto')
const measuredPaths = [...paths, ...listPaths()].filter(
  ({ key }) => selected?.includes(key) ?? true,
)

const result = await withWorkbench({}, measureRows)
console.log(
  `\n${rowCount.toLocaleString('en')} payouts of ${result.bytesPerPayout} bytes and as many ` +
    `payments of ${result.bytesPerPayment}; medians of rounds of ${seconds} s`,
)
printCells(columns(), result.rows)
const folder = new URL('./results/', import.meta.url)
mkdirSync(folder, { recursive: true })
const resultFile = new URL('proof-rows.json', folder)
writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`)
console.log(`Written to ${fileURLToPath(resultFile)}`)
const slower = result.rows.filter(({ ratio }) => ratio.cpu > ratioMax)
for (const { name, ratio } of slower) console.log(`✗ ${name}: ${ratio.cpu.toFixed(2)} times`)
if (slower.length > 0) process.exitCode = 1
else console.log(`✓ every path and list needs at most ${ratioMax} times the processor time`)

async function measureRows(bench) {
  const chain = await openChain(bench.folder)
  const stub = await startProcess('./stub-chain.mjs', { args: [chain.url] })
  const seedFile = path.join(bench.folder, 'seed.txt')
  writeFileSync(seedFile, walletWords, { mode: 0o600 })
  const shared = { ...bench, chain, stub, seedFile, wallet: chain.wallet }
  const empty = await openSide(shared, 'empty')
  const full = await openSide(shared, 'full')
  const grown = await fill(shared, full)
  const sides = [empty, full]
  for (const side of sides) {
    await warm(side)
    await maintain(side.databaseUrl, ['vacuum analyze', 'checkpoint'])
    side.references = await pickReferences(side)
  }
  const measured = measuredPaths.map((path) => ({ path, empty: [], full: [] }))
  await measureRounds(sides, measured)
  // Other programs disturb some measurements: what seems slower is measured for as long again.
  const doubtful = measured.filter((one) => toRow(one).ratio.cpu > ratioMax)
  if (doubtful.length > 0) await measureRounds(sides, doubtful)
  for (const { servers } of sides) for (const server of Object.values(servers)) await server.stop()
  await stub.stop()
  await chain.stop()
  await verify(sides)
  for (const { db } of sides) await db.close()
  return {
    measuredAt: new Date(),
    machine: describeMachine(),
    payouts: rowCount,
    payments: rowCount,
    bytesPerPayout: Math.round(grown.payouts / rowCount),
    bytesPerPayment: Math.round(grown.payments / rowCount),
    rounds,
    seconds,
    ratioMax,
    rows: measured.map(toRow),
  }
}

async function measureRounds(sides, measured) {
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`Round ${round} of ${rounds}: ${measured.length} paths`)
    // The first of a pair may pay for what the path before it left behind.
    const turns = round % 2 === 0 ? sides.toReversed() : sides
    for (const measurement of measured) {
      for (const side of turns)
        measurement[side.name].push(
          await run(side, measurement.path, { runMs: seconds * 1_000, seconds }),
        )
      const [onEmpty, onFull] = [measurement.empty.at(-1), measurement.full.at(-1)]
      console.log(
        `  ${measurement.path.name}: ${whole(onEmpty.cpu)} µs empty, ${whole(onFull.cpu)} µs full`,
      )
    }
  }
}

/** A database with a funded merchant, and API processes on it. */
async function openSide(shared, name) {
  const { serverUrl, folder, chain, stub, seedFile } = shared
  await maintain(serverUrl, [`create database "${name}"`])
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const books = await openBooks({ folder: path.join(folder, name), databaseUrl: url.href })
  await fundEnvironments(books.db, [books.environmentId])
  const env = { ...books.env, SOLANA_TEST_SEED_FILE: seedFile }
  const start = (chainUrl) =>
    startProcess('./server.mjs', { env: { ...env, ...chain.configFor(chainUrl) } })
  const side = {
    ...shared,
    ...books,
    name,
    servers: { stub: await start(stub.url), localnet: await start(chain.url) },
    accountNumbers: numbersFrom(rowCount + 1),
    unposted: { count: 0 },
    references: [],
  }
  const listed = await createListed(side)
  // The settlement took the naira.
  await fundEnvironments(books.db, [books.environmentId])
  return { ...side, listed, sessionReference: listed.session, transferReference: listed.transfer }
}

/** Account numbers start with 0, which the sandbox bank never issues. */
function numbersFrom(first) {
  let next = first
  return {
    take(count) {
      const taken = next
      next += count
      return taken
    },
  }
}

/** Statements that take longer than a request may, or run outside of a transaction. */
async function maintain(databaseUrl, statements) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Returns how many bytes the payouts and the payments take. */
async function fill(shared, side) {
  const payout = await createPayout(shared, side)
  const payment = await createPayment(side)
  // Copies of whole pages in the log are of no use here: after a crash, this run is void anyway.
  await setFullPageWrites(side, 'off')
  const payouts = await measureGrowth(side, 'payouts', (onWritten) =>
    seedPayouts(side.db, { ...side, original: payout, count: rowCount, onWritten }),
  )
  const payments = await measureGrowth(side, 'payments', (onWritten) =>
    seedPayments(side.db, { ...side, original: payment, count: rowCount, onWritten }),
  )
  await setFullPageWrites(side, 'on')
  return { payouts, payments }
}

async function measureGrowth(side, name, seed) {
  const before = await readSize(side)
  const startedAt = performance.now()
  let shownAt = startedAt
  await seed((done) => {
    if (performance.now() - shownAt < 30_000 && done < rowCount) return
    shownAt = performance.now()
    const took = Math.round((shownAt - startedAt) / 1000)
    console.log(`  ${done.toLocaleString('en')} ${name} written in ${took} s`)
  })
  await maintain(side.databaseUrl, ['vacuum analyze', 'checkpoint'])
  return (await readSize(side)) - before
}

function setFullPageWrites({ databaseUrl }, value) {
  return maintain(databaseUrl, [
    `alter system set full_page_writes = ${value}`,
    'select pg_reload_conf()',
  ])
}

async function readSize({ db }) {
  const [{ bytes }] = await db.rows(
    sql`select pg_database_size(current_database())::float8 as bytes`,
  )
  return bytes
}

/** One payout, created over HTTP and landed, whose rows are copied. */
async function createPayout({ wallet }, side) {
  const { db, environmentId } = side
  const { path: url, body } = cryptoPath.plan({ wallet })
  const { data, digest } = await post(side, url, JSON.parse(body))
  const id = fromReference('ct_', data.reference)
  const [attempt] = await db.rows(sql`
    select number, polls from payout_attempts
    where environment_id = ${environmentId} and payout_id = ${id}`)
  const landed = {
    verdict: 'landed',
    attempt: { environmentId, payoutId: id, number: attempt.number, polls: attempt.polls },
  }
  await db.transaction((tx) => concludePayouts(tx, new Date(), [landed]))
  return { id, digest, reference: data.reference }
}

/** One virtual account, created and paid over HTTP, whose rows are copied. */
async function createPayment(side) {
  const amount = 500_000
  const { data: account, digest } = await post(side, '/v1/collections/virtual-accounts', {
    merchantReference: 'order-1002',
    amount,
  })
  const { accountNumber: number } = account
  const { data: payment } = await post(side, '/v1/test/bank-transfers', {
    accountNumber: number,
    amount,
  })
  const paymentId = fromReference('pay_', payment.reference)
  const [{ noticeId }] = await side.db.rows(sql`
    select rail_id as notice_id from payments
    where environment_id = ${side.environmentId} and id = ${paymentId}`)
  return { paymentId, accountId: fromReference('va_', account.reference), noticeId, number, digest }
}

/** Returns what was answered, and the digest under which the idempotency key is stored. */
async function post({ key, servers }, url, body) {
  const text = randomUUID()
  const response = await fetch(`http://127.0.0.1:${servers.stub.port}${url}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': text,
    },
    body: JSON.stringify(body),
  })
  const { data, message } = await response.json()
  if (!response.ok) throw new Error(message)
  const { digest } = toIdempotencyKey(text, { method: 'POST', path: url, body: {} })
  return { data, digest }
}

async function warm(side) {
  for (const path of measuredPaths) {
    const count = Math.min(warmRequests, path.warmRequestsMax ?? warmRequests)
    await run(side, path, { count })
    if (path.key === 'crypto') side.references = await pickReferences(side)
  }
}

/** Payouts of all ages, so that reading them finds few of their pages in memory. */
async function pickReferences({ db, environmentId }) {
  const rows = await db.rows(sql`
    select id from payouts
    where environment_id = ${environmentId} and kind = 'crypto_transfer' order by md5(id::text) limit ${referencesRead}`)
  return rows.map(({ id }) => toReference('ct_', id))
}

async function run(side, path, { count, runMs, seconds }) {
  const { load, postmasterPid, key, servers, references } = side
  const server = servers[path.server]
  const plan =
    path.key === 'one' && references.length > 0
      ? { mix: references.map((transferReference) => path.plan({ transferReference })) }
      : await path.plan(side, { count, seconds })
  const meter = startMeter({ api: [server.pid], postgres: [postmasterPid] })
  const result = await load.run({
    connections: path.connections ?? connections,
    ...(count && { count }),
    ...plan,
    ...(plan.mix && { mix: plan.mix.map((request) => ({ ...request, key })) }),
    ...(runMs && { runMs }),
    key,
    port: server.port,
  })
  await path.settle?.(side)
  const cpu = meter.read(result.sent)
  return {
    perSecond: result.perSecond,
    p50: result.p50,
    p99: result.p99,
    api: cpu.api,
    postgres: cpu.postgres,
    cpu: cpu.api + cpu.postgres,
  }
}

async function verify(sides) {
  if (!isVerified) return console.log('verify-ledger: skipped (ROWS_VERIFY=0)')
  for (const { name, db } of sides) {
    const startedAt = performance.now()
    await assertLedgerIsClean(db)
    console.log(`  ${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
}

/** `full` and `empty` are medians; ratios are the medians of the rounds' ratios. */
function toRow({ path, empty, full }) {
  const figures = Object.keys(full[0])
  const mediansOf = (results) =>
    Object.fromEntries(figures.map((figure) => [figure, median(results.map((one) => one[figure]))]))
  const ratios = figures.map((figure) => [
    figure,
    median(full.map((one, index) => one[figure] / empty[index][figure])),
  ])
  return {
    key: path.key,
    name: path.name,
    empty: mediansOf(empty),
    full: mediansOf(full),
    ratio: Object.fromEntries(ratios),
  }
}

function columns() {
  const pair = (figure, digits) => [
    ({ empty }) => (empty[figure] ?? 0).toFixed(digits),
    ({ full }) => (full[figure] ?? 0).toFixed(digits),
    ({ ratio }) => (ratio[figure] ?? 0).toFixed(2),
  ]
  const titled = (title, figure, digits) =>
    pair(figure, digits).map((show, index) => [
      [`${title} empty`, 'full', 'full/empty'][index],
      show,
    ])
  return [
    ['path', ({ name }) => name],
    ...titled('per second', 'perSecond', 0),
    ...titled('p99 ms', 'p99', 1),
    ...titled('API µs', 'api', 0),
    ...titled('PostgreSQL µs', 'postgres', 0),
    ...titled('both µs', 'cpu', 0),
  ]
}
