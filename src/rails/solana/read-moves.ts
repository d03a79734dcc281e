import type { HistoryRange, Move, Moves } from '../../collections/ports.js'
import type { Logger } from '../../log.js'
import type { Endpoints } from './endpoints.js'
import { type Doubted, findDoubted } from './find-doubted.js'
import type { Line } from './history.js'
import { listHistories } from './list-histories.js'
import { type Transaction, toMove } from './read-transaction.js'
import { readTransactions, type Told } from './read-transactions.js'

type Parts = { endpoints: Endpoints; logger: Logger }

/**
 * What final transactions did to token accounts. Those that failed did nothing and are left out;
 * those that nobody can show, or about which nodes disagree, are named; those that not every node
 * knows yet are left for later, which is said. Throws rather than leaving one out unsaid.
 */
export function createReadMoves(parts: Parts) {
  return async (ranges: HistoryRange[]): Promise<Moves[]> => {
    const listed = await listHistories(parts.endpoints, ranges)
    const histories = listed.map((lines) => lines.filter(({ err }) => err === null).reverse())
    // One transaction may pay several of our wallets.
    const signatures = new Set(histories.flat().map(({ signature }) => signature))
    const told = await readTransactions(parts, [...signatures])
    const read = histories.map((lines, index) => toMoves(lines, told, ranges[index]!.tokenAccount))
    const doubted = await findDoubted(parts, told, read.flatMap(claimsOf(ranges)))
    for (const { unreadable } of read)
      for (const signature of unreadable)
        parts.logger.error({ signature }, 'a transaction cannot be read: it may hide a deposit')
    return read.map((moves) => withoutDoubted(moves, doubted))
  }
}

/** Also of what brought nothing: where one stands that is invented, nobody would read on. */
function claimsOf(ranges: HistoryRange[]) {
  return ({ moves }: Moves, index: number) => {
    const { tokenAccount, createdAt } = ranges[index]!
    return moves.map(({ signature }) => ({ signature, tokenAccount, createdAt }))
  }
}

/**
 * A history ends where not every node has come yet: the rest is read another time. It ends before
 * the slot, for nodes list those of one slot in different orders: what is left of it could stand
 * before what was read, where nobody looks again.
 */
function withoutDoubted({ moves, unreadable }: Moves, { disputed, early }: Doubted): Moves {
  const first = moves.find(({ signature }) => early.has(signature))
  const end = first ? moves.findIndex(({ slot }) => slot === first.slot) : moves.length
  const final = moves.slice(0, end)
  const [believed, others] = [
    final.filter(({ signature }) => !disputed.has(signature)),
    final.filter(({ signature }) => disputed.has(signature)),
  ]
  return {
    moves: believed,
    unreadable: [...unreadable, ...others.map(({ signature }) => signature)],
    ...(first && { isCut: true }),
  }
}

function toMoves(lines: Line[], told: Map<string, Told>, tokenAccount: string): Moves {
  const moves: Move[] = []
  const unreadable: string[] = []
  for (const line of lines) {
    const transaction = told.get(line.signature)?.transaction
    if (transaction?.hasFailed || isBystander(transaction, tokenAccount)) continue
    const move = transaction && toMove(line, transaction, tokenAccount)
    if (move) moves.push(move)
    else unreadable.push(line.signature)
  }
  return { moves, unreadable }
}

/**
 * Nodes show no balances where no token program is named: there, an account that is named has
 * neither won nor lost. Anybody may name it so, to confuse us.
 */
function isBystander(transaction: Transaction | undefined, tokenAccount: string): boolean {
  if (!transaction?.addresses.has(tokenAccount)) return false
  return !transaction.holdings.has(tokenAccount)
}
