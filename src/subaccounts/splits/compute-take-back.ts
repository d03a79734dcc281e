import { strict as assert } from 'node:assert'

type Refund = {
  /** Amounts of the lines, with the fees that they bore: who bore a fee keeps bearing it. */
  shares: readonly bigint[]
  accepted: bigint
  /** Of `accepted`, by earlier refunds in proportion. */
  refundedBefore: bigint
  amount: bigint
}

type TakeBack = {
  lines: bigint[]
  /**
   * What the merchant pays of the refund. It advances fractions of a unit, less than one a line,
   * which lines pay when they have become whole units. A later refund may return more of them than
   * it costs the merchant: then this is negative.
   */
  merchant: bigint
}

/**
 * What a refund takes back from each line, in proportion to its share. Sums over all refunds are
 * rounded, not single refunds, so that refunds of the whole amount take back every share, in
 * however many steps.
 *
 * After a refund that named its own amounts, pass what was left then: shares and accepted amount
 * less what had been taken back and refunded, and only refunds since as `refundedBefore`.
 */
export function computeTakeBack({ shares, accepted, refundedBefore, amount }: Refund): TakeBack {
  const refunded = refundedBefore + amount
  assert(refundedBefore >= 0n && amount > 0n && refunded <= accepted, 'refunds what was accepted')
  const lines = shares.map((share) => {
    assert(share >= 0n && share <= accepted, 'a share is part of the accepted amount')
    return (share * refunded) / accepted - (share * refundedBefore) / accepted
  })
  return { lines, merchant: lines.reduce((rest, taken) => rest - taken, amount) }
}
