import { formatMoney } from '../../money/amounts.js'
import { reconcileLimits } from '../../payouts/limits.js'
import type { Difference } from '../../payouts/reconciliation/compare-books.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { ReportedPayment } from '../ports.js'
import { type BankInMode, type RecordedNotice, readBankPages } from './read-bank.js'

export type PaymentComparison = {
  differences: Difference[]
  isComplete: boolean
  /** How many payments of the bank were compared. */
  payments: number
}

/**
 * Compares a bank's payments with those in the books, in both directions. A payment that we refused
 * is not a difference.
 */
export async function comparePayments(
  db: Queryable,
  bank: BankInMode,
  period: { from: Date; to: Date },
): Promise<PaymentComparison> {
  const seen = new Set<string>()
  const differences: Difference[] = []
  let isComplete = false
  let unreadable = 0
  for await (const page of readBankPages(db, { ...bank, ...period })) {
    for (const { payment, recorded } of page.payments) {
      seen.add(payment.id)
      const difference = compareOne(payment, recorded)
      if (difference) differences.push(difference)
    }
    unreadable += page.unreadable
    isComplete = page.next === null && unreadable === 0
  }
  if (!isComplete) return { differences, isComplete, payments: seen.size }
  const notAtBank = await findNotAtBank(db, { ...bank, from: period.from }, seen)
  return {
    differences: [...differences, ...notAtBank.differences],
    isComplete: notAtBank.isComplete,
    payments: seen.size,
  }
}

function compareOne(
  payment: ReportedPayment,
  recorded: RecordedNotice | undefined,
): Difference | undefined {
  const { id: name, railAccount } = payment
  const atRail = `${show(payment.amount)} into ${railAccount}`
  if (!recorded) return { kind: 'not_in_books', name, inBooks: 'nothing', atRail }
  if (recorded.state === 'REFUSED') return undefined
  if (recorded.amount === null)
    return { kind: 'not_in_books', name, inBooks: 'an unmatched notice', atRail }
  return recorded.amount === payment.amount
    ? undefined
    : { kind: 'amount_differs', name, inBooks: show(recorded.amount), atRail }
}

async function findNotAtBank(
  db: Queryable,
  { rail, mode, from }: BankInMode & { from: Date },
  seen: Set<string>,
): Promise<Omit<PaymentComparison, 'payments'>> {
  const { noticesComparedMax, accountsQueriedMax } = reconcileLimits
  const rows = await db.rows<{ id: string; account: string; amount: bigint }>({
    text: `
      select p.rail_id as id, p.amount,
        case when n.assigned_account is null then a.rail_account
          else n.report ->> 'accountNumber' end as account
      from notices n
      join payments p on p.rail = n.rail and p.rail_id = n.id
      join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id
      where n.rail = $1 and n.mode = $2 and n.received_at >= $3 and n.state = 'BOOKED'
      order by n.received_at limit $4`,
    values: [rail.name, mode, from, noticesComparedMax],
  })
  const unseen = rows.filter(({ id }) => !seen.has(id))
  const differences: Difference[] = []
  for (const { id, account, amount } of unseen.slice(0, accountsQueriedMax)) {
    // The payment may be outside the compared period, so query the bank by account.
    const atBank = await rail.findPayments(account)
    if (atBank.some((payment) => payment.id === id)) continue
    differences.push({ kind: 'not_at_rail', name: id, inBooks: show(amount), atRail: 'nothing' })
  }
  const isComplete = rows.length < noticesComparedMax && unseen.length <= accountsQueriedMax
  return { differences, isComplete }
}

function show(amount: bigint): string {
  return formatMoney(amount, 'NGN')
}
