import { asFields, needText, readText } from '../bank/read-fields.js'

/** Facts about a payment that only a notice has: see `MonnifyPayments.fetchPayment`. */
export type PaymentKey = {
  /** Monnify's reference of the transaction. */
  id: string
  /** Session of the interbank transfer. */
  session: string | null
  /** The payment was sent back. The amount is in naira, as written. */
  rejected: { reason: string; amount: string } | null
}

export function writePaymentKey(key: PaymentKey): string {
  return JSON.stringify(key)
}

export function readPaymentKey(text: string): PaymentKey {
  const { id, session, rejected } = asFields(JSON.parse(text))
  const { reason, amount } = asFields(rejected)
  return {
    id: needText(id, 'id'),
    session: readText(session) ?? null,
    rejected: rejected === null ? null : { reason: `${reason}`, amount: `${amount}` },
  }
}
