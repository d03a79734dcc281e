/**
 * npm run bench:soak: the all-in-one service, as `npm start` runs it, under one or several fixed
 * rates of requests. Prints its memory and processor time every minute and exits with 1 if memory or
 * a queue grows, if memory exceeds its limit, if too many requests of a kind fail, or if the ledger
 * is inconsistent. `npm run proof:soak` sends every kind of request for an hour. See README.md.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildOrExit } from '../bin/build-when-needed.mjs'
import { readPostmasterPid, startMeter } from './cpu.mjs'
import { requireFreeSpace } from './disk.mjs'
import { growthPerHour, judgeMemory, judgeQueue } from './growth.mjs'
import { addHistograms, percentileOf } from './histogram.mjs'
import { findChild, readFamilyMb, readResidentMb } from './memory.mjs'
import { readMetrics, sumOf } from './metrics.mjs'
import { startProcess } from './processes.mjs'
import { describeMachine, median, printCells, rateColumns, toMs } from './report.mjs'
import { createMix } from './soak-mix.mjs'
import { startService } from './start-manilla.mjs'
import { countStatements } from './statement-log.mjs'

/** `ordinary` or `complete`: which requests are sent. */
const mixName = process.argv[2] ?? 'ordinary'
const isProof = mixName === 'complete'
const minutes = Number(process.env.SOAK_MINUTES ?? (isProof ? 60 : 30))
const rates = (process.env.SOAK_RATES ?? '500').split(',').map(Number)
const kinds = process.env.SOAK_KINDS?.split(',')
/** Enough for the rate even while requests take half a second. */
const connections = 256
/** Code is cold at first. These are sent as fast as a few connections get answers. */
const warmRequests = Number(process.env.SOAK_WARM ?? 16_000)
const warmConnections = 32
/** Known here, so that the load can sign notices as the sandbox bank does. */
const secret = 'b'.repeat(64)
const sampleIntervalMs = 10_000
const serviceMbMax = isProof ? 400 : 250
/** The localnet keeps its transactions in memory. It is part of test mode only. */
const chainBytesPerTransactionMax = 600
const chainKinds = ['crypto', 'deposit']
const failedShareMax = 0.001
/** Requests that wait for a free connection are sent late, or not at all. */
const heldShareMin = 0.99
/** A kind whose pool is empty is left out, which must be rare. */
const kindShareMin = 0.8
/** How often the result is written: a run that is stopped keeps what it measured. */
const minutesPerWrite = 5
const warningsShownMax = 20
/** PostgreSQL with its log, and the chain. */
const bytesPerRequest = 8_000
/** Statements are counted from the log of PostgreSQL, which costs time: after the minutes. */
const statementsSeconds = 10
const highestRate = Math.max(...rates)
const requestsPlanned = rates.reduce(
  (sum, rate) => sum + rate * (minutes * 60 + statementsSeconds),
  warmRequests,
)

const columns = {
  'per s': ({ perSecond }) => String(perSecond),
  minute: ({ minute }) => String(minute),
  service: ({ service }) => String(Math.round(service)),
  heap: ({ heap }) => String(Math.round(heap)),
  external: ({ external }) => String(Math.round(external)),
  localnet: ({ localnet }) => String(Math.round(localnet)),
  PostgreSQL: ({ postgres }) => String(Math.round(postgres)),
  requests: ({ requests }) => requests.toLocaleString('en'),
  failed: ({ failed }) => String(failed),
  'p50 ms': ({ p50 }) => p50.toFixed(1),
  'p99 ms': ({ p99 }) => p99.toFixed(1),
  others: ({ otherCores }) => otherCores.toFixed(2),
  'lag s': ({ lagSeconds }) => lagSeconds.toFixed(1),
  'Node ms': ({ cpu }) => toMs(cpu.service),
  'PG ms': ({ cpu }) => toMs(cpu.postgres),
  'chain ms': ({ cpu }) => toMs(cpu.chain),
  commits: ({ database }) => database.commits.toFixed(2),
  flushes: ({ database }) => database.flushes.toFixed(2),
  'WAL B': ({ database }) => String(Math.round(database.walBytes)),
}

if (process.platform !== 'linux') {
  console.error('The soak reads memory from /proc, which only Linux has.')
  process.exit(1)
}
requireFreeSpace(tmpdir(), 4e9 + requestsPlanned * bytesPerRequest, 'This soak')
await buildOrExit()
const { startCounters } = await import('./database-counters.mjs')
const { deriveNoticeKey } = await import('../dist/base/sealed.js')
const { Secret } = await import('../dist/base/secret.js')
const { openBacklog, readSizes } = await import('./backlog.mjs')
const home = mkdtempSync(path.join(tmpdir(), 'manilla-soak-'))
chmodSync(home, 0o755)
const dataDirectory = path.join(home, 'data')
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort())

try {
  const result = await soak()
  writeResult(result)
  for (const { isPassed, text } of result.checks) console.log(`${isPassed ? '✓' : '✗'} ${text}`)
  if (!result.isPassed) process.exitCode = 1
} finally {
  await stopLeftDatabase()
  rmSync(home, { recursive: true, force: true })
}

function writeResult(result) {
  const folder = new URL('./results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const file = isProof ? 'proof-soak.json' : 'soak.json'
  writeFileSync(new URL(file, folder), `${JSON.stringify(result, null, 2)}\n`)
}

async function soak() {
  const service = await startService('start.mjs', {
    env: {
      MANILLA_HOME: home,
      MANILLA_SECRET: secret,
      // Within the limits, which stay on: they cost memory, too.
      RATE_LIMIT_PER_SECOND: String(2 * highestRate + 2_000),
      PUBLIC_RATE_LIMIT_PER_SECOND: String(2 * highestRate + 2_000),
    },
    isLogRead: true,
  })
  showWarnings(service.log)
  const receiver = await startProcess('./receiver.mjs')
  const load = await startProcess('./load.mjs')
  try {
    const { test } = await waitForDemo(service)
    const mix = await createMix({
      name: mixName,
      url: service.url,
      key: test.secretKey,
      noticeKey: deriveNoticeKey(new Secret(secret)).toString('hex'),
      requests: requestsPlanned,
      webhookUrl: `http://127.0.0.1:${receiver.port}/quick`,
    })
    const db = await openDatabase()
    const readBacklog = await openBacklog(db, service.metricsUrl)
    const site = {
      service,
      load,
      db,
      readBacklog,
      mix: mix.filter(({ kind }) => kinds?.includes(kind) ?? true),
    }
    await load.ask({
      port: service.port,
      connections: warmConnections,
      mix: site.mix,
      count: warmRequests,
    })
    const measured = []
    const keep = (unfinished) =>
      writeResult(judge(site.mix, [...measured, unfinished], { isFinished: false }))
    for (const perSecond of rates)
      if (!stopped.signal.aborted) measured.push(await drive(site, perSecond, keep))
    await db.close()
    for (const rate of measured) {
      printKinds(rate)
      printGrowth(rate)
    }
    console.log('\nPer request; medians of the minutes, but latencies of all minutes')
    printCells(rateColumns, measured)
    return judge(site.mix, measured, { isFinished: true, isVerified: verify() })
  } finally {
    // After Ctrl-C some of them have ended already.
    await Promise.allSettled([load.stop(), receiver.stop(), service.stop()])
  }
}

/** Written just after the service is ready. */
async function waitForDemo(service) {
  const file = path.join(home, 'demo.json')
  while (!existsSync(file)) {
    if (service.hasEnded()) throw new Error('the service ended while it started')
    await sleep(100)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

async function openDatabase() {
  const { Database } = await import('../dist/postgres/database.js')
  const { startEmbeddedServer } = await import('../dist/postgres/embedded/server.js')
  const { url } = await startEmbeddedServer({ dataDirectory })
  return new Database(url, () => {}, { size: 1 })
}

/** Gives what it has measured so far to `keep` from time to time. */
async function drive({ service, load, db, mix, readBacklog }, perSecond, keep) {
  const rows = []
  const roles = {
    service: [service.pid],
    postgres: [readPostmasterPid(dataDirectory)],
    chain: [findChild(service.pid, 'localnet')],
  }
  const sampling = startSampling(roles, readBacklog)
  const { samples } = sampling
  const sizesBefore = await readSizes(db)
  const sumUpNow = async () =>
    sumUp({ perSecond, rows, samples, sizesBefore, sizes: await readSizes(db) })
  const plan = { port: service.port, connections, mix, perSecond }
  console.log(
    `${perSecond} requests per second for ${minutes} minutes; memory in MB; cores that other ` +
      'programs use; processor time, commits, flushes of the log and its bytes per request',
  )
  printRow(Object.keys(columns))
  for (let minute = 1; minute <= minutes && !stopped.signal.aborted; minute += 1) {
    const first = samples.length
    const meter = startMeter(roles)
    const others = startMeter({ ...roles, load: [load.pid] })
    const machine = startMachineMeter()
    const counters = await startCounters(db)
    const result = await load.ask({ ...plan, runMs: 60_000 })
    await sampling.sample()
    const cpu = meter.read(result.sent)
    const database = await counters.read(result.sent)
    const row = {
      perSecond,
      minute,
      service: median(samples.slice(first).map(({ service }) => service)),
      ...(await readState(service)),
      requests: result.sent,
      failed: countFailed(result.statuses),
      p50: result.p50,
      p99: result.p99,
      otherCores: machine.readCores() - sumOfCores(others.read(1), result.seconds),
      kinds: result.kinds,
      cpu,
      database,
    }
    rows.push(row)
    printRow(Object.values(columns).map((show) => show(row)))
    if (result.refused) console.log(`  first failure: ${describeFailure(result.refused)}`)
    if (minute % minutesPerWrite === 0) keep(await sumUpNow())
  }
  await sampling.stop()
  const measured = await sumUpNow()
  const logFile = path.join(home, 'postgres.log')
  const counted = await countStatements({ db, logFile }, () =>
    load.ask({ ...plan, runMs: statementsSeconds * 1_000 }),
  )
  return { ...measured, statements: counted.executions / counted.result.sent }
}

/** Reads memory of every process and length of every queue at an interval, until stopped. */
function startSampling(roles, readBacklog) {
  const startedAt = performance.now()
  const samples = []
  const sample = async () => {
    const memory = {
      service: readResidentMb(roles.service[0]),
      postgres: readFamilyMb(roles.postgres[0]),
      chain: readResidentMb(roles.chain[0]),
    }
    const atSeconds = (performance.now() - startedAt) / 1_000
    samples.push({ atSeconds, ...memory, queues: await readBacklog() })
  }
  const ended = new AbortController()
  const run = async () => {
    while (!ended.signal.aborted) {
      await sample()
      await sleep(sampleIntervalMs, undefined, { signal: ended.signal }).catch(() => {})
    }
  }
  const running = run()
  // The caller learns of a failure when it stops sampling.
  running.catch(() => {})
  return {
    samples,
    sample,
    stop() {
      ended.abort()
      return running
    },
  }
}

/** Cores that were busy since the start, on the whole machine. */
function startMachineMeter() {
  const startedAt = performance.now()
  const before = readBusyTicks()
  return {
    readCores: () => (readBusyTicks() - before) / 100 / ((performance.now() - startedAt) / 1_000),
  }
}

function readBusyTicks() {
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user, nice, system, , , irq, softIrq] = line.split(/\s+/).slice(1).map(Number)
  return user + nice + system + irq + softIrq
}

function sumOfCores(microseconds, seconds) {
  return Object.values(microseconds).reduce((total, us) => total + us, 0) / 1e6 / seconds
}

/** Requests after which the chain carries out a transaction. */
function countTransactions(rows) {
  return rows
    .flatMap(({ kinds }) => kinds)
    .filter(({ kind }) => chainKinds.includes(kind))
    .reduce((total, { sent }) => total + sent, 0)
}

function judgeMemories(samples) {
  return ['service', 'postgres', 'chain'].map((name) => ({
    name,
    ...judgeMemory(samples.map(({ atSeconds, [name]: value }) => ({ atSeconds, value }))),
  }))
}

function judgeQueues(samples, perSecond) {
  const names = [...new Set(samples.flatMap(({ queues }) => Object.keys(queues)))]
  return names.map((name) => {
    const lengths = samples.map(({ atSeconds, queues }) => ({
      atSeconds,
      value: queues[name] ?? 0,
    }))
    return { name, ...judgeQueue(lengths, perSecond) }
  })
}

/** Latencies are of all minutes together, other figures per request are medians of the minutes. */
function sumUp({ perSecond, rows, samples, sizesBefore, sizes }) {
  const kinds = sumUpKinds(rows)
  const medianOf = (read) => median(rows.map(read))
  const mediansOf = (part) =>
    Object.fromEntries(
      Object.keys(rows[0][part]).map((name) => [name, medianOf((row) => row[part][name])]),
    )
  const seconds = samples.at(-1).atSeconds
  return {
    perSecond,
    rows,
    minutesMeasured: rows.length,
    kinds,
    payments: kinds.find(({ name }) => name === 'pay'),
    service: medianOf(({ service }) => service),
    ...percentilesOf(
      rows,
      rows.flatMap((row) => row.kinds),
    ),
    requests: sum(rows, 'requests'),
    sentPerSecond: sum(rows, 'requests') / (rows.length * 60),
    failed: sum(rows, 'failed'),
    cpu: mediansOf('cpu'),
    database: mediansOf('database'),
    samples: [...samples],
    memory: judgeMemories(samples),
    queues: judgeQueues(samples, perSecond),
    growth: growthPerHour(sizesBefore, sizes, seconds),
    chainTransactionsPerHour: (countTransactions(rows) * 3_600) / seconds,
  }
}

function sumUpKinds(rows) {
  const all = rows.flatMap(({ kinds }) => kinds)
  const names = [...new Set(all.map(({ kind }) => kind))]
  return names.map((name) => {
    const ofKind = all.filter(({ kind }) => kind === name)
    return {
      name,
      sent: sum(ofKind, 'sent'),
      failed: sum(ofKind, 'failed'),
      ...percentilesOf(ofKind, ofKind),
    }
  })
}

/** Of the whole run, from the histograms of its parts, and of the worst minute. */
function percentilesOf(minutesMeasured, parts) {
  const histogram = addHistograms(parts.map((part) => part.histogram))
  return {
    p50: percentileOf(histogram, 0.5),
    p99: percentileOf(histogram, 0.99),
    p99WorstMinute: Math.max(...minutesMeasured.map(({ p99 }) => p99)),
  }
}

function sum(rows, field) {
  return rows.reduce((total, row) => total + row[field], 0)
}

async function readState(service) {
  const metrics = await readMetrics(service.metricsUrl)
  const lags = metrics.filter(({ name }) => name === 'manilla_due_lag_seconds')
  return {
    heap: sumOf(metrics, 'nodejs_heap_size_used_bytes') / 1024 ** 2,
    external: sumOf(metrics, 'nodejs_external_memory_bytes') / 1024 ** 2,
    localnet: readResidentMb(findChild(service.pid, 'localnet')),
    postgres: readFamilyMb(readPostmasterPid(dataDirectory)),
    lagSeconds: Math.max(0, ...lags.map(({ value }) => value)),
  }
}

function printRow(cells) {
  console.log(cells.map((cell) => cell.padStart(10)).join(''))
}

function printKinds({ perSecond, kinds }) {
  console.log(`\nRequests by kind at ${perSecond} per second`)
  printCells(
    [
      ['kind', ({ name }) => name],
      ['sent', ({ sent }) => sent.toLocaleString('en')],
      ['failed', ({ failed }) => String(failed)],
      ['p50 ms', ({ p50 }) => p50.toFixed(1)],
      ['p99 ms', ({ p99 }) => p99.toFixed(1)],
      ['p99 ms of the worst minute', ({ p99WorstMinute }) => p99WorstMinute.toFixed(1)],
    ],
    kinds,
  )
}

function printGrowth({ perSecond, memory, queues, growth }) {
  console.log(`\nMemory in MB at ${perSecond} requests per second`)
  printCells(
    [
      ['process', ({ name }) => name],
      ['per hour', ({ perHour }) => perHour.toFixed(1)],
      ['mean', ({ mean }) => mean.toFixed(0)],
      ['highest', ({ max }) => max.toFixed(0)],
    ],
    memory,
  )
  console.log('\nQueues: mean length in the middle third and in the last, and slope per hour')
  printCells(
    [
      ['queue', ({ name }) => name],
      ['middle', ({ middle }) => middle.toFixed(1)],
      ['last', ({ last }) => last.toFixed(1)],
      ['highest', ({ max }) => String(max)],
      ['slope', ({ perHour }) => perHour.toFixed(1)],
      ['explained', ({ explainedPerHour }) => explainedPerHour.toFixed(1)],
      ['grows', ({ isGrowing }) => (isGrowing ? 'yes' : 'no')],
    ],
    queues.filter(({ max }) => max > 0),
  )
  console.log('\nGrowth of tables and indexes per hour')
  printCells(
    [
      ['kind', ({ kind }) => kind],
      ['MB', ({ bytes }) => (bytes / 1024 ** 2).toFixed(1)],
      ['rows', ({ rows }) => (rows === null ? '' : Math.round(rows).toLocaleString('en'))],
      ['name', ({ name }) => name],
    ],
    growth,
  )
}

/** Status line and body. */
function describeFailure(response) {
  const [head, body = ''] = response.split('\r\n\r\n')
  return `${head.split('\r\n')[0]} ${body}`
}

function countFailed(statuses) {
  return Object.entries(statuses)
    .filter(([status]) => !status.startsWith('2'))
    .reduce((sum, [, count]) => sum + count, 0)
}

function verify() {
  const file = fileURLToPath(new URL('../bin/manilla.mjs', import.meta.url))
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, 'verify-ledger'], {
    env: { ...process.env, MANILLA_HOME: home, MANILLA_SECRET: secret, LOG_LEVEL: 'warn' },
  })
  if (status !== 0) console.log(`${stdout}${stderr}`)
  return status === 0
}

function judge(mix, measured, { isFinished, isVerified = false }) {
  // Each rate needs its own memory, so that only the last one shows whether it stays flat.
  const { memory, queues, chainTransactionsPerHour } = measured.at(-1)
  const [service, postgres, chain] = memory
  const chainBytes = (Math.max(0, chain.perHour) * 1024 ** 2) / chainTransactionsPerHour
  const highest = Math.max(
    ...measured.flatMap(({ samples }) => samples.map(({ service }) => service)),
  )
  const minutesMeasured = sum(measured, 'minutesMeasured')
  const minutesPlanned = minutes * rates.length
  const checks = [
    ...[service, postgres].map(({ name, isGrowing, perHour }) => ({
      isPassed: !isGrowing,
      text: `memory of ${name} is flat: ${perHour.toFixed(1)} MB per hour`,
    })),
    {
      isPassed: !chain.isGrowing || chainBytes <= chainBytesPerTransactionMax,
      text:
        `memory of chain is flat or grows by at most ${chainBytesPerTransactionMax} bytes per ` +
        `transaction: ${chain.perHour.toFixed(1)} MB per hour, ${Math.round(chainBytes)} bytes`,
    },
    ...queues.map(({ name, isGrowing, perHour, explainedPerHour, middle, last }) => ({
      isPassed: !isGrowing,
      text:
        `queue ${name} does not grow: ${middle.toFixed(1)}, then ${last.toFixed(1)}; ` +
        `${perHour.toFixed(1)} per hour, of which ${explainedPerHour.toFixed(1)} are explained`,
    })),
    {
      isPassed: highest <= serviceMbMax,
      text: `memory is at most ${serviceMbMax} MB: highest ${toMb(highest)}`,
    },
    ...measured.flatMap((rate) => judgeKinds(mix, rate)),
    ...measured.map(({ perSecond, sentPerSecond }) => ({
      isPassed: sentPerSecond >= perSecond * heldShareMin,
      text: `${perSecond} requests per second are held: ${Math.round(sentPerSecond)} were sent`,
    })),
    { isPassed: isVerified, text: 'verify-ledger finds the ledger consistent' },
    {
      isPassed: isFinished && minutesMeasured === minutesPlanned,
      text: `${minutesMeasured} of ${minutesPlanned} minutes measured`,
    },
  ]
  return {
    isPassed: checks.every(({ isPassed }) => isPassed),
    /** False: the run was stopped, or goes on. */
    isFinished: isFinished && minutesMeasured === minutesPlanned,
    checks,
    machine: describeMachine(),
    measuredAt: new Date(),
    mix: mixName,
    minutes,
    rates: measured,
  }
}

/** Failures of a rare kind would not be seen among all requests. */
function judgeKinds(mix, { perSecond, kinds, requests }) {
  const names = [...new Set(mix.map(({ kind }) => kind))]
  return names.map((name) => {
    const share = mix.filter(({ kind }) => kind === name).length / mix.length
    const { sent, failed } = kinds.find((kind) => kind.name === name) ?? { sent: 0, failed: 0 }
    const isSent = sent > 0 && sent >= requests * share * kindShareMin
    return {
      isPassed: isSent && failed <= sent * failedShareMax,
      text:
        `${name} succeeds at ${perSecond} per second: ${failed} of ${sent.toLocaleString('en')} ` +
        `failed, ${Math.round(requests * share).toLocaleString('en')} planned`,
    }
  })
}

function toMb(value) {
  return `${Math.round(value)} MB`
}

/** The log is at its usual level, because logging takes memory, too. */
function showWarnings(log) {
  const counts = new Map()
  createInterface({ input: log }).on('line', (line) => {
    if (line.includes('"level":"info"')) return
    const text = describeLine(line)
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    if (count === 1 && counts.size <= warningsShownMax) console.log(`  log: ${text}`)
  })
}

function describeLine(line) {
  if (!line.startsWith('{')) return line
  const { level, msg, err } = JSON.parse(line)
  return `${level}: ${[msg, err?.message].filter(Boolean).join(': ')}`
}

/** A service that does not stop in time exits and leaves its PostgreSQL running. */
async function stopLeftDatabase() {
  if (!existsSync(path.join(dataDirectory, 'postmaster.pid'))) return
  const { startEmbeddedServer } = await import('../dist/postgres/embedded/server.js')
  await (await startEmbeddedServer({ dataDirectory })).stop()
}
