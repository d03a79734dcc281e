import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../base/clock.js'
import { limits } from '../../../base/limits.js'
import { bytesOf } from '../addresses.js'
import { majorityOf, reachedBy } from './majority.js'
import { NodeFailure, type RpcNode } from './node.js'
import { type RpcNodes, Unavailable } from './nodes.js'

const blockhashAge = BigInt(limits.solana.blockhashAge)

export type Lifetime = {
  blockhash: Uint8Array
  lastValidBlockHeight: bigint
  /** What is signed from now on lands in no earlier slot. */
  slot: bigint
}

type Latest = {
  context: { slot: number }
  value: { blockhash: string; lastValidBlockHeight: number }
}

/**
 * A cached blockhash to sign with. Commitment is `confirmed`: a processed block may still be
 * dropped, and its blockhash with it.
 */
export function createLatestBlockhash(nodes: RpcNodes, clock: Clock, cachedMs: number) {
  let latest: Promise<Lifetime> | undefined
  let readAt = 0

  return async (): Promise<Lifetime> => {
    const now = clock.elapsedMs()
    if (latest === undefined || now - readAt >= cachedMs) {
      readAt = now
      const read = readFreshest(nodes)
      latest = read
      read.catch(() => {
        if (latest === read) latest = undefined
      })
    }
    return latest
  }
}

/**
 * The freshest blockhash whose height is within 150 blocks of a majority of the nodes. With the
 * blockhash of a stuck node nothing would land; with a false height, an attempt would never
 * expire or seem to expire too early.
 */
async function readFreshest({ all }: RpcNodes): Promise<Lifetime> {
  const needed = majorityOf(all.length)
  const found: Lifetime[] = []
  let reportMajority = () => {}
  const hasMajority = new Promise<void>((resolve) => {
    reportMajority = resolve
  })
  const reads = all.map(async (node) => {
    const lifetime = await readLatest(node)
    if (lifetime && found.push(lifetime) >= needed) reportMajority()
  })
  const { blockhashWaitMs } = limits.solana
  const patienceEnds = hasMajority.then(() => sleep(blockhashWaitMs, undefined, { ref: false }))
  await Promise.race([Promise.all(reads), patienceEnds])
  if (!selectFreshest(found, needed)) await Promise.all(reads)
  const freshest = selectFreshest(found, needed)
  if (!freshest) throw new Unavailable('too few RPC nodes agree on a block height')
  // Not that of one node: with a slot that is too high, pruned histories would seem complete.
  const slots = found.map(({ slot }) => slot)
  return { ...freshest, slot: reachedBy(slots, needed)! }
}

function selectFreshest(found: Lifetime[], needed: number): Lifetime | undefined {
  const isNear = (left: bigint, right: bigint) =>
    left - right <= blockhashAge && right - left <= blockhashAge
  const heights = found.map(({ lastValidBlockHeight }) => lastValidBlockHeight)
  return found
    .filter((lifetime) => {
      const near = heights.filter((height) => isNear(height, lifetime.lastValidBlockHeight))
      return near.length >= needed
    })
    .sort((left, right) => Number(right.lastValidBlockHeight - left.lastValidBlockHeight))[0]
}

async function readLatest(node: RpcNode): Promise<Lifetime | undefined> {
  try {
    const options = { commitment: 'confirmed' }
    const { context, value } = await node.call<Latest>('getLatestBlockhash', options)
    return {
      blockhash: bytesOf(value.blockhash),
      lastValidBlockHeight: BigInt(value.lastValidBlockHeight),
      slot: BigInt(context.slot),
    }
  } catch (error) {
    if (error instanceof NodeFailure) return undefined
    throw error
  }
}
