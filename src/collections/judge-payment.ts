import type { Settings } from '../merchants/settings-document.js'
import { type Amounts, type CollectionAccount, noAmounts, type Variance } from './account.js'

/** What an environment does with money that does not match. */
export type Policy = Settings['policies']['bank']
export type Action = Policy[keyof Policy]

export type PaymentFacts = {
  amount: bigint
  receivedAt: Date
  /** Whether anybody knows where it could go back to. */
  isReturnable: boolean
}

export type Verdict = Amounts & { variance: Variance; isNowPaid: boolean }

type Waiting = Pick<CollectionAccount, 'kind' | 'status' | 'amount' | 'expiresAt' | 'endedAt'>

/**
 * Decides what an incoming payment means for the account that it came to.
 *
 * Lateness is judged by when the bank received the money, not by when its notice reached us: a
 * customer who paid in time must not lose out to a slow notification.
 */
export function judgePayment(account: Waiting, payment: PaymentFacts, policy: Policy): Verdict {
  if (account.amount === null) return judgeAnyAmount(account, payment)
  const whole = (variance: Variance, action: Action) =>
    verdict(account, variance, place(payment, payment.amount, action))

  if (account.status === 'PAID') return whole('DUPLICATE', policy.duplicatePayment)
  const isLate = account.status === 'CANCELLED' || payment.receivedAt >= account.expiresAt!
  if (isLate) return whole('LATE', policy.latePayment)
  if (payment.amount < account.amount) return whole('UNDERPAID', policy.underpayment)
  if (payment.amount === account.amount) return whole('NONE', 'accept')
  const excess = place(payment, payment.amount - account.amount, policy.overpayment)
  const amountAccepted = account.amount + excess.amountAccepted
  return verdict(account, 'OVERPAID', { ...excess, amountAccepted })
}

/** A dedicated account takes whatever comes; once it is closed, somebody has to decide. */
function judgeAnyAmount(account: Waiting, payment: PaymentFacts): Verdict {
  const isLate = account.endedAt !== null && payment.receivedAt >= account.endedAt
  const places = place(payment, payment.amount, isLate ? 'hold' : 'accept')
  return verdict(account, isLate ? 'LATE' : 'NONE', places)
}

/** Money that cannot go back waits for somebody who knows where to. */
function place({ isReturnable }: PaymentFacts, amount: bigint, action: Action): Amounts {
  if (action === 'accept') return { ...noAmounts, amountAccepted: amount }
  return action === 'return' && isReturnable
    ? { ...noAmounts, amountReturning: amount }
    : { ...noAmounts, amountHeld: amount }
}

function verdict(account: Waiting, variance: Variance, places: Amounts): Verdict {
  return { ...places, variance, isNowPaid: isPaidBy(account, places) }
}

/** What was accepted pays an account that still waits; one that was cancelled stays so. */
export function isPaidBy(
  { amount, status }: Pick<CollectionAccount, 'amount' | 'status'>,
  { amountAccepted }: Pick<Amounts, 'amountAccepted'>,
): boolean {
  const isWaiting = status === 'ACTIVE' || status === 'EXPIRED'
  return amount !== null && isWaiting && amountAccepted > 0n
}
