import { computeFee, type FeeSchedule } from '../../money/fees.js'

/** Some providers pay whole naira only. */
const step = 100n

type Bounds = { budget: bigint; min: bigint; max: bigint; fee: FeeSchedule }

/**
 * The largest amount in whole naira that the budget covers with its fee. Undefined: none does.
 *
 * Within one tier of the fee, amount plus fee grows with the amount; between tiers it may fall. So
 * each tier is searched alone, the highest one first.
 */
export function largestTransfer({
  budget,
  min,
  max,
  fee,
}: Bounds): { amount: bigint; fee: bigint } | undefined {
  const covers = (amount: bigint) => amount + computeFee(fee, amount) <= budget
  const limits = fee.tiers.map(({ upTo }) => upTo)
  for (let tier = limits.length; tier >= 0; tier -= 1) {
    const above = limits[tier - 1] ?? 0n
    const upTo = limits[tier] ?? max
    let low = roundUp(largest(above + 1n, min))
    const high = roundDown(smallest(upTo, max, budget))
    if (low > high || !covers(low)) continue
    for (let end = high; low < end; ) {
      const middle = low + roundUp((end - low) / 2n)
      if (covers(middle)) low = middle
      else end = middle - step
    }
    return { amount: low, fee: computeFee(fee, low) }
  }
  return undefined
}

function roundDown(amount: bigint): bigint {
  return amount - (amount % step)
}

function roundUp(amount: bigint): bigint {
  return roundDown(amount + step - 1n)
}

function smallest(...amounts: bigint[]): bigint {
  return amounts.reduce((least, amount) => (amount < least ? amount : least))
}

function largest(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
