import { formatDecimal } from '../../money/amounts.js'
import { readText } from './read-fields.js'

/** Kobo of a decimal naira text such as "1500", "1500.5" or "1500.50". Undefined: not exact. */
export function koboOfNaira(text: string): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,10}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  if (!/^0*$/.test(fraction.slice(2))) return undefined
  const kobo = BigInt(whole) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0'))
  return sign ? -kobo : kobo
}

/** Kobo of a text of whole kobo. Undefined: not a whole number. */
export function koboOfText(text: string): bigint | undefined {
  return /^-?\d{1,17}(\.0+)?$/.test(text) ? BigInt(text.replace(/\..*/, '')) : undefined
}

/**
 * What a provider charged, in kobo, from whole kobo. Null unless it is an amount from zero on: an
 * odd fee leaves the cost unknown, and is no reason to doubt the payment.
 */
export function readFeeInKobo(value: unknown): bigint | null {
  const [, whole] = /^(\d{1,15})(?:\.0+)?$/.exec(readText(value) ?? '') ?? []
  return whole === undefined ? null : BigInt(whole)
}

/** The same from naira. Fees have fractions of a kobo, such as 26.875: rounded half up. */
export function readFeeInNaira(value: unknown): bigint | null {
  const [, whole, fraction = ''] = /^(\d{1,13})(?:\.(\d{1,10}))?$/.exec(readText(value) ?? '') ?? []
  if (whole === undefined) return null
  const roundsUp = (fraction[2] ?? '0') >= '5'
  return BigInt(whole) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0')) + (roundsUp ? 1n : 0n)
}

/** 150050n as "1500.50", and 150000n as "1500". */
export function nairaOfKobo(kobo: bigint): string {
  return formatDecimal(kobo, 'NGN', kobo % 100n === 0n ? 0 : 2)
}
