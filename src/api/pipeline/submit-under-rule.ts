import { Refusal } from '../../base/refusal.js'
import type { KeyedAnswer } from '../../idempotency/answer.js'
import type { NewPayout } from '../../payouts/requests/create-payouts.js'
import {
  type CreatedUnderRule,
  createUnderRule,
  mustWait,
  type RuleRequest,
} from '../../payouts/requests/create-under-rule.js'
import type { PayoutRequest } from '../../payouts/requests/prepare-payouts.js'
import { successText } from '../server/envelope.js'
import type { KeyedRequest } from '../server/keyed-lane.js'
import type { ApiParts } from './api-parts.js'
import { commitAndSend } from './commit-and-send.js'
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
  keyedRequest: KeyedRequest,
  request: PayoutRequest,
  messages: { submitted: string; pending: string },
): Promise<KeyedAnswer> {
  const rule: RuleRequest = {
    environmentId: request.environment.id,
    asset: request.asset,
    amount: request.amount,
    createdByKey: request.createdByKey,
    createdByUser: request.createdByUser,
    at: keyedRequest.now,
  }
  const preparation = api.payoutPreparation
  const prepared = (await mustWait(api.db, rule))
    ? await preparation.prepareUnsigned(keyedRequest.now, request)
    : await preparation.prepare(keyedRequest.now, request)
  if (prepared instanceof Refusal) return commitRefusal(api, keyedRequest, prepared)
  const signed = 'attempt' in prepared ? prepared : null
  const payout = 'attempt' in prepared ? prepared.payout : prepared
  return commitAndSend(api, keyedRequest, {
    commit: (tx, now) => createUnderRule(tx, now, { payout, signed }, rule),
    ...answerUnderRule(messages, signed),
  }).finally(signed?.finish)
}

/** A payout that follows the approval rule is sent if it was submitted. */
export function answerUnderRule(
  { submitted, pending }: { submitted: string; pending: string },
  signed: NewPayout | null,
) {
  const isSubmitted = ({ payout }: CreatedUnderRule) => payout.status === 'SUBMITTED'
  return {
    toAnswer: (created: CreatedUnderRule) =>
      successText(201, isSubmitted(created) ? submitted : pending, created.shown),
    payoutOf: (created: CreatedUnderRule) => (isSubmitted(created) ? signed : null),
  }
}
