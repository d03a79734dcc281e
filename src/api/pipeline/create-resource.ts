import type { JsonText } from '../../base/json-text.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { isRemembered, type KeyedAnswer } from '../../idempotency/answer.js'
import { successText } from '../server/envelope.js'
import { type Call, type KeyedRequest, toCall, toCallWithLateAnswer } from '../server/keyed-lane.js'
import type { ApiParts } from './api-parts.js'

type PreparedResource = {
  /** The resource as it starts, for the answer. */
  shown: JsonText
  /**
   * Called when the resource is committed or refused. Only payouts have it: other payouts may wait
   * for this one, see `unfinished-payouts.ts`.
   */
  finish?: () => void
}

type Creation<Prepared, Value> = {
  message: string
  /** What is answered, if not the resource itself. */
  show?: (prepared: Prepared) => JsonText
  commit: (call: Call<Prepared, Value>) => Promise<KeyedAnswer>
  /** Sends what was committed, without waiting for it. */
  send?: (prepared: Prepared) => void
  /** The key of a payout is kept as long as the payout: a repeat must never pay twice. */
  keepsKey?: boolean
}

/**
 * Creates a payout, virtual or dedicated account, wallet or checkout session. All take the same
 * five steps; the route itself does the first two:
 *
 * 1. Parse: the route validates the request.
 * 2. Prepare: queries the rail and fixes everything that must be known before the commit. Nothing
 *    leaves. Returns the prepared resource, or a refusal.
 * 3. Commit: a lane writes the resource, its event and, under the key, its answer in one
 *    transaction.
 * 4. Send: only what was committed, and only by the request that committed it.
 * 5. Answer: the same for every request with this key.
 */
export async function createResource<Prepared extends PreparedResource, Value>(
  api: Pick<ApiParts, 'storeRefusal'>,
  request: KeyedRequest,
  prepared: Outcome<Prepared>,
  { message, show, commit, send, keepsKey = false }: Creation<Prepared, Value>,
): Promise<KeyedAnswer> {
  if (prepared instanceof Refusal) return commitRefusal(api, request, prepared)
  const shown = show ? show(prepared) : prepared.shown
  const call = toCall<Prepared, Value>(request, prepared, successText(201, message, shown))
  if (keepsKey) call.expiresAt = null
  const answered = await commit(call).finally(prepared.finish)
  if (answered.status === 201 && !answered.isReplayed) send?.(prepared)
  return answered
}

/**
 * Commits a refusal that preparation returned: a repeat with the same key gets the same answer. A
 * refusal that is not remembered, such as a failure on our side, is thrown.
 */
export async function commitRefusal(
  { storeRefusal }: Pick<ApiParts, 'storeRefusal'>,
  request: KeyedRequest,
  refusal: Refusal,
): Promise<KeyedAnswer> {
  if (!request.key || !isRemembered(refusal.status)) throw refusal
  return storeRefusal(toCallWithLateAnswer(request, refusal, neverSucceeds))
}

/** `storeRefusal` only ever refuses, so its calls have no answer for a success. */
function neverSucceeds(): never {
  throw new Error('a refusal that is stored cannot succeed')
}
