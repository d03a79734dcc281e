import Type from 'typebox'
import { orNull, resource } from '../../base/shapes.js'
import { type RateView, viewRates } from '../../rates/view-rates.js'
import { type Action, route } from '../definitions/definition.js'
import { assetAmount, coin, time } from '../definitions/views.js'
import type { CheckResult } from '../doctor/check-result.js'
import { countOverdue } from '../doctor/examine-work.js'
import {
  countQueues,
  readPayoutRate,
  readReceivedLately,
  readWebhookDelay,
} from '../metrics/health-figures.js'
import { listLivingWorkers, readWorkers } from '../metrics/worker-heartbeats.js'

const doctor = resource('Doctor', {
  checkedAt: time,
  isHealthy: Type.Boolean(),
  checks: Type.Array(
    resource('Check', {
      check: Type.String(),
      state: Type.Enum(['ok', 'warning', 'error']),
      message: Type.String(),
      fix: Type.Optional(Type.String()),
      link: orNull(Type.String()),
    }),
  ),
})

const queues = resource('Queues', {
  kyc: Type.Integer(),
  notices: Type.Integer(),
  payouts: Type.Integer(),
  differences: Type.Integer(),
  actions: Type.Integer(),
  endpointsOff: Type.Integer(),
})

const health = resource('Health', {
  received: Type.Object({
    count: Type.Integer(),
    isMore: Type.Boolean(),
    amounts: Type.Array(assetAmount),
  }),
  webhookDelay: Type.Object({ p99Ms: orNull(Type.Number()), measured: Type.Integer() }),
  payouts: Type.Object({
    open: Type.Integer(),
    inReview: Type.Integer(),
    oldestAgeMs: orNull(Type.Number()),
    perTenMinutes: Type.Object({
      buckets: Type.Array(Type.Object({ start: time, count: Type.Integer() })),
      isMore: Type.Boolean(),
    }),
  }),
  overdue: Type.Array(Type.Object({ work: Type.String(), count: Type.Integer() })),
  lags: Type.Array(Type.Object({ work: Type.String(), lagMs: Type.Number() })),
  webhooks: Type.Object({
    due: Type.Integer(),
    waiting: Type.Integer(),
    failingEndpoints: Type.Integer(),
    failingSeconds: Type.Number(),
  }),
  workers: Type.Object({
    alive: Type.Integer(),
    missed: Type.Integer(),
    lastBeatAgeMs: orNull(Type.Number()),
    lateJobs: Type.Array(Type.String()),
    living: Type.Array(
      Type.Object({
        command: Type.Enum(['work', 'start']),
        hostName: Type.String(),
        processId: Type.Integer(),
        version: Type.String(),
        startedAt: time,
        beatAgeMs: Type.Number(),
        lateJobs: Type.Array(Type.String()),
      }),
    ),
  }),
  queues,
  rates: Type.Array(
    Type.Object({
      asset: coin,
      updatedAt: orNull(time),
      isMissing: Type.Boolean(),
      problems: Type.Array(Type.Object({ source: Type.String(), problem: Type.String() })),
    }),
  ),
  databaseBytes: Type.Number(),
})

/** Health: what `manilla doctor` finds, and figures of the whole installation. */
export const healthActions: Action[] = [
  route({
    request: 'GET /doctor',
    operation: 'readDoctor',
    summary: 'Findings',
    view: doctor,
    async run({ examine }) {
      const { at, value } = await examine()
      return {
        checkedAt: at,
        isHealthy: value.every(({ state }) => state !== 'error'),
        checks: value.map((result) => ({ ...result, link: linkOf(result) })),
      }
    },
  }),
  route({
    request: 'GET /queues',
    operation: 'countOperatorQueues',
    summary: 'What waits for an operator',
    view: queues,
    run: ({ db, now }) => countQueues(db, now),
  }),
  route({
    request: 'GET /health',
    operation: 'readHealth',
    summary: 'Health',
    view: health,
    async run({ db, clock, now, readWork, rateConfig }) {
      const work = await readWork()
      const overdue = await countOverdue({ db, clock })
      const open = work.payouts.reduce((sum, { count }) => sum + count, 0)
      const inReview = work.payouts.filter(({ state }) => state === 'review')
      const oldest = Math.max(0, ...work.payouts.map(({ ageSeconds }) => ageSeconds))
      return {
        received: await readReceivedLately(db, now),
        webhookDelay: await readWebhookDelay(db, now),
        payouts: {
          open,
          inReview: inReview.reduce((sum, { count }) => sum + count, 0),
          oldestAgeMs: open === 0 ? null : oldest * 1_000,
          perTenMinutes: await readPayoutRate(db, now),
        },
        overdue: overdue.map(({ what, count }) => ({ work: what, count: Number(count) })),
        lags: work.dueLag.map(({ work, lagSeconds }) => ({ work, lagMs: lagSeconds * 1_000 })),
        webhooks: work.webhooks,
        workers: { ...(await readWorkers(db)), living: await listLivingWorkers(db) },
        queues: await countQueues(db, now),
        rates: (await viewRates({ db, config: rateConfig() }, now)).map(showRateHealth),
        databaseBytes: work.databaseBytes,
      }
    },
  }),
]

/** Names a coin without a rate, and sources that are not used. */
function showRateHealth({ asset, rate, isMissing, sources }: RateView) {
  return {
    asset,
    updatedAt: rate?.createdAt ?? null,
    isMissing,
    problems: sources.flatMap(({ source, problem }) => (problem ? [{ source, problem }] : [])),
  }
}

/** Where the console helps with a finding. */
const links: Record<string, string> = {
  Payouts: '/operator/payouts',
  Notices: '/operator/notices',
  Webhooks: '/operator/merchants',
  Wallets: '/operator/treasury',
  Endpoints: '/operator/rails',
  'Treasury (test)': '/operator/treasury',
  'Treasury (live)': '/operator/treasury',
  'Bank (test)': '/operator/rails',
  'Bank (live)': '/operator/rails',
  'Solana (test)': '/operator/rails',
  'Solana (live)': '/operator/rails',
  Rates: '/operator/exchange',
  'Audit log': '/operator/audit',
}

function linkOf({ check, state }: CheckResult): string | null {
  return state === 'ok' ? null : (links[check] ?? null)
}
