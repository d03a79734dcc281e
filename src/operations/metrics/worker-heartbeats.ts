import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { named } from '../../postgres/named.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { workLimits } from '../limits.js'
import type { JobProgress } from './job-progress.js'

/** The command with which a worker process was started. */
export type WorkCommand = 'work' | 'start'

export type Worker = {
  id: string
  command: WorkCommand
  hostName: string
  processId: number
  version: string
}

/** This process as a worker. A restart is a new worker. */
export function describeWorker(command: WorkCommand): Worker {
  const file = new URL('../../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  return { id: randomUUID(), command, hostName: hostname(), processId: process.pid, version }
}

/**
 * Reports that a worker is alive and which of its jobs are late. Uses the database's time, because
 * the clocks of machines differ. Removes the rows of old workers.
 */
export async function writeHeartbeat(
  db: Database,
  worker: Worker,
  lateJobs: string[],
): Promise<void> {
  const { id, command, hostName, processId, version } = worker
  const heartbeat = sql`
    with removed as (
      delete from worker_heartbeats
      where beat_at < clock_timestamp() - ${workLimits.heartbeatRetentionMs} * interval '1 ms')
    insert into worker_heartbeats
      (worker_id, command, host_name, process_id, version, started_at, beat_at, late_jobs)
    values (${id}, ${command}, ${hostName}, ${processId}, ${version},
      clock_timestamp(), clock_timestamp(), ${lateJobs})
    on conflict (worker_id) do update set
      beat_at = excluded.beat_at, late_jobs = excluded.late_jobs`
  await db.rows(named('write_heartbeat', heartbeat))
}

/** A worker without its database counts as missing until the next heartbeat succeeds. */
export async function keepBeating(
  worker: Worker,
  { db, logger, progress }: { db: Database; logger: Logger; progress: JobProgress },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await writeHeartbeat(db, worker, progress.lateJobs()).catch((error: unknown) =>
      logger.warn({ err: error }, 'could not write the worker heartbeat'),
    )
    await sleep(workLimits.heartbeatIntervalMs, undefined, { signal }).catch(() => {})
  }
}

/** Records an orderly stop, so that the worker does not count as crashed. */
export async function stopHeartbeat(db: Database, { id }: Worker): Promise<void> {
  await db.rows(sql`
    update worker_heartbeats set stopped_at = clock_timestamp() where worker_id = ${id}`)
}

export type Workers = {
  /** Workers that have not stopped and have a recent heartbeat. */
  alive: number
  /** Workers that ended within the last hour without an orderly stop. */
  missed: number
  /** Age of the newest heartbeat; null if no worker ran recently. */
  lastBeatAgeMs: number | null
  /** Names of jobs that are late on an alive worker. */
  lateJobs: string[]
}

export type LivingWorker = Pick<Worker, 'command' | 'hostName' | 'processId' | 'version'> & {
  startedAt: Date
  beatAgeMs: number
  lateJobs: string[]
}

/** Workers with a recent heartbeat, by host. */
export function listLivingWorkers(db: Queryable): Promise<LivingWorker[]> {
  return db.rows(sql<LivingWorker>`
    select command, host_name, process_id, version, started_at, late_jobs, greatest(extract(epoch
      from clock_timestamp() - beat_at) * 1000, 0)::float8 as beat_age_ms
    from worker_heartbeats
    where stopped_at is null
      and beat_at > clock_timestamp() - ${workLimits.missingAfterMs} * interval '1 ms'
    order by host_name, process_id limit ${limits.operator.rowsListedDefault}`)
}

export async function readWorkers(db: Database): Promise<Workers> {
  const [row] = await db.rows(sql<Workers>`
    with beats as (
      select stopped_at, late_jobs,
        (extract(epoch from clock_timestamp() - beat_at) * 1000)::float8 as age_ms
      from worker_heartbeats),
    workers as (
      select *, stopped_at is null and age_ms < ${workLimits.missingAfterMs} as is_alive
      from beats)
    select (select count(*) from workers where is_alive)::int as alive,
      (select count(*) from workers where not is_alive and stopped_at is null
        and age_ms < ${workLimits.missedReportMs})::int as missed,
      (select min(greatest(age_ms, 0)) from workers) as last_beat_age_ms,
      array(
        select distinct job from workers, unnest(late_jobs) as job
        where is_alive order by job) as late_jobs`)
  return row!
}
