import type { BankSender, ReportedPayment } from '../../collections/ports.js'

/** A payment as the bank stores it, with the full number of a masked sender. */
export type SandboxPayment = {
  id: string
  accountNumber: string
  amount: bigint
  currency: string
  sender: BankSender | null
  isSenderMasked: boolean
  bankSessionId: string
  narration: string | null
  paidAt: Date
}

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
