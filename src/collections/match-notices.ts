import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { assets } from '../money/assets.js'
import type { CollectionAccount } from './account.js'
import type { PaymentNotice } from './ports.js'
import { type AccountNumber, numberKey } from './store-accounts.js'
import type { JudgedNotice, Notice } from './store-notices.js'

const tooLarge = 'too_large'
const anotherCurrency = 'another_currency'

/** Why the payment cannot be booked into any account; null if it can. */
export function findDefect({ amount, currency }: PaymentNotice): string | null {
  if (!(currency in assets)) return anotherCurrency
  if (amount <= 0n) return 'not_positive'
  return amount > limits.money.wireMax ? tooLarge : null
}

/** A virtual account accepts naira, a wallet its own coin, or any coin if it names none. */
export function acceptsCurrency(
  { asset }: Pick<CollectionAccount, 'asset'>,
  { payment: { currency } }: Notice,
): boolean {
  return asset === null ? currency !== 'NGN' : asset === currency
}

/** The API shows the sum of an account's payments as one number, which has a maximum. */
export function exceedsLimit(
  { amount, amountReceived }: CollectionAccount,
  { payment }: Notice,
): boolean {
  return amount !== null && amountReceived + payment.amount > limits.money.wireMax
}

export function concludeNotice(
  now: Date,
  notice: Notice,
  { accounts, tooLargeNotices }: Conclusions,
): JudgedNotice {
  const { rail, mode, id, payment, attempts } = notice
  const account = accounts.get(accountKeyOf(notice))
  const mismatch = account && !acceptsCurrency(account, notice) ? anotherCurrency : null
  const reason = tooLargeNotices.has(notice) ? tooLarge : (findDefect(payment) ?? mismatch)
  const state = reason ? 'REFUSED' : account ? 'TAKEN' : 'UNMATCHED'
  return { rail, mode, id, state, reason, due_at: after(now, retryDelayMs(attempts)) }
}

type Conclusions = { accounts: Map<string, CollectionAccount>; tooLargeNotices: Set<Notice> }

/** Short at first, because the account may be about to be committed; then doubling. */
function retryDelayMs(attempts: number): number {
  const { noticeRetryDelayMs, noticeRetryDelayMaxMs } = limits.collections
  return Math.min(noticeRetryDelayMs * 2 ** Math.min(attempts, 20), noticeRetryDelayMaxMs)
}

export function accountNumberOf({ rail, mode, payment }: Notice): AccountNumber {
  return { rail, mode, number: payment.accountNumber }
}

/** The key of the notice's account in the map of `lockAccountsByNumber`. */
export function accountKeyOf(notice: Notice): string {
  return numberKey(accountNumberOf(notice))
}
