import { Refusal, returnRefusal } from '../../base/refusal.js'
import type { KeyedAnswer } from '../../idempotency/answer.js'
import { findWait, type RuleRequest } from '../../payouts/controls/find-wait.js'
import { sayWait } from '../../payouts/controls/wait.js'
import type { NewPayout } from '../../payouts/requests/create-payouts.js'
import { type CreatedUnderRule, createUnderRule } from '../../payouts/requests/create-under-rule.js'
import type { PayoutRequest } from '../../payouts/requests/prepare-payouts.js'
import { successText } from '../server/envelope.js'
import type { KeyedRequest } from '../server/keyed-lane.js'
import type { ApiParts } from './api-parts.js'
import { commitAndSend } from './commit-and-send.js'
import { commitRefusal } from './create-resource.js'

/** Whether a payout may wait or be refused: by a rule, a control or a freeze. */
export function mayWait({ environment, createdByUser }: PayoutRequest): boolean {
  return createdByUser !== null || environment.keysMayWait === true
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
  what: string,
): Promise<KeyedAnswer> {
  const rule = toRuleRequest(keyedRequest, request)
  const preparation = api.payoutPreparation
  const wait = await findWait(api.db, rule).catch(returnRefusal)
  if (wait instanceof Refusal) return commitRefusal(api, keyedRequest, wait)
  const prepared = wait
    ? await preparation.prepareUnsigned(keyedRequest.now, request)
    : await preparation.prepare(keyedRequest.now, request)
  if (prepared instanceof Refusal) return commitRefusal(api, keyedRequest, prepared)
  const signed = 'attempt' in prepared ? prepared : null
  const payout = 'attempt' in prepared ? prepared.payout : prepared
  return commitAndSend(api, keyedRequest, {
    commit: (tx, now) => createUnderRule(tx, now, { payout, signed }, rule),
    ...answerUnderRule(what, signed),
  }).finally(signed?.finish)
}

export function toRuleRequest({ now: at }: KeyedRequest, request: PayoutRequest): RuleRequest {
  const { environment, asset, amount, createdByKey, createdByUser, destination } = request
  return {
    environmentId: environment.id,
    asset,
    amount,
    createdByKey,
    createdByUser,
    at,
    controlled: { destination, confirmsDuplicate: request.confirmsDuplicate ?? false },
  }
}

/** A payout that follows the approval rule is sent if it was submitted. */
export function answerUnderRule(what: string, signed: NewPayout | null) {
  const isSubmitted = ({ payout }: CreatedUnderRule) => payout.status === 'SUBMITTED'
  return {
    toAnswer(created: CreatedUnderRule) {
      const state = isSubmitted(created) ? 'submitted' : sayWait(created.payout.approval)
      return successText(201, `${what} ${state}`, created.shown)
    },
    payoutOf: (created: CreatedUnderRule) => (isSubmitted(created) ? signed : null),
  }
}
