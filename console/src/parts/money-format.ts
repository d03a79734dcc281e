export type Asset = 'NGN' | 'USDC' | 'USDT'

/** As the API writes it: kobo as an integer, coins as a decimal text. Or smallest units. */
export type Amount = number | string | bigint

const decimals: Record<Asset, number> = { NGN: 2, USDC: 6, USDT: 6 }

/** The amount in the smallest unit. */
export function toUnits(amount: Amount, asset: Asset): bigint {
  if (typeof amount === 'bigint') return amount
  if (typeof amount === 'number' || asset === 'NGN') return BigInt(amount)
  const [, minus = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  const units = BigInt(whole + fraction.padEnd(decimals[asset], '0').slice(0, decimals[asset]))
  return minus === '' ? units : -units
}

/** As the API expects it: an integer in kobo, or a decimal text. */
export function toWire(units: bigint, asset: Asset): number | string {
  return asset === 'NGN' ? Number(units) : decimalOf(units, asset, 0)
}

/** `12500.50`: without signs or separators, with at least `decimalsMin` decimals. */
function decimalOf(units: bigint, asset: Asset, decimalsMin: number): string {
  const size = decimals[asset]
  const digits = units.toString().padStart(size + 1, '0')
  const whole = digits.slice(0, -size)
  let fraction = digits.slice(-size)
  while (fraction.length > decimalsMin && fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** `12,500.00` without its sign and currency: two decimals for naira, two to six for coins. */
export function formatDigits(amount: Amount, asset: Asset): string {
  const units = toUnits(amount, asset)
  const [whole = '0', fraction = ''] = decimalOf(units < 0n ? -units : units, asset, 2).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`
}

/** `₦12,500.00`, `−25.50 USDC`. */
export function formatMoney(amount: Amount, asset: Asset): string {
  const minus = toUnits(amount, asset) < 0n ? '−' : ''
  const digits = formatDigits(amount, asset)
  return asset === 'NGN' ? `${minus}₦${digits}` : `${minus}${digits} ${asset}`
}

const steps: [bigint, string][] = [
  [1_000_000_000n, 'bn'],
  [1_000_000n, 'm'],
  [1_000n, 'k'],
]

/** `₦2.5m`: for axes of charts only. */
export function formatCompact(amount: Amount, asset: Asset): string {
  const units = toUnits(amount, asset)
  const one = 10n ** BigInt(decimals[asset])
  const [step, letter] = steps.find(([size]) => units >= size * one) ?? [1n, '']
  const tenths = (units * 10n) / (step * one)
  const text = tenths % 10n === 0n ? `${tenths / 10n}` : `${tenths / 10n}.${tenths % 10n}`
  return asset === 'NGN' ? `₦${text}${letter}` : `${text}${letter}`
}

/**
 * Reads what a person typed: digits with optional thousands separators and decimals. Undefined if
 * it is not an amount, null if it is empty.
 */
export function parseMoney(text: string, asset: Asset): bigint | null | undefined {
  const plain = text.replace(/[\s,₦]/g, '')
  if (plain === '') return null
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d*))?$/.exec(plain) ?? []
  if (whole === undefined || fraction.length > decimals[asset]) return undefined
  return BigInt(whole + fraction.padEnd(decimals[asset], '0'))
}
