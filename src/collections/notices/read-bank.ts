import type { Mode } from '../../base/environment.js'
import { reconcileLimits } from '../../payouts/limits.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { CollectionRail, ReportedPayment } from '../ports.js'
import type { NoticeState } from './store-notices.js'

export type BankInMode = { rail: CollectionRail; mode: Mode }

/** Our notice of a payment; `amount` is null unless the notice became a payment. */
export type RecordedNotice = { id: string; state: NoticeState; amount: bigint | null }

export type BankPage = {
  /** `recorded` is undefined if we never got a notice of the payment. */
  payments: { payment: ReportedPayment; recorded: RecordedNotice | undefined }[]
  /** The place of the page after it; null: there is none. */
  next: string | null
  /** Payments that the bank lists in a way that cannot be read. */
  unreadable: number
}

const columns = { rail: 'text', mode: 'text', id: 'text' } as const

const findRecorded = listStatement<typeof columns, RecordedNotice>({
  name: 'find_known_payments',
  columns,
  text: (list) => `
    select n.id, n.state, p.amount from ${list}
    join notices n on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    left join payments p on p.rail = n.rail and p.rail_id = n.id and n.state = 'BOOKED'`,
})

type Listing = BankInMode & {
  from: Date
  to: Date
  /** Where to begin; by default at the first page. */
  first?: string | undefined
  pagesMax?: number
}

/** Lists a bank's payments of a period next to our records. Stops at the page limit. */
export async function* readBankPages(
  db: Queryable,
  { rail, mode, from, to, first, pagesMax = reconcileLimits.statementPagesMax }: Listing,
): AsyncGenerator<BankPage> {
  let after = first
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const { payments, next, unreadable } = await rail.listPayments({ from, to, after })
    const names = payments.map(({ id }) => ({ rail: rail.name, mode, id }))
    const rows = names.length > 0 ? await db.rows(findRecorded(names)) : []
    const recorded = new Map(rows.map((row) => [row.id, row]))
    yield {
      payments: payments.map((payment) => ({ payment, recorded: recorded.get(payment.id) })),
      next,
      unreadable,
    }
    if (next === null) return
    after = next
  }
}
