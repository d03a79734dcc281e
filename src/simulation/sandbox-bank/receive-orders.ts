import type { RealTime } from '../../base/clock.js'
import type { Database } from '../../postgres/database.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { firstOfEach } from './first-of-each.js'
import type { PaymentOrder } from './payment-order.js'
import { judgeRefunds, type SandboxRefund } from './refunds.js'
import { insertTransfers, lockTransfers, replanTransfers } from './store-transfers.js'
import { type NewTransfer, type Plan, planTransfer } from './transfer.js'

/**
 * Records one transfer per reference, also under concurrent and repeated sends. Returns the refused
 * orders: those whose reference was used before by an order with other content.
 *
 * New orders are one insert. Repeated orders and refunds need locks and a transaction.
 */
export async function receiveOrders(
  db: Database,
  now: RealTime,
  orders: PaymentOrder[],
): Promise<PaymentOrder[]> {
  const first = firstOfEach(orders, ({ reference }) => reference)
  const payments = [...first.values()].filter(({ refundOf }) => refundOf === undefined)
  const toTransfer = (order: PaymentOrder) =>
    planOrder(order, { now, isRepeat: false, refund: undefined })
  const inserted = await insertTransfers(db, payments.map(toTransfer))
  const others = orders.filter(({ reference }) => !inserted.has(reference))
  const refused = orders.filter(
    ({ reference, text }) => inserted.has(reference) && text !== first.get(reference)!.text,
  )
  if (others.length === 0) return refused
  return [...refused, ...(await db.transaction((tx) => receiveOthers(tx, now, others)))]
}

/** Sending a lost order again revives it. */
async function receiveOthers(
  tx: Tx,
  now: RealTime,
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
    text === (existing.get(reference)?.instruction ?? first.get(reference)!.text)

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
  const plan = refund?.failureReason
    ? failedAt(now, refund.failureReason)
    : planTransfer(now, { accountNumber: refund?.accountNumber ?? accountNumber, isRepeat })
  return {
    reference,
    instruction: text,
    amount,
    receivedAt: now,
    isLost: plan.isLost,
    ending: plan.ending,
    failureReason: plan.failureReason,
    endsAt: plan.endsAt,
    reversesAt: plan.reversesAt,
    refundOf: refund?.refundOf ?? null,
    // A refused refund is reported already, so that no instruction can complete it: that would
    // refund too much.
    isReported: Boolean(refund?.failureReason),
  }
}

function failedAt(now: Date, failureReason: string): Plan {
  return { isLost: false, ending: 'failed', failureReason, endsAt: now, reversesAt: null }
}
