import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hour, systemClock } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { workLimits } from '../../src/operations/limits.js'
import { JobProgress } from '../../src/operations/metrics/job-progress.js'
import { sql } from '../../src/postgres/sql.js'
import { type Job, runJob, scheduleJobs } from '../../src/processes/run-jobs.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/sessions.js'

const db = await freshDatabase()
await db.rows(sql`create table chores (due_at timestamptz not null)`)
const firstDueAt = sql`select min(due_at) from chores`

/** Runs jobs that poll every hour, so that only due rows can wake them. */
function startJobs(jobs: Pick<Job, 'name' | 'firstDueAt' | 'run'>[]): void {
  const scheduled = scheduleJobs(
    jobs.map((job) => ({ everyMs: hour, batch: 1, ...job })),
    db,
  )
  const progress = new JobProgress(systemClock, scheduled)
  const stopping = new AbortController()
  setMaxListeners(scheduled.length, stopping.signal)
  const logger = createLogger('silent')
  const dependencies = { db, clock: systemClock, logger, progress }
  const running = scheduled.map((job) => runJob(job, dependencies, stopping.signal))
  onTestFinished(async () => {
    stopping.abort()
    await Promise.all(running)
  })
}

test('a job runs as soon as its first row is due, and not before', async () => {
  let chores = 0
  let others = 0
  const doChores = async () => {
    const done = await db.rows(sql`delete from chores where due_at <= now() returning 1`)
    chores += done.length
    return 0
  }
  const count = async () => {
    others += 1
    return 0
  }
  startJobs([
    { name: 'do chores', firstDueAt, run: doChores },
    { name: 'count', firstDueAt: sql`select null::timestamptz`, run: count },
    { name: 'count without due rows', run: count },
  ])
  await until(() => others === 2)
  await db.rows(sql`insert into chores values (now() + interval '1 s'), (now() + interval '1 h')`)
  await sleep(3 * workLimits.duePollIntervalMs)
  expect(chores).toBe(0)
  await until(() => chores === 1)
  await db.rows(sql`insert into chores values (now())`)
  await until(() => chores === 2)
  expect(others).toBe(2)
})
