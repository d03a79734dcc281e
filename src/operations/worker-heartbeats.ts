import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { JobProgress } from './job-progress.js'

/** What a process that runs work was started as. */
export type WorkCommand = 'work' | 'start'

export type Worker = {
  id: string
  command: WorkCommand
  hostName: string
  processId: number
  version: string
}

/** This process as a worker. A restart is another worker. */
export function describeWorker(command: WorkCommand): Worker {
  const file = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  return { id: randomUUID(), command, hostName: hostname(), processId: process.pid, version }
}

/**
 * Reports that a worker is alive, and which of its jobs are late. Times are the database's own, so
 * clocks that differ between machines do not matter. Rows of workers long gone are removed.
 */
export async function writeHeartbeat(
  db: Database,
  worker: Worker,
  lateJobs: string[],
): Promise<void> {
  const { id, command, hostName, processId, version } = worker
  await db.rows(sql`
    with removed as (
      delete from worker_heartbeats
      where beat_at < clock_timestamp() - ${limits.work.heartbeatsKeptMs} * interval '1 ms')
    insert into worker_heartbeats
      (worker_id, command, host_name, process_id, version, started_at, beat_at, late_jobs)
    values (${id}, ${command}, ${hostName}, ${processId}, ${version},
      clock_timestamp(), clock_timestamp(), ${lateJobs})
    on conflict (worker_id) do update set
      beat_at = excluded.beat_at, late_jobs = excluded.late_jobs`)
}

/** A worker without its database counts as missing until the next heartbeat succeeds. */
export async function keepBeating(
  worker: Worker,
  { db, logger, progress }: { db: Database; logger: Logger; progress: JobProgress },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await writeHeartbeat(db, worker, progress.lateJobs()).catch((error: unknown) =>
      logger.warn({ err: error }, 'the heartbeat of this worker was not written'),
    )
    await sleep(limits.work.heartbeatEveryMs, undefined, { signal }).catch(() => {})
  }
}

/** Records an orderly stop: the worker no longer counts, without waiting until it is missed. */
export async function stopHeartbeat(db: Database, { id }: Worker): Promise<void> {
  await db.rows(sql`
    update worker_heartbeats set stopped_at = clock_timestamp() where worker_id = ${id}`)
}

/** The workers of an installation, as of now. */
export type Workers = {
  /** Those that have not stopped and whose last heartbeat is recent. */
  alive: number
  /** Those that ended within the last hour without an orderly stop. */
  missed: number
  /** Since the newest heartbeat of any worker; null when no worker has run of late. */
  lastBeatAgeMs: number | null
  /** Jobs that are late on a worker that is alive, by name. */
  lateJobs: string[]
}

export async function readWorkers(db: Database): Promise<Workers> {
  const [row] = await db.rows(sql<Workers>`
    with beats as (
      select stopped_at, late_jobs,
        (extract(epoch from clock_timestamp() - beat_at) * 1000)::float8 as age_ms
      from worker_heartbeats),
    workers as (
      select *, stopped_at is null and age_ms < ${limits.work.missingAfterMs} as is_alive
      from beats)
    select (select count(*) from workers where is_alive)::int as alive,
      (select count(*) from workers where not is_alive and stopped_at is null
        and age_ms < ${limits.work.missedForMs})::int as missed,
      (select min(greatest(age_ms, 0)) from workers) as "lastBeatAgeMs",
      array(
        select distinct job from workers, unnest(late_jobs) as job
        where is_alive order by job) as "lateJobs"`)
  return row!
}
