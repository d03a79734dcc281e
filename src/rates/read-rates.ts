import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { type Coin, coins } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import {
  type CombinedRate,
  combineReadings,
  describeProblems,
  type RateBounds,
  type SourceResult,
} from './combine-readings.js'
import { type RateSource, SourceProblem } from './ports.js'
import { findLastOfSources, insertRate, type StoredRate } from './store-rates.js'
import { deleteOtherReadings, listReadings, storeReadings } from './store-readings.js'

/**
 * Reads all sources and stores the rate of each coin that has a usable one. Otherwise the last rate
 * expires. Logs the problems as one error. Returns the number of sources; none if another worker
 * has just read them.
 */
export async function readRates(
  {
    db,
    sources,
    bounds,
    logger,
  }: { db: Database; sources: RateSource[]; bounds: RateBounds; logger: Logger },
  now: Date,
): Promise<number> {
  if (await wereJustRead(db, sources, now)) return 0
  const results = await Promise.all(sources.map(readSource))
  const problems = await db.transaction(async (tx) => {
    const found: string[] = []
    deleteOtherReadings(tx, sources)
    for (const asset of coins) {
      const own = results.filter((_, index) => sources[index]!.asset === asset)
      if (own.length === 0) continue
      const last = await findLastOfSources(tx, asset)
      const combined = combineReadings(own, last, bounds, now)
      storeReadings(tx, now, asset, combined.judged)
      const expiresAt = expiryOf(combined, bounds, now)
      if (combined.rate && isNews(combined, expiresAt, last, bounds, now))
        insertRate(tx, now, {
          asset,
          buy: combined.rate.buy,
          sell: combined.rate.sell,
          origin: 'sources',
          givenBy: combined.used.join(', '),
          expiresAt,
        })
      found.push(...describeProblems(asset, combined.judged), ...describeMissing(asset, combined))
    }
    return found
  })
  if (problems.length > 0) logger.error({ problems }, 'rate sources have problems')
  return sources.length
}

async function wereJustRead(db: Database, sources: RateSource[], now: Date): Promise<boolean> {
  const since = after(now, -limits.rates.pollIntervalMs / 2)
  const readings = await listReadings(db)
  return sources.every(({ name, asset }) =>
    readings.some(
      (reading) => reading.source === name && reading.asset === asset && reading.readAt > since,
    ),
  )
}

/** A slow or broken source must not keep the others from being used. */
async function readSource(source: RateSource): Promise<SourceResult> {
  try {
    return { source: source.name, reading: await source.read() }
  } catch (error) {
    if (error instanceof SourceProblem) return { source: source.name, problem: error.message }
    throw error
  }
}

/**
 * A rate holds until the oldest one in it is too old, but at least until the sources were read
 * twice again: one that is slow to update must not leave a gap.
 */
function expiryOf({ oldestAt }: CombinedRate, { maxAgeMs }: RateBounds, now: Date): Date {
  const byAge = after(oldestAt && oldestAt < now ? oldestAt : now, maxAgeMs)
  const earliest = after(now, 2 * limits.rates.pollIntervalMs)
  return byAge > earliest ? byAge : earliest
}

/** The same rate is stored again only when half of its time is over: rows are never deleted. */
function isNews(
  { rate, used }: CombinedRate,
  expiresAt: Date,
  last: StoredRate | undefined,
  { maxAgeMs }: RateBounds,
  now: Date,
): boolean {
  if (!last || last.buy !== rate!.buy || last.sell !== rate!.sell) return true
  if (last.givenBy !== used.join(', ')) return true
  const holdsUntil = last.expiresAt!
  return expiresAt > holdsUntil && now >= after(holdsUntil, -maxAgeMs / 2)
}

function describeMissing(asset: Coin, { rate }: CombinedRate): string[] {
  return rate ? [] : [`no source of ${asset} can be used: its last rate expires`]
}
