import { createHash } from 'node:crypto'
import { type Payout, payerOf, referenceOf } from '../payout.js'

type Order = Pick<
  Payout,
  'kind' | 'id' | 'asset' | 'amount' | 'fee' | 'takesFrom' | 'destination' | 'merchantReference'
>

/**
 * SHA-256 of what a person approves, in hex digits. The approver sends it back, so that an
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
  const payer = payerOf(order)
  const terms = [
    order.kind,
    referenceOf(order),
    order.asset,
    order.amount.toString(),
    order.fee.toString(),
    destination.kind,
    ...recipient,
    order.merchantReference,
    // Absent otherwise: the hashes of other orders stay as they were.
    ...(payer === null ? [] : [payer]),
  ]
  return createHash('sha256').update(JSON.stringify(terms)).digest('hex')
}
