/**
 * npm run bench:rows: whether millions of finished payouts slow the API down. Two databases on one
 * PostgreSQL, one empty and one full, are measured in turns. See README.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { requireFreeSpace } from './disk.mjs'
import { describeMachine, median, printCells } from './report.mjs'

const payoutCount = Math.round(Number(process.env.ROWS_MILLIONS ?? 5) * 1e6)
const rounds = Number(process.env.ROWS_ROUNDS ?? 5)
const seconds = Number(process.env.ROWS_SECONDS ?? 4)
const warmRequests = Number(process.env.ROWS_WARM ?? 16_000)
const isVerified = process.env.ROWS_VERIFY !== '0'
/** On disk, with indexes and room for sorting; PostgreSQL's log and the measured rows come on top. */
const bytesPerPayout = 7_000
const bytesBeside = 8e9
const referencesRead = 1_000
const connections = 128

requireFreeSpace(tmpdir(), bytesBeside + payoutCount * bytesPerPayout, 'This run')
await buildOrExit()
const { toReference, fromReference } = await import('../dist/base/ids.js')
const { toIdempotencyKey } = await import('../dist/idempotency/key.js')
const { concludePayouts } = await import('../dist/payouts/attempts/conclude-payouts.js')
const { sql } = await import('../dist/postgres/sql.js')
const { openChain } = await import('./chain.mjs')
const { startMeter } = await import('./cpu.mjs')
const { paths } = await import('./paths.mjs')
const { startProcess } = await import('./processes.mjs')
const { seedPayouts } = await import('./seed-payouts.mjs')
const { assertLedgerIsClean, fundEnvironments, openBooks, withWorkbench } = await import(
  './workbench.mjs'
)

const measuredPaths = ['crypto', 'one', 'list', 'balances'].map((key) =>
  paths.find((one) => one.key === key),
)

const result = await withWorkbench({}, measureRows)
console.log(
  `\n${payoutCount.toLocaleString('en')} payouts, ${result.bytesPerPayout} bytes each; median of ${rounds} × ${seconds} s`,
)
printCells(columns(), result.rows)
const folder = new URL('./results/', import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('rows.json', folder), `${JSON.stringify(result, null, 2)}\n`)
console.log(`Written to ${fileURLToPath(new URL('rows.json', folder))}`)

async function measureRows(bench) {
  const chain = await openChain(bench.folder)
  const stub = await startProcess('./stub-chain.mjs', { args: [chain.url] })
  const context = { ...bench, wallet: chain.wallet, chainEnv: chain.configFor(stub.url) }
  const empty = await openSide(context, 'empty')
  const full = await openSide(context, 'full')
  const grownBytes = await fill(context, full)
  const sides = [empty, full]
  for (const side of sides) {
    await warm(context, side)
    await maintain(side.databaseUrl, ['vacuum analyze', 'checkpoint'])
    side.references = await pickReferences(side)
  }
  const measured = measuredPaths.map((path) => ({ path, empty: [], full: [] }))
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`Round ${round} of ${rounds}`)
    // The first of a pair may pay for what the path before it left behind.
    const turns = round % 2 === 0 ? sides.toReversed() : sides
    for (const one of measured)
      for (const side of turns) {
        const figures = await run(context, side, one.path, { runMs: seconds * 1_000 })
        one[side.name].push(figures)
        console.log(`  ${one.path.name}, ${side.name}: ${Math.round(figures.perSecond)}/s`)
      }
  }
  for (const { server } of sides) await server.stop()
  await stub.stop()
  await chain.stop()
  await verify(sides)
  for (const { db } of sides) await db.close()
  return {
    measuredAt: new Date(),
    machine: describeMachine(),
    payouts: payoutCount,
    bytesPerPayout: Math.round(grownBytes / payoutCount),
    rounds,
    seconds,
    rows: measured.map(toRow),
  }
}

/** A database with a funded merchant, and an API process on it. */
async function openSide({ serverUrl, folder, chainEnv }, name) {
  await maintain(serverUrl, [`create database "${name}"`])
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const books = await openBooks({ folder: path.join(folder, name), databaseUrl: url.href })
  await fundEnvironments(books.db, [books.environmentId])
  const server = await startProcess('./server.mjs', { env: { ...books.env, ...chainEnv } })
  return { ...books, name, server, references: [] }
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

/** Returns how many bytes the payouts take. */
async function fill(context, side) {
  const original = await createOriginal(context, side)
  // Copies of whole pages in the log are of no use here: after a crash, this run is void anyway.
  await setFullPageWrites(side, 'off')
  const before = await readSize(side)
  const startedAt = performance.now()
  let shownAt = startedAt
  await seedPayouts(side.db, {
    environmentId: side.environmentId,
    original,
    count: payoutCount,
    onWritten(done) {
      if (performance.now() - shownAt < 30_000 && done < payoutCount) return
      shownAt = performance.now()
      const took = Math.round((shownAt - startedAt) / 1000)
      console.log(`  ${done.toLocaleString('en')} payouts written in ${took} s`)
    },
  })
  await maintain(side.databaseUrl, ['vacuum analyze', 'checkpoint'])
  await setFullPageWrites(side, 'on')
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
async function createOriginal({ wallet }, { db, environmentId, key, server }) {
  const { method, path: url, body } = measuredPaths[0].plan({ wallet })
  const text = 'original'
  const response = await fetch(`http://127.0.0.1:${server.port}${url}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': text,
    },
    body,
  })
  const { data, message } = await response.json()
  if (!response.ok) throw new Error(message)
  const id = fromReference('ct_', data.reference)
  const [attempt] = await db.rows(sql`
    select number, polls from payout_attempts
    where environment_id = ${environmentId} and payout_id = ${id}`)
  const landed = {
    verdict: 'landed',
    attempt: { environmentId, payoutId: id, number: attempt.number, polls: attempt.polls },
  }
  await db.transaction((tx) => concludePayouts(tx, new Date(), [landed]))
  const { digest } = toIdempotencyKey(text, { method, path: url, body: {} })
  return { id, digest, reference: data.reference }
}

async function warm(context, side) {
  for (const path of measuredPaths) {
    const count = Math.min(warmRequests, path.warmRequestsMax ?? warmRequests)
    await run(context, side, path, { count })
    if (path.key === 'crypto') side.references = await pickReferences(side)
  }
}

/** Payouts of all ages, so that reading them finds few of their pages in memory. */
async function pickReferences({ db, environmentId }) {
  const rows = await db.rows(sql`
    select id from payouts where environment_id = ${environmentId}
    order by md5(id::text) limit ${referencesRead}`)
  return rows.map(({ id }) => toReference('ct_', id))
}

async function run(context, { server, key, references }, path, bound) {
  const { load, postmasterPid, wallet } = context
  const plans =
    path.key === 'one'
      ? references.map((transferReference) => path.plan({ transferReference }))
      : [path.plan({ wallet })]
  const meter = startMeter({ api: [server.pid], postgres: [postmasterPid] })
  const result = await load.run({
    port: server.port,
    connections: path.connections ?? connections,
    mix: plans.map(({ method, path: url, body }) => ({ method, path: url, body, key })),
    count: bound.count,
    runMs: bound.runMs,
  })
  const cpu = meter.read(result.sent)
  return {
    perSecond: result.perSecond,
    p50: result.p50,
    p99: result.p99,
    api: cpu.api,
    postgres: cpu.postgres,
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
  ]
}
