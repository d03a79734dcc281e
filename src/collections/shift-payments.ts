import type { EventType } from '../events/catalogue.js'
import { emitAll, type NewEvent } from '../events/emit.js'
import type { Tx } from '../postgres/tx.js'
import type { Amounts, CollectionAccount } from './account.js'
import { wakePages } from './notify-sessions.js'
import type { Payment } from './payment.js'
import { toPaymentEvent } from './payment-events.js'
import { lockCollectionAccounts, updateCollectionAccounts } from './store-accounts.js'
import { lockPayments, updatePayments } from './store-payments.js'

export type AmountName = keyof Amounts

/** Money of a payment that goes from one place to another, and what the merchant is told of it. */
export type Shift = {
  paymentId: string
  amount: bigint
  from: AmountName
  to: AmountName
  told?: { type: EventType; causeId: string }
}

export type LockedPayments = {
  payments: Map<string, Payment>
  accounts: Map<string, CollectionAccount>
}

/** Payments first, the accounts they came to after; the ledger's accounts come later still. */
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
 * Moves money of locked payments between their places, and the sums of their accounts with it. What
 * was locked is then as it is written.
 */
export function shiftPayments(
  tx: Tx,
  now: Date,
  { payments, accounts }: LockedPayments,
  shifts: Shift[],
): void {
  const happenings: NewEvent[] = []
  for (const { paymentId, amount, from, to, told } of shifts) {
    const before = payments.get(paymentId)!
    const payment = {
      ...before,
      ...shifted(before, { amount, from, to }),
      eventSequence: before.eventSequence + (told ? 1 : 0),
    }
    payments.set(paymentId, payment)
    const account = accounts.get(payment.accountId)!
    if (account.amount !== null)
      accounts.set(account.id, { ...account, ...shifted(account, { amount, from, to }) })
    if (!told) continue
    const { eventSequence: sequence } = payment
    happenings.push(toPaymentEvent(told.type, payment, { causeId: told.causeId, sequence }))
  }
  updatePayments(tx, [...payments.values()])
  updateCollectionAccounts(tx, [...accounts.values()])
  emitAll(tx, now, happenings)
  wakePages(tx, [...accounts.values()])
}

function shifted(
  places: Amounts,
  { amount, from, to }: Pick<Shift, 'amount' | 'from' | 'to'>,
): Partial<Amounts> {
  return { [from]: places[from] - amount, [to]: places[to] + amount }
}
