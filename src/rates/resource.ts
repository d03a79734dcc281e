import type { Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import { naira, resource, stablecoin, text, timestamp } from '../base/shapes.js'
import { formatRate } from '../money/rates.js'
import type { CurrentRate } from './rate-book.js'

export const rate = resource('Rate', {
  asset: stablecoin,
  currency: naira,
  buy: text('1580', 'Naira that you get for one coin, before the fee.'),
  sell: text('1600', 'Naira that you pay for one coin, before the fee.'),
  updatedAt: timestamp('When the rate was set or read.'),
})

export function showRate(current: CurrentRate): Static<typeof rate> {
  return {
    asset: current.asset,
    currency: 'NGN',
    buy: formatRate(current.buy),
    sell: formatRate(current.sell),
    updatedAt: toIsoText(current.at),
  }
}
