import { limits } from '../../limits.js'
import type { Logger } from '../../log.js'
import { type Call, type Endpoint, EndpointFailure } from './endpoint.js'
import { askOne, type Endpoints, Unavailable } from './endpoints.js'
import type { Outline, Transaction } from './read-transaction.js'
import { readTransactionsAt, type Told } from './read-transactions.js'

type Parts = { endpoints: Endpoints; logger: Logger }

/** That a transaction did something to a token account, as somebody tells it. */
type Claim = {
  signature: string
  tokenAccount: string
  /** When its wallet was made, where that is known. */
  createdAt: Date | undefined
}

/** By signatures. */
export type Doubted = {
  /** Another node tells otherwise: one of the two lies. */
  disputed: Set<string>
  /** Another node is not there yet. */
  early: Set<string>
}

/**
 * Asks all other nodes for transactions of our accounts: one node that lies or errs must not make
 * money, nor hide what is true. A node that does not know one denies it, once it is far past its
 * slot; until then it may be late. One that does not answer, or does not remember so far back, says
 * nothing.
 */
export async function findDoubted(
  { endpoints, logger }: Parts,
  told: Map<string, Told>,
  claims: Claim[],
): Promise<Doubted> {
  const doubted: Doubted = { disputed: new Set(), early: new Set() }
  const compareWith = async (endpoint: Endpoint) => {
    const others = claims.filter(({ signature }) => told.get(signature)!.by !== endpoint)
    const signatures = [...new Set(others.map(({ signature }) => signature))]
    const known = await readTransactionsAt(endpoint, logger, signatures)
    const dispute = (signature: string) => {
      doubted.disputed.add(signature)
      const hosts = [told.get(signature)!.by.host, endpoint.host]
      logger.error({ signature, hosts }, 'nodes tell a transaction differently: one of them lies')
    }
    for (const { signature, tokenAccount } of others) {
      const other = known.get(signature)
      if (other && !isSame(told.get(signature)!.transaction, other, tokenAccount))
        dispute(signature)
    }
    const unknown = others.filter(({ signature }) => known.get(signature) === null)
    for (const [signature, isLate] of await findMissed(endpoint, logger, told, unknown))
      if (isLate) {
        doubted.early.add(signature)
        logger.info({ signature, host: endpoint.host }, 'a node does not know a transaction yet')
      } else dispute(signature)
  }
  if (claims.length > 0) await Promise.all(endpoints.all.map(compareWith))
  return doubted
}

/**
 * Of what a node does not know, that of which it should, and whether it may be late. How old
 * something is, is for a liar to say: a node that remembers the time at which the wallet was made
 * should know whatever came there.
 */
async function findMissed(
  endpoint: Endpoint,
  logger: Logger,
  told: Map<string, Told>,
  unknown: Claim[],
): Promise<Map<string, boolean>> {
  const missed = new Map<string, boolean>()
  const memory = unknown.length > 0 ? await readMemory(endpoint, logger) : undefined
  if (!memory) return missed
  const slotOf = ({ signature }: Claim) => told.get(signature)!.transaction.slot
  const isOld = unknown.some((claim) => slotOf(claim) < memory.from)
  const since = isOld ? await readTime(endpoint, logger, memory.from) : undefined
  for (const claim of unknown) {
    const slot = slotOf(claim)
    const isYoung = since && claim.createdAt && since <= claim.createdAt
    if (slot >= memory.from || isYoung)
      missed.set(claim.signature, slot + BigInt(limits.solana.blockhashAge) >= memory.to)
  }
  return missed
}

/** The slots that a node can tell about; nothing, when it does not answer. */
async function readMemory(endpoint: Endpoint, logger: Logger) {
  const answers = await askIfThere(endpoint, logger, [
    { method: 'getFirstAvailableBlock', params: [] },
    { method: 'getEpochInfo', params: [{ commitment: 'finalized' }] },
  ])
  if (!answers) return undefined
  const [first, info] = answers as [number, { absoluteSlot: number }]
  return { from: BigInt(first), to: BigInt(info.absoluteSlot) }
}

/** When a slot was; nothing, when the node does not know or does not answer. */
async function readTime(endpoint: Endpoint, logger: Logger, slot: bigint) {
  const calls = [{ method: 'getBlockTime', params: [Number(slot)] }]
  const [seconds] = (await askIfThere(endpoint, logger, calls)) ?? []
  return typeof seconds === 'number' ? new Date(seconds * 1_000) : undefined
}

async function askIfThere(endpoint: Endpoint, logger: Logger, calls: Call[]) {
  try {
    return await askOne(endpoint, calls)
  } catch (error) {
    if (!(error instanceof EndpointFailure || error instanceof Unavailable)) throw error
    logger.warn({ host: endpoint.host, trouble: error.message }, 'a node does not answer')
    return undefined
  }
}

/**
 * As far as it is about money: whether it went well, and what was there before and after; where
 * the other does not tell that, whether it can be the same.
 */
function isSame(one: Transaction, other: Transaction | Outline, tokenAccount: string): boolean {
  if (!('holdings' in other)) return one.slot === other.slot && other.addresses.has(tokenAccount)
  const [mine, others] = [one.holdings.get(tokenAccount), other.holdings.get(tokenAccount)]
  return (
    one.hasFailed === other.hasFailed &&
    one.slot === other.slot &&
    mine?.mint === others?.mint &&
    mine?.before === others?.before &&
    mine?.after === others?.after
  )
}
