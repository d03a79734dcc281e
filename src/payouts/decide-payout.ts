import { sql } from 'kysely'
import type { EnvironmentId } from '../environment.js'
import { fromReference } from '../ids.js'
import type { Tx } from '../postgres/tx.js'
import { Refusal } from '../refusal.js'
import { concludePayouts } from './conclude-payouts.js'
import type { FollowReturns } from './follow-returns.js'
import { readLiveAttempts } from './live-attempts.js'
import { bankKinds, kinds, type Payout } from './payout.js'

/**
 * Ends a bank transfer whose fate the bank has told a person. Refused for what has ended already,
 * and for the chain, which can always be asked.
 */
export async function decidePayout(
  tx: Tx,
  now: Date,
  { reference, hasLanded }: { reference: string; hasLanded: boolean },
  follow?: FollowReturns,
): Promise<Payout> {
  const id = bankKinds
    .map((kind) => fromReference(kinds[kind].prefix, reference))
    .find((found) => found !== undefined)
  const [row] = id
    ? await tx.rows(sql<{ environmentId: EnvironmentId }>`
        select environment_id as "environmentId" from payouts
        where id = ${id} and kind = any(${bankKinds})`)
    : []
  if (!row) throw new Refusal('not_found', { message: `There is no bank transfer ${reference}.` })
  const [attempt] = await readLiveAttempts(tx, [{ environmentId: row.environmentId, id: id! }])
  const verdict = hasLanded
    ? ({ verdict: 'landed' } as const)
    : ({ verdict: 'failed', reason: 'operator_decision' } as const)
  const [ended] = attempt ? await concludePayouts(tx, now, [{ attempt, ...verdict }], follow) : []
  if (ended) return ended
  throw new Refusal('bank_transfer_failed', { message: `${reference} has ended already.` })
}
