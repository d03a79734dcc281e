import { limits } from '../limits.js'
import { formatDecimal } from '../money/amounts.js'
import type { Difference } from '../payouts/compare-books.js'
import { listStatement } from '../postgres/statement.js'
import type { Reader } from '../postgres/tx.js'
import type { Announced, CollectionRail } from './ports.js'
import type { NoticeState } from './store-notices.js'

/** What the books know of a payment, by the bank's name for it. */
type Known = { id: string; state: NoticeState; amount: bigint | null }

const columns = { rail: 'text', id: 'text' } as const

const findKnown = listStatement<typeof columns, Known>({
  name: 'find_known_payments',
  columns,
  text: (list) => `
    select n.id, n.state, p.amount from ${list}
    join notices n on n.rail = list.rail and n.id = list.id
    left join payments p on p.rail = n.rail and p.rail_id = n.id`,
})

export type Compared = {
  differences: Difference[]
  /** What the bank has and nobody was told of: it can be judged now. */
  unheard: Announced[]
  isComplete: boolean
}

/**
 * Compares what a bank says came with the payments in the books, both ways. What the bank announced
 * and we refused is known to both, and no difference.
 */
export async function comparePayments(
  db: Reader,
  rail: CollectionRail,
  { from, to }: { from: Date; to: Date },
): Promise<Compared> {
  const seen = new Set<string>()
  const compared: Compared = { differences: [], unheard: [], isComplete: true }
  let after: string | undefined
  for (let pages = 1; ; pages += 1) {
    const { payments, next } = await rail.listPayments({ from, to, after })
    await comparePage({ db, rail: rail.name, compared }, payments)
    for (const { id } of payments) seen.add(id)
    const isEnough = pages === limits.reconcile.statementPages
    if (next === null || isEnough) {
      const isComplete = next === null
      const missing = isComplete ? await findInvented({ db, rail, from }, seen) : []
      return { ...compared, isComplete, differences: [...compared.differences, ...missing] }
    }
    after = next
  }
}

type Page = { db: Reader; rail: string; compared: Compared }

async function comparePage({ db, rail, compared }: Page, payments: Announced[]): Promise<void> {
  if (payments.length === 0) return
  const rows = await db.rows(findKnown(payments.map(({ id }) => ({ rail, id }))))
  const known = new Map(rows.map((row) => [row.id, row]))
  for (const payment of payments) {
    const booked = known.get(payment.id)
    if (!booked) compared.unheard.push(payment)
    const difference = compareOne(payment, booked)
    if (difference) compared.differences.push(difference)
  }
}

function compareOne(payment: Announced, booked: Known | undefined): Difference | undefined {
  const { id: name, accountNumber } = payment
  const atRail = `${show(payment.amount)} into ${accountNumber}`
  if (!booked) return { kind: 'not_in_books', name, inBooks: 'nothing', atRail }
  if (booked.state === 'REFUSED') return undefined
  if (booked.amount === null) {
    const inBooks = 'a notice that fits no account yet'
    return { kind: 'not_in_books', name, inBooks, atRail }
  }
  return booked.amount === payment.amount
    ? undefined
    : { kind: 'amount_differs', name, inBooks: show(booked.amount), atRail }
}

/** Payments that the bank does not have: money that the books made up. */
async function findInvented(
  { db, rail, from }: { db: Reader; rail: CollectionRail; from: Date },
  seen: Set<string>,
): Promise<Difference[]> {
  const rows = await db.rows<{ id: string; number: string; amount: bigint }>({
    text: `
      select p.rail_id as id, p.amount, a.number from notices n
      join payments p on p.rail = n.rail and p.rail_id = n.id
      join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id
      where n.rail = $1 and n.received_at >= $2 and n.state = 'TAKEN'`,
    values: [rail.name, from],
  })
  const differences: Difference[] = []
  for (const { id, number, amount } of rows.filter((row) => !seen.has(row.id))) {
    // Told just now, or before the time that was compared: the bank is asked for it by account.
    const atBank = await rail.findPayments(number)
    if (atBank.some((payment) => payment.id === id)) continue
    differences.push({ kind: 'not_at_rail', name: id, inBooks: show(amount), atRail: 'nothing' })
  }
  return differences
}

function show(amount: bigint): string {
  return `${formatDecimal(amount, 'NGN')} NGN`
}
