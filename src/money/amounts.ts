import { strict as assert } from 'node:assert'
import { limits } from '../base/limits.js'
import { type Asset, assets } from './assets.js'

export const decimalPattern = '^\\d+(\\.\\d+)?$'
const decimal = new RegExp(decimalPattern)

/**
 * Stricter than `decimalPattern`: more than zero, and at most six digits after the point, whatever
 * zeros follow. All stablecoins have six.
 */
export const positiveDecimalPattern = '^(?:0*[1-9]\\d*(?:\\.\\d{1,6}0*)?|0+\\.\\d{0,5}[1-9]0*)$'

/** Why a text is not an amount; completes the sentence "amount …". */
export type NotAnAmount = { issue: string }

/** Parses a decimal exactly. It never rounds: more digits than the asset has are refused. */
export function parseDecimal(text: string, asset: Asset): bigint | NotAnAmount {
  if (!decimal.test(text)) return { issue: 'must be a decimal number such as "25.50"' }
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

/** For display: ₦10,000,000, with kobo only where there are any. */
export function formatNaira(kobo: bigint): string {
  const isWhole = kobo % 100n === 0n
  return `₦${groupThousands(formatDecimal(kobo, 'NGN', isWhole ? 0 : 2))}`
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
export function toWire(amount: bigint, asset: Asset): number | string {
  if (asset !== 'NGN') return formatDecimal(amount, asset)
  assert(amount <= limits.money.wireMax && amount >= -limits.money.wireMax, 'NGN fits the wire')
  return Number(amount)
}
