import { limits } from '../base/limits.js'
import type { CollectionAccount } from '../collections/account.js'
import type { Payment } from '../collections/payment.js'
import {
  findLatestPayments,
  type PaymentRow,
  paymentColumns,
  toPayment,
} from '../collections/store-payments.js'
import { listStatement } from '../postgres/statement.js'
import type { Queryable } from '../postgres/tx.js'

export type ShownPayments = {
  /** Newest first. */
  payments: Payment[]
  /** Whether the account has more payments than these. */
  hasMore: boolean
}

/**
 * The payments of each account, by account id. If there are more than `limit`, the newest one and
 * those with the most money not sent back: many small payments must not hide a large one. Considers
 * a bounded number of the latest payments.
 */
export async function findShownPayments(
  db: Queryable,
  accounts: CollectionAccount[],
  limit: number,
): Promise<Map<string, ShownPayments>> {
  const latest = await findLatestPayments(db, accounts, limit + 1)
  const incomplete = accounts.filter((account) =>
    hidesMoney(account, latest.get(account.id), limit),
  )
  const largest = await findLargest(db, incomplete, limit)
  const shown = [...latest].map(([id, payments]): [string, ShownPayments] => [
    id,
    {
      payments: choose([payments[0]!, ...(largest.get(id) ?? []), ...payments], limit),
      hasMore: payments.length > limit,
    },
  ])
  return new Map(shown)
}

/** Whether the latest payments leave out one that was not sent back. Rare. */
function hidesMoney(account: CollectionAccount, latest: Payment[] = [], limit: number): boolean {
  if (latest.length <= limit) return false
  const shown = latest.slice(0, limit).reduce((sum, payment) => sum + notSentBack(payment), 0n)
  return shown < notSentBack(account)
}

function notSentBack(
  one: Pick<Payment, 'amountAccepted' | 'amountHeld' | 'amountReturning'>,
): bigint {
  return one.amountAccepted + one.amountHeld + one.amountReturning
}

/** The first `limit` payments without duplicates, newest first. */
function choose(payments: Payment[], limit: number): Payment[] {
  const unique = new Map(payments.map((payment) => [payment.id, payment]))
  const first = [...unique.values()].slice(0, limit)
  return first.sort((one, other) => (one.id < other.id ? 1 : -1))
}

const named = { environment_id: 'int4', id: 'uuid' } as const

const largestOf = listStatement<typeof named, PaymentRow>({
  name: 'find_largest_payments',
  columns: named,
  text: (list, parameter) => `
    select ${paymentColumns} from ${list}
    cross join lateral (select * from (
        select * from payments
        where environment_id = list.environment_id and account_id = list.id
        order by id desc limit ${limits.checkout.paymentsCompared}) one
      where one.amount_returned < one.amount
      order by one.amount - one.amount_returned desc,
        one.amount_accepted + one.amount_held desc, one.id desc limit ${parameter(0)}) p`,
})

async function findLargest(
  db: Queryable,
  accounts: CollectionAccount[],
  limit: number,
): Promise<Map<string, Payment[]>> {
  if (accounts.length === 0) return new Map()
  const names = accounts.map(({ environmentId, id }) => ({ environment_id: environmentId, id }))
  const found = new Map<string, Payment[]>(accounts.map(({ id }) => [id, []]))
  for (const row of await db.rows(largestOf(names, limit)))
    found.get(row.accountId)!.push(toPayment(row))
  return found
}
