import { after, pauseAfter } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { assets } from '../../money/assets.js'
import type { CollectionAccount } from '../accounts/account.js'
import {
  type RailAccount,
  type RailAccountKey,
  railAccountKey,
} from '../accounts/store-accounts.js'
import { collectionLimits } from '../limits.js'
import type { ReportedPayment } from '../ports.js'
import type { Notice, NoticeConclusion, NoticeDefect } from './store-notices.js'

/** Null if the payment has no defect of its own, whatever its account. */
export function findDefect(reported: ReportedPayment): NoticeDefect | null {
  const { amount, currency, isInOtherTokenAccount } = reported
  if (isInOtherTokenAccount) return 'other_token_account'
  if (!Object.hasOwn(assets, currency)) return 'another_currency'
  if (amount <= 0n) return 'not_positive'
  return amount > limits.money.wireMax ? 'too_large' : null
}

/** A virtual account accepts naira, a wallet its own coin, or any coin if it names none. */
export function acceptsCurrency(
  { asset }: Pick<CollectionAccount, 'asset'>,
  { reported: { currency } }: Notice,
): boolean {
  return asset === null ? currency !== 'NGN' : asset === currency
}

/** The API shows the sum of an account's payments as one number, which has a maximum. */
export function exceedsLimit(
  { amount, amountReceived }: CollectionAccount,
  { reported }: Notice,
): boolean {
  return amount !== null && amountReceived + reported.amount > limits.money.wireMax
}

/** How a judged notice is stored. Without an account it is judged again later. */
export function concludeNotice(
  now: Date,
  { attempts }: Notice,
  { reason, hasAccount }: { reason: NoticeDefect | null; hasAccount: boolean },
): NoticeConclusion {
  const state = reason ? 'REFUSED' : hasAccount ? 'BOOKED' : 'UNMATCHED'
  return { state, reason, dueAt: after(now, retryDelayMs(attempts)) }
}

/** Short at first, because the account may be about to be committed; then doubling. */
function retryDelayMs(attempts: number): number {
  const { noticeRetryDelayMs: retryMs, noticeRetryDelayMaxMs: retryMaxMs } = collectionLimits
  return pauseAfter(attempts, { retryMs, retryMaxMs })
}

export function railAccountOf({ rail, mode, reported }: Notice): RailAccount {
  return { rail, mode, railAccount: reported.railAccount }
}

/** The key of the notice's account in the map of `lockByRailAccount`. */
export function accountKeyOf(notice: Notice): RailAccountKey {
  return railAccountKey(railAccountOf(notice))
}
