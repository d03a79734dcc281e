import { strict as assert } from 'node:assert'
import { smallerOf } from '../../money/amounts.js'
import { divideInProportion, sum } from '../../money/proportions.js'

/**
 * What a sub-account gets of a payment: a flat amount, or a percentage of the accepted amount in
 * basis points. A line with neither takes the remainder, and is the last one.
 */
export type SplitLine = {
  subaccountId: string
  flat: bigint | null
  basisPoints: number | null
  /** Bounds of a flat amount or percentage. */
  min: bigint | null
  max: bigint | null
}

/** Who bears the fee of a payment: a group, or one sub-account of the lines. */
export type FeeBearer = 'merchant' | 'subaccounts' | 'all' | { subaccountId: string }

/** `amount` is `fee` plus `net`; the net amount is credited. */
export type ComputedShare = { amount: bigint; fee: bigint; net: bigint }

export type ComputedSplit = { lines: ComputedShare[]; merchant: ComputedShare }

type SplitPayment = {
  lines: readonly SplitLine[]
  feeBearer: FeeBearer
  /** What was accepted of the payment, with the fee. */
  accepted: bigint
  fee: bigint
}

/**
 * Divides the accepted amount of a payment among the lines, in their order, and the merchant, who
 * gets what they leave. The amounts add up to the accepted amount and the fees to the fee, and no
 * net amount is negative, however little was accepted.
 */
export function computeSplit({ lines, feeBearer, accepted, fee }: SplitPayment): ComputedSplit {
  assert(fee >= 0n && fee <= accepted, 'the fee is part of the accepted amount')
  // A merchant that bears the fee needs a part that covers it, so the lines share the rest.
  const shared = feeBearer === 'merchant' ? accepted - fee : accepted
  const { amounts, left } = divideAmong(lines, accepted, shared)
  const merchantAmount = left + (accepted - shared)
  const fees = divideFee(feeBearer, fee, { lines, amounts, merchantAmount })
  return {
    lines: amounts.map((amount, index) => toShare(amount, fees.lines[index]!)),
    merchant: toShare(merchantAmount, fees.merchant),
  }
}

function toShare(amount: bigint, fee: bigint): ComputedShare {
  assert(fee >= 0n && fee <= amount, 'a fee is part of the amount that bears it')
  return { amount, fee, net: amount - fee }
}

/** A line gets at most what the lines before it left. */
function divideAmong(
  lines: readonly SplitLine[],
  accepted: bigint,
  shared: bigint,
): { amounts: bigint[]; left: bigint } {
  let left = shared
  const amounts = lines.map((line, index) => {
    const wanted = wantedBy(line, accepted)
    assert(wanted !== undefined || index === lines.length - 1, 'only the last line is a remainder')
    const amount = wanted === undefined || wanted > left ? left : wanted
    left -= amount
    return amount
  })
  return { amounts, left }
}

/** What a line gets if the lines before it leave enough. Undefined: the remainder. */
export function wantedBy(line: SplitLine, accepted: bigint): bigint | undefined {
  const { flat, basisPoints, min, max } = line
  if (flat === null && basisPoints === null) return undefined
  const wanted = flat ?? (accepted * BigInt(basisPoints!)) / 10_000n
  if (min !== null && wanted < min) return min
  return max !== null && wanted > max ? max : wanted
}

type FeeParts = { lines: bigint[]; merchant: bigint }

type DividedAmounts = {
  lines: readonly SplitLine[]
  amounts: bigint[]
  merchantAmount: bigint
}

function divideFee(feeBearer: FeeBearer, fee: bigint, divided: DividedAmounts): FeeParts {
  const { lines, amounts, merchantAmount } = divided
  if (feeBearer === 'merchant') return { lines: amounts.map(() => 0n), merchant: fee }
  if (feeBearer === 'all') {
    const parts = divideInProportion(fee, [...amounts, merchantAmount])
    return { lines: parts.slice(0, -1), merchant: parts.at(-1)! }
  }
  const bearing =
    feeBearer === 'subaccounts'
      ? amounts
      : amounts.map((amount, index) =>
          lines[index]!.subaccountId === feeBearer.subaccountId ? amount : 0n,
        )
  const borne = smallerOf(fee, sum(bearing))
  const parts = divideInProportion(borne, bearing)
  const merchant = smallerOf(fee - borne, merchantAmount)
  return { lines: addToLast(parts, fee - borne - merchant, amounts), merchant }
}

/** Adds what neither the bearer nor the merchant can bear, from the last line backwards. */
function addToLast(fees: bigint[], unborne: bigint, amounts: bigint[]): bigint[] {
  let remaining = unborne
  return fees
    .map((fee, index) => ({ fee, room: amounts[index]! - fee }))
    .reverse()
    .map(({ fee, room }) => {
      const added = smallerOf(remaining, room)
      remaining -= added
      return fee + added
    })
    .reverse()
}
