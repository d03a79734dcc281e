import { sql } from 'kysely'
import { after } from '../clock.js'
import type { EnvironmentId } from '../environment.js'
import { fromReference } from '../ids.js'
import { limits } from '../limits.js'
import type { Tx } from '../postgres/tx.js'
import { Refusal } from '../refusal.js'
import { type Conclusion, concludePayouts } from './conclude-payouts.js'
import { operatorDecision } from './failure-reasons.js'
import type { FollowReturns } from './follow-returns.js'
import { readLiveAttempts } from './live-attempts.js'
import { bankKinds, kinds, type Payout } from './payout.js'

/**
 * Ends a bank transfer whose fate the bank has told a person. Refused for what has ended already,
 * and for the chain, which can always be asked.
 *
 * Money is given back only when nobody can be about to send the order: not while a worker is in its
 * lease, and not in the first moments, when whoever made it sends it. The attempt is locked from
 * that question to the end, so no worker can claim it in between; and a worker whose lease has run
 * out sends nothing any more (`look-after-payouts.ts`).
 */
export async function decidePayout(
  tx: Tx,
  now: Date,
  { reference, hasLanded }: { reference: string; hasLanded: boolean },
  follow?: FollowReturns,
): Promise<Payout> {
  const name = await findName(tx, reference)
  const leasedUntil = await lockAttempt(tx, name)
  const [attempt] = await readLiveAttempts(tx, [name])
  if (!attempt) throw hasEnded(reference)
  const isSentUntil = laterOf(leasedUntil, after(attempt.createdAt, limits.payouts.leaseMs))
  if (!hasLanded && isSentUntil > now) throw isBeingSent(reference, isSentUntil)
  const verdict: Conclusion = hasLanded
    ? { attempt, verdict: 'landed', reason: operatorDecision }
    : { attempt, verdict: 'failed', reason: operatorDecision }
  const [ended] = await concludePayouts(tx, now, [verdict], follow)
  if (!ended) throw hasEnded(reference)
  return ended
}

type Name = { environmentId: EnvironmentId; id: string }

async function findName(tx: Tx, reference: string): Promise<Name> {
  const id = bankKinds
    .map((kind) => fromReference(kinds[kind].prefix, reference))
    .find((found) => found !== undefined)
  const [row] = id
    ? await tx.rows(sql<Name>`
        select environment_id as "environmentId", id from payouts
        where id = ${id} and kind = any(${bankKinds}) for no key update`)
    : []
  if (!row) throw new Refusal('not_found', { message: `There is no bank transfer ${reference}.` })
  return row
}

/** Until when whoever has claimed it may send it; null when nobody has. */
async function lockAttempt(tx: Tx, { environmentId, id }: Name): Promise<Date | null> {
  const [row] = await tx.rows(sql<{ leasedUntil: Date | null }>`
    select leased_until as "leasedUntil" from payout_attempts
    where environment_id = ${environmentId} and payout_id = ${id} and state = 'LIVE'
    for no key update`)
  return row?.leasedUntil ?? null
}

function laterOf(one: Date | null, other: Date): Date {
  return one && one > other ? one : other
}

function isBeingSent(reference: string, until: Date): Refusal {
  const then = `try again after ${until.toISOString()}`
  return new Refusal('bank_transfer_failed', {
    reason: 'invalid_state',
    message: `Somebody is talking to the bank about ${reference} right now; ${then}.`,
  })
}

function hasEnded(reference: string): Refusal {
  return new Refusal('bank_transfer_failed', {
    reason: 'invalid_state',
    message: `${reference} has ended already.`,
  })
}
