import { CustomerBooks } from '../../customers/customer-books.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Payment } from './payment.js'

/** The books of the customers through whose accounts payments came; undefined if of none. */
export async function openBooksOf(
  tx: Tx,
  judged: { payment: Payment }[],
  waiting?: { waits: boolean },
): Promise<CustomerBooks | undefined> {
  const keys = judged.flatMap(({ payment: { environmentId, customerId } }) =>
    customerId === null ? [] : [{ environmentId, id: customerId }],
  )
  return keys.length === 0 ? undefined : CustomerBooks.open(tx, keys, waiting)
}

/** Pays invoices with what was accepted of a payment: all of it, or what is accepted later. */
export function receiveFor(
  books: CustomerBooks | undefined,
  payment: Payment,
  { amount, now } = { amount: payment.amountAccepted, now: payment.createdAt },
): void {
  const { id: paymentId, customerId, invoiceId, asset } = payment
  if (!books || customerId === null || amount === 0n) return
  books.receive({ paymentId, customerId, invoiceId, asset, amount, now })
}

/** Takes a refund back from the invoices that the payment paid, and from credit. */
export async function takeFromInvoices(
  tx: Tx,
  payment: Payment,
  { returnId, amount, now }: { returnId: string; amount: bigint; now: Date },
): Promise<CustomerBooks | undefined> {
  const { environmentId, id, customerId, asset } = payment
  if (customerId === null) return undefined
  const books = await CustomerBooks.open(tx, [{ environmentId, id: customerId }])
  books.refund(await books.findUse({ environmentId, id, customerId, asset }), {
    customerId,
    asset,
    returnId,
    amount,
    now,
  })
  return books
}
