import type { ListedPayment, Payment } from '../../../../sdk/src/types'
import { formatWallet } from '../../parts/identifiers'
import { formatMoney } from '../../parts/money-format'
import { paymentTexts } from './texts'

export type AnyPayment = Payment & Partial<ListedPayment>

/** Who paid: a name, or a wallet in short. */
export function nameOf({ sender }: Payment): string {
  if ('name' in sender) return sender.name
  return sender.address === null ? paymentTexts.unknownWallet : formatWallet(sender.address)
}

/** `GTBank ••• 4432`, or the chain. */
export function placeOf({ sender }: Payment): string {
  if (!('name' in sender)) return paymentTexts.solana
  return `${sender.bankName} ••• ${sender.accountNumber.slice(-4)}`
}

/** What was paid for, as far as the merchant said. */
export function purposeOf({ checkoutSession, merchantReference, narration }: AnyPayment): string {
  return checkoutSession?.description ?? merchantReference ?? narration ?? ''
}

/** Why it is held or went back: `Too little, ₦12,000.00 asked` if an amount was. */
export function differenceOf({ variance, amountExpected, currency }: AnyPayment): string {
  if (variance === 'NONE') return ''
  const { variances, asked } = paymentTexts
  const isKnown = amountExpected !== null && amountExpected !== undefined
  return [variances[variance], isKnown && asked(formatMoney(amountExpected, currency))]
    .filter(Boolean)
    .join(', ')
}
