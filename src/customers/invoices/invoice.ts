import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Language } from '../../base/languages.js'
import type { Asset } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'

/** Stored; an invoice whose time has passed is shown as `OVERDUE`. */
export const storedStatuses = ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID'] as const
export type StoredStatus = (typeof storedStatuses)[number]

export const invoiceStatuses = [...storedStatuses, 'OVERDUE'] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** Amounts as JSON keeps them: bigints as text. */
export type WrittenLine = {
  description: string
  /** In thousandths. */
  quantity: string
  unitAmount: string
  vatBasisPoints: number
}
export type WrittenDiscount = { amount: string } | { basisPoints: number }
export type WrittenInstalment = { amount: string; dueAt: string }

export const invoices = new Table('invoices', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  customerId: column.uuid(),
  series: column.text(),
  /** Null while it is a draft. */
  number: column.int8().orNull(),
  status: column.text<StoredStatus>(),
  asset: column.text<Asset>(),
  lines: column.json<WrittenLine[]>(),
  discount: column.json<WrittenDiscount>().orNull(),
  subtotal: column.int8(),
  discountAmount: column.int8(),
  vat: column.int8(),
  total: column.int8(),
  /** The four add up to the total. */
  amountDue: column.int8(),
  amountPaid: column.int8(),
  amountCredited: column.int8(),
  amountRefunded: column.int8(),
  instalments: column.json<WrittenInstalment[]>(),
  dueAt: column.time().orNull(),
  /** Of the first instalment that is not paid; null if nothing is due. */
  nextDueAt: column.time().orNull(),
  memo: column.text().orNull(),
  footer: column.text().orNull(),
  language: column.text<Language>(),
  metadata: column.jsonText(),
  /** Opens the page of the invoice. */
  pageToken: column.text(),
  url: column.text(),
  /** When it was last mailed to its customer. */
  sentAt: column.time().orNull(),
  sends: column.int4(),
  /** Set if a schedule made it, for this period. */
  scheduleId: column.uuid().orNull(),
  period: column.text().orNull(),
  eventSequence: column.int4(),
  createdAt: column.time(),
  finalizedAt: column.time().orNull(),
  paidAt: column.time().orNull(),
  voidedAt: column.time().orNull(),
})

export type Invoice = typeof invoices.row

export function invoiceReference({ id }: Pick<Invoice, 'id'>): string {
  return toReference(prefixes.invoice, id)
}

/** As people write it, such as INV-000042; null while it is a draft. */
export function invoiceNumber({ series, number }: Pick<Invoice, 'series' | 'number'>) {
  return number === null ? null : `${series}-${String(number).padStart(6, '0')}`
}

export const creditNotes = new Table('credit_notes', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  invoiceId: column.uuid(),
  amount: column.int8(),
  amountToCustomer: column.int8(),
  reason: column.text().orNull(),
  createdByKey: column.uuid().orNull(),
  createdByUser: column.uuid().orNull(),
  createdAt: column.time(),
})

export type CreditNote = typeof creditNotes.row
