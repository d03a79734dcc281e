import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { assets } from '../money/assets.js'
import type { CollectionAccount } from './account.js'
import type { PaymentNotice } from './ports.js'
import { numberKey } from './store-accounts.js'
import type { JudgedNotice, Notice } from './store-notices.js'

/** Null where the notice is about money that we keep books in. */
export function whyUnsound({ amount, currency }: PaymentNotice): string | null {
  if (!(currency in assets)) return anotherCurrency
  if (amount <= 0n) return 'not_positive'
  return amount > limits.money.wireMax ? tooLarge : null
}

const tooLarge = 'too_large'
const anotherCurrency = 'another_currency'

/** Whether the account takes what came: naira at a bank, its own coin, or any if it says none. */
export function isFor(
  account: CollectionAccount | undefined,
  { announced: { currency } }: Notice,
): boolean {
  if (!account) return false
  return account.asset === null ? currency !== 'NGN' : account.asset === currency
}

/** All that an account received is shown as one number, and numbers end somewhere. */
export function outgrows(accounts: Map<string, CollectionAccount>, notice: Notice): boolean {
  const { amount, amountReceived } = accounts.get(numberKey(toNumber(notice)))!
  return amount !== null && amountReceived + notice.announced.amount > limits.money.wireMax
}

export function judgementOf(
  now: Date,
  notice: Notice,
  { accounts, outgrown }: { accounts: Map<string, CollectionAccount>; outgrown: Set<Notice> },
): JudgedNotice {
  const { rail, mode, id, announced, looks } = notice
  const account = accounts.get(numberKey(toNumber(notice)))
  const mismatch = account && !isFor(account, notice) ? anotherCurrency : null
  const reason = outgrown.has(notice) ? tooLarge : (whyUnsound(announced) ?? mismatch)
  const state = reason ? 'REFUSED' : account ? 'TAKEN' : 'UNMATCHED'
  return { rail, mode, id, state, reason, due_at: after(now, waitMs(looks)) }
}

/** Soon at first, when the account may be about to appear; then ever more rarely. */
export function waitMs(looks: number): number {
  const { retryMs, longestRetryMs } = limits.collections
  return Math.min(retryMs * 2 ** Math.min(looks, 20), longestRetryMs)
}

export function toNumber({ rail, mode, announced }: Notice) {
  return { rail, mode, number: announced.accountNumber }
}
