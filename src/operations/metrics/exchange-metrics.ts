import type { Registry } from 'prom-client'
import type { Clock } from '../../base/clock.js'
import { modes } from '../../base/environment.js'
import type { RateConfig } from '../../base/rate-sources.js'
import { inventoryOf, listPositions } from '../../conversions/positions.js'
import { assets } from '../../money/assets.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type RateView, viewRates } from '../../rates/view-rates.js'
import { databaseGauges, type Sample, shareWhileRunning } from './database-gauges.js'

type ExchangeMetricDependencies = { db: Queryable; clock: Clock; config: RateConfig }

/** Rates and positions. Every API process reads the same from the database. */
export function addExchangeMetrics(
  registry: Registry,
  { db, clock, config }: ExchangeMetricDependencies,
): void {
  const add = databaseGauges(registry)
  const readViews = shareWhileRunning(() => viewRates({ db, config }, clock.now()))
  const rateSamples = (read: (view: RateView, now: Date) => Sample[]) => async () =>
    (await readViews()).flatMap((view) => read(view, clock.now()))
  add(
    'manilla_rate_age_seconds',
    { help: 'Age of the rate of live mode; absent without a rate.', labels: ['asset'] },
    rateSamples(({ asset, rate }, now) =>
      rate
        ? [{ labels: { asset }, value: (now.getTime() - rate.createdAt.getTime()) / 1_000 }]
        : [],
    ),
  )
  add(
    'manilla_rate_missing',
    {
      help: '1 for a coin whose live conversions are refused because it has no rate.',
      labels: ['asset'],
    },
    rateSamples(({ asset, isMissing }) => [{ labels: { asset }, value: isMissing ? 1 : 0 }]),
  )
  add(
    'manilla_rate_source_problem',
    { help: '1 for a rate source that is not used.', labels: ['source', 'asset'] },
    rateSamples(({ asset, sources }) =>
      sources.map(({ source, problem }) => ({
        labels: { source, asset },
        value: problem === null ? 0 : 1,
      })),
    ),
  )
  add(
    'manilla_exchange_inventory',
    { help: 'What conversions can sell, in coins and naira.', labels: ['mode', 'asset'] },
    async () => {
      const positions = await Promise.all(modes.map((mode) => listPositions(db, mode)))
      return positions.flat().map((position) => {
        const { mode, asset } = position
        const value = Number(inventoryOf(position)) / 10 ** assets[asset].decimals
        return { labels: { mode, asset }, value }
      })
    },
  )
}
