import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { minute, second, systemClock } from '../src/base/clock.js'
import { limits } from '../src/base/limits.js'
import { createLogger } from '../src/base/log.js'
import { createSeal } from '../src/base/sealed.js'
import { Secret } from '../src/base/secret.js'
import { closeLoopback, listenOnLoopback, loopbackUrl } from '../src/loopback-server.js'
import type { OpenRails } from '../src/open-rails.js'
import { examineWorkers } from '../src/operations/doctor/examine-work.js'
import { JobProgress } from '../src/operations/job-progress.js'
import {
  describeWorker,
  readWorkers,
  stopHeartbeat,
  writeHeartbeat,
} from '../src/operations/worker-heartbeats.js'
import { Database } from '../src/postgres/database.js'
import { sql } from '../src/postgres/sql.js'
import { serve } from '../src/serve.js'
import { startWork } from '../src/work.js'
import { answerForWork } from '../src/work-health.js'
import { manualClock } from './support/clock.js'
import { freshDatabase } from './support/database.js'
import { noChains, standardNaira } from './support/house.js'
import { spawnWork, trackPrograms } from './support/program.js'
import { until } from './support/sessions.js'

/** A worker that is missing must be noticed by the age of its heartbeat, on the database's clock. */

const silent = createLogger('silent')
const programs = trackPrograms()
const noRails = {
  rails: { test: {}, live: {} },
  reversing: [],
  collecting: { test: undefined, live: undefined },
  wallets: { test: undefined, live: undefined },
  mint: undefined,
  treasuries: [],
  solana: { test: undefined, live: undefined },
  sandboxBank: undefined,
} as object as OpenRails

/** As if so much time had passed since all heartbeats. */
async function pass(db: Database, durationMs: number): Promise<void> {
  await db.rows(sql`
    update worker_heartbeats set beat_at = beat_at - ${durationMs} * interval '1 ms'`)
}

async function openApi(db: Database): Promise<{ metricsUrl: string }> {
  const config = {
    host: '127.0.0.1',
    port: 0,
    metricsPort: 0,
    workPort: 0,
    home: '/nowhere',
    databaseUrl: new Secret(db.url),
    secret: new Secret(randomBytes(32).toString('hex')),
    publicUrl: undefined,
    trustProxy: false,
    logLevel: 'silent',
    rateLimitPerSecond: 0,
    publicRateLimitPerSecond: 0,
    requestLogDays: 0,
    naira: standardNaira,
    allowsLoopbackWebhooks: true,
    bank: { test: 'sandbox' as const },
    solana: noChains,
  }
  const served = await serve(config, db.url, { logger: silent })
  onTestFinished(() => served.close())
  return served
}

async function readMetric(url: string, name: string): Promise<number | undefined> {
  const text = await (await fetch(url)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.split(' ')[1])
}

describe('a missing worker', () => {
  test('is noticed after 15 seconds and not before, by doctor and by the metrics of the API', async () => {
    const db = await freshDatabase()
    const { metricsUrl } = await openApi(db)
    expect(await readMetric(metricsUrl, 'manilla_workers')).toBe(0)
    expect(await readMetric(metricsUrl, 'manilla_worker_last_beat_age_seconds')).toBeUndefined()
    expect(await examineWorkers(db)).toMatchObject([{ about: 'Workers', state: 'wrong' }])

    await writeHeartbeat(db, describeWorker('work'), [])
    await pass(db, limits.work.missingAfterMs - 5 * second)
    expect(await readMetric(metricsUrl, 'manilla_workers')).toBe(1)
    expect(await examineWorkers(db)).toEqual([
      { about: 'Workers', state: 'well', says: '1 is running' },
    ])

    await pass(db, 5 * second)
    expect(await readMetric(metricsUrl, 'manilla_workers')).toBe(0)
    const age = await readMetric(metricsUrl, 'manilla_worker_last_beat_age_seconds')
    expect(age).toBeGreaterThanOrEqual(15)
    const [finding] = await examineWorkers(db)
    expect(finding).toMatchObject({ about: 'Workers', state: 'wrong' })
    expect(finding!.says).toMatch(/^No worker is running: the last heartbeat was \d+ s ago$/)
    expect(finding!.mend).toContain('manilla work')
  })

  // The other one must not hide it: who runs two is told that there is one.
  test('is noticed beside another', async () => {
    const db = await freshDatabase()
    const [gone, alive] = [describeWorker('work'), describeWorker('work')]
    for (const worker of [gone, alive]) await writeHeartbeat(db, worker, [])
    expect((await readWorkers(db)).alive).toBe(2)
    await pass(db, limits.work.missingAfterMs)
    await writeHeartbeat(db, alive, [])
    expect((await readWorkers(db)).alive).toBe(1)
  })

  test('that stopped in order is missing at once, and forgotten a day later', async () => {
    const db = await freshDatabase()
    const stopped = describeWorker('work')
    await writeHeartbeat(db, stopped, [])
    await stopHeartbeat(db, stopped)
    expect((await readWorkers(db)).alive).toBe(0)
    expect((await readWorkers(db)).lastBeatAgeMs).toBeLessThan(limits.work.missingAfterMs)

    await pass(db, limits.work.heartbeatsKeptMs)
    const other = describeWorker('work')
    await writeHeartbeat(db, other, [])
    const rows = await db.rows(sql<{ id: string }>`
      select worker_id as id from worker_heartbeats`)
    expect(rows).toEqual([{ id: other.id }])
  })

  test('that was killed stops beating; two count as two, a stopped one not at all', async () => {
    const db = await freshDatabase()
    const secret = 's'.repeat(32)
    const [killed, stopped] = [spawnWork(db.url, secret), spawnWork(db.url, secret)]
    programs.push(killed, stopped)
    await until(async () => (await readWorkers(db)).alive === 2)
    const rows = await db.rows(sql<{ process_id: number; command: string }>`
      select process_id, command from worker_heartbeats order by process_id`)
    expect(rows).toEqual(
      [killed.pid, stopped.pid]
        .toSorted((one, other) => one - other)
        .map((pid) => ({ process_id: pid, command: 'work' })),
    )

    const healthUrl = (text: string) => /"health":"([^"]+)"/.exec(text)?.[1]
    await until(async () => healthUrl(stopped.text()) !== undefined)
    const ready = await fetch(`${healthUrl(stopped.text())}/readyz`)
    expect(ready.status).toBe(200)

    killed.signal('SIGKILL')
    stopped.signal('SIGTERM')
    expect(await stopped.ended).toMatchObject({ code: 0 })
    await killed.ended
    // The killed one could not say so: it counts until it is missed.
    expect((await readWorkers(db)).alive).toBe(1)
    await pass(db, limits.work.missingAfterMs)
    expect(await readWorkers(db)).toMatchObject({ alive: 0, lateJobs: [] })
  }, 60_000)
})

describe('a worker', () => {
  async function openWorker(db: Database) {
    const work = startWork({
      command: 'work',
      db,
      seal: createSeal(new Secret('s'.repeat(32))),
      clock: systemClock,
      logger: silent,
      rails: noRails,
      allowsLoopbackWebhooks: true,
      requestLogDays: 30,
    })
    const server = await listenOnLoopback({ port: 0, standardPort: 0 }, () => {})
    answerForWork(server, { db, clock: systemClock, work })
    onTestFinished(() => closeLoopback(server))
    return { work, url: loopbackUrl(server) }
  }

  test('answers for itself: alive, ready until it stops, and with figures', async () => {
    const db = await freshDatabase()
    const { work, url } = await openWorker(db)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect((await fetch(`${url}/`)).status).toBe(404)
    await until(async () => (await fetch(`${url}/readyz`)).status === 200)
    await until(async () => (await readMetric(`${url}/metrics`, 'manilla_workers')) === 1)
    let text = ''
    for (const job of ['expire accounts', 'deliver webhooks'])
      await until(async () => {
        text = await (await fetch(`${url}/metrics`)).text()
        return new RegExp(`^manilla_job_runs_total\\{job="${job}"\\} [1-9]`, 'm').test(text)
      })
    expect(text).toMatch(/^manilla_job_failures_total\{job="expire accounts"\} 0/m)
    expect(text).toMatch(/^manilla_due_lag_seconds\{work="payouts"\} 0/m)
    expect(text).toMatch(/^manilla_late_jobs 0/m)
    expect(text).toMatch(/^process_cpu_seconds_total /m)

    const stopping = work.stop()
    const draining = await fetch(`${url}/readyz`)
    expect([draining.status, await draining.json()]).toMatchObject([
      503,
      { message: 'Shutting down' },
    ])
    await stopping
    expect((await readWorkers(db)).alive).toBe(0)
  })

  // As in a restart: every connection is cut, and for a while none can be made.
  test('turns unready while the database is away, and comes back by itself', async () => {
    const db = await freshDatabase()
    const { pathname } = new URL(db.url)
    const admin = new Database(db.url.replace(pathname, '/postgres'), () => {})
    const name = pathname.slice(1)
    const allow = (isAllowed: boolean) =>
      admin.rows({ text: `alter database ${name} allow_connections ${isAllowed}`, values: [] })
    const { work, url } = await openWorker(db)
    await until(async () => (await readWorkers(db)).alive === 1)

    await allow(false)
    await admin.rows(sql`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`)
    await until(async () => (await fetch(`${url}/readyz`)).status === 503)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(await readMetric(`${url}/metrics`, 'manilla_workers')).toBeUndefined()

    await allow(true)
    await until(async () => (await fetch(`${url}/readyz`)).status === 200)
    await pass(db, limits.work.missingAfterMs)
    await until(async () => (await readWorkers(db)).alive === 1)
    await work.stop()
    await admin.close()
  }, 30_000)
})

// Two workers on a machine need no configuration; a port that was configured is taken or refused.
test('a standard port that is taken is replaced by a free one, a configured port is not', async () => {
  const open = (port: number | undefined, standardPort: number) =>
    listenOnLoopback({ port, standardPort }, () => {})
  const first = await open(undefined, 0)
  onTestFinished(() => closeLoopback(first))
  const taken = Number(new URL(loopbackUrl(first)).port)
  const second = await open(undefined, taken)
  onTestFinished(() => closeLoopback(second))
  expect(loopbackUrl(second)).not.toBe(loopbackUrl(first))
  await expect(open(taken, 0)).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

describe('a job', () => {
  const jobs = [
    { name: 'often', everyMs: second },
    { name: 'seldom', everyMs: 60 * minute },
    { name: 'long', everyMs: minute, mayTakeMs: 60 * minute },
  ]

  test('is late when it has not succeeded for its interval and three minutes', () => {
    const clock = manualClock()
    const progress = new JobProgress(clock, jobs)
    expect(progress.isRecent()).toBe(false)
    clock.advance(limits.doctor.lateMs + second)
    expect(progress.lateJobs()).toEqual([])
    clock.advance(second)
    expect(progress.lateJobs()).toEqual(['often'])

    // Failing is not progress, however often it runs.
    progress.record('often', false)
    expect([progress.lateJobs(), progress.isRecent()]).toEqual([['often'], false])
    progress.record('often', true)
    expect([progress.lateJobs(), progress.isRecent()]).toEqual([[], true])
    clock.advance(limits.work.missingAfterMs)
    expect(progress.isRecent()).toBe(false)

    clock.advance(61 * minute)
    expect(progress.lateJobs()).toEqual(['often', 'seldom', 'long'])
    expect(progress.list()[0]).toMatchObject({ name: 'often', runs: 2, failures: 1 })
  })

  test('that is late is named by doctor, and counted, until its worker is gone', async () => {
    const db = await freshDatabase()
    const { metricsUrl } = await openApi(db)
    const worker = describeWorker('work')
    await writeHeartbeat(db, describeWorker('work'), ['expire accounts'])
    await writeHeartbeat(db, worker, ['expire accounts', 'sweep wallets of live mode'])
    const findings = await examineWorkers(db)
    expect(findings).toMatchObject([
      { about: 'Workers', state: 'well', says: '2 are running' },
      { about: 'Jobs', state: 'wrong', says: 'late: expire accounts, sweep wallets of live mode' },
    ])
    expect(await readMetric(metricsUrl, 'manilla_late_jobs')).toBe(2)
    await pass(db, limits.work.missingAfterMs)
    expect(await readMetric(metricsUrl, 'manilla_late_jobs')).toBe(0)
  })
})
