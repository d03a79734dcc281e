import type { Settings } from '../../merchants/settings/settings-document.js'
import {
  type Amounts,
  type CollectionAccount,
  noAmounts,
  type Variance,
} from '../accounts/account.js'

/** What an environment does with payments that do not match. */
export type Policy = Settings['policies']['bank']
export type Action = Policy[keyof Policy]

export type PaymentFacts = {
  amount: bigint
  receivedAt: Date
  /** Whether a destination for sending the money back is known. */
  isReturnable: boolean
  /** Its sender is on a sanctions list, or could not be screened. */
  isHeldForScreening?: boolean
}

/** What a payment means for its account: where its money goes, and whether it pays the account. */
export type Verdict = Amounts & { variance: Variance; isNowPaid: boolean }

type AccountFacts = Pick<
  CollectionAccount,
  'kind' | 'status' | 'amount' | 'amountAccepted' | 'invoiceId' | 'expiresAt' | 'endedAt'
>

/**
 * Decides what an incoming payment means for its account.
 *
 * Lateness is judged by when the bank received the money, not by when its notice reached us: a
 * customer who paid in time must not lose out to a slow notification.
 */
export function judgePayment(
  account: AccountFacts,
  payment: PaymentFacts,
  policy: Policy,
): Verdict {
  const judged = judgeByPolicy(account, payment, policy)
  // No policy accepts it or sends it back: people decide.
  return payment.isHeldForScreening
    ? verdict(account, judged.variance, { ...noAmounts, amountHeld: payment.amount })
    : judged
}

function judgeByPolicy(account: AccountFacts, payment: PaymentFacts, policy: Policy): Verdict {
  if (account.amount === null) return judgeAnyAmount(account, payment)
  if (account.invoiceId !== null) return judgeForInvoice(account, payment)
  const judgeWhole = (variance: Variance, action: Action) =>
    verdict(account, variance, allocate(payment, payment.amount, action))

  if (account.status === 'PAID') return judgeWhole('DUPLICATE', policy.duplicatePayment)
  if (isAfterEnd(account, payment)) return judgeWhole('LATE', policy.latePayment)
  if (payment.amount < account.amount) return judgeWhole('UNDERPAID', policy.underpayment)
  if (payment.amount === account.amount) return judgeWhole('NONE', 'accept')
  const excess = allocate(payment, payment.amount - account.amount, policy.overpayment)
  const amountAccepted = account.amount + excess.amountAccepted
  return verdict(account, 'OVERPAID', { ...excess, amountAccepted })
}

function isAfterEnd({ status, expiresAt }: AccountFacts, { receivedAt }: PaymentFacts): boolean {
  return status === 'CANCELLED' || receivedAt >= expiresAt!
}

/**
 * An account of an invoice accepts any amount at any time: it pays the invoice, and what that does
 * not need is credit of the customer. The variance says how the payment differs from what the
 * account still waited for.
 */
function judgeForInvoice(account: AccountFacts, payment: PaymentFacts): Verdict {
  const amounts = allocate(payment, payment.amount, 'accept')
  return verdict(account, varianceForInvoice(account, payment), amounts)
}

function varianceForInvoice(account: AccountFacts, payment: PaymentFacts): Variance {
  if (account.status === 'PAID') return 'DUPLICATE'
  if (isAfterEnd(account, payment)) return 'LATE'
  const missing = account.amount! - account.amountAccepted
  if (payment.amount === missing) return 'NONE'
  return payment.amount < missing ? 'UNDERPAID' : 'OVERPAID'
}

/** A dedicated account accepts any amount; once it is deactivated, the merchant decides. */
function judgeAnyAmount(account: AccountFacts, payment: PaymentFacts): Verdict {
  const isLate = account.endedAt !== null && payment.receivedAt >= account.endedAt
  const amounts = allocate(payment, payment.amount, isLate ? 'hold' : 'accept')
  return verdict(account, isLate ? 'LATE' : 'NONE', amounts)
}

/** Money without a known destination is held until the merchant names one. */
function allocate({ isReturnable }: PaymentFacts, amount: bigint, action: Action): Amounts {
  if (action === 'accept') return { ...noAmounts, amountAccepted: amount }
  return action === 'return' && isReturnable
    ? { ...noAmounts, amountReturning: amount }
    : { ...noAmounts, amountHeld: amount }
}

function verdict(account: AccountFacts, variance: Variance, amounts: Amounts): Verdict {
  return { ...amounts, variance, isNowPaid: isPaidBy(account, amounts) }
}

/**
 * Any accepted amount pays an account that expects one; that of an invoice is paid once all its
 * payments together cover the amount. An expired account can still be paid: by a payment that the
 * bank received in time, or by a late one that is accepted. A cancelled account stays cancelled,
 * and a paid one is not paid again.
 */
export function isPaidBy(
  account: Pick<CollectionAccount, 'amount' | 'amountAccepted' | 'invoiceId' | 'status'>,
  { amountAccepted }: Pick<Amounts, 'amountAccepted'>,
): boolean {
  const { amount, invoiceId, status } = account
  const isPayable = status === 'ACTIVE' || status === 'EXPIRED'
  if (amount === null || !isPayable) return false
  return invoiceId === null
    ? amountAccepted > 0n
    : account.amountAccepted + amountAccepted >= amount
}
