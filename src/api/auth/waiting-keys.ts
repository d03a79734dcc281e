import { Refusal } from '../../base/refusal.js'
import type { Permission } from '../../team/permissions.js'
import type { Route } from '../server/route.js'

/** Operations that change something and need one of these move money, or decide where it goes. */
const moneyPermissions: readonly Permission[] = [
  'payouts.create',
  'payments.decide',
  'recipients.change',
  'subaccounts.change',
  'settings.change',
]

/**
 * What a key whose payouts wait may still call: each makes a payout that waits, or moves no money.
 * Other operations of money are refused, and so is a new one until it is listed.
 */
const openToWaitingKeys: ReadonlySet<string> = new Set([
  'createBankTransfer',
  'createCryptoTransfer',
  'createPayoutBatch',
  'submitPayoutBatch',
  'cancelPayoutBatch',
  'retryPayoutBatch',
  'createClaim',
  'cancelClaim',
  'refundPayment',
  'resolvePayment',
  'fundTestBalance',
])

/** Refuses what moves money, or decides where it goes, without a payout that could wait. */
export function refuseWithoutWait(route: Route): void {
  if (movesMoneyAtOnce(route)) throw withoutWait('This operation does not wait.')
}

export function movesMoneyAtOnce({ method, isRead, permission, operation }: Route): boolean {
  if (method === 'GET' || isRead || permission === undefined) return false
  return moneyPermissions.includes(permission) && !openToWaitingKeys.has(operation)
}

export function withoutWait(why: string): Refusal {
  return new Refusal('forbidden', {
    reason: 'payouts_wait',
    message: `Every payout made with this API key waits for a member. ${why}`,
  })
}
