import { after, type EnvironmentTime } from '../base/clock.js'
import type { NairaLimits } from '../base/config.js'
import type { Environment, Mode } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { getFeeSchedule } from '../merchants/settings/fee-schedules.js'
import { formatMoney } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import { coinOf, type Direction, largestOf, rateFor } from '../money/rates.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { RateBook } from '../rates/rate-book.js'
import type { ConversionQuote } from './conversion.js'
import { conversionLimits } from './limits.js'
import { priceBySource, priceByTarget } from './price-conversion.js'

/** What is known: the amount to convert, fee included, or the amount to get. */
export type Wanted = { sourceAmount: bigint } | { targetAmount: bigint }

export type PriceRequest = { environment: Environment; direction: Direction; wanted: Wanted }

type PriceTools = {
  db: Queryable
  rates: RateBook
  /** The naira side of a conversion must reach the minimum of its mode. */
  naira: Record<Mode, Pick<NairaLimits, 'min'>>
}

/** Prices a conversion at the current rate. Stores nothing. Throws refusals. */
export async function quoteConversion(
  { db, rates, naira }: PriceTools,
  environmentNow: EnvironmentTime,
  { environment, direction, wanted }: PriceRequest,
): Promise<ConversionQuote> {
  const { source, target } = direction
  const operation = source === 'NGN' ? 'conversion_from_naira' : 'conversion_from_coins'
  const [current, fee] = await Promise.all([
    rates.get(environment, coinOf(direction), environmentNow),
    getFeeSchedule(db, { environmentId: environment.id, operation }),
  ])
  const rate = rateFor(direction, current)
  const terms = { direction, rate, fee }
  const price =
    'sourceAmount' in wanted
      ? priceBySource(terms, wanted.sourceAmount)
      : priceByTarget(terms, wanted.targetAmount)
  if (!price) throw tooSmall(direction, wanted)
  const { min } = naira[environment.mode]
  const nairaAmount = source === 'NGN' ? price.sourceAmount : price.targetAmount
  if (nairaAmount < min) throw belowMinimum(nairaAmount, min)
  if (price.sourceAmount > largestOf(source)) throw tooLarge(source)
  if (price.targetAmount > largestOf(target)) throw tooLarge(target)
  return {
    environmentId: environment.id,
    id: newId(environmentNow),
    source,
    target,
    sourceAmount: price.sourceAmount,
    fee: price.fee,
    targetAmount: price.targetAmount,
    rate,
    createdAt: environmentNow,
    expiresAt: after(environmentNow, conversionLimits.quoteMs),
  }
}

function tooSmall({ source, target }: Direction, wanted: Wanted): Refusal {
  const amount =
    'sourceAmount' in wanted
      ? formatMoney(wanted.sourceAmount, source)
      : formatMoney(wanted.targetAmount, target)
  return new Refusal('conversion_failed', {
    reason: 'amount_too_small',
    message: `${amount} does not cover the fee, or converts to less than the smallest unit.`,
  })
}

function belowMinimum(amount: bigint, min: bigint): Refusal {
  const [found, least] = [amount, min].map((sum) => formatMoney(sum, 'NGN'))
  return new Refusal('conversion_failed', {
    reason: 'amount_too_small',
    message: `The conversion is worth ${found}; the smallest one is ${least}.`,
  })
}

function tooLarge(asset: Asset): Refusal {
  return new Refusal('conversion_failed', {
    reason: 'amount_too_large',
    message: `The conversion exceeds ${formatMoney(largestOf(asset), asset)}. Convert less.`,
  })
}
