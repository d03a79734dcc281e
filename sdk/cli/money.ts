/**
 * Amounts as people write and read them: ₦5,000.00 and 25.5 USDC. The API has naira as an integer
 * of kobo and coins as a decimal string.
 */

export type WrittenMoney = { decimal: string; asset: string | undefined }

const assets = ['NGN', 'USDC', 'USDT']
const minus = '−'

export function isAsset(name: unknown): name is string {
  return assets.includes(name as string)
}

/** `5000`, `₦5,000.00`, `N5000`, `NGN 5000`, `25.5 USDC`; undefined for anything else. */
export function parseMoney(text: string): WrittenMoney | undefined {
  const [, naira, before, number, after] =
    /^(?:([₦N])\s?|([A-Z]{3,4})\s)?([\d.,]+)(?:\s([A-Z]{3,4}))?$/.exec(text.trim()) ?? []
  if (number === undefined || [naira, before, after].filter(Boolean).length > 1) return undefined
  const asset = naira ? 'NGN' : (before ?? after)
  const decimal = ungroup(number)
  const isKnown = asset === undefined || isAsset(asset)
  return isKnown && /^\d+(\.\d+)?$/.test(decimal) ? { decimal, asset } : undefined
}

/** Commas are accepted only between groups of three digits: `1,5` may mean one and a half. */
function ungroup(text: string): string {
  return /^\d{1,3}(,\d{3})+(\.|$)/.test(text) ? text.replaceAll(',', '') : text
}

/** More kobo than this are not exact in JSON. */
const koboMax = Number.MAX_SAFE_INTEGER

/** Whether naira are written correctly, but are more than any amount can be. */
export function isTooMuch(decimal: string): boolean {
  return /^\d+(\.\d{1,2})?$/.test(decimal) && toKobo(decimal) === undefined
}

export const nairaMax = formatNaira(koboMax)

/** Exact: undefined if there are more than two decimals, or more kobo than JSON numbers hold. */
export function toKobo(decimal: string): number | undefined {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(decimal) ?? []
  if (whole === '') return undefined
  const kobo = BigInt(whole + fraction.padEnd(2, '0'))
  return kobo <= BigInt(koboMax) ? Number(kobo) : undefined
}

export function formatNaira(kobo: number): string {
  const digits = BigInt(Math.abs(kobo)).toString().padStart(3, '0')
  const naira = groupThousands(digits.slice(0, -2))
  return `${kobo < 0 ? minus : ''}₦${naira}.${digits.slice(-2)}`
}

/** An amount of the API: a number is kobo, a text is a decimal amount of the coin. */
export function formatMoney(value: number | string, asset: string | undefined): string {
  if (typeof value === 'number') return formatNaira(value)
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d*?)0*)?$/.exec(value) ?? []
  if (whole === '') return value
  const size = groupThousands(whole) + (fraction && `.${fraction}`)
  return `${sign ? minus : ''}${size}${asset === undefined ? '' : ` ${asset}`}`
}

function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}
