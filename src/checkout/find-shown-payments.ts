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
import type { Reader } from '../postgres/tx.js'

/** What everyone is shown of the money that came to an account. */
export type ShownPayments = {
  /** Newest first. */
  payments: Payment[]
  /** More came than are shown. */
  hasMore: boolean
}

/**
 * All payments of each account, by its id, or where there are more than `limit`, those that matter:
 * the newest, then those of which most has not gone back, among a bounded number of the latest.
 * A large payment stays in sight when small ones follow it.
 */
export async function findShownPayments(
  db: Reader,
  accounts: CollectionAccount[],
  limit: number,
): Promise<Map<string, ShownPayments>> {
  const latest = await findLatestPayments(db, accounts, limit + 1)
  const crowded = accounts.filter((account) => isHiding(account, latest.get(account.id), limit))
  const largest = await findLargest(db, crowded, limit)
  const shown = [...latest].map(([id, payments]): [string, ShownPayments] => [
    id,
    {
      payments: choose([payments[0]!, ...(largest.get(id) ?? []), ...payments], limit),
      hasMore: payments.length > limit,
    },
  ])
  return new Map(shown)
}

/** Something that has not gone back is not among the latest. Few accounts ever come so far. */
function isHiding(account: CollectionAccount, latest: Payment[] = [], limit: number): boolean {
  if (latest.length <= limit) return false
  const seen = latest.slice(0, limit).reduce((sum, payment) => sum + keptOf(payment), 0n)
  return seen < keptOf(account)
}

function keptOf(one: Pick<Payment, 'amountAccepted' | 'amountHeld' | 'amountReturning'>): bigint {
  return one.amountAccepted + one.amountHeld + one.amountReturning
}

/** The first ones, each once, newest first. */
function choose(payments: Payment[], limit: number): Payment[] {
  const unique = new Map(payments.map((payment) => [payment.id, payment]))
  const first = [...unique.values()].slice(0, limit)
  return first.sort((one, other) => (one.id < other.id ? 1 : -1))
}

const named = { environment_id: 'int4', id: 'uuid' } as const

const largestOf = listStatement<typeof named, PaymentRow>({
  name: 'find_largest_payments',
  columns: named,
  text: (list, more) => `
    select ${paymentColumns} from ${list}
    cross join lateral (select * from (
        select * from payments
        where environment_id = list.environment_id and account_id = list.id
        order by id desc limit ${limits.checkout.paymentsCompared}) one
      where one.amount_returned < one.amount
      order by one.amount - one.amount_returned desc,
        one.amount_accepted + one.amount_held desc, one.id desc limit ${more(0)}) p`,
})

async function findLargest(
  db: Reader,
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
