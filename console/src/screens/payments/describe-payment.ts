import type { ListedPayment, Payment } from '../../../../sdk/src/types'
import { formatWallet } from '../../parts/identifiers'
import { formatMoney } from '../../parts/money-format'
import { texts } from '../../texts/en'

export type AnyPayment = Payment & Partial<ListedPayment>

/** Who paid: a name, or a wallet in short. */
export function nameOf({ sender }: Payment): string {
  if ('name' in sender) return sender.name
  return sender.address === null ? texts.payments.unknownWallet : formatWallet(sender.address)
}

/** `GTBank ••• 4432`, or the chain. */
export function placeOf({ sender }: Payment): string {
  if (!('name' in sender)) return texts.payments.solana
  return `${sender.bankName} ••• ${sender.accountNumber.slice(-4)}`
}

/** What was paid for, as far as the merchant said. */
export function purposeOf({ checkoutSession, merchantReference, narration }: AnyPayment): string {
  return checkoutSession?.description ?? merchantReference ?? narration ?? ''
}

/** Why it is held or went back: `₦12,000.00 too much` if the difference is known. */
export function differenceOf(payment: Payment): string | undefined {
  const { variance, amountHeld, currency } = payment
  if (variance === 'NONE') return undefined
  const words = texts.payments.variances[variance]
  const isPart = variance === 'OVERPAID' && Number(amountHeld) > 0
  return isPart ? `${formatMoney(amountHeld, currency)} ${words.toLowerCase()}` : words
}
