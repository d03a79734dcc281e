import { Refusal } from '../../base/refusal.js'
import type { KeyedAnswer } from '../../idempotency/answer.js'
import {
  type CreatedUnderRule,
  createUnderRule,
  mustWait,
  type RuleRequest,
} from '../../payouts/requests/create-under-rule.js'
import type { PayoutRequest } from '../../payouts/requests/prepare-payouts.js'
import { successText } from '../server/envelope.js'
import {
  type KeyedChange,
  type RequestContext,
  toCallWithLateAnswer,
} from '../server/keyed-lane.js'
import type { ApiParts } from './api-parts.js'
import { commitRefusal } from './create-resource.js'

/** Whether the approval rule of the merchant may concern a payout. */
export function mayNeedApproval({ environment, createdByUser }: PayoutRequest): boolean {
  return createdByUser !== null || environment.keysNeedApproval === true
}

/**
 * Creates a payout that follows the approval rule: it is sent, or it waits. It has a transaction of
 * its own, not the lane of other payouts: whether it waits is decided under the lock of the
 * balance.
 */
export async function submitUnderRule(
  api: ApiParts,
  context: RequestContext,
  request: PayoutRequest,
  messages: { submitted: string; pending: string },
): Promise<KeyedAnswer> {
  const rule: RuleRequest = {
    environmentId: request.environment.id,
    asset: request.asset,
    amount: request.amount,
    createdByKey: request.createdByKey,
    createdByUser: request.createdByUser,
    at: context.now,
  }
  const preparation = api.payoutPreparation
  const prepared = (await mustWait(api.db, rule))
    ? await preparation.prepareUnsigned(context.now, request)
    : await preparation.prepare(context.now, request)
  if (prepared instanceof Refusal) return commitRefusal(api, context, prepared)
  const signed = 'attempt' in prepared ? prepared : null
  const payout = 'attempt' in prepared ? prepared.payout : prepared
  let isSubmitted = false
  const call = toCallWithLateAnswer<KeyedChange, unknown>(
    context,
    (tx, now) => createUnderRule(tx, now, { payout, signed }, rule),
    (created) => {
      const { payout: stored, shown } = created as CreatedUnderRule
      isSubmitted = stored.status === 'SUBMITTED'
      return successText(201, isSubmitted ? messages.submitted : messages.pending, shown)
    },
  )
  // A key that paid is kept as long as the payout: a repeat must never pay twice.
  call.expiresAt = null
  const answered = await api.change(call).finally(signed?.finish)
  if (answered.status === 201 && !answered.isReplayed && isSubmitted && signed)
    api.sendPayout(signed)
  return answered
}
