import { divideInProportion, sum } from '../../money/proportions.js'
import { computeTakeBack } from '../splits/compute-take-back.js'
import type { Share } from './share.js'

/**
 * What refunds in proportion divide of a share: `amount` of each `accepted` of the payment. The
 * sub-account keeps `kept`, because the merchant gave more than its part to earlier refunds.
 */
export type Proportion = { amount: bigint; accepted: bigint; kept: bigint }

/** What one refund takes back of each share, and the proportions that hold for the next one. */
export type ProportionalTakeBack = { amounts: bigint[]; proportions: Proportion[] }

/**
 * Takes back in proportion. Refunds that follow each other are rounded together, so that many small
 * ones take back as much as one. `accepted` is what was not refunded before.
 */
export function takeBackInProportion(
  shares: Share[],
  { accepted, amount }: { accepted: bigint; amount: bigint },
): ProportionalTakeBack {
  const proportions = currentProportions(shares, accepted) ?? newProportions(shares, accepted)
  const [first] = proportions
  if (!first) return { amounts: [], proportions: [] }
  const { lines } = computeTakeBack({
    shares: proportions.map((proportion) => proportion.amount),
    accepted: first.accepted,
    refundedBefore: first.accepted - accepted,
    amount,
  })
  return { amounts: lines, proportions }
}

export function leftOf({ amount, takenBack }: Pick<Share, 'amount' | 'takenBack'>): bigint {
  return amount - takenBack
}

/**
 * Undefined if anything but refunds in proportion has changed the payment since: a refund named its
 * own amounts or failed, or more was accepted.
 */
function currentProportions(shares: Share[], accepted: bigint): Proportion[] | undefined {
  const proportions = shares.flatMap((share) => {
    const { proportionAmount, proportionAccepted, proportionKept } = share
    if (proportionAmount === null) return []
    const proportion = {
      amount: proportionAmount,
      accepted: proportionAccepted!,
      kept: proportionKept!,
    }
    return leftOf(share) === expectedLeft(proportion, accepted) ? [proportion] : []
  })
  const areOfOneTime = new Set(proportions.map((proportion) => proportion.accepted)).size === 1
  return areOfOneTime && proportions.length === shares.length ? proportions : undefined
}

function expectedLeft(proportion: Proportion, accepted: bigint): bigint | undefined {
  const refunded = proportion.accepted - accepted
  if (refunded < 0n) return undefined
  const taken = (proportion.amount * refunded) / proportion.accepted
  return proportion.kept + proportion.amount - taken
}

/** Sub-accounts together never give more than is refunded: the merchant chose to give the rest. */
function newProportions(shares: Share[], accepted: bigint): Proportion[] {
  const left = shares.map(leftOf)
  const amounts = sum(left) > accepted ? divideInProportion(accepted, left) : left
  return amounts.map((amount, index) => ({ amount, accepted, kept: left[index]! - amount }))
}
