import { formatDecimal, parseDecimal } from '../../../money/amounts.js'

/** Marks text that is written without quotes; no JSON text contains it otherwise. */
const bare = '\u0000'

/** An amount in naira as a JSON number, such as 100.00: JSON.stringify would write 100. */
export function asNumber(kobo: bigint, decimalsMin: 0 | 2 = 2): string {
  return bare + formatDecimal(kobo, 'NGN', decimalsMin)
}

/** An amount in naira as a JSON string. */
export function asText(kobo: bigint): string {
  return formatDecimal(kobo, 'NGN', 2)
}

export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0000([\d.-]*)"/g, '$1')
}

/** Kobo of an amount in a request: a number, or a decimal in quotes. */
export function readNaira(given: unknown): bigint | undefined {
  if (typeof given !== 'number' && typeof given !== 'string') return undefined
  const read = parseDecimal(String(given), 'NGN')
  return typeof read === 'bigint' ? read : undefined
}
