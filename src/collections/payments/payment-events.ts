import { type JsonText, toJson } from '../../base/json-text.js'
import type { EventType } from '../../events/catalogue.js'
import type { NewEvent } from '../../events/emit.js'
import { type CollectionAccount, eventTypeFor, isDedicated } from '../accounts/account.js'
import type { AccountWithPayments } from '../accounts/find-accounts.js'
import { showAccount, showCredit } from '../accounts/resource.js'
import type { Refund } from '../returns/store-returns.js'
import type { HeldPayment } from '../screening/store-screenings.js'
import type { Payment } from './payment.js'
import { showPayment } from './resource.js'

/** A payment with its account as the payment left it, and the account's latest payments. */
export type JudgedPayment = AccountWithPayments & {
  payment: Payment
  isNowPaid: boolean
  /** The session's other account, if this payment cancelled it. */
  cancelled: AccountWithPayments | undefined
  /** Why it is held for screening. */
  held?: HeldPayment | undefined
}

type SequencedEvents = {
  events: NewEvent[]
  /** Each account once, in its last state. */
  accounts: CollectionAccount[]
  payments: Payment[]
}

/**
 * Numbers the events of judged payments, in the order they were judged, and sets the number of the
 * last event in each account and payment. Returns what to write.
 */
export function sequencePaymentEvents(judged: JudgedPayment[]): SequencedEvents {
  const accounts = new Map<string, CollectionAccount>()
  const events: NewEvent[] = []
  const sequenceOf = ({ id, eventSequence }: CollectionAccount) =>
    accounts.get(id)?.eventSequence ?? eventSequence
  const payments = judged.map((one) => {
    const { account, payment, cancelled } = one
    let sequence = sequenceOf(account)
    const types = accountEventTypes(one)
    const data = types.length > 0 ? showEventData(one) : undefined
    for (const type of types) {
      sequence += 1
      events.push(toEvent(type, account, { causeId: payment.id, sequence, data: data! }))
    }
    account.eventSequence = sequence
    accounts.set(account.id, account)
    if (cancelled) {
      cancelled.account.eventSequence = sequenceOf(cancelled.account) + 1
      events.push(toEndEvent(cancelled))
      accounts.set(cancelled.account.id, cancelled.account)
    }
    const ownTypes = paymentEventTypes(payment)
    for (const [index, type] of ownTypes.entries())
      events.push(toPaymentEvent(type, payment, { causeId: payment.id, sequence: index + 1 }))
    payment.eventSequence = ownTypes.length
    return payment
  })
  return { events, accounts: [...accounts.values()], payments }
}

function showEventData({ account, payment, payments, otherDeposits }: JudgedPayment): JsonText {
  return isDedicated(account)
    ? showCredit(account, payment, otherDeposits)
    : showAccount(account, payments, otherDeposits)
}

function accountEventTypes({ account, payment, isNowPaid }: JudgedPayment): EventType[] {
  if (isDedicated(account))
    return payment.amountAccepted > 0n ? [eventTypeFor(account, 'CREDITED')!] : []
  const types: EventType[] = []
  const mismatch = eventTypeFor(account, payment.variance)
  if (mismatch) types.push(mismatch)
  if (isNowPaid) types.push(eventTypeFor(account, 'PAID')!)
  return types
}

function paymentEventTypes({ amountHeld, amountReturning }: Payment): EventType[] {
  const types: EventType[] = []
  if (amountHeld > 0n) types.push('payment.held')
  if (amountReturning > 0n) types.push('payment.returning')
  return types
}

export function toEndEvent({ account, payments, otherDeposits }: AccountWithPayments): NewEvent {
  const { id: causeId, eventSequence: sequence } = account
  const data = showAccount(account, payments, otherDeposits)
  return toEvent(eventTypeFor(account, account.status)!, account, { causeId, sequence, data })
}

type Cause = { causeId: string; sequence: number }

export function toPaymentEvent(
  type: EventType,
  payment: Payment & { refund?: Refund | undefined },
  cause: Cause,
): NewEvent {
  const { causeId, sequence } = cause
  return toEvent(type, payment, { causeId, sequence, data: toJson(showPayment(payment)) })
}

function toEvent(
  type: EventType,
  { environmentId, id }: Pick<CollectionAccount, 'environmentId' | 'id'>,
  { causeId, sequence, data }: Cause & { data: JsonText },
): NewEvent {
  return { environmentId, type, resourceId: id, causeId, sequence, data }
}
