import { listUnpaid, type PayableInvoice } from './allocate.js'
import type { Invoice } from './invoice.js'
import { readInstalments } from './read-invoice.js'

/** The status and next due date of a final invoice, from its amounts. */
export function settle(now: Date, invoice: Invoice): Invoice {
  if (invoice.amountDue === 0n)
    return { ...invoice, status: 'PAID', nextDueAt: null, paidAt: invoice.paidAt ?? now }
  const status = invoice.amountPaid > 0n ? 'PARTIALLY_PAID' : 'OPEN'
  const [next] = listUnpaid(toPayable(invoice))
  return { ...invoice, status, nextDueAt: next!.dueAt, paidAt: null }
}

/** As payments see it. */
export function toPayable(invoice: Invoice): PayableInvoice {
  const { id, amountDue, total, dueAt } = invoice
  const instalments = readInstalments(invoice)
  return {
    id,
    finalizedOrder: BigInt(invoice.finalizedAt?.getTime() ?? 0),
    due: amountDue,
    instalments: instalments.length > 0 ? instalments : [{ amount: total, dueAt: dueAt! }],
  }
}
