import type { RealTime } from '../../base/clock.js'
import type { Answer, KeyedAnswer } from '../../idempotency/answer.js'
import type { NewPayout } from '../../payouts/requests/create-payouts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { KeyedRequest } from '../server/keyed-lane.js'
import type { ApiParts } from './api-parts.js'

type PayingChange<Value> = {
  commit: (tx: Tx, now: RealTime) => Promise<Value>
  toAnswer: (committed: Value) => Answer
  /** The payout to send now; none if it waits for an approval. */
  payoutOf: (committed: Value) => NewPayout | null
}

/**
 * Commits a change that may submit a payout, then sends it. Only the request that committed it
 * sends: for a repeat, or a refusal, `commit` returns nothing to send. The key is kept as long as
 * the payout.
 */
export async function commitAndSend<Value>(
  { change, sendPayout }: Pick<ApiParts, 'change' | 'sendPayout'>,
  request: KeyedRequest,
  { commit, toAnswer, payoutOf }: PayingChange<Value>,
): Promise<KeyedAnswer> {
  let payout: NewPayout | null = null
  const answered = await change(
    request,
    (tx, now) => {
      // A run that was rolled back has committed nothing to send.
      payout = null
      return commit(tx, now)
    },
    (committed) => {
      payout = payoutOf(committed)
      return toAnswer(committed)
    },
    { isKept: true },
  )
  if (payout && !answered.isReplayed) sendPayout(payout)
  return answered
}
