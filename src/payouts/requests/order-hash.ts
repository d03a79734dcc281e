import { createHash } from 'node:crypto'
import type { PayoutPurpose } from '../levies/levy.js'
import { type Payout, payingSubaccountOf, referenceOf } from '../payout.js'

type Order = Pick<
  Payout,
  | 'kind'
  | 'id'
  | 'asset'
  | 'amount'
  | 'fee'
  | 'levy'
  | 'takesFrom'
  | 'destination'
  | 'merchantReference'
  | 'purpose'
>

/**
 * SHA-256 of what a member approves, in hex digits. The approver sends it back, so that an
 * approval is of the order that was shown and of no other.
 */
export function hashOrder(order: Order): string {
  const { destination } = order
  const recipient =
    destination.kind === 'wallet'
      ? [destination.address]
      : [
          destination.bankCode,
          destination.accountNumber,
          destination.accountName,
          destination.narration,
          destination.refundOf ?? null,
        ]
  const payingSubaccount = payingSubaccountOf(order)
  const terms = [
    order.kind,
    referenceOf(order),
    order.asset,
    order.amount.toString(),
    order.fee.toString(),
    destination.kind,
    ...recipient,
    order.merchantReference,
    ...leviedTerms(order),
    // Absent otherwise: the hashes of other orders stay as they were.
    ...(payingSubaccount === null ? [] : [payingSubaccount]),
  ]
  return createHash('sha256').update(JSON.stringify(terms)).digest('hex')
}

/** Left out where there are none: orders that waited before levies existed keep their hash. */
export function leviedTerms({
  levy,
  purpose,
}: {
  levy: bigint | null
  purpose: PayoutPurpose | null
}): (string | null)[] {
  return levy || purpose !== null ? [String(levy ?? 0n), purpose] : []
}
