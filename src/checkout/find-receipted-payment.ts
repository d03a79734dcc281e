import {
  findListedPayment,
  type ListedPayment,
  type PaymentName,
} from '../collections/payments/find-payments.js'
import { findReturnSummaries } from '../collections/returns/store-returns.js'
import { invoiceNumber } from '../customers/invoices/invoice.js'
import { findInvoicesPaidBy } from '../customers/invoices/store-invoices.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { type ReceivedJson, showReceived } from './resource.js'

/** A payment as its payer may see it, with what a receipt says about it. */
export type ReceiptedPayment = {
  payment: ListedPayment
  received: ReceivedJson
  /** Numbers of the invoices that it paid. */
  invoices: string[]
}

export async function findReceiptedPayment(
  db: Queryable,
  name: PaymentName,
): Promise<ReceiptedPayment> {
  const payment = await findListedPayment(db, name)
  const [returns, invoices] = await Promise.all([
    findReturnSummaries(db, [payment]),
    payment.customerId === null ? [] : findInvoicesPaidBy(db, payment),
  ])
  return {
    payment,
    received: showReceived(payment, returns.get(payment.id)),
    invoices: invoices.map((invoice) => invoiceNumber(invoice)!),
  }
}
