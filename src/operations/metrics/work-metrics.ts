import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../base/clock.js'
import { listShortfalls } from '../../payouts/requests/report-shortfall.js'
import type { Database } from '../../postgres/database.js'
import { databaseGauges, shareWhileRunning } from './database-gauges.js'
import type { JobProgress } from './job-progress.js'
import { createWorkFigures } from './work-figures.js'
import { readWorkers } from './worker-heartbeats.js'

/** State of background work. API processes report it too, in case no worker is running. */
export function addWorkFigures(
  registry: Registry,
  { db, clock }: { db: Database; clock: Clock },
): void {
  const add = databaseGauges(registry)
  const workers = shareWhileRunning(() => readWorkers(db))
  add('manilla_workers', { help: 'Workers with a recent heartbeat.' }, async () => [
    { value: (await workers()).alive },
  ])
  add(
    'manilla_worker_last_beat_age_seconds',
    { help: 'Time since the newest heartbeat of any worker.' },
    async () => {
      const { lastBeatAgeMs } = await workers()
      return lastBeatAgeMs === null ? [] : [{ value: lastBeatAgeMs / 1_000 }]
    },
  )
  add(
    'manilla_workers_missed',
    { help: 'Workers that ended within the last hour without an orderly stop.' },
    async () => [{ value: (await workers()).missed }],
  )
  add('manilla_late_jobs', { help: 'Jobs that hang or keep failing, on any worker.' }, async () => [
    { value: (await workers()).lateJobs.length },
  ])
  const figures = createWorkFigures({ db, clock })
  add(
    'manilla_due_lag_seconds',
    { help: 'How long the oldest due row has been waiting, by kind of work.' },
    async () =>
      (await figures()).dueLag.map(({ work, lagSeconds }) => ({
        labels: { work },
        value: lagSeconds,
      })),
  )
  add(
    'manilla_webhook_backlog',
    {
      help: 'Webhook deliveries that are due, or wait for their next attempt; at most 10,000.',
      labels: ['state'],
    },
    async () => {
      const { due, waiting } = (await figures()).webhooks
      return [
        { labels: { state: 'due' }, value: due },
        { labels: { state: 'waiting' }, value: waiting },
      ]
    },
  )
  add(
    'manilla_webhook_endpoints_failing',
    { help: 'Enabled webhook endpoints whose last attempt failed.' },
    async () => [{ value: (await figures()).webhooks.failingEndpoints }],
  )
  add(
    'manilla_webhook_endpoint_failing_seconds',
    { help: 'How long the endpoint that fails longest has been failing.' },
    async () => [{ value: (await figures()).webhooks.failingSeconds }],
  )
  add(
    'manilla_payouts_refused_for_funds',
    {
      help: "Payouts that merchants could afford and the operator's funds could not cover, since the first one.",
      labels: ['rail', 'asset'],
    },
    async () =>
      (await listShortfalls(db)).map(({ rail, asset, refusals }) => ({
        labels: { rail, asset },
        value: Number(refusals),
      })),
  )
  add(
    'manilla_open_payouts',
    {
      help: 'Payouts without an outcome, by kind; `review` needs an operator. At most 10,000.',
      labels: ['kind', 'state'],
    },
    async () =>
      (await figures()).payouts.map(({ kind, state, count }) => ({
        labels: { kind, state },
        value: count,
      })),
  )
  add(
    'manilla_open_payout_age_seconds',
    { help: 'Age of the oldest payout without an outcome.', labels: ['kind', 'state'] },
    async () =>
      (await figures()).payouts.map(({ kind, state, ageSeconds }) => ({
        labels: { kind, state },
        value: ageSeconds,
      })),
  )
  add(
    'manilla_expired_transactions',
    {
      help: 'Transactions of payouts and sweeps that expired minutes ago and have no outcome.',
      labels: ['rail'],
    },
    async () =>
      (await figures()).expired.map(({ rail, count }) => ({ labels: { rail }, value: count })),
  )
  add(
    'manilla_expired_transaction_age_seconds',
    { help: 'Time since the oldest of them was signed.', labels: ['rail'] },
    async () =>
      (await figures()).expired.map(({ rail, ageSeconds }) => ({
        labels: { rail },
        value: ageSeconds,
      })),
  )
  add('manilla_database_bytes', { help: 'Size of the database on disk.' }, async () => [
    { value: (await figures()).databaseBytes },
  ])
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
