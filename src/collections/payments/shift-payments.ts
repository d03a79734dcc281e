import type { RealTime } from '../../base/clock.js'
import type { EventType } from '../../events/catalogue.js'
import { emitAll, type NewEvent } from '../../events/emit.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Amounts, CollectionAccount } from '../accounts/account.js'
import { lockCollectionAccounts, updateCollectionAccounts } from '../accounts/store-accounts.js'
import type { Refund } from '../returns/store-returns.js'
import { wakePages } from '../sessions/wake-pages.js'
import type { Payment } from './payment.js'
import { toPaymentEvent } from './payment-events.js'
import { lockPayments, updatePayments } from './store-payments.js'

export type AmountName = keyof Amounts

/** Moves money of a payment between its amounts, for example from held to returning. */
export type Shift = {
  paymentId: string
  amount: bigint
  from: AmountName
  to: AmountName
  event?: { type: EventType; causeId: string; refund?: Refund }
}

export type LockedPayments = {
  payments: Map<string, Payment>
  accounts: Map<string, CollectionAccount>
}

/** Lock order: payments, then their collection accounts, then ledger accounts. */
export async function lockWithAccounts(
  tx: Tx,
  names: Pick<Payment, 'environmentId' | 'id'>[],
): Promise<LockedPayments> {
  const payments = await lockPayments(tx, names)
  const accounts = await lockCollectionAccounts(
    tx,
    [...payments.values()].map(({ environmentId, accountId }) => ({
      environmentId,
      id: accountId,
    })),
  )
  return { payments, accounts }
}

/**
 * Shifts amounts of locked payments and of their accounts, and emits the events. Updates the maps
 * to what is written.
 */
export function shiftPayments(
  tx: Tx,
  now: RealTime,
  { payments, accounts }: LockedPayments,
  shifts: Shift[],
): void {
  const events: NewEvent[] = []
  for (const { paymentId, amount, from, to, event } of shifts) {
    const before = payments.get(paymentId)!
    const payment = {
      ...before,
      ...shifted(before, { amount, from, to }),
      eventSequence: before.eventSequence + (event ? 1 : 0),
    }
    payments.set(paymentId, payment)
    const account = accounts.get(payment.accountId)!
    if (account.amount !== null)
      accounts.set(account.id, { ...account, ...shifted(account, { amount, from, to }) })
    if (!event) continue
    const { eventSequence: sequence } = payment
    const { type, causeId, refund } = event
    events.push(toPaymentEvent(type, { ...payment, refund }, { causeId, sequence }))
  }
  updatePayments(tx, [...payments.values()])
  updateCollectionAccounts(tx, [...accounts.values()])
  emitAll(tx, now, events)
  wakePages(tx, [...accounts.values()])
}

function shifted(
  amounts: Amounts,
  { amount, from, to }: Pick<Shift, 'amount' | 'from' | 'to'>,
): Partial<Amounts> {
  return { [from]: amounts[from] - amount, [to]: amounts[to] + amount }
}
