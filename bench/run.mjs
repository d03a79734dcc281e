/**
 * npm run bench: all benchmarks in one run, on a real PostgreSQL with fsync on, over real HTTP. On a
 * noisy machine, read the ratios, not the absolute figures.
 */
import { execFileSync, fork, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildOrExit } from '../bin/build-when-needed.mjs'

await buildOrExit()
const { Secret } = await import('../dist/base/secret.js')
const { createSeal } = await import('../dist/base/sealed.js')
const { Database } = await import('../dist/postgres/database.js')
const { startEmbeddedServer } = await import('../dist/postgres/embedded/server.js')
const { migrate } = await import('../dist/postgres/migrate.js')
const { sql } = await import('../dist/postgres/sql.js')
const { openDemo } = await import('../dist/simulation/demo.js')
const { allProofs, verifyLedger } = await import('../dist/operations/verify-ledger.js')
const { payoutProofs } = await import('../dist/payouts/proofs.js')
const { benchLedger } = await import('./ledger.mjs')
const { benchCheckout } = await import('./checkout.mjs')
const { benchCollections } = await import('./collections.mjs')
const { benchRequestLog } = await import('./request-log.mjs')
const { benchDeliveries } = await import('./deliveries.mjs')
const { countTransfers, fundMerchant, makeWallet, openChain, transferPlan } = await import(
  './payouts.mjs'
)

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
/** Benchmarks to run; all by default: `BENCH_ONLY=webhooks`. */
const only = process.env.BENCH_ONLY
const isAsked = (name) => !only || only === name
/** Existing accounts and payments when collections are measured the second time. */
const past = Number(process.env.BENCH_PAST ?? 1_000_000)
/** Folder for CPU profiles of the measured processes. */
const profiles = process.env.BENCH_PROFILES
const backlog = Number(process.env.BENCH_EVENTS ?? 10_000)
const runMs = Number(process.env.BENCH_SECONDS ?? 4) * 1000
const warmMs = runMs / 2
const connections = 128
const secret = 'b'.repeat(64)
const here = (name) => fileURLToPath(new URL(name, import.meta.url))

const results = {}
const record = (name, result) => {
  results[name] = [...(results[name] ?? []), result]
  const { perSecond, p50, p99, used } = result
  console.log(
    `  ${name.padEnd(44)} ${perSecond}/s  p50 ${p50.toFixed(1)}  p99 ${p99.toFixed(1)} ms`.replace(
      '  p99 NaN ms',
      '',
    ),
  )
  if (used) console.log(`    each: ${used}`)
}

const folder = mkdtempSync(path.join(tmpdir(), 'manilla-bench-'))
chmodSync(folder, 0o755)
const server = await startEmbeddedServer({ dataDirectory: path.join(folder, 'data') })
try {
  await migrate(server.url)
  const db = new Database(server.url, () => {})
  const seal = createSeal(new Secret(secret))
  const demo = await openDemo(
    { db, seal, home: folder, now: new Date() },
    { baseUrl: 'http://localhost' },
  )
  const tools = { db, seal, startReceiver, startWorker: () => startHelper('./worker.mjs') }
  if (isAsked('webhooks')) {
    const plan = { backlog, perSecond: 50, paceMs: 5 * runMs }
    for (const [name, result] of await benchDeliveries(tools, plan)) record(name, result)
  }
  if (isAsked('payouts')) {
    const chain = await openChain(folder)
    const [{ id }] = await db.rows(sql`select id from environments where mode = 'test' limit 1`)
    await fundMerchant(db, id)
    for (let round = 1; round <= rounds; round += 1) await benchTransfers(chain, db, demo)
    await chain.stop()
  }
  if (isAsked('collections')) {
    const [{ id }] = await db.rows(sql`select id from environments where mode = 'test' limit 1`)
    await benchCollections(
      {
        db,
        load,
        record,
        environmentId: id,
        key: demo.test.secretKey,
        secret: new Secret(secret),
        pidFile: path.join(folder, 'data', 'postmaster.pid'),
        startServer: (kind) => startHelper('./server.mjs', [kind]),
      },
      { rounds, connections, runMs, warmMs, past },
    )
    const tpcb = benchPgbench()
    if (tpcb) record('pgbench TPC-B, scale 1, 16 connections', tpcb)
  }
  if (isAsked('checkout'))
    await benchCheckout(
      {
        startHelper,
        load,
        record,
        key: demo.test.secretKey,
        pidFile: path.join(folder, 'data', 'postmaster.pid'),
      },
      { rounds, connections, runMs, warmMs },
    )
  if (isAsked('requests'))
    await benchRequestLog(
      {
        startHelper,
        load,
        db,
        key: demo.test.secretKey,
        pidFile: path.join(folder, 'data', 'postmaster.pid'),
      },
      { rounds: 6 * rounds, connections, runMs: runMs / 2, warmMs: runMs / 8 },
    )
  for (let round = 1; round <= rounds && isAsked('money'); round += 1) {
    console.log(`Round ${round} of ${rounds}`)
    await benchHttp('lanes', demo.test.secretKey)
    await benchHttp('plain', demo.test.secretKey)
    for (const [name, result] of await benchLedger(server.url, { runMs, warmMs, connections }))
      record(name, result)
    const tpcb = benchPgbench()
    if (tpcb) record('pgbench TPC-B, scale 1, 16 connections', tpcb)
  }
  // The ledger's holds and the webhooks' events have no payouts, so their proofs do not apply.
  const proofs =
    isAsked('money') || isAsked('webhooks')
      ? allProofs.filter((proof) => !payoutProofs.includes(proof))
      : allProofs
  const findings = await verifyLedger(db, proofs)
  const isClean = findings.every(({ counterexamples }) => counterexamples.length === 0)
  console.log(isClean ? 'verify-ledger: clean' : findings)
  await db.close()
  report(isClean)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Starts a child process and waits for its first message, which means ready. */
async function startHelper(file, words = [], more = {}) {
  const env = { ...process.env, DATABASE_URL: server.url, MANILLA_SECRET: secret, ...more }
  const child = fork(here(file), words, {
    env: {
      ...env,
      RATE_LIMIT_PER_SECOND: '0',
      PUBLIC_RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [],
  })
  const ready = await message(child)
  return {
    ...ready,
    ask() {
      child.send('what?')
      return message(child)
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.disconnect()
      await ended
    },
  }
}

function startReceiver() {
  return startHelper('./receiver.mjs')
}

async function benchHttp(kind, key) {
  const { port, stop } = await startHelper('./server.mjs', [kind])
  const body = JSON.stringify({ asset: 'NGN', amount: 1 })
  const plan = { port, key, connections, runMs, warmMs }
  const fund = { ...plan, method: 'POST', path: '/v1/test/balances/fund', body }
  record(`HTTP fund one hot account, ${kind}`, await load(fund))
  if (kind === 'lanes')
    record('HTTP GET /v1/balances', await load({ ...plan, method: 'GET', path: '/v1/balances' }))
  await stop()
}

/** Both twins on one chain; transfers of one still land while the other is measured. */
async function benchTransfers(chain, db, demo) {
  for (const kind of ['lanes', 'plain']) {
    const wallet = makeWallet()
    const { port, stop } = await startHelper('./server.mjs', [kind], chain.env)
    const plan = { port, key: demo.test.secretKey, connections, runMs, warmMs }
    const before = await countTransfers(db, chain)
    const started = performance.now()
    record(
      `HTTP crypto transfers created, ${kind}`,
      await load({ ...plan, ...transferPlan(wallet) }),
    )
    const after = await countTransfers(db, chain)
    const seconds = (performance.now() - started) / 1000
    const landed = Math.round((after.landed - before.landed) / seconds)
    record(`  of which landed meanwhile, ${kind}`, { perSecond: landed, p50: 0, p99: Number.NaN })
    await stop()
  }
}

async function load(plan) {
  const child = fork(here('./load.mjs'))
  child.send(plan)
  const result = await message(child)
  const refused = Object.entries(result.answers).filter(([status]) => !status.startsWith('2'))
  if (refused.length > 0) throw new Error(`the server refused: ${JSON.stringify(result.answers)}`)
  return result
}

function message(child) {
  return new Promise((resolve, reject) => {
    const onExit = (code) => reject(new Error(`a benchmark process ended with ${code}`))
    child.once('exit', onExit)
    child.once('message', (said) => {
      child.removeListener('exit', onExit)
      resolve(said)
    })
  })
}

/** pgbench TPC-B: three updates, a select and an insert per transaction. */
function benchPgbench() {
  if (spawnSync('pgbench', ['--version']).status !== 0) return undefined
  const url = new URL(server.url)
  const host = url.searchParams.get('host') ?? ''
  const base = ['-h', host, '-U', url.username]
  if (!benchPgbench.isReady) {
    execFileSync('pgbench', [...base, '-i', '-s', '1', '-q', 'postgres'], { stdio: 'ignore' })
    benchPgbench.isReady = true
  }
  const seconds = String(Math.max(1, Math.round(runMs / 1000)))
  const flags = ['-M', 'prepared', '-c', '16', '-j', '2', '-T', seconds, '-r']
  const output = execFileSync('pgbench', [...base, ...flags, 'postgres']).toString()
  const perSecond = Math.round(Number(/tps = ([\d.]+)/.exec(output)?.[1]))
  const average = Number(/latency average = ([\d.]+)/.exec(output)?.[1])
  return { perSecond, p50: average, p99: Number.NaN }
}
function report(isClean) {
  const median = (list) => list.toSorted((left, right) => left - right)[list.length >> 1] ?? 0
  const rows = Object.entries(results).map(([name, list]) => ({
    name,
    perSecond: median(list.map((result) => result.perSecond)),
    p50: median(list.map((result) => result.p50)),
    p99: median(list.map((result) => result.p99)),
  }))
  const rate = (name) => rows.find((row) => row.name.startsWith(name))?.perSecond ?? Number.NaN
  const ratios = {
    'HTTP fund, lanes / plain':
      rate('HTTP fund one hot account, lanes') / rate('HTTP fund one hot account, plain'),
    'ledger holds, lanes / plain':
      rate('ledger hold, one hot account, lanes') / rate('ledger hold, one hot account, plain'),
    'ledger holds, lanes / pgbench': rate('ledger hold, one hot account, lanes') / rate('pgbench'),
    'HTTP GET /public/checkout / bare':
      rate('HTTP GET /public/checkout') / rate('HTTP GET of the same bytes'),
    'HTTP fund, lanes / pgbench': rate('HTTP fund one hot account, lanes') / rate('pgbench'),
  }
  console.log(`\nMedians of ${rounds} rounds`)
  console.table(
    Object.fromEntries(
      rows.map(({ name, perSecond, p50, p99 }) => [
        name,
        {
          'per second': perSecond,
          'p50 ms': Number(p50.toFixed(1)),
          'p99 ms': Number.isNaN(p99) ? '' : Number(p99.toFixed(1)),
        },
      ]),
    ),
  )
  if (only) return
  console.table(
    Object.fromEntries(
      Object.entries(ratios).map(([name, ratio]) => [name, { times: Number(ratio.toFixed(1)) }]),
    ),
  )
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version }
  mkdirSync(here('./results'), { recursive: true })
  writeFileSync(
    here('./results/latest.json'),
    `${JSON.stringify({ at: new Date(), machine, connections, runMs, rounds, isClean, rows, ratios }, null, 2)}\n`,
  )
  console.log('Written to bench/results/latest.json')
}
