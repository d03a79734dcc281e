import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { listStatement } from '../postgres/statement.js'
import type { Reader } from '../postgres/tx.js'
import type { CollectionRail, PaymentNotice } from './ports.js'
import type { NoticeState } from './store-notices.js'

/** A bank, in one of its modes. */
export type BankInMode = { rail: CollectionRail; mode: Mode }

/** What the books know of a payment, by the bank's name for it. */
export type Known = { id: string; state: NoticeState; amount: bigint | null }

const columns = { rail: 'text', mode: 'text', id: 'text' } as const

const findKnown = listStatement<typeof columns, Known>({
  name: 'find_known_payments',
  columns,
  text: (list) => `
    select n.id, n.state, p.amount from ${list}
    join notices n on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    left join payments p on p.rail = n.rail and p.rail_id = n.id and n.state = 'TAKEN'`,
})

/**
 * Tells everything that a bank says came in a time, each beside what the books know of it. Says
 * whether that was all: of more pages than the limit, the rest is not read.
 */
export async function readBank(
  db: Reader,
  { rail, mode, from, to }: BankInMode & { from: Date; to: Date },
  hear: (payment: PaymentNotice, booked: Known | undefined) => void,
): Promise<boolean> {
  let after: string | undefined
  for (let pages = 0; pages < limits.reconcile.statementPages; pages += 1) {
    const { payments, next } = await rail.listPayments({ from, to, after })
    const names = payments.map(({ id }) => ({ rail: rail.name, mode, id }))
    const rows = names.length > 0 ? await db.rows(findKnown(names)) : []
    const known = new Map(rows.map((row) => [row.id, row]))
    for (const payment of payments) hear(payment, known.get(payment.id))
    if (next === null) return true
    after = next
  }
  return false
}
