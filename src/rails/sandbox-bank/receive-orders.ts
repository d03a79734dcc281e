import type { Tx } from '../../postgres/tx.js'
import type { PaymentOrder } from './payment-order.js'
import { insertTransfers, lockTransfers, replanTransfers } from './store-transfers.js'
import { planTransfer } from './transfer.js'

/**
 * Books one transfer for each reference, however often its order comes and by how many at once. An
 * order that was lost is found again by coming again. Says which orders were refused because their
 * reference stands for another order: the first one to come is the one that counts.
 */
export async function receiveOrders(
  tx: Tx,
  now: Date,
  orders: PaymentOrder[],
): Promise<PaymentOrder[]> {
  const first = new Map(orders.toReversed().map((order) => [order.reference, order]))
  const booked = await insertTransfers(tx, [...first.values()].map(toTransfer(now, false)))
  const known = await lockTransfers(
    tx,
    [...first.keys()].filter((reference) => !booked.has(reference)),
  )
  const isSame = ({ reference, text }: PaymentOrder) =>
    text === (known.get(reference)?.paymentOrder ?? first.get(reference)!.text)

  const found = [...first.values()].filter(
    (order) => known.get(order.reference)?.isLost && isSame(order),
  )
  replanTransfers(tx, found.map(toTransfer(now, true)))
  return orders.filter((order) => !isSame(order))
}

function toTransfer(now: Date, isAgain: boolean) {
  return ({ reference, amount, accountNumber, text }: PaymentOrder) => ({
    ...planTransfer(now, { accountNumber, isAgain }),
    reference,
    paymentOrder: text,
    amount,
    receivedAt: now,
  })
}
