import type { RealTime } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { newPageToken } from '../../base/page-token.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import type { EventType } from '../../events/catalogue.js'
import { getSettings } from '../../merchants/settings/settings.js'
import { formatMoney, smallerOf } from '../../money/amounts.js'
import { sum } from '../../money/proportions.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { isPaidByPayment } from '../allocations.js'
import { refuseErased } from '../change-customer.js'
import { type Customer, customerReference } from '../customer.js'
import { CustomerBooks } from '../customer-books.js'
import { endOfDayAfter } from '../lagos-days.js'
import { invoiceLimits } from '../limits.js'
import { lockCustomer } from '../store-customers.js'
import type { Instalment } from './allocate.js'
import type { Discount } from './compute-invoice.js'
import { insertDeadlines, planDeadlines } from './deadlines.js'
import {
  type CreditNote,
  creditNotes,
  type Invoice,
  invoiceNumber,
  invoiceReference,
} from './invoice.js'
import { queueInvoice } from './invoice-mails.js'
import { priceInvoice } from './price-invoice.js'
import {
  type DraftLine,
  readDiscount,
  readInstalments,
  readLines,
  writeDiscount,
  writeLines,
} from './read-invoice.js'
import { settle } from './settle.js'
import {
  deleteInvoice,
  getInvoice,
  insertInvoice,
  lockInvoice,
  takeNumber,
  updateInvoices,
} from './store-invoices.js'

/** What the merchant writes; all amounts follow from it. */
export type DraftInvoice = Pick<
  Invoice,
  'asset' | 'series' | 'dueAt' | 'memo' | 'footer' | 'language' | 'metadata'
> & {
  customer: string
  lines: DraftLine[]
  discount: Discount | null
  instalments: Instalment[]
}

export type Times = { now: Date; realNow: RealTime }

type InvoiceName = { environmentId: EnvironmentId; reference: string }

const noSchedule = { scheduleId: null, period: null }

export async function createInvoice(
  tx: Tx,
  { now }: Times,
  { environment, baseUrl }: { environment: Environment; baseUrl: string },
  draft: DraftInvoice,
  { scheduleId, period }: Pick<Invoice, 'scheduleId' | 'period'> = noSchedule,
): Promise<Invoice> {
  refuseTwoDueDates(draft.dueAt, draft.instalments)
  const customer = await lockNamedCustomer(tx, environment.id, draft.customer)
  const pageToken = newPageToken()
  const created: Invoice = {
    environmentId: environment.id,
    id: newId(now),
    number: null,
    status: 'DRAFT',
    customerId: customer.id,
    ...toColumns(draft),
    amountPaid: 0n,
    amountCredited: 0n,
    amountRefunded: 0n,
    nextDueAt: null,
    pageToken,
    url: `${baseUrl}/i/${pageToken}`,
    sentAt: null,
    sends: 0,
    scheduleId,
    period,
    eventSequence: 0,
    createdAt: now,
    finalizedAt: null,
    paidAt: null,
    voidedAt: null,
  }
  insertInvoice(tx, created)
  return created
}

/** Changes a draft. Customers are locked before invoices, as everywhere. */
export async function changeDraft(
  tx: Tx,
  name: InvoiceName,
  change: Partial<DraftInvoice>,
): Promise<Invoice> {
  const { customerId: ownerId } = await getInvoice(tx, name)
  const reference = change.customer ?? customerReference({ id: ownerId })
  const customer = await lockNamedCustomer(tx, name.environmentId, reference)
  const before = await lockInvoice(tx, name)
  refuseUnless(before, before.status === 'DRAFT', 'Only drafts can be changed.')
  if (change.customer === undefined) refuseOtherOwner(before, ownerId)
  const draft = { ...readDraft(before), ...change }
  refuseTwoDueDates(change.dueAt ?? null, draft.instalments)
  const columns = toColumns(draft)
  const changed: Invoice = { ...before, ...columns, customerId: customer.id }
  updateInvoices(tx, [changed])
  return changed
}

/** Removes a draft for good. It never had a number, so the numbers of its series have no gap. */
export async function deleteDraft(tx: Tx, name: InvoiceName): Promise<Invoice> {
  const draft = await lockInvoice(tx, name)
  refuseUnless(draft, draft.status === 'DRAFT', 'Only drafts can be deleted: void it instead.')
  deleteInvoice(tx, draft)
  return draft
}

/** Gives it its number; from then on it is due. Credit of the customer pays it at once. */
export async function finalizeInvoice(
  tx: Tx,
  times: Times,
  { environment, reference }: { environment: Environment; reference: string },
): Promise<Invoice> {
  const { now, realNow } = times
  const { before, books } = await openBooks(tx, { environmentId: environment.id, reference })
  if (before.status !== 'DRAFT') return before
  const customer = books.customer(before.customerId)
  refuseErased(customer)
  const settings = await getSettings(tx, environment)
  const dueAt = before.dueAt ?? endOfDayAfter(now, invoiceLimits.dueAfterDays)
  const number = await takeNumber(tx, before)
  const numbered: Invoice = { ...before, number, dueAt, finalizedAt: now }
  const paid = settings.invoices.applyCredit ? books.applyCredit(now, numbered) : 0n
  const settled = settle(now, {
    ...numbered,
    amountDue: numbered.amountDue - paid,
    amountPaid: paid,
  })
  const isSent = settings.mails.invoices && customer.email !== null && !environment.isSuspended
  const finalized = isSent ? countSend(now, settled) : settled
  const { reminders, reminderDays } = settings.mails
  const planned = planDeadlines(now, finalized, reminders ? reminderDays : [])
  if (finalized.amountDue > 0n)
    insertDeadlines(tx, now, environment, { invoice: finalized, planned })
  if (isSent) {
    const causeId = finalized.id
    queueInvoice(tx, realNow, { environment, settings, customer, invoice: finalized, causeId })
  }
  const types: EventType[] = ['invoice.finalized', ...paidTypes(before, finalized)]
  if (isSent) types.push('invoice.sent')
  return write(books, times, finalized, { types, causeId: before.id })
}

/** Mails a final invoice to its customer, who may have it already. */
export async function sendInvoice(
  tx: Tx,
  times: Times,
  { environment, reference }: { environment: Environment; reference: string },
): Promise<Invoice> {
  const { now, realNow } = times
  const { before, books } = await openBooks(tx, { environmentId: environment.id, reference })
  refuseUnless(before, isFinal(before), `It is ${before.status}.`)
  const customer = books.customer(before.customerId)
  refuseUnless(before, customer.email !== null, 'Its customer has no e-mail address.')
  const { sendsMax } = invoiceLimits
  if (before.sends >= sendsMax)
    throw new Refusal('invoice_failed', {
      reason: 'too_many',
      message: `${invoiceNumber(before)} was sent ${sendsMax} times, which is the most.`,
    })
  const settings = await getSettings(tx, environment)
  const sent = countSend(now, before)
  const causeId = newId(now)
  queueInvoice(tx, realNow, { environment, settings, customer, invoice: sent, causeId })
  return write(books, times, sent, { types: ['invoice.sent'], causeId })
}

function countSend(now: Date, invoice: Invoice): Invoice {
  return { ...invoice, sentAt: now, sends: invoice.sends + 1 }
}

function isFinal({ status }: Invoice): boolean {
  return status !== 'DRAFT' && status !== 'VOID'
}

/**
 * An invoice that no payment paid is not due any more. It keeps its number, and the customer gets
 * back the credit that paid it.
 */
export async function voidInvoice(tx: Tx, times: Times, name: InvoiceName): Promise<Invoice> {
  const { now } = times
  const { before, books } = await openBooks(tx, name)
  if (before.status === 'VOID') return before
  refuseUnless(before, before.status !== 'DRAFT', 'It is a draft: delete it instead.')
  const wasPaid = before.amountRefunded > 0n || (await isPaidByPayment(tx, before))
  refuseUnless(before, !wasPaid, 'It was paid: credit it instead.')
  books.unapplyCredit(now, before)
  const voided: Invoice = {
    ...before,
    status: 'VOID',
    amountDue: 0n,
    amountPaid: 0n,
    amountCredited: before.total,
    nextDueAt: null,
    paidAt: null,
    voidedAt: now,
  }
  return write(books, times, voided, { types: ['invoice.voided'], causeId: before.id })
}

export type NewCreditNote = Pick<CreditNote, 'amount' | 'reason' | 'createdByKey' | 'createdByUser'>

/** Gives up a part: first of what is due; what was paid becomes credit of the customer. */
export async function creditInvoice(
  tx: Tx,
  times: Times,
  name: InvoiceName,
  wanted: NewCreditNote,
): Promise<Invoice> {
  const { now } = times
  const { before, books } = await openBooks(tx, name)
  refuseUnless(before, isFinal(before), `It is ${before.status}.`)
  const { environmentId, asset, amountDue, amountPaid } = before
  const { amount } = wanted
  if (amount > amountDue + amountPaid)
    throw invalidField(
      'amount',
      `must be at most ${formatMoney(amountDue + amountPaid, asset)}, what is due or was paid`,
    )
  const ofDue = smallerOf(amount, amountDue)
  const amountToCustomer = amount - ofDue
  const note: CreditNote = {
    ...wanted,
    environmentId,
    id: newId(now),
    invoiceId: before.id,
    amountToCustomer,
    createdAt: now,
  }
  const credited = settle(now, {
    ...before,
    amountDue: amountDue - ofDue,
    amountPaid: amountPaid - amountToCustomer,
    amountCredited: before.amountCredited + amount,
  })
  tx.write(creditNotes.insert(note))
  if (amountToCustomer > 0n)
    books.addCredit(now, before.customerId, {
      kind: 'credit_note',
      asset,
      amount: amountToCustomer,
      causeId: note.id,
      invoiceId: null,
    })
  const types: EventType[] = ['invoice.credited', ...paidTypes(before, credited)]
  return write(books, times, credited, { types, causeId: note.id })
}

function readDraft(invoice: Invoice): DraftInvoice {
  const { asset, series, dueAt, memo, footer, language, metadata } = invoice
  return {
    customer: customerReference({ id: invoice.customerId }),
    asset,
    series,
    dueAt,
    memo,
    footer,
    language,
    metadata,
    lines: readLines(invoice),
    discount: readDiscount(invoice),
    instalments: readInstalments(invoice),
  }
}

/** The last instalment says when the invoice is due. */
function refuseTwoDueDates(dueAt: Date | null, instalments: Instalment[]): void {
  if (dueAt !== null && instalments.length > 0)
    throw invalidField('dueAt', 'cannot be combined with instalments, which have their own')
}

/** Throws a refusal if the total is too large, or the instalments do not add up to it. */
function toColumns(draft: DraftInvoice) {
  const { asset, series, memo, footer, language, metadata, lines, discount, instalments } = draft
  const amounts = priceInvoice(lines, discount, asset)
  const { subtotal, vat, total } = amounts
  const spread = sum(instalments.map(({ amount }) => amount))
  if (instalments.length > 0 && spread !== total)
    throw invalidField(
      'instalments',
      `must add up to the total of ${formatMoney(total, asset)}; they are ${formatMoney(spread, asset)}`,
    )
  const last = instalments.reduce<Date | null>(
    (latest, { dueAt }) => (latest && latest > dueAt ? latest : dueAt),
    null,
  )
  return {
    asset,
    series,
    memo,
    footer,
    language,
    metadata,
    dueAt: last ?? draft.dueAt,
    lines: writeLines(lines),
    discount: writeDiscount(discount),
    instalments: instalments.map(({ amount, dueAt }) => ({
      amount: `${amount}`,
      dueAt: dueAt.toISOString(),
    })),
    subtotal,
    discountAmount: amounts.discount,
    vat,
    total,
    amountDue: total,
  }
}

/** Locked, so that it is not erased meanwhile. */
export async function lockNamedCustomer(
  tx: Tx,
  environmentId: EnvironmentId,
  reference: string,
): Promise<Customer> {
  const customer = await lockCustomer(tx, { environmentId, reference })
  refuseErased(customer)
  return customer
}

function refuseUnless(invoice: Invoice, isAllowed: boolean, why: string): void {
  if (isAllowed) return
  const name = invoiceNumber(invoice) ?? invoiceReference(invoice)
  throw new Refusal('invoice_failed', {
    reason: 'invalid_state',
    message: `${name} cannot be changed like this. ${why}`,
  })
}

/** The invoice, and the books of its customer, whose row is locked before it. */
async function openBooks(
  tx: Tx,
  name: InvoiceName,
): Promise<{ before: Invoice; books: CustomerBooks }> {
  const { environmentId, customerId } = await getInvoice(tx, name)
  const books = await CustomerBooks.open(tx, [{ environmentId, id: customerId }])
  const before = await lockInvoice(tx, name)
  refuseOtherOwner(before, customerId)
  return { before, books }
}

/** A draft can be given to another customer while its own one is locked. */
function refuseOtherOwner(locked: Invoice, customerId: string): void {
  if (locked.customerId === customerId) return
  throw new Refusal('invoice_failed', {
    reason: 'invalid_state',
    message: `${invoiceReference(locked)} was changed meanwhile. Try again.`,
  })
}

/** Besides what happened, the invoice may be paid by it, or a part of it. */
function paidTypes(before: Invoice, changed: Invoice): EventType[] {
  if (changed.status === 'PAID' && before.status !== 'PAID') return ['invoice.paid']
  const isNowPartial = changed.status === 'PARTIALLY_PAID' && before.status === 'DRAFT'
  return isNowPartial ? ['invoice.partially_paid'] : []
}

/** `causeId`: what caused the events, in the order of `types`. */
function write(
  books: CustomerBooks,
  { now, realNow }: Times,
  changed: Invoice,
  { types, causeId }: { types: EventType[]; causeId: string },
): Invoice {
  const written = books.changeInvoice(now, changed, { types, causeId })
  books.write(realNow)
  return written
}
