import { strict as assert } from 'node:assert'
import { after } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { CustomerPayment, PaymentNotice } from '../../collections/ports.js'
import type { Tx } from '../../postgres/tx.js'
import { firstOfEach } from './first-of-each.js'
import { sandboxBankItself } from './magic-accounts.js'
import { type SandboxPayment, toAnnounced } from './payment.js'
import { completeSender, sessionIdOf } from './senders.js'
import { insertSandboxNotices } from './store-notices.js'
import { findPaymentsById, insertSandboxPayments } from './store-payments.js'

/**
 * Books each payment once, however often it comes, with the notices to send of it. Answers what the
 * bank has under the id; undefined: it has no such account, and took nothing.
 */
export async function receivePayments(
  tx: Tx,
  now: Date,
  orders: CustomerPayment[],
): Promise<(PaymentNotice | undefined)[]> {
  const first = firstOfEach(orders, ({ id }) => id)
  const payments = new Map([...first.values()].map((order) => [order.id, toPayment(order)]))
  const booked = await insertSandboxPayments(tx, now, [...payments.values()])
  const announced = [...first.values()].filter(({ id, isSilent }) => booked.has(id) && !isSilent)
  insertSandboxNotices(
    tx,
    announced.map(({ id, copies, delayMs = 0 }) => {
      return { paymentId: id, copies, dueAt: after(now, delayMs) }
    }),
  )
  const others = [...first.keys()].filter((id) => !booked.has(id))
  const known = await findPaymentsById(tx, others)
  return orders.map(({ id }) => {
    const payment = booked.has(id) ? payments.get(id) : known.get(id)
    return payment && toAnnounced(payment)
  })
}

/** Who orders is one of us: what is wrong here is a bug. */
export function assertPayable({ id, copies, delayMs = 0 }: CustomerPayment): void {
  assert(/^sbp_[0-9a-z]+$/.test(id), 'a payment at the sandbox bank has an id of its kind')
  const isFew = Number.isInteger(copies) && copies >= 1 && copies <= limits.sandboxBank.copies
  assert(isFew && delayMs >= 0, 'a payment is announced some times, not before it came')
}

function toPayment(order: CustomerPayment): SandboxPayment {
  const { id, accountNumber, amount, currency = 'NGN', narration = null, paidAt } = order
  const sender = order.sender === null ? null : completeSender(id, order.sender ?? {})
  const bankCode = sender?.bankCode ?? sandboxBankItself.code
  return {
    id,
    accountNumber,
    amount,
    currency,
    sender,
    narration,
    paidAt,
    isSenderMasked: sender !== null && (order.isSenderMasked ?? false),
    sessionId: sessionIdOf(id, paidAt, bankCode),
  }
}
