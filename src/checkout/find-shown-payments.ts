import { limits } from '../base/limits.js'
import type { CollectionAccount } from '../collections/accounts/account.js'
import type { Payment } from '../collections/payments/payment.js'
import {
  findLatestPayments,
  type PaymentRow,
  paymentColumns,
  toPayment,
} from '../collections/payments/store-payments.js'
import { listStatement } from '../postgres/statement.js'
import type { Queryable } from '../postgres/transactions/tx.js'

export type ShownPayments = {
  /** Newest first. */
  payments: Payment[]
  /** Whether the account has more payments than these. */
  hasMore: boolean
}

/**
 * Up to `limit` payments of each account, by account id. If an account has more: its newest, then
 * the largest not returned, then the latest, so that many small payments do not hide a large one.
 * Finds the largest among a bounded number of the latest.
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

/** Whether money that was not returned is missing from the latest payments. Rare. */
function hidesMoney(account: CollectionAccount, latest: Payment[] = [], limit: number): boolean {
  if (latest.length <= limit) return false
  const shown = latest.slice(0, limit).reduce((sum, payment) => sum + notReturned(payment), 0n)
  return shown < notReturned(account)
}

function notReturned(
  payment: Pick<Payment, 'amountAccepted' | 'amountHeld' | 'amountReturning'>,
): bigint {
  return payment.amountAccepted + payment.amountHeld + payment.amountReturning
}

/** The `limit` most preferred payments without duplicates, sorted newest first. */
function choose(byPreference: Payment[], limit: number): Payment[] {
  const unique = new Map(byPreference.map((payment) => [payment.id, payment]))
  const chosen = [...unique.values()].slice(0, limit)
  return chosen.sort((a, b) => (a.id < b.id ? 1 : -1))
}

const accountKey = { environmentId: 'int4', id: 'uuid' } as const

/** Of equal amounts, money that stays comes before money that is being returned. */
const largestOf = listStatement<typeof accountKey, PaymentRow>({
  name: 'find_largest_payments',
  columns: accountKey,
  text: (list, parameter) => `
    select ${paymentColumns} from ${list}
    cross join lateral (select * from (
        select * from payments
        where environment_id = list.environment_id and account_id = list.id
        order by id desc limit ${limits.checkout.paymentsComparedMax}) one
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
  const byAccount = new Map<string, Payment[]>(accounts.map(({ id }) => [id, []]))
  for (const row of await db.rows(largestOf(accounts, limit)))
    byAccount.get(row.accountId)!.push(toPayment(row))
  return byAccount
}
