import { strict as assert } from 'node:assert'
import { parseDecimal } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'

/** An amount that the schema let through. */
export function readCoins(text: string, asset: Asset): bigint {
  const amount = parseDecimal(text, asset)
  assert(typeof amount === 'bigint', 'the schema lets only amounts through')
  return amount
}
