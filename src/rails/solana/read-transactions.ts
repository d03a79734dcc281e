import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { RpcEndpoint } from './endpoint.js'
import { askMany } from './quorum.js'
import { readTransaction, type ShownTransaction, type Transaction } from './read-transaction.js'

const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 }

/** How final transactions are asked for. */
export function transactionCall(signature: string) {
  return { method: 'getTransaction', params: [signature, options] }
}

/**
 * As one endpoint shows them. Null: it does not know the transaction. Missing: it does not answer,
 * or leaves out what a deposit is judged by.
 */
export async function readTransactions(
  endpoint: RpcEndpoint,
  logger: Logger,
  signatures: string[],
): Promise<Map<string, Transaction | null>> {
  const { callsPerRequest: perRequest, requestsUnderWay: underWay } = limits.solana
  const calls = signatures.map(transactionCall)
  const results = await askMany(endpoint, logger, calls, { perRequest, underWay })
  const known = new Map<string, Transaction | null>()
  for (const [index, signature] of signatures.entries()) {
    const shown = results[index] as ShownTransaction | null | undefined
    const transaction = shown ? readTransaction(shown) : shown
    if (transaction !== undefined) known.set(signature, transaction)
  }
  return known
}
