import type { SplitRule } from '../../../../sdk/src/types'
import { type Asset, formatMoney } from '../../parts/money-format'
import { formatDay } from '../../parts/time-format'
import { splitTexts } from './texts'

const words = splitTexts.describe

export type RuleLine = SplitRule['lines'][number]

/** `12.5 %, at least ₦100.00`. Lines have amounts only if the rule has an asset. */
export function describeShare(line: RuleLine, asset: Asset | null): string {
  const { flat, percent, min, max } = line
  const money = (amount: number | string) => formatMoney(amount, asset!)
  const share =
    flat !== null ? money(flat) : percent !== null ? words.percent(percent) : words.remainder
  const bounds = [
    ...(min === null ? [] : [words.min(money(min))]),
    ...(max === null ? [] : [words.max(money(max))]),
  ]
  return [share, ...bounds].join(', ')
}

/** `7 days after the payment`. */
export function describeRelease({ releaseAt, releaseAfterDays }: RuleLine): string {
  if (releaseAfterDays !== null) return words.days(releaseAfterDays)
  return releaseAt === null ? words.atOnce : words.until(formatDay(releaseAt))
}
