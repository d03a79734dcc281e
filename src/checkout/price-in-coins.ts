import { limits } from '../base/limits.js'
import { invalidField, type Outcome, Refusal } from '../base/refusal.js'
import { formatDecimal } from '../money/amounts.js'
import type { Coin } from '../money/assets.js'
import { neededFor } from '../money/rates.js'

/** A hundredth of a coin, because payers type prices. */
const step = 10_000n

export type CoinPrice = {
  amount: bigint
  /** The amount as the merchant wrote it, or with two decimals. */
  requestedAmount: string
  /** Naira for one coin, in millionths; null: the merchant set the price. */
  rate: bigint | null
}

/**
 * The smallest price, in hundredths of a coin, that is worth the naira when the merchant converts
 * it back at this rate, before the fee.
 */
export function priceInCoins(
  asset: Coin,
  { kobo, rate }: { kobo: bigint; rate: bigint | undefined },
): Outcome<CoinPrice> {
  if (rate === undefined) return rateUnavailable(asset)
  const needed = neededFor({ source: asset, target: 'NGN' }, rate, kobo)
  const amount = ((needed + step - 1n) / step) * step
  if (amount > limits.money.wireMax)
    return invalidField('amount', `is worth more ${asset} than one payment can have`)
  return { amount, requestedAmount: formatDecimal(amount, asset, 2), rate }
}

function rateUnavailable(asset: Coin): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'rate_unavailable',
    message: `No rate for ${asset} is available. Try again in a minute, or send crypto.amount.`,
  })
}
