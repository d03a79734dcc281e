import { strict as assert } from 'node:assert'
import { after, type RealTime } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { ReportedPayment, SimulatedPayment } from '../../collections/ports.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { firstOfEach } from './first-of-each.js'
import { sandboxBankItself } from './magic-accounts.js'
import { type SandboxPayment, toReported } from './payment.js'
import { completeSender, sessionIdOf } from './senders.js'
import { insertSandboxNotices } from './store-notices.js'
import { findPaymentsById, insertSandboxPayments } from './store-payments.js'

/**
 * Records each payment once, with the notices to send. Returns the payment stored under each id, or
 * undefined if the account does not exist and nothing was recorded.
 */
export async function receivePayments(
  tx: Tx,
  now: RealTime,
  received: SimulatedPayment[],
): Promise<(ReportedPayment | undefined)[]> {
  const first = firstOfEach(received, ({ id }) => id)
  const payments = new Map([...first.values()].map((payment) => [payment.id, toPayment(payment)]))
  const inserted = await insertSandboxPayments(tx, now, [...payments.values()])
  const withNotice = [...first.values()].filter(({ id, isSilent }) => inserted.has(id) && !isSilent)
  insertSandboxNotices(
    tx,
    withNotice.map(({ id, copies, delayMs = 0 }) => {
      return { paymentId: id, copies, dueAt: after(now, delayMs) }
    }),
  )
  const repeated = [...first.keys()].filter((id) => !inserted.has(id))
  const existing = await findPaymentsById(tx, repeated)
  return received.map(({ id }) => {
    const payment = inserted.has(id) ? payments.get(id) : existing.get(id)
    return payment && toReported(payment)
  })
}

/** Callers are our own test routes, so a violation is a bug. */
export function assertPayable({ id, copies, delayMs = 0 }: SimulatedPayment): void {
  assert(/^sbp_[0-9a-z]+$/.test(id), 'the id of a sandbox payment starts with sbp_')
  const isWithinLimit =
    Number.isInteger(copies) && copies >= 1 && copies <= limits.testMode.noticeCopiesMax
  assert(isWithinLimit && delayMs >= 0, 'copies are within limits and the delay is not negative')
}

function toPayment(received: SimulatedPayment): SandboxPayment {
  const { id, accountNumber, amount, currency = 'NGN', narration = null, paidAt } = received
  const sender = received.sender === null ? null : completeSender(id, received.sender ?? {})
  const bankCode = sender?.bankCode ?? sandboxBankItself.code
  return {
    id,
    accountNumber,
    amount,
    currency,
    sender,
    narration,
    paidAt,
    isSenderMasked: sender !== null && (received.isSenderMasked ?? false),
    bankSessionId: sessionIdOf(id, paidAt, bankCode),
  }
}
