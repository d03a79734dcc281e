/**
 * npm run bench:scale: what more API processes give, and what contention costs. One, two and four
 * processes of the real `manilla serve` run beside each other and are measured in turns, with one
 * hot merchant and with 64. See README.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { describeMachine, median, printCells } from './report.mjs'

const processCounts = (process.env.SCALE_PROCESSES ?? '1,2,4').split(',').map(Number)
const rounds = Number(process.env.SCALE_ROUNDS ?? 3)
const seconds = Number(process.env.SCALE_SECONDS ?? 5)
/** Per case. Both cases of a path run the same code, so that it gets 16,000. */
const warmRequestsPerProcess = Number(process.env.SCALE_WARM ?? 8_000)
const merchantCount = 64
const connections = 128
const lane = 'payouts_test'

await buildOrExit()
const { createMerchant } = await import('../dist/merchants/create-merchant.js')
const { issueKey } = await import('../dist/merchants/keys/issue-key.js')
const { openChain } = await import('./chain.mjs')
const { startMeter } = await import('./cpu.mjs')
const { readMetrics, sumOf } = await import('./metrics.mjs')
const { paths } = await import('./paths.mjs')
const { startProcess } = await import('./processes.mjs')
const { startService } = await import('./start-manilla.mjs')
const { assertLedgerIsClean, fundEnvironments, openBooks, withWorkbench } = await import(
  './workbench.mjs'
)

const cases = ['crypto', 'balances'].flatMap((key) =>
  [1, merchantCount].map((merchants) => ({
    path: paths.find((path) => path.key === key),
    merchants,
  })),
)

// Every process may open a connection per lane, and all variants run at the same time.
const rows = await withWorkbench({ max_connections: '400' }, scale)
console.log(`\nMedian of ${rounds} × ${seconds} s, ${connections} connections`)
printCells(columns(), rows)
const folder = new URL('./results/', import.meta.url)
mkdirSync(folder, { recursive: true })
const result = { measuredAt: new Date(), machine: describeMachine(), rounds, seconds, rows }
writeFileSync(new URL('scale.json', folder), `${JSON.stringify(result, null, 2)}\n`)
console.log(`Written to ${fileURLToPath(new URL('scale.json', folder))}`)

async function scale(bench) {
  const books = await openBooks({ folder: bench.folder, databaseUrl: bench.serverUrl })
  const chain = await openChain(bench.folder)
  const stub = await startProcess('./stub-chain.mjs', { args: [chain.url] })
  const keys = await hireMerchants(books)
  const variants = []
  for (const processes of processCounts)
    variants.push({
      processes,
      service: await startService('manilla.mjs', {
        words: ['serve'],
        env: {
          ...books.env,
          ...chain.configFor(stub.url),
          API_PROCESSES: String(processes),
          RATE_LIMIT_PER_SECOND: '0',
        },
      }),
    })
  const context = { ...bench, keys, wallet: chain.wallet }
  const measured = variants.flatMap((variant) =>
    cases.map((one) => ({ variant, ...one, results: [] })),
  )
  for (const one of measured)
    await run(context, one, { count: warmRequestsPerProcess * one.variant.processes })
  await books.db.rows({ text: 'vacuum analyze', values: [] })
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`Round ${round} of ${rounds}`)
    for (const one of measured) {
      const result = await run(context, one, { runMs: seconds * 1_000 })
      one.results.push(result)
      console.log(`  ${describe(one)}: ${Math.round(result.perSecond)}/s`)
    }
  }
  for (const { service } of variants) await service.stop()
  await stub.stop()
  await chain.stop()
  await assertLedgerIsClean(books.db)
  await books.db.close()
  return measured.map(toRow)
}

function describe({ variant, path, merchants }) {
  return `${path.name}; processes: ${variant.processes}, merchants: ${merchants}`
}

/** One key per merchant. */
async function hireMerchants({ db, seal }) {
  const now = new Date()
  const hired = []
  for (let number = 1; number <= merchantCount; number += 1)
    hired.push(
      await db.transaction(async (tx) => {
        const { environments } = await createMerchant(tx, now, `Merchant ${number}`)
        const issued = await issueKey(tx, now, {
          seal,
          environment: environments.test,
          kind: 'secret',
          name: 'bench',
          expiresAt: null,
          allowedAddresses: [],
        })
        return { environmentId: environments.test.id, key: issued.key.reveal() }
      }),
    )
  await fundEnvironments(
    db,
    hired.map(({ environmentId }) => environmentId),
  )
  return hired.map(({ key }) => key)
}

async function run({ load, keys, wallet, postmasterPid }, { variant, path, merchants }, bound) {
  const { service } = variant
  const { method, path: url, body } = await path.plan({ wallet }, {})
  const before = await readLane(service)
  const meter = startMeter({
    api: [service.pid],
    postgres: [postmasterPid],
    load: [load.pid],
  })
  const result = await load.run({
    port: service.port,
    connections,
    mix: keys.slice(0, merchants).map((key) => ({ method, path: url, key, body })),
    count: bound.count,
    runMs: bound.runMs,
  })
  const cpu = meter.read(result.sent)
  const after = await readLane(service)
  return {
    perSecond: result.perSecond,
    p50: result.p50,
    p99: result.p99,
    api: cpu.api,
    postgres: cpu.postgres,
    load: cpu.load,
    deferred: after.deferred - before.deferred,
    halved: after.halved - before.halved,
    retried: after.retried - before.retried,
    callsPerBatch: (after.calls - before.calls) / (after.batches - before.batches || 1),
  }
}

async function readLane({ metricsUrl }) {
  const metrics = await readMetrics(metricsUrl)
  const read = (event) => sumOf(metrics, 'manilla_lane_events', `"${lane}"`, `event="${event}"`)
  return {
    calls: read('calls'),
    batches: read('batches'),
    deferred: read('deferred'),
    halved: read('halved'),
    retried: read('retried'),
  }
}

function toRow({ variant, path, merchants, results }) {
  const figures = Object.keys(results[0]).map((figure) => [
    figure,
    median(results.map((result) => result[figure])),
  ])
  return {
    path: path.key,
    processes: variant.processes,
    merchants,
    ...Object.fromEntries(figures),
    rounds: results,
  }
}

function columns() {
  const whole = (value) => (value === undefined ? '' : Math.round(value).toLocaleString('en'))
  return [
    ['path', ({ path }) => path],
    ['processes', ({ processes }) => String(processes)],
    ['merchants', ({ merchants }) => String(merchants)],
    ['per second', ({ perSecond }) => whole(perSecond)],
    ['p50 ms', ({ p50 }) => p50.toFixed(1)],
    ['p99 ms', ({ p99 }) => p99.toFixed(1)],
    ['API µs', ({ api }) => whole(api)],
    ['PostgreSQL µs', ({ postgres }) => whole(postgres)],
    ['load µs', ({ load }) => whole(load)],
    ['calls per batch', ({ callsPerBatch }) => callsPerBatch.toFixed(1)],
    ['deferred', ({ deferred }) => whole(deferred)],
    ['halved', ({ halved }) => whole(halved)],
    ['retried', ({ retried }) => whole(retried)],
  ]
}
