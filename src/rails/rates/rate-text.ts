import type { RatePair } from '../../money/rates.js'

/** A positive decimal, exactly: digits × 10^exponent. */
export type ExactDecimal = { digits: bigint; exponent: number }

const number = /^(\d{1,18})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/

/** Undefined if the text is not a positive number. Reads what JSON can write, without rounding. */
export function readRateText(text: string): ExactDecimal | undefined {
  const [, whole, fraction = '', exponent = '0'] = number.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = BigInt(whole + fraction)
  return digits > 0n ? { digits, exponent: Number(exponent) - fraction.length } : undefined
}

/** As for rates that operators set: nine digits before the decimal point. */
const rateMax = 10n ** 15n

/**
 * Buying and selling rate in millionths, with a margin on both sides. More digits are rounded
 * in favour of the operator: the buying rate down, the selling rate up. Undefined if one does not
 * fit.
 */
export function toRatePair(
  buy: ExactDecimal,
  marginBasisPoints: number,
  sell: ExactDecimal = buy,
): RatePair | undefined {
  const margin = BigInt(marginBasisPoints)
  const lower = toMillionths(buy, 10_000n - margin)
  const upper = toMillionths(sell, 10_000n + margin)
  const pair = {
    buy: lower.dividend / lower.divisor,
    sell: (upper.dividend + upper.divisor - 1n) / upper.divisor,
  }
  return pair.buy > 0n && pair.buy < rateMax && pair.sell < rateMax ? pair : undefined
}

function toMillionths({ digits, exponent }: ExactDecimal, basisPoints: bigint) {
  const power = exponent + 6
  return {
    dividend: digits * basisPoints * 10n ** BigInt(Math.max(power, 0)),
    divisor: 10_000n * 10n ** BigInt(Math.max(-power, 0)),
  }
}
