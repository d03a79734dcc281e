import { limits } from '../../base/limits.js'
import type { Variance } from '../../collections/account.js'
import { fromWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { showPublicSession } from '../../resources/public-checkout-session.js'

/** A session as everyone who knows its reference may see it. */
export type Shown = ReturnType<typeof showPublicSession>
type Received = Shown['received'][number]

/** What a page is about. */
export type PageState = 'pending' | 'waiting' | 'paid' | 'expired' | 'cancelled'

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
  asset: Asset
  amount: bigint
  /** It came in time, but another payment had been taken. */
  isBesides: boolean
  /** From what was asked for. */
  difference: bigint
  fates: Fate[]
}

export type PageView = {
  state: PageState
  /** Whoever says to have paid has sent coins. */
  waitsForCoins: boolean
  notes: Note[]
  /** More came than there are notes of. */
  hasMore: boolean
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
export function viewSession(shown: Shown, sent: Sent): PageView {
  const told = shown.received.map((one) => toNote(one, shown)).filter(needsWord)
  const notes = chooseNotes(told, limits.checkout.notesShown)
  const hasMore = shown.moreReceived || notes.length < told.length
  const isMoving = shown.received.some((one) => one.status === 'RETURNING' || one.status === 'HELD')
  const isWatched = shown.status !== 'paid' || isMoving || shown.moreReceived
  const waitsForCoins = isAwaited(coinsReceived(shown), sent.coinsAfter)
  const waitsForNaira = isAwaited(BigInt(shown.amountReceived), sent.sentAfter)
  const state = stateOf(shown, waitsForCoins || waitsForNaira)
  return { state, waitsForCoins, notes, hasMore, isWatched, seen: seenOf(shown) }
}

/**
 * The newest, which somebody waits for, and those of which most has not gone back: a crowd of small
 * ones must not hide them. In the order they are in.
 */
function chooseNotes(notes: Note[], limit: number): Note[] {
  const byWeight = notes.slice(1).sort((one, other) => Number(keptOf(other) - keptOf(one)))
  const chosen = new Set([...notes.slice(0, 1), ...byWeight].slice(0, limit))
  return notes.filter((note) => chosen.has(note))
}

function keptOf({ fates }: Note): bigint {
  const kept = fates.filter(({ place }) => place !== 'returned')
  return kept.reduce((sum, { amount }) => sum + amount, 0n)
}

/** How much had come when somebody said to have sent it: naira, or units of the coin. */
type Sent = { sentAfter: bigint | null; coinsAfter?: bigint | null }

function isAwaited(received: bigint | null, after: bigint | null = null): boolean {
  return received !== null && after !== null && received <= after
}

function stateOf(shown: Shown, isWaiting: boolean): PageState {
  const status = statusOf(shown)
  if (status !== 'pending') return status
  return isWaiting ? 'waiting' : 'pending'
}

/** Null where coins cannot be sent. */
export function coinsReceived({ crypto, cryptoAmounts }: Shown): bigint | null {
  return crypto && cryptoAmounts ? fromWire(cryptoAmounts.amountReceived, crypto.asset) : null
}

function statusOf({ status, serverTime, expiresAt }: Shown): Shown['status'] {
  return status === 'pending' && serverTime >= expiresAt ? 'expired' : status
}

function toNote(one: Received, shown: Shown): Note {
  const { currency: asset, variance } = one
  const read = (written: number | string) => fromWire(written, asset)
  const amount = read(one.amount)
  const asked = read(asset === 'NGN' ? shown.amount : shown.cryptoAmounts!.amount)
  const to = one.sentBackTo && {
    bankName: one.sentBackTo.bankName,
    lastDigits: one.sentBackTo.accountNumber.replace(/\D/g, ''),
  }
  const places = {
    accepted: read(one.amountAccepted),
    held: read(one.amountHeld),
    returning: read(one.amountReturning),
    returned: read(one.amountReturned),
  }
  const fates = (Object.keys(places) as Fate['place'][])
    .filter((place) => places[place] > 0n)
    .map((place) => ({ place, amount: places[place], isAll: places[place] === amount, to }))
  const difference = amount > asked ? amount - asked : asked - amount
  const isInTime = one.receivedAt < shown.expiresAt
  const isBesides = variance === 'LATE' && shown.status === 'paid' && isInTime
  return { variance, asset, amount, isBesides, difference, fates }
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
    one.amountHeld,
    one.amountReturning,
    one.amountReturned,
  ])
  const coins = shown.cryptoAmounts ? [shown.cryptoAmounts.amountReceived] : []
  return [statusOf(shown), shown.amountReceived, ...coins, ...places].join()
}
