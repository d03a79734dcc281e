import { strict as assert } from 'node:assert'
import { after } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { fromReference } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Reader, Tx } from '../postgres/tx.js'
import { type Conclusion, concludePayouts } from './conclude-payouts.js'
import { operatorDecision } from './failure-reasons.js'
import type { FollowReturns } from './follow-returns.js'
import { readLiveAttempts } from './live-attempts.js'
import { bankKinds, kinds, type Payout, type PayoutKind } from './payout.js'
import type { Examined, LiveAttempt } from './ports.js'

export type Decision = {
  reference: string
  hasLanded: boolean
  /** On a chain, what the endpoints said of the attempt just before. */
  examined?: Examined | undefined
  /** Says that it did not land, although an endpoint says that it did. */
  isSureNotLanded?: boolean | undefined
  /** Says that it landed, although no endpoint knows it. */
  isSureLanded?: boolean | undefined
}

/**
 * Ends a payout whose outcome an operator has found out. Refused for what has ended already.
 *
 * Money is given back only when nobody can be about to send the order: not while a worker is in its
 * lease, and not in the first moments, when whoever made it sends it. The attempt is locked from
 * that question to the end, so no worker can claim it in between; and a worker whose lease has run
 * out sends nothing any more (`poll-payouts.ts`). On a chain the attempt must also have
 * expired, whatever the operator knows: what can still land could be paid twice.
 */
export async function decidePayout(
  tx: Tx,
  now: Date,
  decision: Decision,
  follow?: FollowReturns,
): Promise<Payout> {
  const { reference, hasLanded } = decision
  const name = await findName(tx, reference, { isLocked: true })
  const leasedUntil = await lockAttempt(tx, name)
  const [attempt] = await readLiveAttempts(tx, [name])
  if (!attempt) throw refuse(name, `${reference} has ended already.`)
  const isSentUntil = laterOf(leasedUntil, after(attempt.createdAt, limits.payouts.leaseMs))
  if (!hasLanded && isSentUntil > now) throw isBeingSent(name, reference, isSentUntil)
  const isOnChain = attempt.validUntil !== null
  if (isOnChain) judgeOnChain(tx, name, attempt, decision)
  const failed = isOnChain ? 'dead' : 'failed'
  const verdict: Conclusion = hasLanded
    ? { attempt, verdict: 'landed', reason: operatorDecision }
    : { attempt, verdict: failed, reason: operatorDecision }
  const [ended] = await concludePayouts(tx, now, [verdict], follow)
  if (!ended) throw refuse(name, `${reference} has ended already.`)
  return ended
}

/** The live attempt of a payout on a chain, to be examined; undefined for a bank transfer. */
export async function findChainAttempt(
  db: Reader,
  reference: string,
): Promise<(LiveAttempt & { rail: string }) | undefined> {
  const name = await findName(db, reference)
  if (bankKinds.includes(name.kind)) return undefined
  const [attempt] = await readLiveAttempts(db, [name])
  if (!attempt) throw refuse(name, `${reference} has ended already.`)
  return attempt
}

/**
 * Refuses what the endpoints contradict, and a failure while the attempt could land. The database
 * holds the same rule: `operator_fails_only_what_cannot_land`.
 */
function judgeOnChain(tx: Tx, name: Name, attempt: LiveAttempt, decision: Decision): void {
  const { hasLanded, examined, isSureNotLanded, isSureLanded, reference } = decision
  assert(examined, 'an attempt on a chain is examined first')
  const { finding, isExpired, height, validUntil, knownBy } = examined
  if (examined.token !== attempt.token)
    throw refuse(name, `${reference} was signed anew meanwhile. Try again.`)
  const isContradicted = hasLanded
    ? finding.state === 'failed' || finding.state === 'gone'
    : finding.state === 'landed'
  if (isContradicted)
    throw refuse(
      name,
      `A majority of the endpoints says that ${reference} is ${finding.state}. ` +
        'A worker concludes it; run `manilla work`.',
    )
  if (hasLanded && knownBy.length === 0 && !isSureLanded)
    throw refuse(
      name,
      `No endpoint knows ${attempt.token}. Look it up elsewhere; if it landed, repeat with ` +
        '--confirm-landed.',
    )
  if (hasLanded) return
  if (!isExpired || height === undefined)
    throw refuse(
      name,
      `${reference} could still land: a majority of the endpoints must have finalized block ` +
        `${validUntil + BigInt(limits.solana.finalizedAfter)} and more; they are at ` +
        `${height ?? 'no block that they agree on'}. Try again later.`,
    )
  if (knownBy.length > 0 && !isSureNotLanded)
    throw refuse(
      name,
      `${knownBy.join(', ')} knows ${attempt.token}. Look it up elsewhere; if it did not land, ` +
        'repeat with --confirm-not-landed.',
    )
  const { environmentId, id } = name
  tx.write(sql`
    update payout_attempts set failed_at_height = ${height}
    where environment_id = ${environmentId} and payout_id = ${id} and state = 'LIVE'`)
}

type Name = { environmentId: EnvironmentId; id: string; kind: PayoutKind }

async function findName(db: Reader, reference: string, { isLocked = false } = {}): Promise<Name> {
  const id = Object.values(kinds)
    .map(({ prefix }) => fromReference(prefix, reference))
    .find((found) => found !== undefined)
  const [row] = id
    ? await db.rows(sql<Name>`
        select environment_id as "environmentId", id, kind from payouts
        where id = ${id} ${isLocked ? sql`for no key update` : sql``}`)
    : []
  const isMeant = row && fromReference(kinds[row.kind].prefix, reference) === id
  if (!isMeant) throw new Refusal('not_found', { message: `There is no payout ${reference}.` })
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

function isBeingSent(name: Name, reference: string, until: Date): Refusal {
  const then = `try again after ${until.toISOString()}`
  const whom = bankKinds.includes(name.kind) ? 'the bank' : 'the chain'
  return refuse(name, `Somebody is talking to ${whom} about ${reference} right now; ${then}.`)
}

function refuse({ kind }: Name, message: string): Refusal {
  return new Refusal(kinds[kind].refusal, { reason: 'invalid_state', message })
}
