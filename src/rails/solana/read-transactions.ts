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
import { readTransaction, type ShownTransaction, type Transaction } from './read-transaction.js'

type Parts = { endpoints: Endpoints; logger: Logger }

/** A transaction, and who has told of it. */
export type Told = { transaction: Transaction; by: Endpoint }

type Telling = { answers: Answer[]; endpoint: Endpoint }
type Keep = (signature: string, answer: Answer, by: Endpoint) => void

const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 }

/** Of those that one node cannot show, all others are asked. */
export async function readTransactions(
  { endpoints, logger }: Parts,
  signatures: string[],
): Promise<Map<string, Told>> {
  const known = new Map<string, Told>()
  const keep: Keep = (signature, { result }, by) => {
    const transaction = readTransaction((result ?? null) as ShownTransaction | null)
    if (transaction) known.set(signature, { transaction, by })
  }
  await readEach(signatures, (calls) => endpoints.askNaming(calls), keep)
  for (const endpoint of endpoints.all) {
    const missing = signatures.filter((signature) => !known.has(signature))
    if (missing.length === 0) break
    await readEach(missing, (calls) => askOrNothing(endpoint, logger, calls), keep)
  }
  return known
}

/**
 * As one node tells it. Null is what it says not to know; of what it does not answer, or does not
 * tell all that there is to know, there is nothing.
 */
export async function readTransactionsAt(
  endpoint: Endpoint,
  logger: Logger,
  signatures: string[],
): Promise<Map<string, Transaction | null>> {
  const known = new Map<string, Transaction | null>()
  const keep: Keep = (signature, { result }) => {
    if (result === undefined) return
    const transaction = readTransaction(result as ShownTransaction | null)
    if (transaction || result === null) known.set(signature, transaction ?? null)
  }
  await readEach(signatures, (calls) => askOrNothing(endpoint, logger, calls), keep)
  return known
}

/** Many at once, or by halves where that is too much; one that is too large alone stays unknown. */
async function readEach(
  signatures: string[],
  ask: (calls: Call[]) => Promise<Telling>,
  keep: Keep,
): Promise<void> {
  const read = async (group: string[]): Promise<void> => {
    const calls = group.map((signature) => {
      return { method: 'getTransaction', params: [signature, options] }
    })
    const telling = await ask(calls).catch(nothingIfTooLarge)
    if (telling)
      for (const [index, answer] of telling.answers.entries())
        keep(group[index]!, answer, telling.endpoint)
    else if (group.length > 1)
      for (const half of inGroups(group, Math.ceil(group.length / 2))) await read(half)
  }
  const groups = inGroups(signatures, limits.solana.callsPerRequest)
  for (const some of inGroups(groups, limits.solana.requestsUnderWay))
    await Promise.all(some.map(read))
}

function nothingIfTooLarge(error: unknown): undefined {
  if (!(error instanceof TooLarge || error instanceof AnswerTooLarge)) throw error
}

async function askOrNothing(endpoint: Endpoint, logger: Logger, calls: Call[]): Promise<Telling> {
  try {
    return { answers: await endpoint.post(calls), endpoint }
  } catch (error) {
    if (!(error instanceof EndpointFailure) || error instanceof AnswerTooLarge) throw error
    logger.warn({ host: endpoint.host, trouble: error.message }, 'a node does not answer')
    return { answers: [], endpoint }
  }
}
