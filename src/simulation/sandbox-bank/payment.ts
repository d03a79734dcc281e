import type { BankSender, ReportedPayment } from '../../collections/ports.js'
import { column, Table } from '../../postgres/table.js'

export const sandboxPayments = new Table('sandbox_payments', {
  id: column.text(),
  accountNumber: column.text(),
  amount: column.int8(),
  currency: column.text(),
  sender: column.json<BankSender>().orNull(),
  isSenderMasked: column.bool(),
  bankSessionId: column.text().named('session_id'),
  narration: column.text().orNull(),
  paidAt: column.time(),
})

/** A payment as the bank stores it, with the full number of a masked sender. */
export type SandboxPayment = typeof sandboxPayments.row

const digitsShown = 4

/** The payment as the bank reports it. */
export function toReported(payment: SandboxPayment): ReportedPayment {
  const { accountNumber: railAccount, isSenderMasked, paidAt, sender, ...rest } = payment
  const shownSender = sender && isSenderMasked ? maskNumber(sender) : sender
  return { ...rest, railAccount, sender: shownSender, receivedAt: paidAt }
}

function maskNumber(sender: BankSender): BankSender {
  const { accountNumber } = sender
  const hidden = '*'.repeat(Math.max(0, accountNumber.length - digitsShown))
  return { ...sender, accountNumber: hidden + accountNumber.slice(-digitsShown) }
}
