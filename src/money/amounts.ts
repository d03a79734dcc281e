import { strict as assert } from 'node:assert'
import { limits } from '../base/limits.js'
import { type Asset, assets, type Coin } from './assets.js'

export const decimalPattern = '^\\d+(\\.\\d+)?$'
const decimal = new RegExp(decimalPattern)

/**
 * Stricter than `decimalPattern`: more than zero, and at most six digits after the point, whatever
 * zeros follow. All stablecoins have six.
 */
export const positiveDecimalPattern = '^(?:0*[1-9]\\d*(?:\\.\\d{1,6}0*)?|0+\\.\\d{0,5}[1-9]0*)$'

/** Why a text is not an amount; completes the sentence "amount …". */
export type NotAnAmount = { issue: string }

const notDecimal: NotAnAmount = { issue: 'must be a decimal number such as "25.50"' }

/** Parses a decimal exactly. It never rounds: more digits than the asset has are refused. */
export function parseDecimal(text: string, asset: Asset): bigint | NotAnAmount {
  if (!decimal.test(text)) return notDecimal
  const { decimals } = assets[asset]
  const [whole = '', fraction = ''] = text.split('.')
  if (whole.length + fraction.length > limits.money.decimalDigitsMax)
    return { issue: `must have at most ${limits.money.decimalDigitsMax} digits` }
  const significant = fraction.replace(/0+$/, '')
  if (significant.length > decimals)
    return { issue: `must have at most ${decimals} decimal places for ${asset}` }

  const amount = BigInt(whole + significant.padEnd(decimals, '0'))
  if (amount === 0n) return { issue: 'must be greater than zero' }
  if (amount > limits.money.ledgerMax)
    return { issue: `must be at most ${formatDecimal(limits.money.ledgerMax, asset)}` }
  return amount
}

/**
 * The canonical form of an amount: no trailing zeros, no point without a fraction. For display,
 * `decimalsMin` keeps at least so many decimals.
 */
export function formatDecimal(amount: bigint, asset: Asset, decimalsMin = 0): string {
  return formatUnits(amount, assets[asset].decimals, decimalsMin)
}

/** The same for amounts outside the ledger, such as the lamports of a hot wallet. */
export function formatUnits(amount: bigint, decimals: number, decimalsMin = 0): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '').padEnd(decimalsMin, '0')
  const sign = amount < 0n ? '-' : ''
  return sign + digits.slice(0, -decimals) + (fraction && `.${fraction}`)
}

/** For people: ₦12,500.00, −₦12.00, 1,250.5 USDC. A negative amount has a true minus, U+2212. */
export function formatMoney(amount: bigint, asset: Asset): string {
  if (asset !== 'NGN') return formatCoins(amount, asset, assets[asset].decimals)
  const size = groupThousands(formatDecimal(amount < 0n ? -amount : amount, asset, 2))
  return `${amount < 0n ? '−' : ''}₦${size}`
}

/** The same for coins outside the ledger, such as the lamports of a hot wallet: 0.05 SOL. */
export function formatCoins(amount: bigint, coin: string, decimals: number): string {
  const size = groupThousands(formatUnits(amount < 0n ? -amount : amount, decimals))
  return `${amount < 0n ? '−' : ''}${size} ${coin}`
}

/** For callers, who send naira in kobo: ₦100.00 (10000 kobo). */
export function formatWithKobo(kobo: bigint): string {
  return `${formatMoney(kobo, 'NGN')} (${kobo} kobo)`
}

/** Parses an amount as people write it: 5000, ₦5,000.00, N5000, 25.5 USDC. Never rounds. */
export function parseMoney(text: string, asset: Asset): bigint | NotAnAmount {
  const isNaira = asset === 'NGN'
  const unit = isNaira ? /^[₦N] ?(?=\d)|^NGN | NGN$/ : new RegExp(` ${asset}$`)
  const amount = parseDecimal(ungroup(text.trim().replace(unit, '')), asset)
  if (typeof amount === 'bigint' || amount !== notDecimal) return amount
  const example = isNaira ? '5000 or ₦5,000.50' : `25.5 or 25.5 ${asset}`
  return { issue: `must be an amount of ${isNaira ? 'naira' : asset}, such as ${example}` }
}

/** Commas are accepted only between groups of three digits: `1,5` may mean one and a half. */
function ungroup(text: string): string {
  return /^\d{1,3}(,\d{3})+(\.|$)/.test(text) ? text.replaceAll(',', '') : text
}

/** 12500.50 as 12,500.50. */
export function groupThousands(decimal: string): string {
  const [whole = '', ...fraction] = decimal.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.')
}

/** Reverses `toWire`. Not for a merchant's own text, which may end in any number of zeros. */
export function fromWire(written: number | string, asset: Asset): bigint {
  if (asset === 'NGN') return BigInt(written)
  const { decimals } = assets[asset]
  const [whole = '', fraction = ''] = String(written).split('.')
  assert(fraction.length <= decimals, `${written} has at most ${decimals} decimals`)
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** An amount as the API writes it: naira as an integer of kobo, stablecoins as a decimal string. */
export function toWire(amount: bigint, asset: 'NGN'): number
export function toWire(amount: bigint, asset: Coin): string
export function toWire(amount: bigint, asset: Asset): number | string
export function toWire(amount: bigint, asset: Asset): number | string {
  if (asset !== 'NGN') return formatDecimal(amount, asset)
  assert(amount <= limits.money.wireMax && amount >= -limits.money.wireMax, 'NGN fits the wire')
  return Number(amount)
}

export function smallerOf(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
