import type { EventType } from '../events/catalogue.js'
import type { Happening } from '../events/emit.js'
import { type Account, eventOf, isDedicated } from './account.js'
import type { Found } from './find-accounts.js'
import type { Payment } from './payment.js'
import { showAccount, showCredit } from './show-account.js'
import { showPayment } from './show-payment.js'
import type { Taken } from './take-payments.js'

/** As they are written: each account once, in its last state. */
type Left = { accounts: Account[]; payments: Payment[] }

/**
 * What merchants are told of payments, in the order they were judged, and the accounts and payments
 * with their events counted.
 */
export function tellOfPayments(taken: Taken[]): { happenings: Happening[]; left: Left } {
  const accounts = new Map<string, Account>()
  const happenings: Happening[] = []
  const sequenceOf = ({ id, eventSequence }: Account) =>
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
      happenings.push(tellEnd({ ...ended, account: counted }))
      accounts.set(counted.id, counted)
    }
    const told = placesTold(payment)
    for (const [index, type] of told.entries())
      happenings.push(tellPayment(type, payment, { causeId: payment.id, sequence: index + 1 }))
    return { ...payment, eventSequence: told.length }
  })
  return { happenings, left: { accounts: [...accounts.values()], payments } }
}

function showLeft({ account, payment, payments }: Taken): string {
  return isDedicated(account) ? showCredit(account, payment) : showAccount(account, payments)
}

function typesOf({ account, payment, isNowPaid }: Taken): EventType[] {
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
export function tellEnd({ account, payments }: Found): Happening {
  const { id: causeId, eventSequence: sequence } = account
  const data = showAccount(account, payments)
  return toHappening(eventOf(account, account.status)!, account, { causeId, sequence, data })
}

type Cause = { causeId: string; sequence: number }

export function tellPayment(type: EventType, payment: Payment, cause: Cause): Happening {
  return toHappening(type, payment, { ...cause, data: JSON.stringify(showPayment(payment)) })
}

function toHappening(
  type: EventType,
  { environmentId, id }: Pick<Account, 'environmentId' | 'id'>,
  rest: Cause & { data: string },
): Happening {
  return { environmentId, type, resourceId: id, ...rest }
}
