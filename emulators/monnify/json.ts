import { formatUnits } from '../naira.js'

/** Marks text that is written without quotes; no JSON text contains it otherwise. */
const bare = '\u0000'

/** An amount in naira as a JSON number, such as 100.00: JSON.stringify would write 100. */
export function asNumber(kobo: bigint, decimalsMin: 0 | 2 = 2): string {
  return bare + formatUnits(kobo, 2, decimalsMin)
}

/** An amount in naira as a JSON string. */
export function asText(kobo: bigint): string {
  return formatUnits(kobo, 2, 2)
}

export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0000([\d.-]*)"/g, '$1')
}
