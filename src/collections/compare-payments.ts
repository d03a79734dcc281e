import { limits } from '../base/limits.js'
import { formatDecimal } from '../money/amounts.js'
import type { Difference } from '../payouts/compare-books.js'
import type { Reader } from '../postgres/tx.js'
import type { PaymentNotice } from './ports.js'
import { type BankInMode, type Known, readBank } from './read-bank.js'

export type Compared = { differences: Difference[]; isComplete: boolean }

/**
 * Compares what a bank says came with the payments in the books, both ways. What the bank announced
 * and we refused is known to both, and no difference.
 */
export async function comparePayments(
  db: Reader,
  bank: BankInMode,
  period: { from: Date; to: Date },
): Promise<Compared> {
  const seen = new Set<string>()
  const differences: Difference[] = []
  const isComplete = await readBank(db, { ...bank, ...period }, (payment, booked) => {
    seen.add(payment.id)
    const difference = compareOne(payment, booked)
    if (difference) differences.push(difference)
  })
  if (!isComplete) return { differences, isComplete }
  const invented = await findInvented(db, { ...bank, from: period.from }, seen)
  return { ...invented, differences: [...differences, ...invented.differences] }
}

function compareOne(payment: PaymentNotice, booked: Known | undefined): Difference | undefined {
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
  db: Reader,
  { rail, mode, from }: BankInMode & { from: Date },
  seen: Set<string>,
): Promise<Compared> {
  const { noticesCompared, numbersAsked } = limits.reconcile
  const rows = await db.rows<{ id: string; number: string; amount: bigint }>({
    text: `
      select p.rail_id as id, p.amount, a.number from notices n
      join payments p on p.rail = n.rail and p.rail_id = n.id
      join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id
      where n.rail = $1 and n.mode = $2 and n.received_at >= $3 and n.state = 'TAKEN'
      order by n.received_at limit $4`,
    values: [rail.name, mode, from, noticesCompared],
  })
  const unseen = rows.filter(({ id }) => !seen.has(id))
  const differences: Difference[] = []
  for (const { id, number, amount } of unseen.slice(0, numbersAsked)) {
    // Told just now, or before the time that was compared: the bank is asked for it by account.
    const atBank = await rail.findPayments(number)
    if (atBank.some((payment) => payment.id === id)) continue
    differences.push({ kind: 'not_at_rail', name: id, inBooks: show(amount), atRail: 'nothing' })
  }
  const isComplete = rows.length < noticesCompared && unseen.length <= numbersAsked
  return { differences, isComplete }
}

function show(amount: bigint): string {
  return `${formatDecimal(amount, 'NGN')} NGN`
}
