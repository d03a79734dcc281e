import { isDeepStrictEqual } from 'node:util'
import { limits } from '../../limits.js'
import type { Finding } from '../../payouts/ports.js'
import { reasonOf, type TransactionError } from './chain-errors.js'
import type { Sighting, Status, View } from './look-at-attempts.js'

export type Judged = {
  finding: Finding
  /** Endpoints contradict each other, beyond what being late explains. */
  isDisputed: boolean
  /** What it failed with, as the chain says it. */
  error?: TransactionError
}

type Attempt = { token: string; validUntil: bigint }
type Seen = Sighting & { status: Status }
type Testimony = { view: View; sighting: Sighting }

const { blockhashAge, finalizedAfter, slotsPerBlock } = limits.solana

const told = (finding: Finding, isDisputed = false): Judged => ({ finding, isDisputed })
const doubt = told({ state: 'pending' })
const dispute = told({ state: 'pending' }, true)

/**
 * Decides what the views of all endpoints that answered say together. A conclusion needs all of
 * them, so one that lags or lies can delay it but never change it, while another is honest.
 * What gives money back or pays again, `failed` and `gone`, needs every endpoint there is: the
 * honest one may be the one that did not answer. A single endpoint has to be believed: who has only
 * one, trusts it with the money.
 */
export function judgeAttempt(attempt: Attempt, views: View[], endpoints: number): Judged {
  if (views.length === 0) return doubt
  const testimonies = views.map((view) => ({ view, sighting: view.sightings.get(attempt.token)! }))
  const seen = testimonies.map(({ sighting }) => sighting).filter(isSeen)
  const isWhole = views.length === endpoints
  if (seen.length > 0) return judgeSeen(attempt, testimonies, { seen, isWhole })
  if (views.some(({ height }) => height <= attempt.validUntil)) return told({ state: 'unseen' })
  const isGone = isWhole && isGoneFor(attempt, testimonies)
  return isGone ? told({ state: 'gone' }) : doubt
}

function judgeSeen(
  attempt: Attempt,
  testimonies: Testimony[],
  { seen, isWhole }: { seen: Seen[]; isWhole: boolean },
): Judged {
  if (seen.some(({ status }) => !status.isFinalized)) return doubt
  const [first] = seen
  const isSame = seen.every(({ status }) => isDeepStrictEqual(status.error, first!.status.error))
  if (!isSame) return dispute
  const denials = testimonies.filter((testimony) => isDenial(attempt, testimony))
  const isLate = ({ sighting }: Testimony) =>
    sighting.slot < first!.status.slot + BigInt(finalizedAfter)
  if (denials.length > 0) return denials.every(isLate) ? doubt : dispute
  const { error } = first!.status
  if (!error) return told({ state: 'landed' })
  return isWhole ? { ...told({ state: 'failed', reason: reasonOf(error) }), error } : doubt
}

/** An endpoint that does not remember so far back has no say. */
function isDenial(attempt: Attempt, { view, sighting }: Testimony): boolean {
  return !isSeen(sighting) && (!sighting.isSearched || remembers(attempt, view))
}

/**
 * It can never land any more: no block that is to come may take it, and all blocks that could
 * have were searched. Behind one address there may be several nodes, so the one that searched
 * must be at least as recent as the one that told the height.
 */
function isGoneFor(attempt: Attempt, testimonies: Testimony[]): boolean {
  return testimonies.every(
    ({ view, sighting }) =>
      view.height > attempt.validUntil + BigInt(finalizedAfter) &&
      sighting.isSearched &&
      !sighting.isUsable &&
      sighting.slot >= view.slot &&
      remembers(attempt, view),
  )
}

function remembers(attempt: Attempt, view: View): boolean {
  return view.remembersFrom <= earliestSlot(attempt, view)
}

/** No block before this slot can have taken the attempt. */
export function earliestSlot({ validUntil }: { validUntil: bigint }, view: View): bigint {
  const blocks = view.height - validUntil + BigInt(blockhashAge)
  const slot = view.slot - blocks * BigInt(slotsPerBlock)
  return slot > 0n ? slot : 0n
}

function isSeen(sighting: Sighting): sighting is Seen {
  return sighting.status !== null
}
