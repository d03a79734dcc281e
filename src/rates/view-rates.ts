import { after } from '../base/clock.js'
import type { RateConfig } from '../base/rate-sources.js'
import { type Coin, coins } from '../money/assets.js'
import type { RatePair } from '../money/rates.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { agree, type CombinedRate, type RateBounds } from './combine-readings.js'
import { findLastOfOperator, findRates, type StoredRate } from './store-rates.js'
import { listReadings, type StoredReading } from './store-readings.js'

/** The rate of a coin in live mode, as operators see it. */
export type RateView = {
  asset: Coin
  /** Undefined: there is none now. */
  rate: StoredRate | undefined
  /** A rate is expected, because of sources or an expired operator's rate, and there is none. */
  isMissing: boolean
  /** What an operator can accept: the median of the fresh readings that agree, used or not. */
  median: RatePair | undefined
  /** There are fresh readings, but fewer than two agree. */
  isDisputed: boolean
  sources: SourceView[]
}

export type SourceView = Omit<StoredReading, 'asset' | 'readAt'> & { readAt: Date | null }

type Named = Pick<RateConfig['sources'][number], 'name' | 'asset'>

export async function viewRates(
  { db, config }: { db: Queryable; config: RateBounds & { sources: Named[] } },
  now: Date,
): Promise<RateView[]> {
  const rates = await findRates(db, now)
  const readings = await listReadings(db)
  return Promise.all(
    coins.map(async (asset) => {
      const rate = rates.find((stored) => stored.asset === asset)
      const own = readings.filter((reading) => reading.asset === asset)
      const sources = config.sources.filter((source) => source.asset === asset)
      const ofOperator = await findLastOfOperator(db, asset)
      const isExpected = sources.length > 0 || (ofOperator && !ofOperator.withdrawnAt)
      const agreed = agreeAnew(own, config, now)
      return {
        asset,
        rate,
        isMissing: !rate && Boolean(isExpected),
        median: agreed.rate,
        isDisputed: agreed.isDisputed,
        sources: sources.map(({ name }) =>
          viewSource(
            name,
            own.find(({ source }) => source === name),
            { oldestAt: after(now, -config.maxAgeMs) },
          ),
        ),
      }
    }),
  )
}

function viewSource(
  source: string,
  reading: StoredReading | undefined,
  { oldestAt }: { oldestAt: Date },
): SourceView {
  if (!reading)
    return { source, buy: null, sell: null, readAt: null, problem: 'not read yet: run a worker' }
  const { buy, sell, readAt, problem } = reading
  const isOld = readAt < oldestAt
  return { source, buy, sell, readAt, problem: isOld ? 'not read recently: run a worker' : problem }
}

/**
 * What the sources of a coin agree on, wherever the last rate was. Each source of the last poll has
 * a reading, also one that did not respond.
 */
export function agreeAnew(
  readings: StoredReading[],
  { maxAgeMs, maxDeviationPercent }: RateBounds,
  now: Date,
): Omit<CombinedRate, 'oldestAt'> & { isDisputed: boolean } {
  const oldestAt = after(now, -maxAgeMs)
  const fresh = readings.map(({ source, buy, sell, readAt, problem }) =>
    buy !== null && sell !== null && readAt >= oldestAt
      ? { source, rate: { buy, sell }, problem: null }
      : { source, rate: null, problem: problem ?? 'not read recently' },
  )
  const { rate, used, judged } = agree(fresh, maxDeviationPercent * 100)
  return { rate, used, judged, isDisputed: !rate && fresh.some((reading) => reading.rate !== null) }
}
