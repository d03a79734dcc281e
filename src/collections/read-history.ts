import { after } from '../clock.js'
import { limits } from '../limits.js'
import type { Announced, Move, Moves } from './ports.js'
import type { TokenAccount } from './watch-wallets.js'

/** How a token account is left after a look, and what came there. */
export type Left = Pick<
  TokenAccount,
  'amount' | 'readTo' | 'readSlot' | 'isUnread' | 'busyUntil'
> & {
  deposits: Announced[]
  /** Null: everything could be read. */
  trouble: { unreadable: string[]; holes: string[] } | null
}

type Seen = {
  /** What the chain holds there for good. */
  held: bigint
  /** Undefined: there was no reason to read it. */
  moves: Moves | undefined
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
export function readHistory(now: Date, one: TokenAccount, { held, moves }: Seen): Left {
  const { amount, readTo, readSlot, busyUntil } = one
  if (!moves)
    return { amount, readTo, readSlot, busyUntil, isUnread: false, deposits: [], trouble: null }
  const deposits = moves.moves
    .filter(({ change }) => change > 0n)
    .map((move) => toDeposit(one, move))
  const holes = findHoles(one, moves.moves)
  const hasTrouble = moves.unreadable.length > 0 || holes.length > 0
  const stays = { amount, readTo, readSlot, busyUntil, deposits }
  if (hasTrouble)
    return { ...stays, isUnread: true, trouble: { unreadable: moves.unreadable, holes } }
  const last = moves.moves.at(-1)
  // The balance may be newer than the list of transactions: then it is not in the list yet.
  if (!last) return { ...stays, isUnread: held !== amount, trouble: null }
  const isNews = last.signature !== readTo
  const busy = after(now, limits.deposits.busyMs)
  return {
    ...{ amount: last.left, readTo: last.signature, readSlot: last.slot, deposits },
    ...{ isUnread: false, trouble: null },
    busyUntil: isNews && busy > busyUntil ? busy : busyUntil,
  }
}

/** Those before which something is missing. */
function findHoles({ readTo, amount }: TokenAccount, moves: Move[]): string[] {
  const known = moves.findIndex(({ signature }) => signature === readTo)
  const isFromTheBeginning = readTo === null
  return moves.flatMap(({ signature, left, change }, index) => {
    const before = moves[index - 1]?.left ?? (isFromTheBeginning ? 0n : undefined)
    const isNext = index === 0 && known === -1 && !isFromTheBeginning
    const expected = isNext ? amount : before
    return expected === undefined || left - change === expected ? [] : [signature]
  })
}

/** Known by the transaction and the token account: one may bring coins to several. */
function toDeposit({ address, wallet, asset }: TokenAccount, move: Move): Announced {
  return {
    id: `${move.signature}:${address}`,
    accountNumber: wallet,
    amount: move.change,
    currency: asset,
    sender: { address: move.sender },
    sessionId: null,
    narration: move.memo === null ? null : readable(move.memo),
    receivedAt: move.at,
  }
}

/** Anybody may write anything there, also what no database takes. */
function readable(memo: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass.
  return memo.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, limits.deposits.memoLength)
}
