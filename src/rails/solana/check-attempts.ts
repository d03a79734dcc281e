import { limits } from '../../base/limits.js'
import type { Prepared } from '../../payouts/ports.js'
import type { TransactionError } from './chain-errors.js'
import type { ChainIdentity } from './chain-identity.js'
import type { RpcCall, RpcEndpoint } from './endpoint.js'
import { askOne, inGroups, Unavailable } from './endpoints.js'
import { blockhashOf } from './wire.js'

/** What one endpoint said of an attempt. */
export type AttemptStatus = {
  status: Status | null
  /** How recent the endpoint was when it said so. */
  slot: bigint
  /** Whether it looked through all it remembers, not only through the last minutes. */
  isSearched: boolean
  /** Whether a block that is not final yet may still take the attempt. */
  isUsable: boolean
}

export type Status = {
  slot: bigint
  isFinalized: boolean
  error: TransactionError | null
}

/** One endpoint's view of the chain, read in this order: the height first, what it saw after. */
export type EndpointView = {
  host: string
  /** Of its finalized block. */
  height: bigint
  slot: bigint
  /** The oldest slot that it can tell about. */
  remembersFrom: bigint
  sightings: Map<string, AttemptStatus>
}

export type ChainContext = { identity: ChainIdentity; isEmbedded: boolean }

type Statuses = {
  context: { slot: number }
  value: ({
    slot: number
    confirmationStatus: string | null
    err: TransactionError | null
  } | null)[]
}

/** Throws when the endpoint does not answer everything, or has become one of another chain. */
export async function checkAttempts(
  endpoint: RpcEndpoint,
  attempts: Prepared[],
  { identity, isEmbedded }: ChainContext,
): Promise<EndpointView> {
  const { height, slot } = await readFinalized(endpoint, identity)
  const isOld = ({ validUntil }: Prepared) => height > validUntil!
  const old = attempts.filter(isOld)
  const usable = await findUsable(endpoint, old, slot)
  const needsMemory = old.length > 0 && !isEmbedded
  const remembersFrom = needsMemory ? await readFirstSlot(endpoint) : 0n
  const recent = attempts.filter((attempt) => !isOld(attempt))
  const sightings = new Map([
    ...(await readStatuses(endpoint, recent, { isSearched: false, usable })),
    ...(await readStatuses(endpoint, old, { isSearched: true, usable })),
  ])
  return { host: endpoint.host, height, slot, remembersFrom, sightings }
}

async function readFinalized(endpoint: RpcEndpoint, identity: ChainIdentity) {
  const [genesis, info] = await askOne(endpoint, [
    { method: 'getGenesisHash', params: [] },
    { method: 'getEpochInfo', params: [{ commitment: 'finalized' }] },
  ])
  if (genesis !== identity.genesisHash) throw new Unavailable('it belongs to another chain now')
  const { blockHeight, absoluteSlot } = info as { blockHeight: number; absoluteSlot: number }
  return { height: BigInt(blockHeight), slot: BigInt(absoluteSlot) }
}

/**
 * The blockhashes that blocks after the finalized one still take. The height that was told when
 * an attempt was signed may have been wrong; this says the same, without trusting whoever told it.
 */
async function findUsable(endpoint: RpcEndpoint, attempts: Prepared[], slot: bigint) {
  const hashes = [...new Set(attempts.map(({ wire }) => blockhashOf(wire)))]
  const calls: RpcCall[] = hashes.map((hash) => {
    return { method: 'isBlockhashValid', params: [hash, { commitment: 'finalized' }] }
  })
  const answers = await askOne(endpoint, calls)
  const isUsable = (answer: unknown) => {
    const { context, value } = answer as { context: { slot: number }; value: boolean }
    return value || BigInt(context.slot) < slot
  }
  return new Set(hashes.filter((_, index) => isUsable(answers[index])))
}

async function readFirstSlot(endpoint: RpcEndpoint): Promise<bigint> {
  return BigInt(await endpoint.call<number>('getFirstAvailableBlock'))
}

async function readStatuses(
  endpoint: RpcEndpoint,
  attempts: Prepared[],
  { isSearched, usable }: { isSearched: boolean; usable: Set<string> },
): Promise<[string, AttemptStatus][]> {
  const groups = inGroups(attempts, limits.solana.statusesPerCall)
  const sightings: [string, AttemptStatus][] = []
  for (const group of groups) {
    const tokens = group.map(({ token }) => token)
    const options = { searchTransactionHistory: isSearched }
    const answer = await endpoint.call<Statuses>('getSignatureStatuses', tokens, options)
    const { context, value } = answer
    for (const [index, { token, wire }] of group.entries()) {
      const isUsable = !isSearched || usable.has(blockhashOf(wire))
      const status = toStatus(value[index]!)
      sightings.push([token, { status, slot: BigInt(context.slot), isSearched, isUsable }])
    }
  }
  return sightings
}

function toStatus(value: Statuses['value'][number]): Status | null {
  if (value === null) return null
  const { slot, confirmationStatus, err } = value
  return { slot: BigInt(slot), isFinalized: confirmationStatus === 'finalized', error: err }
}
