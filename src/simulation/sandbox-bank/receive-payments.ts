import { strict as assert } from 'node:assert'
import { after, type RealTime } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { ReportedPayment, SimulatedPayment } from '../../collections/ports.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { firstOfEach } from './first-of-each.js'
import { sandboxBankItself } from './magic-accounts.js'
import { type SandboxPayment, toReported } from './payment.js'
import { completeSender, sessionIdOf } from './senders.js'
import type { SandboxNotice } from './store-notices.js'
import { findPaymentsById, recordSandboxPayments } from './store-payments.js'

export type ReceivedPayments = {
  /** What is stored under each id; undefined: the account does not exist, nothing was recorded. */
  payments: (ReportedPayment | undefined)[]
  /** Notices of new payments that are leased to this process. */
  notices: SandboxNotice[]
}

/** Records each payment once, with its notice. Leases up to `leasesMax` of those due now. */
export async function receivePayments(
  db: Queryable,
  { now, leasedUntil, leasesMax }: { now: RealTime; leasedUntil: Date; leasesMax: number },
  received: SimulatedPayment[],
): Promise<ReceivedPayments> {
  const first = firstOfEach(received, ({ id }) => id)
  let leases = 0
  const planned = [...first.values()].map((given) => {
    const { isSilent = false, delayMs = 0 } = given
    const isUnderWay = !isSilent && delayMs === 0 && leases < leasesMax
    if (isUnderWay) leases += 1
    return {
      payment: toPayment(given),
      copies: isSilent ? 0 : given.copies,
      attempts: isUnderWay ? 1 : 0,
      isUnderWay,
      dueAt: isUnderWay ? leasedUntil : after(now, delayMs),
    }
  })
  const inserted = await recordSandboxPayments(db, now, planned)
  const recorded = planned.filter(({ payment }) => inserted.has(payment.id))
  const repeated = [...first.keys()].filter((id) => !inserted.has(id))
  const payments = await findPaymentsById(db, repeated)
  for (const { payment } of recorded) payments.set(payment.id, payment)
  return {
    payments: received.map(({ id }) => {
      const payment = payments.get(id)
      return payment && toReported(payment)
    }),
    notices: recorded.filter(({ isUnderWay }) => isUnderWay),
  }
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
