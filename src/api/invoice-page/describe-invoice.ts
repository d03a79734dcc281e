import type { PublicInvoice } from '../../checkout/find-public-invoice.js'
import { computeInvoice } from '../../customers/invoices/compute-invoice.js'
import { listInstalments } from '../../customers/invoices/instalment-states.js'
import { type InvoiceStatus, invoiceNumber } from '../../customers/invoices/invoice.js'
import { readDiscount, readLines } from '../../customers/invoices/read-invoice.js'
import { formatUnits } from '../../money/amounts.js'
import { formatPercent } from '../../money/percent.js'
import { showMoney } from '../checkout-page/texts.js'
import { type InvoiceTexts, invoiceTexts } from './texts.js'

/** A label and what it says. */
export type Fact = [label: string, value: string]

export type ShownLine = { description: string; details: string; amount: string }

export type ShownInstalment = { date: string; amount: string; state: string; isOverdue: boolean }

/** An invoice in words, for its page and its PDF. */
export type InvoiceWords = {
  status: InvoiceStatus
  number: string
  title: string
  amountDue: string
  /** When it is due, or what became of it. */
  headline: string
  facts: Fact[]
  lines: ShownLine[]
  totals: Fact[]
  /** The last line of the totals: what is still to be paid. */
  due: Fact
  instalments: ShownInstalment[]
  memo: string | null
  footer: string | null
}

/** `now` is the time of the environment. */
export function describeInvoice(
  { invoice, customer, checkout }: Pick<PublicInvoice, 'invoice' | 'customer' | 'checkout'>,
  now: Date,
): InvoiceWords {
  const texts = invoiceTexts[invoice.language]
  const money = (amount: bigint) => showMoney(amount, invoice.asset)
  const number = invoiceNumber(invoice) ?? texts.draft
  const isOverdue = invoice.nextDueAt !== null && invoice.nextDueAt < now
  const status = isOverdue ? 'OVERDUE' : invoice.status
  return {
    status,
    number,
    title: texts.title(number, checkout.displayName),
    amountDue: money(invoice.amountDue),
    headline: headlineOf(status, invoice, texts),
    facts: factsOf(invoice, { name: customer.name, number }, texts),
    lines: linesOf(invoice, texts),
    totals: totalsOf(invoice, texts),
    due: [texts.amountDue, money(invoice.amountDue)],
    instalments: listInstalments(invoice, now).map(({ amount, dueAt, due, isOverdue }) => ({
      date: texts.dueDate(dueAt),
      amount: money(amount),
      state: describeInstalment({ amount, due, isOverdue }, money, texts.instalment),
      isOverdue,
    })),
    memo: invoice.memo,
    footer: invoice.footer,
  }
}

type Invoice = PublicInvoice['invoice']

function headlineOf(
  status: InvoiceStatus,
  { nextDueAt, paidAt, voidedAt }: Invoice,
  texts: InvoiceTexts,
): string {
  if (status === 'VOID') return texts.voidedOn(voidedAt!)
  if (status === 'PAID') return texts.paidOn(paidAt!)
  if (nextDueAt === null) return ''
  return status === 'OVERDUE' ? texts.wasDue(nextDueAt) : texts.isDue(nextDueAt)
}

function factsOf(
  { finalizedAt, dueAt }: Invoice,
  { name, number }: { name: string; number: string },
  texts: InvoiceTexts,
): Fact[] {
  const facts: Fact[] = [
    [texts.number, number],
    [texts.billedTo, name],
  ]
  if (finalizedAt) facts.push([texts.issued, texts.date(finalizedAt)])
  if (dueAt) facts.push([texts.due, texts.dueDate(dueAt)])
  return facts
}

function linesOf(invoice: Invoice, texts: InvoiceTexts): ShownLine[] {
  const lines = readLines(invoice)
  const amounts = computeInvoice(lines, readDiscount(invoice)).lines
  return lines.map(({ description, quantity, unitAmount, vatBasisPoints }, index) => {
    const count = `${formatUnits(quantity, 3)} × ${showMoney(unitAmount, invoice.asset)}`
    const vat = vatBasisPoints === 0 ? [] : [texts.withVat(formatPercent(vatBasisPoints))]
    return {
      description,
      details: [count, ...vat].join(' · '),
      amount: showMoney(amounts[index]!, invoice.asset),
    }
  })
}

/** Without rows that say nothing. */
function totalsOf(invoice: Invoice, texts: InvoiceTexts): Fact[] {
  const { asset, subtotal, discountAmount, vat, total } = invoice
  const { amountPaid, amountCredited, amountRefunded } = invoice
  const discount = readDiscount(invoice)
  const percent =
    discount && 'basisPoints' in discount ? formatPercent(discount.basisPoints) : undefined
  const rows: [label: string, amount: bigint, isLess: boolean][] = [
    [texts.subtotal, subtotal === total ? 0n : subtotal, false],
    [texts.discount(percent), discountAmount, true],
    [texts.vat, vat, false],
    [texts.total, total, false],
    [texts.paid, amountPaid, true],
    [texts.credited, amountCredited, true],
    [texts.refunded, amountRefunded, true],
  ]
  return rows
    .filter(([, amount]) => amount > 0n)
    .map(([label, amount, isLess]) => [label, `${isLess ? '−' : ''}${showMoney(amount, asset)}`])
}

function describeInstalment(
  { amount, due, isOverdue }: { amount: bigint; due: bigint; isOverdue: boolean },
  money: (amount: bigint) => string,
  texts: InvoiceTexts['instalment'],
): string {
  if (due === 0n) return texts.paid
  const left = due < amount ? texts.remaining(money(due)) : texts.due
  return isOverdue ? `${left}, ${texts.overdue}` : left
}
