import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { ReportedPayment, TokenTransaction } from '../collections/ports.js'
import { isCoin } from '../money/assets.js'
import { depositLimits } from './limits.js'
import type { HistoryReading } from './read-histories.js'
import { sortMoves } from './sort-moves.js'
import type { HistoryVerdict, TokenAccount } from './token-account.js'

type Polled = {
  /** The finalized balance on the chain; null: no majority of the nodes agrees. */
  balance: bigint | null
  /** Undefined: the history did not have to be read. */
  reading: HistoryReading | undefined
}

/**
 * Decides what the history of a token account means. The known amount is always the balance after
 * the last transaction that was read, never the polled balance: a balance that is ahead of or
 * behind the history only causes another read.
 *
 * Every transaction must start at the balance that the previous one left. Otherwise one is missing
 * in between and money may be hidden: then the deposits found are recorded, but the history stays
 * unread.
 */
export function judgeHistory(
  now: Date,
  account: TokenAccount,
  { balance, reading }: Polled,
): HistoryVerdict {
  const { amount, readTo, readSlot, busyUntil } = account
  const unchanged = { amount, readTo, readSlot, busyUntil, isUnread: false, trouble: null }
  if (!reading) return { ...unchanged, deposits: [] }
  if (reading instanceof Error) {
    const trouble = { unreadable: [], holes: [], why: reading.message }
    return { ...unchanged, isUnread: true, deposits: [], trouble }
  }
  const { moves: listed, unreadable, isPartial = false } = reading
  const moves = sortMoves(startBalance(account, listed), listed)
  const incoming = moves.filter(({ change }) => change > 0n)
  const deposits = incoming.map((move) => toDeposit(now, account, move))
  const last = moves.at(-1)
  // A lagging node may not know `readTo`, and lists again what was read before.
  const isBehind = last !== undefined && last.slot < readSlot && unreadable.length === 0
  if (isBehind) return { ...unchanged, isUnread: true, deposits }
  const holes = findHoles(account, moves)
  if (unreadable.length > 0 || holes.length > 0)
    return { ...unchanged, isUnread: true, deposits, trouble: { unreadable, holes } }
  // `last` is the last in the chain's order; `newest` the last in the node's order, after which
  // the next read continues.
  const newest = listed.at(-1)
  if (!last || !newest || newest.signature === readTo)
    return {
      ...unchanged,
      // The balance may be newer than the list of transactions.
      isUnread: isPartial || balance !== amount || isSweepMissing(account, amount),
      deposits,
    }
  const busy = after(now, depositLimits.busyMs)
  const newMoves = listed.slice(listed.findIndex(({ signature }) => signature === readTo) + 1)
  const newDeposits = newMoves.filter(({ change }) => change > 0n)
  const withoutNew = newDeposits.reduce((sum, { change }) => sum - change, last.left)
  return {
    amount: cap(last.left),
    readTo: newest.signature,
    readSlot: last.slot,
    deposits,
    isUnread: isPartial || isSweepMissing(account, withoutNew),
    trouble: null,
    busyUntil: busy > busyUntil ? busy : busyUntil,
  }
}

/**
 * Whether a landed sweep is missing in what was read: the node that was read lags behind those
 * that reported the sweep. If the same amount came in again, the balance would not show it.
 */
function isSweepMissing({ isUnread, asset, booked }: TokenAccount, amount: bigint): boolean {
  return isUnread && isCoin(asset) && booked !== amount
}

/** Chain amounts can exceed the database's range: anyone can mint a worthless token. */
function cap(amount: bigint): bigint {
  const { ledgerMax } = limits.money
  return amount < ledgerMax ? amount : ledgerMax
}

/** The balance before the first listed transaction, computed back from the known amount. */
function startBalance({ readTo, amount }: TokenAccount, listed: TokenTransaction[]): bigint {
  const known = listed.findIndex(({ signature }) => signature === readTo)
  return listed.slice(0, known + 1).reduce((sum, { change }) => sum - change, amount)
}

/** Signatures before which a transaction is missing. The start is unknown for a capped amount. */
function findHoles({ readTo, amount }: TokenAccount, moves: TokenTransaction[]): string[] {
  const isKnownListed = moves.some(({ signature }) => signature === readTo)
  const isStartUnknown = isKnownListed || amount === limits.money.ledgerMax
  const start = readTo === null ? 0n : isStartUnknown ? undefined : amount
  return moves.flatMap(({ signature, left, change }, index) => {
    const expected = index === 0 ? start : moves[index - 1]!.left
    return expected === undefined || left - change === expected ? [] : [signature]
  })
}

/** The id includes the token account: one transaction can pay several. */
function toDeposit(now: Date, account: TokenAccount, move: TokenTransaction): ReportedPayment {
  const { address, wallet, asset } = account
  return {
    id: `${move.signature}:${address}`,
    railAccount: wallet,
    amount: move.change,
    currency: asset,
    sender: { address: move.sender === null ? null : toPlainText(move.sender) },
    bankSessionId: null,
    narration: move.memo === null ? null : toPlainText(move.memo),
    receivedAt: isBelievable(now, account, move.at) ? move.at : now,
  }
}

/**
 * Lateness is judged by the block time. A time before the wallet existed, or in the future, is
 * wrong; then the deposit counts from when it was first read.
 */
function isBelievable(now: Date, { walletCreatedAt }: TokenAccount, at: Date | null): at is Date {
  const { blockTimeEarlyMaxMs, blockTimeAheadMaxMs } = depositLimits
  return (
    at !== null &&
    at >= after(walletCreatedAt, -blockTimeEarlyMaxMs) &&
    at <= after(now, blockTimeAheadMaxMs)
  )
}

/** Payers control this text: remove what PostgreSQL rejects, and surrogates that the cut splits. */
function toPlainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be removed.
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
  return plain.slice(0, depositLimits.memoLengthMax).toWellFormed()
}
