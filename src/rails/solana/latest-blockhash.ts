import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { bytesOf } from './addresses.js'
import { EndpointFailure, type RpcEndpoint } from './endpoint.js'
import { type Endpoints, Unavailable } from './endpoints.js'
import { majorityOf } from './quorum.js'

const blockhashAge = BigInt(limits.solana.blockhashAge)

export type Lifetime = { blockhash: Uint8Array; lastValidBlockHeight: bigint }

type Latest = { value: { blockhash: string; lastValidBlockHeight: number } }

/**
 * A blockhash to sign with, shared by all payouts of a moment. Confirmed: one that is only
 * processed may turn out to belong to no chain.
 */
export function createLatestBlockhash(endpoints: Endpoints, clock: Clock, cachedMs: number) {
  let latest: Promise<Lifetime> | undefined
  let askedAt = 0

  return async (): Promise<Lifetime> => {
    const now = clock.elapsedMs()
    if (latest === undefined || now - askedAt >= cachedMs) {
      askedAt = now
      const asked = findFreshest(endpoints)
      latest = asked
      asked.catch(() => {
        if (latest === asked) latest = undefined
      })
    }
    return latest
  }
}

/**
 * The freshest blockhash whose height is within 150 blocks of what a majority of the endpoints
 * says. With the blockhash of an endpoint that is stuck nothing would land; with a height that is
 * made up, an attempt would never expire, or seem to expire too early.
 */
async function findFreshest({ all }: Endpoints): Promise<Lifetime> {
  const needed = majorityOf(all.length)
  const found: Lifetime[] = []
  let stopWaiting = () => {}
  const isEnough = new Promise<void>((resolve) => {
    stopWaiting = resolve
  })
  const asked = all.map(async (endpoint) => {
    const lifetime = await findLatest(endpoint)
    if (lifetime && found.push(lifetime) >= needed) stopWaiting()
  })
  const { patienceMs } = limits.solana
  const isLate = isEnough.then(() => sleep(patienceMs, undefined, { ref: false }))
  await Promise.race([Promise.all(asked), isLate])
  if (!select(found, needed)) await Promise.all(asked)
  const freshest = select(found, needed)
  if (!freshest) throw new Unavailable('too few endpoints agree on a block height')
  return freshest
}

function select(found: Lifetime[], needed: number): Lifetime | undefined {
  const isNear = (one: bigint, other: bigint) =>
    one - other <= blockhashAge && other - one <= blockhashAge
  const heights = found.map(({ lastValidBlockHeight }) => lastValidBlockHeight)
  return found
    .filter((one) => {
      const near = heights.filter((height) => isNear(height, one.lastValidBlockHeight))
      return near.length >= needed
    })
    .sort((one, other) => Number(other.lastValidBlockHeight - one.lastValidBlockHeight))[0]
}

async function findLatest(endpoint: RpcEndpoint): Promise<Lifetime | undefined> {
  try {
    const options = { commitment: 'confirmed' }
    const { value } = await endpoint.call<Latest>('getLatestBlockhash', options)
    const { blockhash, lastValidBlockHeight } = value
    return { blockhash: bytesOf(blockhash), lastValidBlockHeight: BigInt(lastValidBlockHeight) }
  } catch (error) {
    if (error instanceof EndpointFailure) return undefined
    throw error
  }
}
