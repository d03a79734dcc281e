import { limits } from '../../limits.js'
import type { Logger } from '../../log.js'
import { type Endpoint, EndpointFailure } from './endpoint.js'
import { askOne, type Endpoints, Unavailable } from './endpoints.js'
import type { Transaction } from './read-transaction.js'
import { readTransactionsAt, type Told } from './read-transactions.js'

type Parts = { endpoints: Endpoints; logger: Logger }

/** Coins that came, as somebody tells it. */
type Gain = { signature: string; tokenAccount: string }

/** By signatures. */
export type Doubted = {
  /** Another node tells otherwise: one of the two lies. */
  disputed: Set<string>
  /** Another node is not there yet. */
  early: Set<string>
}

/**
 * Asks all other nodes for transactions that brought coins: one node that lies or errs must not
 * make money. A node that does not know one denies it, once it is far past its slot; until then it
 * may be late. One that does not answer, or does not remember so far back, says nothing.
 */
export async function findDoubted(
  { endpoints, logger }: Parts,
  told: Map<string, Told>,
  gains: Gain[],
): Promise<Doubted> {
  const doubted: Doubted = { disputed: new Set(), early: new Set() }
  const compareWith = async (endpoint: Endpoint) => {
    const others = gains.filter(({ signature }) => told.get(signature)!.by !== endpoint)
    const signatures = [...new Set(others.map(({ signature }) => signature))]
    const known = await readTransactionsAt(endpoint, logger, signatures)
    const dispute = (signature: string) => {
      doubted.disputed.add(signature)
      const hosts = [told.get(signature)!.by.host, endpoint.host]
      logger.error({ signature, hosts }, 'nodes tell a deposit differently: one of them lies')
    }
    for (const { signature, tokenAccount } of others) {
      const other = known.get(signature)
      if (other && !isSame(told.get(signature)!.transaction, other, tokenAccount))
        dispute(signature)
    }
    const unknown = signatures.filter((signature) => known.get(signature) === null)
    const memory = unknown.length > 0 ? await readMemory(endpoint, logger) : undefined
    for (const signature of unknown) {
      const { slot } = told.get(signature)!.transaction
      if (!memory || slot < memory.from) continue
      if (slot + BigInt(limits.solana.blockhashAge) < memory.to) dispute(signature)
      else {
        doubted.early.add(signature)
        logger.info({ signature, host: endpoint.host }, 'a node does not know a deposit yet')
      }
    }
  }
  if (gains.length > 0) await Promise.all(endpoints.all.map(compareWith))
  return doubted
}

/** The slots that a node can tell about; nothing, when it does not answer. */
async function readMemory(endpoint: Endpoint, logger: Logger) {
  try {
    const [first, info] = await askOne(endpoint, [
      { method: 'getFirstAvailableBlock', params: [] },
      { method: 'getEpochInfo', params: [{ commitment: 'finalized' }] },
    ])
    const { absoluteSlot } = info as { absoluteSlot: number }
    return { from: BigInt(first as number), to: BigInt(absoluteSlot) }
  } catch (error) {
    if (!(error instanceof EndpointFailure || error instanceof Unavailable)) throw error
    logger.warn({ host: endpoint.host, trouble: error.message }, 'a node does not answer')
    return undefined
  }
}

/** As far as it is about money: whether it went well, and what was there before and after. */
function isSame(one: Transaction, other: Transaction, tokenAccount: string): boolean {
  const [mine, others] = [one.holdings.get(tokenAccount), other.holdings.get(tokenAccount)]
  return (
    one.hasFailed === other.hasFailed &&
    one.slot === other.slot &&
    mine?.mint === others?.mint &&
    mine?.before === others?.before &&
    mine?.after === others?.after
  )
}
