import type { HistoryRange, Move, Moves } from '../../collections/ports.js'
import { limits } from '../../limits.js'
import type { Logger } from '../../log.js'
import {
  type Answer,
  AnswerTooLarge,
  type Call,
  type Endpoint,
  EndpointFailure,
} from './endpoint.js'
import { type Endpoints, inGroups, TooLarge } from './endpoints.js'
import type { Line } from './history.js'
import { listHistories } from './list-histories.js'
import {
  readTransaction,
  type ShownTransaction,
  type Transaction,
  toMove,
} from './read-transaction.js'

type Parts = { endpoints: Endpoints; logger: Logger }

const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 }

/**
 * What final transactions did to token accounts. Those that failed did nothing and are left out;
 * those that nobody can show are named. Throws rather than leaving one out unsaid.
 */
export function createReadMoves(parts: Parts) {
  return async (ranges: HistoryRange[]): Promise<Moves[]> => {
    const listed = await listHistories(parts.endpoints, ranges)
    const histories = listed.map((lines) => lines.filter(({ err }) => err === null).reverse())
    // One transaction may pay several of our wallets.
    const signatures = new Set(histories.flat().map(({ signature }) => signature))
    const transactions = await readAll(parts, [...signatures])
    return histories.map((lines, index) => {
      const moves = toMoves(lines, transactions, ranges[index]!.tokenAccount)
      for (const signature of moves.unreadable)
        parts.logger.error({ signature }, 'a transaction cannot be read: it may hide a deposit')
      return moves
    })
  }
}

function toMoves(
  lines: Line[],
  transactions: Map<string, Transaction>,
  tokenAccount: string,
): Moves {
  const moves: Move[] = []
  const unreadable: string[] = []
  for (const line of lines) {
    const transaction = transactions.get(line.signature)
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

/** Of those that one node cannot show, all others are asked. */
async function readAll(
  { endpoints, logger }: Parts,
  signatures: string[],
): Promise<Map<string, Transaction>> {
  const known = new Map<string, Transaction>()
  await readInto(known, signatures, (calls) => endpoints.ask(calls))
  for (const endpoint of endpoints.all) {
    const missing = signatures.filter((signature) => !known.has(signature))
    if (missing.length === 0) break
    await readInto(known, missing, (calls) => askOrNothing(endpoint, logger, calls))
  }
  return known
}

/** Many at once, or by halves where that is too much; one that is too large alone stays unknown. */
async function readInto(
  known: Map<string, Transaction>,
  signatures: string[],
  ask: (calls: Call[]) => Promise<Answer[]>,
): Promise<void> {
  const read = async (group: string[]): Promise<void> => {
    const calls = group.map((signature) => {
      return { method: 'getTransaction', params: [signature, options] }
    })
    const answers = await ask(calls).catch(nothingIfTooLarge)
    if (!answers && group.length > 1)
      for (const half of inGroups(group, Math.ceil(group.length / 2))) await read(half)
    for (const [index, { result = null }] of (answers ?? []).entries()) {
      const transaction = readTransaction(result as ShownTransaction | null)
      if (transaction) known.set(group[index]!, transaction)
    }
  }
  const groups = inGroups(signatures, limits.solana.callsPerRequest)
  for (const some of inGroups(groups, limits.solana.requestsUnderWay))
    await Promise.all(some.map(read))
}

function nothingIfTooLarge(error: unknown): undefined {
  if (!(error instanceof TooLarge || error instanceof AnswerTooLarge)) throw error
}

async function askOrNothing(endpoint: Endpoint, logger: Logger, calls: Call[]): Promise<Answer[]> {
  try {
    return await endpoint.post(calls)
  } catch (error) {
    if (!(error instanceof EndpointFailure) || error instanceof AnswerTooLarge) throw error
    logger.warn({ host: endpoint.host, trouble: error.message }, 'a node does not answer')
    return []
  }
}
