import { computeFee, type FeeSchedule } from '../money/fees.js'
import { convert, type Direction, neededFor } from '../money/rates.js'

/** What a conversion takes from one balance, fee included, and adds to the other. */
export type ConversionPrice = { sourceAmount: bigint; fee: bigint; targetAmount: bigint }

type Terms = { direction: Direction; rate: bigint; fee: FeeSchedule }

/**
 * Rounding: the target is rounded down to its smallest unit. The fraction that is cut off stays in
 * the exchange account of the ledger, so nothing is lost and no sequence of conversions gains.
 * Undefined: the amount is too small to give anything.
 */
export function priceBySource(
  { direction, rate, fee: schedule }: Terms,
  sourceAmount: bigint,
): ConversionPrice | undefined {
  const fee = computeFee(schedule, sourceAmount)
  if (fee >= sourceAmount) return undefined
  const targetAmount = convert(direction, rate, sourceAmount - fee)
  return targetAmount > 0n ? { sourceAmount, fee, targetAmount } : undefined
}

/** The smallest source amount that gives `targetAmount`, rounded up to the smallest unit. */
export function priceByTarget(
  { direction, rate, fee: schedule }: Terms,
  targetAmount: bigint,
): ConversionPrice | undefined {
  const needed = neededFor(direction, rate, targetAmount)
  const sourceAmount = smallestWithFee(schedule, needed)
  if (sourceAmount === undefined) return undefined
  return { sourceAmount, fee: computeFee(schedule, sourceAmount), targetAmount }
}

/**
 * The smallest amount that covers `net` and its own fee. Within one tier of the fee, what is left
 * grows with the amount; between tiers it may fall. So each tier is searched alone, the lowest
 * first. Undefined: the fee is the whole amount.
 */
function smallestWithFee(schedule: FeeSchedule, net: bigint): bigint | undefined {
  const covers = (amount: bigint) => amount - computeFee(schedule, amount) >= net
  const ends = [...schedule.tiers.map(({ upTo }) => upTo), undefined]
  let above = 0n
  for (const end of ends) {
    const lowest = above + 1n > net ? above + 1n : net
    const highest = end ?? largestSearched(lowest, schedule)
    above = end ?? above
    if (lowest > highest || !covers(highest)) continue
    let low = lowest
    for (let high = highest; low < high; ) {
      const middle = (low + high) / 2n
      if (covers(middle)) high = middle
      else low = middle + 1n
    }
    return low
  }
  return undefined
}

/** Beyond the last tier: enough for any fee below the whole amount. */
function largestSearched(lowest: bigint, { flat, floor }: FeeSchedule): bigint {
  return (lowest + flat + floor) * 10_001n
}
