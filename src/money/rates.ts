import { limits } from '../base/limits.js'
import { formatUnits } from './amounts.js'
import type { Asset, Coin } from './assets.js'

/**
 * Naira for one coin, in millionths, so that rates are exact. Manilla buys coins at `buy` and sells
 * them at `sell`.
 */
export type RatePair = { buy: bigint; sell: bigint }

const decimals = 6

/** A rate as text: 1600, 1585.25. */
export function formatRate(rate: bigint): string {
  return formatUnits(rate, decimals)
}

/** Undefined if the text is not a positive decimal with at most six places. */
export function parseRate(text: string): bigint | undefined {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text)
  if (!match) return undefined
  const rate = BigInt(match[1]! + (match[2] ?? '').padEnd(decimals, '0'))
  return rate > 0n ? rate : undefined
}

/** One side is naira, the other a coin. */
export type Direction = { source: Asset; target: Asset }

export function coinOf({ source, target }: Direction): Coin {
  return (source === 'NGN' ? target : source) as Coin
}

/** The rate that applies: the merchant buys coins at `sell` and sells them at `buy`. */
export function rateFor({ source }: Direction, { buy, sell }: RatePair): bigint {
  return source === 'NGN' ? sell : buy
}

/** A rate of 1 is 10^-6 naira per coin, so 10^10 is a kobo per millionth of a coin. */
const unitsPerRate = 10n ** 10n

/** What an amount is worth, rounded down to the smallest unit of the target. */
export function convert({ source }: Direction, rate: bigint, amount: bigint): bigint {
  return source === 'NGN' ? (amount * unitsPerRate) / rate : (amount * rate) / unitsPerRate
}

/** The smallest amount that is worth at least `target`. */
export function neededFor({ source }: Direction, rate: bigint, target: bigint): bigint {
  return source === 'NGN'
    ? divideUp(target * rate, unitsPerRate)
    : divideUp(target * unitsPerRate, rate)
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

/** Whether `buy` or `sell` differs by more than this many basis points of the first rate. */
export function differsMuch(from: RatePair, to: RatePair, basisPoints: number): boolean {
  return (['buy', 'sell'] as const).some((side) => {
    const change = to[side] > from[side] ? to[side] - from[side] : from[side] - to[side]
    return change * 10_000n > from[side] * BigInt(basisPoints)
  })
}

/** The largest amount that the ledger can hold and the API can write: naira are JSON numbers. */
export function largestOf(asset: Asset): bigint {
  return asset === 'NGN' ? limits.money.wireMax : limits.money.ledgerMax
}
