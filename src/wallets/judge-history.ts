import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Move, PaymentNotice } from '../collections/ports.js'
import { isCoin } from '../money/assets.js'
import type { Reading } from './read-histories.js'
import { sortMoves } from './sort-moves.js'
import type { TokenAccount } from './store-token-accounts.js'

/** How a token account is left after a look, and what came there. */
export type Left = Pick<
  TokenAccount,
  'amount' | 'readTo' | 'readSlot' | 'isUnread' | 'busyUntil'
> & {
  deposits: PaymentNotice[]
  /** Null: everything could be read. */
  trouble: { unreadable: string[]; holes: string[]; why?: string } | null
}

type Seen = {
  /** What the chain holds there for good; null: the endpoints do not agree. */
  held: bigint | null
  /** Undefined: there was no reason to read it. */
  reading: Reading | undefined
}

/**
 * Decides what the history of a token account means. What is known of the account is what the last
 * transaction that was read left there, and never what somebody says it holds: so a balance that is
 * ahead of the history, or behind it, only means that it is read again.
 *
 * Every transaction must begin where the one before it ended. Where one does not, another is
 * missing in between, and money may be hidden: then nothing is taken for read, though what was
 * found is taken.
 */
export function readHistory(now: Date, one: TokenAccount, { held, reading }: Seen): Left {
  const { amount, readTo, readSlot, busyUntil } = one
  const stays = { amount, readTo, readSlot, busyUntil, isUnread: false, trouble: null }
  if (!reading) return { ...stays, deposits: [] }
  if (reading instanceof Error) {
    const trouble = { unreadable: [], holes: [], why: reading.message }
    return { ...stays, isUnread: true, deposits: [], trouble }
  }
  const { moves: listed, unreadable, isPartial = false } = reading
  const moves = sortMoves(startOf(one, listed), listed)
  const came = moves.filter(({ change }) => change > 0n)
  const deposits = came.map((move) => toDeposit(one, move))
  const last = moves.at(-1)
  // A node that is behind may not know the place, and lists again what was read before.
  const isBehind = last !== undefined && last.slot < readSlot && unreadable.length === 0
  if (isBehind) return { ...stays, isUnread: true, deposits }
  const holes = findHoles(one, moves)
  if (unreadable.length > 0 || holes.length > 0)
    return { ...stays, isUnread: true, deposits, trouble: { unreadable, holes } }
  // The balance may be newer than the list of transactions: then it is not in the list yet.
  // What comes after is asked for by the list, in which the last need not be the chain's last.
  const newest = listed.at(-1)
  if (!last || !newest || newest.signature === readTo)
    return {
      ...stays,
      isUnread: isPartial || held !== amount || isSweepMissing(one, amount),
      deposits,
    }
  const busy = after(now, limits.deposits.busyMs)
  const news = listed.slice(listed.findIndex(({ signature }) => signature === readTo) + 1)
  const newlyCame = news.filter(({ change }) => change > 0n)
  const before = newlyCame.reduce((sum, { change }) => sum - change, last.left)
  return {
    amount: keepable(last.left),
    readTo: newest.signature,
    readSlot: last.slot,
    deposits,
    isUnread: isPartial || isSweepMissing(one, before),
    trouble: null,
    busyUntil: busy > busyUntil ? busy : busyUntil,
  }
}

/**
 * Whether something has left that is not in what was read, though the sweep landed: the node that
 * was asked is behind the one that told of it. Of the same amount again it would show nothing.
 */
function isSweepMissing({ isUnread, asset, booked }: TokenAccount, amount: bigint): boolean {
  return isUnread && isCoin(asset) && booked !== amount
}

/** Chains count further than the database: worthless tokens come in any number. */
function keepable(amount: bigint): bigint {
  const { ledgerMax } = limits.money
  return amount < ledgerMax ? amount : ledgerMax
}

/** What was there before the first that is listed, as far as what is known of the account goes. */
function startOf({ readTo, amount }: TokenAccount, listed: Move[]): bigint {
  const known = listed.findIndex(({ signature }) => signature === readTo)
  return listed.slice(0, known + 1).reduce((sum, { change }) => sum - change, amount)
}

/** Those before which something is missing. What was more than can be kept is not known. */
function findHoles({ readTo, amount }: TokenAccount, moves: Move[]): string[] {
  const isKnownAmong = moves.some(({ signature }) => signature === readTo)
  const isUnknown = isKnownAmong || amount === limits.money.ledgerMax
  const start = readTo === null ? 0n : isUnknown ? undefined : amount
  return moves.flatMap(({ signature, left, change }, index) => {
    const expected = index === 0 ? start : moves[index - 1]!.left
    return expected === undefined || left - change === expected ? [] : [signature]
  })
}

/** Known by the transaction and the token account: one may bring coins to several. */
function toDeposit({ address, wallet, asset }: TokenAccount, move: Move): PaymentNotice {
  return {
    id: `${move.signature}:${address}`,
    accountNumber: wallet,
    amount: move.change,
    currency: asset,
    sender: { address: move.sender === null ? null : readable(move.sender) },
    sessionId: null,
    narration: move.memo === null ? null : readable(move.memo),
    receivedAt: move.at,
  }
}

/** Anybody may write anything there, also what no database takes. A cut may leave half a letter. */
function readable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass.
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
  return plain.slice(0, limits.deposits.memoLength).toWellFormed()
}
