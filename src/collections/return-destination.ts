import type { Destination } from '../payouts/ports.js'
import type { Payment } from './payment.js'
import type { CollectionRail } from './ports.js'

type BankDestination = Extract<Destination, { kind: 'bank_account' }>

type Sent = { id: string; sender: Payment['sender'] | null }

/**
 * Where the money of a payment could go back to: the account it came from, or, where the bank masks
 * that, the payment itself by the bank's own name. Undefined: nobody knows. Coins never go back by
 * themselves: an exchange that sent them would not know whose they are.
 */
export function destinationOf(
  { id, sender }: Sent,
  { refundsById }: Pick<CollectionRail, 'refundsById'>,
): BankDestination | undefined {
  if (!sender || 'address' in sender) return undefined
  const { accountNumber, bankCode, bankName } = sender
  const isNamed = /^\d{10}$/.test(accountNumber) && /^\d{3,9}$/.test(bankCode)
  // The name is left out: how it is written at another bank must not keep money from going back.
  const account = { accountNumber, bankCode, bankName, accountName: '', narration: null }
  if (isNamed) return { kind: 'bank_account', ...account }
  const isMasked = /\d/.test(accountNumber)
  return refundsById && isMasked
    ? { kind: 'bank_account', ...account, accountName: sender.name, refundOf: id }
    : undefined
}
