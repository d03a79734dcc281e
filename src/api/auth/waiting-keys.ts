import { Refusal } from '../../base/refusal.js'
import type { Permission } from '../../team/permissions.js'
import type { Route } from '../server/route.js'

/**
 * Operations that change something and need one of these move money, or decide where money or
 * events go.
 */
const guardedPermissions: readonly Permission[] = [
  'payouts.create',
  'payments.decide',
  'recipients.change',
  'subaccounts.change',
  'settings.change',
  'developers.change',
]

/**
 * What a key whose payouts wait may still call: each makes a payout that waits, or moves no money
 * and sends events only where a member chose. Others are refused, and so is a new one until it is
 * listed.
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
  'testWebhookEndpoint',
  'recoverWebhookEndpoint',
  'redeliverEvent',
])

/** Refuses what moves money, or decides where money or events go, without a payout that waits. */
export function refuseWithoutWait(route: Route): void {
  if (isClosedToWaitingKeys(route))
    throw withoutWait('It cannot move money at once, or decide where money or events go.')
}

export function isClosedToWaitingKeys({ method, isRead, permission, operation }: Route): boolean {
  if (method === 'GET' || isRead || permission === undefined) return false
  return guardedPermissions.includes(permission) && !openToWaitingKeys.has(operation)
}

export function withoutWait(why: string): Refusal {
  return new Refusal('forbidden', {
    reason: 'payouts_wait',
    message: `Every payout made with this API key waits for a member. ${why}`,
  })
}
