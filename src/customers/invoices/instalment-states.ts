import { type Instalment, listUnpaid } from './allocate.js'
import type { Invoice } from './invoice.js'
import { readInstalments } from './read-invoice.js'
import { toPayable } from './settle.js'

/** An instalment with what is still to be paid of it. */
export type InstalmentState = Instalment & { due: bigint; isOverdue: boolean }

/** The instalments of a final invoice, earliest first; empty if all is due at once. */
export function listInstalments(invoice: Invoice, now: Date): InstalmentState[] {
  const sorted = readInstalments(invoice).sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
  const unpaid = sorted.length === 0 ? [] : listUnpaid(toPayable(invoice))
  const paidCount = sorted.length - unpaid.length
  return sorted.map((instalment, index) => {
    const due = unpaid[index - paidCount]?.amount ?? 0n
    return { ...instalment, due, isOverdue: due > 0n && instalment.dueAt < now }
  })
}
