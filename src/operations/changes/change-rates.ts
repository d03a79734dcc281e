import { after, type RealTime } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { Coin } from '../../money/assets.js'
import { differsMuch, formatRate, type RatePair } from '../../money/rates.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { formatPair, type RateBounds } from '../../rates/combine-readings.js'
import {
  findBase,
  findRates,
  insertRate,
  listRates,
  type RateBase,
  withdrawRate,
} from '../../rates/store-rates.js'
import { listReadings, rejudgeReadings } from '../../rates/store-readings.js'
import { agreeAnew, type RateView } from '../../rates/view-rates.js'
import { auditOperator, nameOf, type Operator } from './audit-operator.js'

export type NewRate = RatePair & {
  asset: Coin
  /** Undefined: until it is withdrawn or replaced. */
  heldMs: number | undefined
  /** Another operator confirmed it, or it is set on the server: it may differ much. */
  isConfirmed: boolean
}

export type RateComparison = {
  /** It is the first rate of the coin, or it differs much. */
  isFar: boolean
  /** The rate that it differs from; undefined for the first one. */
  previous: RatePair | undefined
  base: RateBase | undefined
}

/**
 * Compares a new rate with the one in force, and with the one that applied before an operator began
 * to change it today: small steps of one operator must not add up to a large one.
 */
export async function compareRate(
  db: Queryable,
  now: RealTime,
  { asset, buy, sell }: Pick<NewRate, 'asset' | 'buy' | 'sell'>,
): Promise<RateComparison> {
  const current = (await findRates(db, now)).find((rate) => rate.asset === asset)
  const [newest] = await listRates(db, { asset, limit: 1 })
  const previous = current ?? newest
  if (!previous) return { isFar: true, previous, base: undefined }
  const { unconfirmedChangeMaxBasisPoints: bound, unconfirmedChangeMs } = limits.rates
  const found = previous.origin === 'operator' ? await findBase(db, asset) : undefined
  const isOver = !found || after(found.since, unconfirmedChangeMs) <= now
  const base = isOver ? { buy: previous.buy, sell: previous.sell, since: now } : found
  const far = [previous, base].find((reference) => differsMuch(reference, { buy, sell }, bound))
  return { isFar: far !== undefined, previous: far ?? previous, base }
}

/** Sets the rate of a coin in live mode. While it is valid, it overrides the sources. */
export async function setRate(
  tx: Tx,
  now: RealTime,
  { asset, buy, sell, heldMs, isConfirmed }: NewRate,
  operator: Operator,
): Promise<{ expiresAt: Date | null }> {
  refuseInverted({ buy, sell })
  const compared = isConfirmed ? undefined : await compareRate(tx, now, { asset, buy, sell })
  if (compared?.isFar) throw largeChange(asset, compared)
  const expiresAt = heldMs === undefined ? null : after(now, heldMs)
  const givenBy = nameOf(operator)
  const base = compared?.base
  insertRate(tx, now, { asset, buy, sell, origin: 'operator', givenBy, expiresAt, base })
  auditOperator(tx, now, operator, {
    action: 'rate.set',
    details: { asset, buy: formatRate(buy), sell: formatRate(sell), expiresAt },
  })
  return { expiresAt }
}

/** Merchants would earn by converting back and forth. */
export function refuseInverted({ buy, sell }: RatePair): void {
  if (sell >= buy) return
  throw refuse(`sell must be at least buy: ${formatRate(sell)} is below ${formatRate(buy)}.`)
}

function largeChange(asset: Coin, { previous }: RateComparison): Refusal {
  const message = previous
    ? `The rate differs by more than 10 % from ${formatPair(previous)}. Another operator must confirm it.`
    : `${asset} has no rate yet. Another operator must confirm the first one.`
  return new Refusal('validation_failed', { reason: 'large_rate_change', message })
}

/** Ends the operator's rate; the sources apply again. */
export async function clearRate(
  tx: Tx,
  now: RealTime,
  asset: Coin,
  operator: Operator,
): Promise<void> {
  if (!(await withdrawRate(tx, now, asset)))
    throw refuse(`No operator has set a rate for ${asset}.`)
  auditOperator(tx, now, operator, { action: 'rate.withdraw', details: { asset } })
}

/**
 * Stores the current median of the sources although it jumped; new readings are compared with it
 * from then on. Refused while the sources contradict each other. `seen` is what the operator saw:
 * refused if the median moved far since then.
 */
export async function acceptRate(
  tx: Tx,
  now: RealTime,
  { asset, seen, config }: { asset: Coin; seen: RatePair; config: RateBounds },
  operator: Operator,
): Promise<RatePair & { expiresAt: Date }> {
  const readings = (await listReadings(tx)).filter((reading) => reading.asset === asset)
  const { rate: median, used: names, judged, isDisputed } = agreeAnew(readings, config, now)
  if (!median) throw refuse(describeNoMedian({ asset, isDisputed }))
  const bound = config.maxDeviationPercent * 100
  if (differsMuch(seen, median, bound))
    throw refuse(`The sources changed meanwhile, to ${formatPair(median)}. Review them again.`)
  const expiresAt = after(now, config.maxAgeMs)
  insertRate(tx, now, {
    asset,
    buy: median.buy,
    sell: median.sell,
    origin: 'sources',
    givenBy: `${names.join(', ')}; accepted by ${nameOf(operator)}`,
    expiresAt,
  })
  // They are used from now on, not only from the next poll.
  rejudgeReadings(
    tx,
    readings.map((reading, index) => ({ ...reading, problem: judged[index]!.problem })),
  )
  auditOperator(tx, now, operator, {
    action: 'rate.accept',
    details: { asset, buy: formatRate(median.buy), sell: formatRate(median.sell), sources: names },
  })
  return { buy: median.buy, sell: median.sell, expiresAt }
}

/** Why there is nothing to accept. */
export function describeNoMedian({
  asset,
  isDisputed,
}: Pick<RateView, 'asset' | 'isDisputed'>): string {
  const why = isDisputed
    ? `Fewer than two sources of ${asset} agree.`
    : `No source has a recent rate for ${asset}.`
  return `${why} Set a rate: manilla rates set ${asset}`
}

function refuse(message: string): Refusal {
  return new Refusal('validation_failed', { message })
}
