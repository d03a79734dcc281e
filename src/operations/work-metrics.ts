import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../base/clock.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { JobProgress } from './job-progress.js'
import { readWorkers } from './worker-heartbeats.js'

type Sample = { labels?: Record<string, string>; value: number }

/** State of background work. API processes report it too, in case no worker is running. */
export function addWorkFigures(
  registry: Registry,
  { db, clock }: { db: Database; clock: Clock },
): void {
  const add = (name: string, help: string, read: () => Promise<Sample[]>) =>
    new Gauge({
      name,
      help,
      // Without a label name, a gauge that has no value would report 0.
      labelNames: ['work'],
      registers: [registry],
      // All API processes of a service read the same figures.
      aggregator: 'max',
      async collect() {
        this.reset()
        // Absent while the database does not respond; the other metrics still work.
        const samples = await read().catch(() => [])
        for (const { labels = {}, value } of samples) this.set(labels, value)
      },
    })
  add('manilla_workers', 'Workers whose heartbeat is at most 15 seconds old.', async () => [
    { value: (await readWorkers(db)).alive },
  ])
  add(
    'manilla_worker_last_beat_age_seconds',
    'Time since the newest heartbeat of any worker.',
    async () => {
      const { lastBeatAgeMs } = await readWorkers(db)
      return lastBeatAgeMs === null ? [] : [{ value: lastBeatAgeMs / 1_000 }]
    },
  )
  add('manilla_late_jobs', 'Jobs that hang or keep failing, on any worker.', async () => [
    { value: (await readWorkers(db)).lateJobs.length },
  ])
  add('manilla_due_lag_seconds', 'How long the oldest due row has been waiting.', async () =>
    (await readDueLag(db, clock.now())).map(({ work, lagSeconds }) => ({
      labels: { work },
      value: lagSeconds,
    })),
  )
}

/** Jobs of this process. */
export function addJobMetrics(registry: Registry, progress: JobProgress): void {
  const registers = [registry]
  const labelNames = ['job']
  new Counter({
    name: 'manilla_job_runs_total',
    help: 'Finished runs of each job, successful or failed.',
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const { name, runs } of progress.list()) this.inc({ job: name }, runs)
    },
  })
  new Counter({
    name: 'manilla_job_failures_total',
    help: 'Runs of each job that failed.',
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const { name, failures } of progress.list()) this.inc({ job: name }, failures)
    },
  })
  new Gauge({
    name: 'manilla_job_since_success_seconds',
    help: 'Time since each job last succeeded, or since the process started.',
    labelNames,
    registers,
    collect() {
      for (const { name, sinceSuccessMs } of progress.list())
        this.set({ job: name }, sinceSuccessMs / 1_000)
    },
  })
}

type DueLag = { work: string; lagSeconds: number }

/** Deliveries are read per endpoint, one index probe each, because there may be very many. */
async function readDueLag(db: Database, now: Date): Promise<DueLag[]> {
  return db.rows(sql<DueLag>`
    select work,
      coalesce(greatest(extract(epoch from ${now}::timestamptz - due_at), 0), 0)::float8
        as "lagSeconds"
    from (
      select 'webhooks' as work, min(d.due_at) as due_at from webhook_endpoints e
        cross join lateral (
          select due_at from deliveries
          where environment_id = e.environment_id and endpoint_id = e.id and state = 'PENDING'
          order by due_at limit 1) as d
        where e.is_enabled
      union all
      select 'payouts', min(due_at) from payout_attempts where state = 'LIVE'
      union all
      select 'returns', min(due_at) from payment_returns where state = 'WAITING'
      union all
      select 'payments', min(due_at) from notices where state = 'WAITING') as oldest`)
}
