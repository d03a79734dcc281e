import type { Asset } from '../../parts/money-format'
import { conversionTexts as words } from './texts'

/** `₦1,602.50`: the naira of a rate, with all of its decimals. */
export function formatRateNaira(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.')
  return `₦${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`
}

/** `₦1,602.50 for 1 USDC`. */
export const formatRate = (rate: string, from: Asset, to: Asset) =>
  words.rateOf(formatRateNaira(rate), from === 'NGN' ? to : from)
