import type { BankSender, PaymentNotice } from '../../collections/ports.js'

/** A payment as the bank has it, which knows the number of a sender that it masks. */
export type SandboxPayment = {
  id: string
  accountNumber: string
  amount: bigint
  currency: string
  sender: BankSender | null
  isSenderMasked: boolean
  sessionId: string
  narration: string | null
  paidAt: Date
}

const digitsShown = 4

/** What the bank tells of it. */
export function toAnnounced(payment: SandboxPayment): PaymentNotice {
  const { isSenderMasked, paidAt, sender, ...told } = payment
  const shown = sender && isSenderMasked ? maskNumber(sender) : sender
  return { ...told, sender: shown, receivedAt: paidAt }
}

function maskNumber(sender: BankSender): BankSender {
  const { accountNumber } = sender
  const hidden = '*'.repeat(Math.max(0, accountNumber.length - digitsShown))
  return { ...sender, accountNumber: hidden + accountNumber.slice(-digitsShown) }
}
