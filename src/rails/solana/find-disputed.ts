import type { Logger } from '../../log.js'
import type { Endpoints } from './endpoints.js'
import type { Transaction } from './read-transaction.js'
import { readTransactionsAt, type Told } from './read-transactions.js'

type Parts = { endpoints: Endpoints; logger: Logger }

/** Coins that came, as somebody tells it. */
type Gain = { signature: string; tokenAccount: string }

/**
 * Asks all other nodes for transactions that brought coins, and names those which they tell
 * otherwise: one node that lies or errs must not make money. A node that does not answer, or does
 * not know a transaction, says nothing against it.
 */
export async function findDisputed(
  { endpoints, logger }: Parts,
  told: Map<string, Told>,
  gains: Gain[],
): Promise<Set<string>> {
  const disputed = new Set<string>()
  const compareWith = async (endpoint: Told['by']) => {
    const others = gains.filter(({ signature }) => told.get(signature)!.by !== endpoint)
    const signatures = [...new Set(others.map(({ signature }) => signature))]
    const known = await readTransactionsAt(endpoint, logger, signatures)
    for (const { signature, tokenAccount } of others) {
      const { transaction, by } = told.get(signature)!
      const other = known.get(signature)?.transaction
      if (!other || isSame(transaction, other, tokenAccount)) continue
      disputed.add(signature)
      const hosts = [by.host, endpoint.host]
      logger.error({ signature, hosts }, 'nodes tell a deposit differently: one of them lies')
    }
  }
  if (gains.length > 0) await Promise.all(endpoints.all.map(compareWith))
  return disputed
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
