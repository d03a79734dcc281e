import { smallerOf } from '../../money/amounts.js'

/** Part of an invoice with a due date of its own; an invoice without instalments has one. */
export type Instalment = { amount: bigint; dueAt: Date }

/** What an allocation needs to know of an open invoice. */
export type PayableInvoice = {
  id: string
  /** In the order in which invoices were finalized. */
  finalizedOrder: bigint
  /** Still to be paid; more than zero. */
  due: bigint
  /** Their amounts add up to the total of the invoice. */
  instalments: readonly Instalment[]
}

export type Allocation = { invoiceId: string; amount: bigint }

/** `credit`: what no invoice needs; it becomes credit of the customer. */
export type Allocated = { allocations: Allocation[]; credit: bigint }

/** Money that came through the account or session of one invoice pays only this one. */
export function allocateToOne(amount: bigint, invoice: PayableInvoice | undefined): Allocated {
  if (!invoice) return { allocations: [], credit: amount }
  const paid = smallerOf(amount, invoice.due)
  return { allocations: [{ invoiceId: invoice.id, amount: paid }], credit: amount - paid }
}

/**
 * Money that came through the dedicated account of a customer. An exact amount says what it is for:
 * all that is due of an invoice, or else its next instalment, the oldest first. Any other amount
 * pays instalments in the order of their due dates. What is left becomes credit.
 */
export function allocateToOldest(amount: bigint, invoices: readonly PayableInvoice[]): Allocated {
  const unpaid = invoices.flatMap(listUnpaid).sort(byDueDate)
  const next = unpaid.filter(({ isNext }) => isNext)
  const exact =
    next.find(({ invoice }) => invoice.due === amount) ??
    next.find((part) => part.amount === amount)
  if (exact) return allocateToOne(amount, exact.invoice)
  const paid = new Map<string, bigint>()
  let left = amount
  for (const { invoice, amount: wanted } of unpaid) {
    if (left === 0n) break
    const part = smallerOf(wanted, left)
    left -= part
    paid.set(invoice.id, (paid.get(invoice.id) ?? 0n) + part)
  }
  const allocations = [...paid].map(([invoiceId, part]) => ({ invoiceId, amount: part }))
  return { allocations, credit: left }
}

type UnpaidPart = Instalment & {
  invoice: PayableInvoice
  /** Whether the parts before it are paid. */
  isNext: boolean
}

/** The instalments that are not paid yet, earliest first: earlier ones are paid first. */
export function listUnpaid(invoice: PayableInvoice): UnpaidPart[] {
  const unpaid: UnpaidPart[] = []
  let left = invoice.due
  // What is due belongs to the last instalments.
  for (const { amount, dueAt } of [...invoice.instalments].sort(byTime).reverse()) {
    if (left === 0n) break
    const part = smallerOf(amount, left)
    left -= part
    unpaid.unshift({ invoice, amount: part, dueAt, isNext: false })
  }
  if (unpaid[0]) unpaid[0].isNext = true
  return unpaid
}

function byTime(one: Instalment, other: Instalment): number {
  return one.dueAt.getTime() - other.dueAt.getTime()
}

function byDueDate(one: UnpaidPart, other: UnpaidPart): number {
  const order = one.invoice.finalizedOrder - other.invoice.finalizedOrder
  return byTime(one, other) || (order < 0n ? -1 : order > 0n ? 1 : 0)
}
