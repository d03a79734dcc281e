import type { BankDestination } from '../../payouts/ports.js'
import type { Payment } from '../payments/payment.js'
import type { CollectionRail } from '../ports.js'

type PaymentSource = { id: string; sender: Payment['sender'] | null }

/**
 * Where a payment can be sent back to: the sender's account or, if the bank masks it, a refund by
 * the rail's payment id. Undefined if unknown. Coins are never sent back automatically: the sender
 * may be an exchange, which may be unable to credit the customer. A wallet has no collection rail.
 */
export function destinationOf(
  { id, sender }: PaymentSource,
  rail: Pick<CollectionRail, 'limits'> | undefined,
): BankDestination | undefined {
  if (!rail || !sender || 'address' in sender) return undefined
  const { accountNumber, bankCode, bankName } = sender
  const isComplete = /^\d{10}$/.test(accountNumber) && /^[0-9A-Za-z]{3,9}$/.test(bankCode)
  // No account name: banks spell names differently, and a mismatch must not block the return.
  const account = { accountNumber, bankCode, bankName, accountName: '', narration: null }
  if (isComplete) return { kind: 'bank_account', ...account }
  const isMasked = /\d/.test(accountNumber)
  return rail.limits.refundsById && isMasked
    ? { kind: 'bank_account', ...account, accountName: sender.name, refundOf: id }
    : undefined
}
