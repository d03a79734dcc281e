import type { BookedInvoice, BookedPayment, Books } from './books.js'
import type { ExpectedEvents } from './expected-events.js'
import { groupBy, sumOf } from './group-by.js'
import type { Merchant } from './merchant.js'
import type { Violations } from './violations.js'

export type ToldCustomer = {
  merchant: Merchant
  reference: string
  /** Of its dedicated account. */
  accountReference: string
  accountNumber: string
  /** Its payments are not refunded, and its invoices neither credited nor voided. */
  isOrderly: boolean
}

export type ToldInvoice = {
  customer: ToldCustomer
  reference: string
  total: bigint
  isFinal: boolean
  isVoid: boolean
  /** Of each credit note. */
  credits: bigint[]
}

type Comparison = {
  merchants: Merchant[]
  told: Map<string, ToldInvoice>
  books: Books
  events: ExpectedEvents
  violations: Violations
}

/**
 * Which invoice a payment paid depends on an order that is unknown outside. What all payments of a
 * customer paid does not: neither more nor less than arrived, and for an orderly customer credit is
 * left only when nothing is due.
 */
export function compareBilling(comparison: Comparison): void {
  const { merchants, told, books, events, violations } = comparison
  const booked = new Map(books.invoices.map((invoice) => [invoice.reference, invoice]))
  for (const { reference } of books.invoices)
    if (!told.has(reference)) violations.report(`${reference} exists and was not acknowledged`)
  for (const invoice of told.values()) {
    const row = booked.get(invoice.reference)
    if (row) compareInvoice(comparison, invoice, row)
    else violations.report(`${invoice.reference} was acknowledged and does not exist`)
  }
  for (const { environmentId, event, count } of books.billingEvents)
    events.expectAtLeast(environmentId, event, count)
  const byCustomer = groupBy(books.invoices, ({ customer }) => customer)
  const byAccount = groupBy(books.payments, ({ accountReference }) => accountReference)
  for (const merchant of merchants) {
    compareNumbers(comparison, merchant)
    for (const customer of merchant.customers)
      compareCustomer(comparison, customer, {
        invoices: byCustomer.get(customer.reference) ?? [],
        payments: byAccount.get(customer.accountReference) ?? [],
      })
  }
}

function compareInvoice(
  { events, violations }: Comparison,
  told: ToldInvoice,
  booked: BookedInvoice,
): void {
  const { reference, customer, total } = told
  const { environmentId } = customer.merchant
  const { due, paid, credited, refunded } = booked
  violations.expectEqual(
    `books of ${reference}`,
    {
      environmentId,
      customer: customer.reference,
      total,
      sum: total,
      credited: told.isVoid ? total : sumOf(told.credits, (amount) => amount),
      isFinal: told.isFinal,
      isVoid: told.isVoid,
    },
    {
      environmentId: booked.environmentId,
      customer: booked.customer,
      total: booked.total,
      sum: due + paid + credited + refunded,
      credited,
      isFinal: booked.status !== 'DRAFT',
      isVoid: booked.status === 'VOID',
    },
  )
  if (!told.isFinal) return
  events.expect(environmentId, 'invoice.finalized', reference)
  if (told.isVoid) {
    events.expect(environmentId, 'invoice.voided', reference)
    // Credit may have paid it before.
    events.allow(environmentId, 'invoice.paid', reference)
  } else if (due === 0n) events.expect(environmentId, 'invoice.paid', reference)
  if (told.credits.length > 0)
    events.expect(environmentId, 'invoice.credited', reference, told.credits.length)
  const status = due === 0n ? 'PAID' : paid > 0n ? 'PARTIALLY_PAID' : 'OPEN'
  violations.expectEqual(`status of ${reference}`, told.isVoid ? 'VOID' : status, booked.status)
}

/** Final invoices of a merchant are numbered from one, without gaps. */
function compareNumbers({ books, violations }: Comparison, merchant: Merchant): void {
  const numbers = books.invoices
    .filter(({ environmentId, number }) => {
      return environmentId === merchant.environmentId && number !== null
    })
    .map(({ number }) => Number(number))
    .sort((one, other) => one - other)
  const expected = numbers.map((_, index) => index + 1)
  violations.expectEqual(`numbers of invoices of ${merchant.name}`, `${expected}`, `${numbers}`)
}

function compareCustomer(
  { books, events, violations }: Comparison,
  { merchant, reference, isOrderly }: ToldCustomer,
  { invoices, payments }: { invoices: BookedInvoice[]; payments: BookedPayment[] },
): void {
  events.expect(merchant.environmentId, 'customer.created', reference)
  const credit = books.credits.get(reference) ?? 0n
  const accepted = sumOf(payments, ({ amountAccepted }) => amountAccepted)
  const paid = sumOf(invoices, (invoice) => invoice.paid)
  violations.expectEqual(`money of ${reference}`, accepted, paid + credit)
  if (!isOrderly) return
  const final = invoices.filter(({ status }) => status !== 'DRAFT')
  const total = sumOf(final, (invoice) => invoice.total)
  violations.expectEqual(
    `due and credit of ${reference}`,
    { due: atLeastNothing(total - accepted), credit: atLeastNothing(accepted - total) },
    { due: sumOf(final, ({ due }) => due), credit },
  )
}

function atLeastNothing(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
