import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { noRateSources } from '../../base/rate-sources.js'
import type { CheckResult } from '../../operations/doctor/check-result.js'
import { countOverdue } from '../../operations/doctor/examine-work.js'
import {
  countQueues,
  readPayoutRate,
  readReceivedLately,
  readWebhookDelay,
} from '../../operations/metrics/health-figures.js'
import { createWorkFigures } from '../../operations/metrics/work-figures.js'
import { listLivingWorkers, readWorkers } from '../../operations/metrics/worker-heartbeats.js'
import { type RateView, viewRates } from '../../rates/view-rates.js'
import type { Route } from '../server/route.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorRoute } from './operator-route.js'

/** Health: what `manilla doctor` finds, and figures of the whole installation. */
export function healthRoutes(parts: OperatorParts): Route[] {
  const { db, clock } = parts
  const { rates: rateConfig = noRateSources } = parts.config
  const examine = shareLately(clock, limits.operator.doctorCacheMs, parts.examine)
  const readWork = createWorkFigures({ db, clock })
  const doctor = operatorRoute({
    method: 'GET',
    path: '/doctor',
    operation: 'readDoctor',
    summary: 'Findings',
    async handle() {
      const { at, value } = await examine()
      return {
        checkedAt: at,
        isHealthy: value.every(({ state }) => state !== 'error'),
        checks: value.map((result) => ({ ...result, link: linkOf(result) })),
      }
    },
  })
  const queues = operatorRoute({
    method: 'GET',
    path: '/queues',
    operation: 'countOperatorQueues',
    summary: 'What waits for an operator',
    handle: ({ now }) => countQueues(db, now),
  })
  const health = operatorRoute({
    method: 'GET',
    path: '/health',
    operation: 'readHealth',
    summary: 'Health',
    async handle({ now }) {
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
        rates: (await viewRates({ db, config: rateConfig }, now)).map(showRateHealth),
        databaseBytes: work.databaseBytes,
      }
    },
  })
  return [doctor, queues, health]
}

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

/** Runs one at a time, and not again for a while: checks call banks and chains. */
function shareLately<Value>(
  clock: Clock,
  cacheMs: number,
  run: () => Promise<Value>,
): () => Promise<{ at: Date; value: Value }> {
  let latest: { startedAtMs: number; result: Promise<{ at: Date; value: Value }> } | undefined
  let isRunning = false
  return () => {
    const nowMs = clock.elapsedMs()
    if (latest && (isRunning || nowMs - latest.startedAtMs < cacheMs)) return latest.result
    isRunning = true
    const result = run()
      .then((value) => ({ at: clock.now(), value }))
      .finally(() => {
        isRunning = false
      })
    latest = { startedAtMs: nowMs, result }
    result.catch(() => {
      latest = undefined
    })
    return result
  }
}
