import type { Tx } from '../../postgres/tx.js'
import { firstOfEach } from './first-of-each.js'
import type { PaymentOrder } from './payment-order.js'
import { judgeRefunds, type SandboxRefund } from './refunds.js'
import {
  insertTransfers,
  lockTransfers,
  type NewTransfer,
  replanTransfers,
} from './store-transfers.js'
import { planTransfer, unknownForEver } from './transfer.js'

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
  const first = firstOfEach(orders, ({ reference }) => reference)
  const refunds = await judgeRefunds(tx, [...first.values()])
  const toTransfer = (isAgain: boolean) => (order: PaymentOrder) =>
    planOrder(order, { now, isAgain, refund: refunds.get(order.reference) })
  const booked = await insertTransfers(tx, [...first.values()].map(toTransfer(false)))
  const known = await lockTransfers(
    tx,
    [...first.keys()].filter((reference) => !booked.has(reference)),
  )
  const isSame = ({ reference, text }: PaymentOrder) =>
    text === (known.get(reference)?.paymentOrder ?? first.get(reference)!.text)

  const found = [...first.values()].filter(
    (order) => known.get(order.reference)?.isLost && isSame(order),
  )
  replanTransfers(tx, found.map(toTransfer(true)))
  return orders.filter((order) => !isSame(order))
}

function planOrder(
  { reference, amount, accountNumber, text }: PaymentOrder,
  { now, isAgain, refund }: { now: Date; isAgain: boolean; refund: SandboxRefund | undefined },
): NewTransfer {
  const booked = { reference, paymentOrder: text, amount, receivedAt: now }
  const refundOf = refund?.refundOf ?? null
  if (refund?.failureReason) {
    const { failureReason } = refund
    const failed = { ...unknownForEver, ending: 'failed', failureReason, endsAt: now } as const
    // For good: an instruction that completed it would send back more than came.
    return { ...booked, ...failed, refundOf, isTold: true }
  }
  const plan = planTransfer(now, { accountNumber: refund?.accountNumber ?? accountNumber, isAgain })
  return { ...booked, ...plan, refundOf, isTold: false }
}
