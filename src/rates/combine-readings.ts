import { limits } from '../base/limits.js'
import type { Coin } from '../money/assets.js'
import { differsMuch, formatRate, type RatePair } from '../money/rates.js'
import type { Reading } from './ports.js'

/** The reading of a source, or why there is none. */
export type SourceResult = { source: string } & ({ reading: Reading } | { problem: string })

/** A reading and whether it is used. The rate is null if the source has none, or an old one. */
export type JudgedReading = {
  source: string
  rate: RatePair | null
  /** Why it is not used; null: it is. */
  problem: string | null
}

export type RateBounds = { maxAgeMs: number; maxDeviationPercent: number }

/** The last rate of the sources, which new ones are compared with. */
export type LastRate = RatePair & { createdAt: Date }

export type CombinedRate = {
  /** Undefined: no source can be used. */
  rate: RatePair | undefined
  /** Names of the sources that were used. */
  used: string[]
  /** The time of the oldest rate among them. */
  oldestAt: Date | undefined
  judged: JudgedReading[]
}

/**
 * The rate of a coin from its sources. Uses those that are fresh, near the last rate if it is
 * recent, and near each other. If two or more are configured, two must agree at every poll: one
 * alone could otherwise walk the rate anywhere, one bound per poll.
 */
export function combineReadings(
  results: SourceResult[],
  last: LastRate | undefined,
  { maxAgeMs, maxDeviationPercent }: RateBounds,
  now: Date,
): CombinedRate {
  const fresh = results.map((result) => judgeAge(result, maxAgeMs, now))
  const isRecent = last && now.getTime() - last.createdAt.getTime() <= limits.rates.lastRateMs
  const bound = maxDeviationPercent * 100
  const near = isRecent ? fresh.map((reading) => judgeJump(reading, last, bound)) : fresh
  const { rate, used, judged } = agree(near, bound)
  return { rate, used, oldestAt: findOldest(results, used), judged }
}

/**
 * Of the readings without a problem, uses those near their median. If several sources are
 * configured, at least two must be left, or none is used.
 */
export function agree(
  readings: JudgedReading[],
  maxDeviationBasisPoints: number,
): Omit<CombinedRate, 'oldestAt'> {
  const isUsable = ({ problem }: JudgedReading) => problem === null
  const anchor = medianOf(readings.filter(isUsable).map(({ rate }) => rate!))
  const near = readings.map((reading) =>
    isUsable(reading) && differsMuch(anchor!, reading.rate!, maxDeviationBasisPoints)
      ? refuse(reading, `differs from the other sources: ${formatPair(reading.rate!)}`)
      : reading,
  )
  const usable = near.filter(isUsable)
  const isAlone = usable.length === 1 && readings.length > 1
  const used = isAlone ? [] : usable
  return {
    rate: medianOf(used.map(({ rate }) => rate!)),
    used: used.map(({ source }) => source),
    judged: isAlone
      ? near.map((reading) =>
          isUsable(reading) ? refuse(reading, 'no other source confirms it') : reading,
        )
      : near,
  }
}

function findOldest(results: SourceResult[], names: string[]): Date | undefined {
  const times = results.flatMap((result) =>
    'reading' in result && names.includes(result.source) ? [result.reading.at] : [],
  )
  return times.sort((left, right) => left.getTime() - right.getTime())[0]
}

/**
 * The middle of all buys and of all sells. Of two in the middle, the one that is better for the
 * operator: the lower buy, the higher sell.
 */
export function medianOf(rates: RatePair[]): RatePair | undefined {
  if (rates.length === 0) return undefined
  const sorted = (side: keyof RatePair) => rates.map((rate) => rate[side]).sort(compare)
  return {
    buy: sorted('buy')[Math.floor((rates.length - 1) / 2)]!,
    sell: sorted('sell')[Math.floor(rates.length / 2)]!,
  }
}

function judgeAge(result: SourceResult, maxAgeMs: number, now: Date): JudgedReading {
  const { source } = result
  if ('problem' in result) return { source, rate: null, problem: result.problem }
  const { buy, sell, at } = result.reading
  const ageMs = now.getTime() - at.getTime()
  if (ageMs > maxAgeMs)
    return { source, rate: null, problem: `stale: its rate is from ${at.toISOString()}` }
  if (ageMs < -limits.rates.clockSkewMs)
    return { source, rate: null, problem: `its rate is from the future: ${at.toISOString()}` }
  return { source, rate: { buy, sell }, problem: null }
}

function judgeJump(reading: JudgedReading, last: RatePair, bound: number): JudgedReading {
  return reading.rate && differsMuch(last, reading.rate, bound)
    ? refuse(reading, `jumped: from ${formatPair(last)} to ${formatPair(reading.rate)}`)
    : reading
}

function refuse({ source, rate }: JudgedReading, problem: string): JudgedReading {
  return { source, rate, problem }
}

/** Buy and sell: 1580 / 1600. */
export function formatPair({ buy, sell }: RatePair): string {
  return `${formatRate(buy)} / ${formatRate(sell)}`
}

/** The sources of a coin that cannot be used, for a line of the log. */
export function describeProblems(asset: Coin, judged: JudgedReading[]): string[] {
  return judged.flatMap(({ source, problem }) =>
    problem === null ? [] : [`${source} (${asset}): ${problem}`],
  )
}

function compare(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0
}
