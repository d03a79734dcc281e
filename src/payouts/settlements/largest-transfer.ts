import { computeFee, type FeeSchedule } from '../../money/fees.js'
import { type LevyTerms, levyOn } from '../levies/levy.js'

/** Some providers pay whole naira only. */
const wholeNaira = 100n

type Bounds = {
  budget: bigint
  min: bigint
  max: bigint
  fee: FeeSchedule
  /** Null: none is owed. */
  levy: LevyTerms | null
  /** Amounts are multiples of it. */
  step?: bigint
}

/**
 * The largest amount, in whole naira or other steps, that the budget covers with its fee and
 * levy.
 * Undefined: none does.
 *
 * Within one tier of the fee, amount plus fee grows with the amount, and a levy only adds to that;
 * between tiers it may fall. So each tier is searched alone, the highest one first.
 */
export function largestTransfer({
  budget,
  min,
  max,
  fee,
  levy,
  step = wholeNaira,
}: Bounds): { amount: bigint; fee: bigint } | undefined {
  const covers = (amount: bigint) =>
    amount + computeFee(fee, amount) + levyOn(levy, amount) <= budget
  const limits = fee.tiers.map(({ upTo }) => upTo)
  for (let tier = limits.length; tier >= 0; tier -= 1) {
    const above = limits[tier - 1] ?? 0n
    const upTo = limits[tier] ?? max
    let low = roundUp(largest(above + 1n, min), step)
    const high = roundDown(smallest(upTo, max, budget), step)
    if (low > high || !covers(low)) continue
    for (let end = high; low < end; ) {
      const middle = low + roundUp((end - low + 1n) / 2n, step)
      if (covers(middle)) low = middle
      else end = middle - step
    }
    return { amount: low, fee: computeFee(fee, low) }
  }
  return undefined
}

function roundDown(amount: bigint, step: bigint): bigint {
  return amount - (amount % step)
}

function roundUp(amount: bigint, step: bigint): bigint {
  return roundDown(amount + step - 1n, step)
}

function smallest(...amounts: bigint[]): bigint {
  return amounts.reduce((least, amount) => (amount < least ? amount : least))
}

function largest(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}
