import type { ReceivedJson } from '../../checkout/resource.js'
import { fromWire } from '../../money/amounts.js'
import { showMoney, type Texts } from './texts.js'

/** Payments, and what is known of them beside their amounts. */
export type Receipted = {
  received: ReceivedJson[]
  /** Empty if the merchant does not show it. */
  customerName: string
  paidTo: string
  /** Empty if it is not known. */
  paidFor: string
  /** Of the checkout session; null if there is none. */
  session: string | null
}

/** A label and what it says. */
type Row = [label: string, value: string]

/** What the payer keeps. */
export type ReceiptWords = { rows: Row[]; references: Row[] }

/** Every accepted payment, what it was for and what was refunded since; null if there is none. */
export function describeReceipt(receipted: Receipted, texts: Texts): ReceiptWords | null {
  const words = texts.receipt
  const accepted = receipted.received.filter((payment) => paidBy(payment) > 0n)
  if (accepted.length === 0) return null
  const rows: Row[] = [
    ...accepted.flatMap((payment): Row[] => [
      [words.amount, showMoney(paidBy(payment), payment.currency)],
      [words.date, words.time(new Date(payment.receivedAt))],
      [words.paidBy, describePayer(payment, receipted, texts)],
      [words.refunded, describeRefund(payment)],
    ]),
    [words.paidTo, receipted.paidTo],
    [words.paidFor, receipted.paidFor],
  ]
  const references: Row[] = accepted.map((payment) => [words.payment, payment.reference])
  if (receipted.session !== null) references.push([words.session, receipted.session])
  return { rows: rows.filter(([, value]) => value !== ''), references }
}

/** The amount before refunds and any fee of the merchant, in the units of the payment. */
function paidBy({ amountAccepted, amountRefunded, currency }: ReceivedJson): bigint {
  return fromWire(amountAccepted, currency) + fromWire(amountRefunded, currency)
}

/** Empty if nothing was refunded. */
function describeRefund({ amountRefunded, currency }: ReceivedJson): string {
  const refunded = fromWire(amountRefunded, currency)
  return refunded > 0n ? showMoney(refunded, currency) : ''
}

/** The customer's name only if the merchant shows it; the masked account is the payer's own. */
function describePayer(
  { sentFrom }: ReceivedJson,
  { customerName }: Receipted,
  texts: Texts,
): string {
  return [customerName, describeSender(sentFrom, texts)].filter(Boolean).join(', ')
}

function describeSender(sentFrom: ReceivedJson['sentFrom'], texts: Texts): string {
  if (sentFrom === null) return ''
  if ('address' in sentFrom) return sentFrom.address
  const digits = sentFrom.accountNumber.replace(/\D/g, '')
  return digits && texts.receipt.account(sentFrom.bankName, digits)
}
