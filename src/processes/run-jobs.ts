import type { Clock, RealTime } from '../base/clock.js'
import { explainError, type Logger } from '../base/log.js'
import { Pause } from '../base/pause.js'
import { workLimits } from '../operations/limits.js'
import type { JobProgress } from '../operations/metrics/job-progress.js'
import type { Database } from '../postgres/database.js'
import { named } from '../postgres/named.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { isDatabaseAway } from '../postgres/wire/failures.js'

export type Job = {
  name: string
  everyMs: number
  /** When the first row of the job is due: it runs then, not only at its interval. */
  firstDueAt?: Sql
  /** How long one run may take before the job is late; by default a few minutes. */
  mayTakeMs?: number
  /** A run that processed this many rows is followed by the next one without a pause. */
  batch: number
  /** Returns the number of rows processed. */
  run: (db: Database, now: RealTime) => Promise<number>
  /** Waits for what runs have begun and not waited for. */
  finish?: () => Promise<void>
}

type ScheduledJob = Job & { pause: Pause }

/** The jobs, and one more that wakes those with due rows. `keyDb` reads all rows by key. */
export function scheduleJobs(jobs: Job[], keyDb: Queryable): ScheduledJob[] {
  const scheduled = jobs.map((job) => ({ ...job, pause: new Pause() }))
  return [...scheduled, { ...findDueRows(scheduled, keyDb), pause: new Pause() }]
}

/**
 * Finds the jobs that have due rows with one query, so that an idle worker does not send one for
 * each of them. The query has no parameters, so that the server plans it once.
 */
export function createDueJobFinder<Found extends Job>(jobs: Found[]) {
  const waking = jobs.filter(({ firstDueAt }) => firstDueAt)
  const times = waking.map(({ firstDueAt }) => sql`extract(epoch from (${firstDueAt})) * 1000`)
  const find = named(
    'find_due_rows',
    sql<{ dueMs: (number | null)[] }>`select array[${sql.join(times)}]::float8[] as due_ms`,
  )
  return async (db: Queryable, now: RealTime): Promise<Found[]> => {
    const [found] = await db.rows(find)
    return waking.filter((_, index) => {
      const dueMs = found!.dueMs[index]
      return dueMs != null && dueMs <= now.getTime()
    })
  }
}

/** A job that is running is not woken: the next query finds what it leaves. */
function findDueRows(jobs: ScheduledJob[], keyDb: Queryable): Job {
  const findDueJobs = createDueJobFinder(jobs)
  return {
    name: 'find due rows',
    everyMs: workLimits.duePollIntervalMs,
    batch: Number.POSITIVE_INFINITY,
    async run(_db, now) {
      const paused = new Set(jobs.filter(({ pause }) => pause.isWaiting))
      const due = (await findDueJobs(keyDb, now)).filter((job) => paused.has(job))
      for (const { pause } of due) pause.wake()
      return due.length
    },
  }
}

/** Runs a job until stopped. */
export async function runJob(
  { pause, ...job }: ScheduledJob,
  dependencies: { db: Database; clock: Clock; logger: Logger; progress: JobProgress },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, logger, progress } = dependencies
  signal.addEventListener('abort', () => pause.wake())
  while (!signal.aborted) {
    let done = 0
    let hasFailed = false
    try {
      done = await job.run(db, clock.now())
      progress.record(job.name, true)
    } catch (error) {
      // The next run finds the same rows again.
      hasFailed = true
      progress.record(job.name, false)
      // Stopping closes connections under jobs that take too long; that is no failure.
      if (isDatabaseAway(error) && signal.aborted) return
      if (isDatabaseAway(error))
        logger.warn({ job: job.name, why: explainError(error) }, 'job failed')
      else logger.error({ err: error, job: job.name }, 'job failed')
    }
    const pauseMs = hasFailed ? Math.min(job.everyMs, workLimits.failedJobRetryMaxMs) : job.everyMs
    if (done < job.batch) await pause.wait(pauseMs)
  }
  await job.finish?.()
}
