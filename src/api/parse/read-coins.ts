import { strict as assert } from 'node:assert'
import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import { formatMoney, parseDecimal } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'

/**
 * `decimalInput` in schemas.ts has checked the text: a positive decimal with at most six places
 * that the ledger can hold. So parsing cannot fail here.
 */
export function readStablecoinAmount(text: string, asset: Asset): bigint {
  const amount = parseDecimal(text, asset)
  assert(typeof amount === 'bigint', 'the schema accepts only amounts')
  return amount
}

/** An amount to be paid: at most the largest single payment. */
export function readPrice(text: string, asset: Asset, field = 'amount'): bigint {
  const amount = readStablecoinAmount(text, asset)
  if (amount <= limits.money.wireMax) return amount
  const issue = `must be at most ${formatMoney(limits.money.wireMax, asset)}`
  throw invalidField(field, issue)
}

/** An amount of any asset: kobo, or a decimal string of coins. */
export function readAnyAmount(field: string, amount: number | string, asset: Asset): bigint {
  if (asset === 'NGN' && typeof amount !== 'number')
    throw invalidField(field, 'must be an integer in kobo')
  if (asset !== 'NGN' && typeof amount !== 'string')
    throw invalidField(field, `must be a decimal string of ${asset}, such as "25.50"`)
  return typeof amount === 'number' ? BigInt(amount) : readStablecoinAmount(amount, asset)
}
