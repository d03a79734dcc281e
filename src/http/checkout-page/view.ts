import type { Variance } from '../../collections/account.js'
import type { showPublicSession } from '../../collections/show-session.js'

/** A session as everyone who knows its reference may see it. */
export type Shown = ReturnType<typeof showPublicSession>
type Received = Shown['received'][number]

/** What a page is about. */
export type State = 'pending' | 'waiting' | 'paid' | 'expired' | 'cancelled'

/** A part of a payment, and where it is now. */
export type Fate = {
  place: 'accepted' | 'held' | 'returning' | 'returned'
  amount: bigint
  /** The whole payment: then there is no need to say how much. */
  isAll: boolean
  /** Where it goes back to, as far as that is known. */
  to: { bankName: string; lastDigits: string } | null
}

/** Money that came and needs a word: it did not match, or it is not where it was meant to go. */
export type Note = {
  variance: Variance
  amount: bigint
  /** From what was asked for. */
  difference: bigint
  fates: Fate[]
}

export type View = {
  state: State
  notes: Note[]
  /** Something can still change. */
  isWatched: boolean
  /** What has been shown: a page looks again when this is no longer so. */
  seen: string
}

/**
 * Decides what a payer is shown. The deadline counts from the moment it has passed, also where
 * nobody has closed the account yet. Who says to have paid, when so much had come, waits until more
 * has.
 */
export function viewSession(shown: Shown, { sentAfter }: { sentAfter: bigint | null }): View {
  const notes = shown.received.map((one) => toNote(one, BigInt(shown.amount))).filter(needsWord)
  const isMoving = shown.received.some((one) => one.status === 'RETURNING' || one.status === 'HELD')
  const isWatched = shown.status !== 'paid' || isMoving
  return { state: stateOf(shown, sentAfter), notes, isWatched, seen: seenOf(shown) }
}

function stateOf(shown: Shown, sentAfter: bigint | null): State {
  const status = statusOf(shown)
  if (status !== 'pending') return status
  const isWaiting = sentAfter !== null && BigInt(shown.amountReceived) <= sentAfter
  return isWaiting ? 'waiting' : 'pending'
}

function statusOf({ status, serverTime, expiresAt }: Shown): Shown['status'] {
  return status === 'pending' && serverTime >= expiresAt ? 'expired' : status
}

function toNote(one: Received, asked: bigint): Note {
  const amount = BigInt(one.amount)
  const to = one.sentBackTo && {
    bankName: one.sentBackTo.bankName,
    lastDigits: one.sentBackTo.accountNumber.replace(/\D/g, ''),
  }
  const places = {
    accepted: BigInt(one.amountAccepted),
    held: BigInt(one.amountHeld),
    returning: BigInt(one.amountReturning),
    returned: BigInt(one.amountReturned),
  }
  const fates = (Object.keys(places) as Fate['place'][])
    .filter((place) => places[place] > 0n)
    .map((place) => ({ place, amount: places[place], isAll: places[place] === amount, to }))
  const difference = amount > asked ? amount - asked : asked - amount
  return { variance: one.variance, amount, difference, fates }
}

function needsWord({ variance, fates }: Note): boolean {
  return variance !== 'NONE' || fates.some(({ place }) => place !== 'accepted')
}

/**
 * The island computes the same of the public JSON. When an account is closed whose time was up
 * already, nothing is new: a payer must not hear of it twice.
 */
function seenOf(shown: Shown): string {
  const places = shown.received.map((one) => [
    ...[one.amountHeld, one.amountReturning, one.amountReturned],
  ])
  return [statusOf(shown), shown.amountReceived, ...places].join()
}
