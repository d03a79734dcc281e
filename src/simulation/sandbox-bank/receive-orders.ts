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
import { planTransfer, staysUnknown } from './transfer.js'

/**
 * Records one transfer per reference, also under concurrent and repeated sends. Sending a lost
 * order again revives it. Returns the refused orders: those whose reference was used before by an
 * order with other content.
 */
export async function receiveOrders(
  tx: Tx,
  now: Date,
  orders: PaymentOrder[],
): Promise<PaymentOrder[]> {
  const first = firstOfEach(orders, ({ reference }) => reference)
  const refunds = await judgeRefunds(tx, [...first.values()])
  const toTransfer = (isRepeat: boolean) => (order: PaymentOrder) =>
    planOrder(order, { now, isRepeat, refund: refunds.get(order.reference) })
  const inserted = await insertTransfers(tx, [...first.values()].map(toTransfer(false)))
  const existing = await lockTransfers(
    tx,
    [...first.keys()].filter((reference) => !inserted.has(reference)),
  )
  const hasSameText = ({ reference, text }: PaymentOrder) =>
    text === (existing.get(reference)?.paymentOrder ?? first.get(reference)!.text)

  const revived = [...first.values()].filter(
    (order) => existing.get(order.reference)?.isLost && hasSameText(order),
  )
  replanTransfers(tx, revived.map(toTransfer(true)))
  return orders.filter((order) => !hasSameText(order))
}

function planOrder(
  { reference, amount, accountNumber, text }: PaymentOrder,
  { now, isRepeat, refund }: { now: Date; isRepeat: boolean; refund: SandboxRefund | undefined },
): NewTransfer {
  const transfer = { reference, paymentOrder: text, amount, receivedAt: now }
  const refundOf = refund?.refundOf ?? null
  if (refund?.failureReason) {
    const { failureReason } = refund
    const failed = { ...staysUnknown, ending: 'failed', failureReason, endsAt: now } as const
    // Reported already, so that no instruction can complete it: that would refund too much.
    return { ...transfer, ...failed, refundOf, isReported: true }
  }
  const plan = planTransfer(now, {
    accountNumber: refund?.accountNumber ?? accountNumber,
    isRepeat,
  })
  return { ...transfer, ...plan, refundOf, isReported: false }
}
