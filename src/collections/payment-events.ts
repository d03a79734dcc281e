import type { EventType } from '../events/catalogue.js'
import type { NewEvent } from '../events/emit.js'
import { showAccount, showCredit } from '../resources/collection-account.js'
import { showPayment } from '../resources/payment.js'
import { type CollectionAccount, eventOf, isDedicated } from './account.js'
import type { AccountWithPayments } from './find-accounts.js'
import type { Payment } from './payment.js'
import type { JudgedPayment } from './record-payments.js'

/** As they are written: each account once, in its last state. */
type Left = { accounts: CollectionAccount[]; payments: Payment[] }

/**
 * What merchants are told of payments, in the order they were judged, and the accounts and payments
 * with their events counted.
 */
export function toPaymentEvents(taken: JudgedPayment[]): { happenings: NewEvent[]; left: Left } {
  const accounts = new Map<string, CollectionAccount>()
  const happenings: NewEvent[] = []
  const sequenceOf = ({ id, eventSequence }: CollectionAccount) =>
    accounts.get(id)?.eventSequence ?? eventSequence
  const payments = taken.map((one) => {
    const { account, payment, ended } = one
    let sequence = sequenceOf(account)
    const types = typesOf(one)
    const data = types.length > 0 ? showLeft(one) : ''
    for (const type of types) {
      sequence += 1
      happenings.push(toHappening(type, account, { causeId: payment.id, sequence, data }))
    }
    accounts.set(account.id, { ...account, eventSequence: sequence })
    if (ended) {
      const counted = { ...ended.account, eventSequence: sequenceOf(ended.account) + 1 }
      happenings.push(toEndEvents({ ...ended, account: counted }))
      accounts.set(counted.id, counted)
    }
    const told = placesTold(payment)
    for (const [index, type] of told.entries())
      happenings.push(toPaymentEvent(type, payment, { causeId: payment.id, sequence: index + 1 }))
    return { ...payment, eventSequence: told.length }
  })
  return { happenings, left: { accounts: [...accounts.values()], payments } }
}

function showLeft({ account, payment, payments }: JudgedPayment): string {
  return isDedicated(account) ? showCredit(account, payment) : showAccount(account, payments)
}

function typesOf({ account, payment, isNowPaid }: JudgedPayment): EventType[] {
  if (isDedicated(account))
    return payment.amountAccepted > 0n ? [eventOf(account, 'CREDITED')!] : []
  const mismatch = eventOf(account, payment.variance)
  return [...(mismatch ? [mismatch] : []), ...(isNowPaid ? [eventOf(account, 'PAID')!] : [])]
}

function placesTold({ amountHeld, amountReturning }: Payment): EventType[] {
  return [
    ...(amountHeld > 0n ? (['payment.held'] as const) : []),
    ...(amountReturning > 0n ? (['payment.returning'] as const) : []),
  ]
}

/** An account has ended: it was cancelled, deactivated, or expired. */
export function toEndEvents({ account, payments }: AccountWithPayments): NewEvent {
  const { id: causeId, eventSequence: sequence } = account
  const data = showAccount(account, payments)
  return toHappening(eventOf(account, account.status)!, account, { causeId, sequence, data })
}

type Cause = { causeId: string; sequence: number }

export function toPaymentEvent(type: EventType, payment: Payment, cause: Cause): NewEvent {
  return toHappening(type, payment, { ...cause, data: JSON.stringify(showPayment(payment)) })
}

function toHappening(
  type: EventType,
  { environmentId, id }: Pick<CollectionAccount, 'environmentId' | 'id'>,
  rest: Cause & { data: string },
): NewEvent {
  return { environmentId, type, resourceId: id, ...rest }
}
