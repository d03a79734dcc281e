import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { minute, second, systemClock } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { examineWorkers } from '../../src/operations/doctor/examine-work.js'
import { doctorLimits, workLimits } from '../../src/operations/limits.js'
import { JobProgress } from '../../src/operations/metrics/job-progress.js'
import {
  describeWorker,
  readWorkers,
  stopHeartbeat,
  writeHeartbeat,
} from '../../src/operations/metrics/worker-heartbeats.js'
import { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import {
  closeLoopback,
  listenOnLoopback,
  loopbackUrl,
} from '../../src/processes/loopback-server.js'
import type { OpenRails } from '../../src/processes/open-rails.js'
import { serve } from '../../src/processes/serve.js'
import { startWork } from '../../src/processes/work.js'
import { answerForWork } from '../../src/processes/work-health.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { listNamedMetrics } from '../support/deploy-metrics.js'
import {
  noChains,
  noRails,
  onlySandbox,
  standardNaira,
  standardRetention,
} from '../support/open-manilla.js'
import { spawnWork } from '../support/program.js'
import { until } from '../support/sessions.js'
import { trackPrograms } from '../support/track-programs.js'

/** A missing worker is detected by the age of its heartbeat, measured by the database's clock. */

const silent = createLogger('silent')
const programs = trackPrograms()
const none = { test: undefined, live: undefined }
const nothingOpened: OpenRails = {
  rails: noRails,
  localnetPayers: undefined,
  simulatedRails: [],
  mint: undefined,
  sandboxBank: undefined,
  localnet: undefined,
  solana: none,
  treasuries: [],
  testPayers: undefined,
  emulator: undefined,
  floats: [],
  close: async () => {},
}

/** Makes all heartbeats older by this duration. */
async function ageHeartbeats(db: Database, durationMs: number): Promise<void> {
  await db.rows(sql`
    update worker_heartbeats set beat_at = beat_at - ${durationMs} * interval '1 ms'`)
}

async function openApi(db: Database): Promise<{ metricsUrl: string }> {
  const config = {
    host: '127.0.0.1',
    port: 0,
    apiProcesses: 1,
    metricsPort: 0,
    workPort: 0,
    home: '/nowhere',
    databaseUrl: new Secret(db.url),
    secret: new Secret(randomBytes(32).toString('hex')),
    publicUrl: undefined,
    consoleUrl: undefined,
    trustProxy: false,
    logLevel: 'silent',
    rateLimitPerSecond: 0,
    publicRateLimitPerSecond: 0,
    requestLogDays: 0,
    eventDays: 396,
    retention: standardRetention,
    naira: standardNaira,
    allowsLoopbackWebhooks: true,
    ...onlySandbox,
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
  test('is detected after 10 seconds and not before, by doctor and by API metrics', async () => {
    const db = await freshDatabase()
    const { metricsUrl } = await openApi(db)
    expect(await readMetric(metricsUrl, 'manilla_workers')).toBe(0)
    expect(await readMetric(metricsUrl, 'manilla_worker_last_beat_age_seconds')).toBeUndefined()
    expect(await examineWorkers(db)).toMatchObject([{ check: 'Workers', state: 'error' }])

    await writeHeartbeat(db, describeWorker('work'), [])
    await ageHeartbeats(db, workLimits.missingAfterMs - 5 * second)
    expect(await readMetric(metricsUrl, 'manilla_workers')).toBe(1)
    expect(await examineWorkers(db)).toEqual([
      { check: 'Workers', state: 'ok', message: '1 running' },
    ])

    await ageHeartbeats(db, 5 * second)
    expect(await readMetric(metricsUrl, 'manilla_workers')).toBe(0)
    const age = await readMetric(metricsUrl, 'manilla_worker_last_beat_age_seconds')
    expect(age).toBeGreaterThanOrEqual(10)
    const [result] = await examineWorkers(db)
    expect(result).toMatchObject({ check: 'Workers', state: 'error' })
    expect(result!.message).toMatch(/^no worker is running: the last heartbeat was \d+ s ago$/)
    expect(result!.fix).toContain('manilla work')
  })

  test('is detected although another one is running', async () => {
    const db = await freshDatabase()
    const [gone, alive] = [describeWorker('work'), describeWorker('work')]
    for (const worker of [gone, alive]) await writeHeartbeat(db, worker, [])
    expect((await readWorkers(db)).alive).toBe(2)
    await ageHeartbeats(db, workLimits.missingAfterMs)
    await writeHeartbeat(db, alive, [])
    expect((await readWorkers(db)).alive).toBe(1)
  })

  test('that stopped in order is missing at once, and its row is deleted a day later', async () => {
    const db = await freshDatabase()
    const stopped = describeWorker('work')
    await writeHeartbeat(db, stopped, [])
    await stopHeartbeat(db, stopped)
    expect((await readWorkers(db)).alive).toBe(0)
    expect((await readWorkers(db)).lastBeatAgeMs).toBeLessThan(workLimits.missingAfterMs)

    await ageHeartbeats(db, workLimits.heartbeatRetentionMs)
    const other = describeWorker('work')
    await writeHeartbeat(db, other, [])
    const rows = await db.rows(sql<{ id: string }>`
      select worker_id as id from worker_heartbeats`)
    expect(rows).toEqual([{ id: other.id }])
  })

  test('that was killed stops beating; running ones are counted, stopped ones are not', async () => {
    const db = await freshDatabase()
    const secret = 's'.repeat(32)
    const [killed, stopped] = [spawnWork(db.url, secret), spawnWork(db.url, secret)]
    programs.push(killed, stopped)
    await until(async () => (await readWorkers(db)).alive === 2)
    const rows = await db.rows(sql<{ processId: number; command: string }>`
      select process_id, command from worker_heartbeats order by process_id`)
    expect(rows).toEqual(
      [killed.pid, stopped.pid]
        .toSorted((one, other) => one - other)
        .map((pid) => ({ processId: pid, command: 'work' })),
    )

    const healthUrl = (text: string) => /"health":"([^"]+)"/.exec(text)?.[1]
    await until(async () => healthUrl(stopped.text()) !== undefined)
    const ready = await fetch(`${healthUrl(stopped.text())}/readyz`)
    expect(ready.status).toBe(200)

    killed.signal('SIGKILL')
    stopped.signal('SIGTERM')
    expect(await stopped.ended).toMatchObject({ code: 0 })
    // A clean stop is two short lines, and nothing to worry about. A job that was running may report
    // between them what it did.
    const lines = stopped
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([])
    const stopping = lines.filter(({ msg }) => msg === 'stopping')
    expect(stopping).toMatchObject([{ signal: 'SIGTERM' }])
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' })
    await killed.ended
    // The killed worker could not record its stop: it counts until its heartbeat is too old.
    expect((await readWorkers(db)).alive).toBe(1)
    await ageHeartbeats(db, workLimits.missingAfterMs)
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
      rails: nothingOpened,
      allowsLoopbackWebhooks: true,
      requestLogDays: 30,
      eventDays: 396,
      retention: standardRetention,
      naira: standardNaira,
    })
    const server = await listenOnLoopback({ port: 0, defaultPort: 0 }, () => {})
    answerForWork(server, { db, clock: systemClock, work })
    onTestFinished(() => closeLoopback(server))
    return { work, url: loopbackUrl(server) }
  }

  test('serves health, readiness until it stops, and metrics', async () => {
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

    // Every metric of the alert rules and the dashboard is reported by this worker or by the API.
    const { metricsUrl } = await openApi(db)
    text += await (await fetch(metricsUrl)).text()
    const reported = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    )
    // Only with a replica, and with several API processes; their own tests check them.
    const elsewhere = ['manilla_replica_delay_seconds', 'manilla_api_process_restarts_total']
    const known = new Set([...reported, ...elsewhere])
    expect(listNamedMetrics().filter((name) => !known.has(name))).toEqual([])
    expect(listNamedMetrics().length).toBeGreaterThan(30)

    const stopping = work.stop()
    const draining = await fetch(`${url}/readyz`)
    expect([draining.status, await draining.json()]).toMatchObject([
      503,
      { message: 'Shutting down' },
    ])
    await stopping
    expect((await readWorkers(db)).alive).toBe(0)
  })

  // As in a restart: every connection is cut, and new ones are refused for a while.
  test('is not ready while the database is down, and recovers by itself', async () => {
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
    await ageHeartbeats(db, workLimits.missingAfterMs)
    await until(async () => (await readWorkers(db)).alive === 1)
    await work.stop()
    await admin.close()
  }, 30_000)
})

// Two workers on one machine need no configuration.
test('a default port in use is replaced by a free one, a configured port is not', async () => {
  const open = (port: number | undefined, defaultPort: number) =>
    listenOnLoopback({ port, defaultPort }, () => {})
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
    clock.advance(doctorLimits.overdueAfterMs + second)
    expect(progress.lateJobs()).toEqual([])
    clock.advance(second)
    expect(progress.lateJobs()).toEqual(['often'])

    // A failed run is no progress.
    progress.record('often', false)
    expect([progress.lateJobs(), progress.isRecent()]).toEqual([['often'], false])
    progress.record('often', true)
    expect([progress.lateJobs(), progress.isRecent()]).toEqual([[], true])
    clock.advance(workLimits.idleMaxMs)
    expect(progress.isRecent()).toBe(false)

    clock.advance(61 * minute)
    expect(progress.lateJobs()).toEqual(['often', 'seldom', 'long'])
    expect(progress.list()[0]).toMatchObject({ name: 'often', runs: 2, failures: 1 })
  })

  test('that is late is reported by doctor and counted until its worker is gone', async () => {
    const db = await freshDatabase()
    const { metricsUrl } = await openApi(db)
    const worker = describeWorker('work')
    await writeHeartbeat(db, describeWorker('work'), ['expire accounts'])
    await writeHeartbeat(db, worker, ['expire accounts', 'sweep live wallets'])
    const results = await examineWorkers(db)
    expect(results).toMatchObject([
      { check: 'Workers', state: 'ok', message: '2 running' },
      { check: 'Jobs', state: 'error', message: 'late: expire accounts, sweep live wallets' },
    ])
    expect(await readMetric(metricsUrl, 'manilla_late_jobs')).toBe(2)
    await ageHeartbeats(db, workLimits.missingAfterMs)
    expect(await readMetric(metricsUrl, 'manilla_late_jobs')).toBe(0)
  })
})
