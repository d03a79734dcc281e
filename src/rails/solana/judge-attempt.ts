import { limits } from '../../base/limits.js'
import type { Finding } from '../../payouts/ports.js'
import { reasonOf, type TransactionError } from './chain-errors.js'
import type { AttemptStatus, EndpointView } from './check-attempts.js'
import { findAgreed, majorityOf, reachedBy } from './quorum.js'

export type AttemptVerdict = {
  finding: Finding
  /** What it failed with, as the chain says it. */
  error?: TransactionError
}

type Attempt = { token: string; validUntil: bigint }
type Testimony = { view: EndpointView; sighting: AttemptStatus }

const { blockhashAge, finalizedAfter, slotsPerBlock, unfinalizedBlocks } = limits.solana

/**
 * Decides what the endpoints say together. `landed`, `failed` and `gone` each need a majority of
 * those that are configured; one that does not answer, or does not know, agrees to nothing.
 */
export function judgeAttempt(
  attempt: Attempt,
  views: EndpointView[],
  endpoints: number,
): AttemptVerdict {
  const needed = majorityOf(endpoints)
  const testimonies = views.map((view) => ({ view, sighting: view.sightings.get(attempt.token)! }))
  const final = testimonies.filter(({ sighting }) => sighting.status?.isFinalized)
  const keyOf = ({ sighting: { status } }: Testimony) =>
    `${status!.slot} ${JSON.stringify(status!.error)}`
  const agreed = findAgreed(final, needed, keyOf)
  const disputedBy = findContradiction(attempt, testimonies, keyOf)
  const toJudged = (finding: Finding): AttemptVerdict => ({
    finding: disputedBy.length > 0 ? { ...finding, disputedBy } : finding,
  })
  if (agreed) {
    const { error } = agreed.sighting.status!
    return error
      ? { ...toJudged({ state: 'failed', reason: reasonOf(error) }), error }
      : toJudged({ state: 'landed' })
  }
  if (testimonies.filter((one) => isGoneFor(attempt, one)).length >= needed)
    return toJudged({ state: 'gone' })
  const seen = testimonies.filter(({ sighting }) => sighting.status !== null)
  const mayLand = views.some(({ height }) => height <= attempt.validUntil)
  const reached = reachedBy(
    views.map(({ height }) => height),
    needed,
  )
  const expiresBy = reached !== undefined ? reached + BigInt(unfinalizedBlocks) : undefined
  const isAbsurd = expiresBy !== undefined && expiresBy < attempt.validUntil
  return toJudged({
    state: mayLand && seen.length < needed ? 'unseen' : 'pending',
    ...(isAbsurd && { expiresBy }),
  })
}

/** Hosts that say something else than others, beyond what being late explains. */
function findContradiction(
  attempt: Attempt,
  testimonies: Testimony[],
  keyOf: (one: Testimony) => string,
): string[] {
  const final = testimonies.filter(({ sighting }) => sighting.status?.isFinalized)
  const isLate = (slot: bigint) =>
    final.some((one) => slot < one.sighting.status!.slot + BigInt(finalizedAfter))
  const denying = testimonies.filter(
    ({ view, sighting }) =>
      final.length > 0 &&
      sighting.status === null &&
      !isLate(sighting.slot) &&
      (!sighting.isSearched || remembers(attempt, view)),
  )
  const isContradicted = denying.length > 0 || new Set(final.map(keyOf)).size > 1
  return isContradicted ? [...final, ...denying].map(({ view }) => view.host) : []
}

/**
 * It can never land any more: no block that is to come may take it, and all blocks that could
 * have were searched. Behind one address there may be several nodes, so the one that searched
 * must be at least as recent as the one that told the height.
 */
function isGoneFor(attempt: Attempt, { view, sighting }: Testimony): boolean {
  return (
    sighting.status === null &&
    isExpiredFor(attempt, view) &&
    sighting.isSearched &&
    sighting.slot >= view.slot &&
    remembers(attempt, view)
  )
}

/** No block that is to come may take it. */
export function isExpiredFor({ token, validUntil }: Attempt, view: EndpointView): boolean {
  const { isUsable } = view.sightings.get(token)!
  return view.height > validUntil + BigInt(finalizedAfter) && !isUsable
}

/** An endpoint that has pruned the blocks of the time agrees to nothing. */
function remembers(attempt: Attempt, view: EndpointView): boolean {
  return view.remembersFrom <= earliestSlot(attempt, view)
}

/** No block before this slot can have taken the attempt. */
export function earliestSlot({ validUntil }: { validUntil: bigint }, view: EndpointView): bigint {
  const blocks = view.height - validUntil + BigInt(blockhashAge)
  const slot = view.slot - blocks * BigInt(slotsPerBlock)
  return slot > 0n ? slot : 0n
}
