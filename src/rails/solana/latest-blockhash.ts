import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import { bytesOf } from './addresses.js'
import { type Endpoint, EndpointFailure } from './endpoint.js'
import { askOne, type Endpoints, Unavailable } from './endpoints.js'

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
 * Of all endpoints that answer soon, the one that is furthest: a node that is stuck still answers,
 * and nothing that is signed with its blockhash would ever land.
 */
async function findFreshest({ all }: Endpoints): Promise<Lifetime> {
  const found: Lifetime[] = []
  const asked = all.map(async (endpoint) => {
    const lifetime = await findLatest(endpoint)
    if (lifetime) found.push(lifetime)
  })
  await Promise.race([Promise.all(asked), ...asked.map((each) => each.then(waitForOthers))])
  if (found.length === 0) await Promise.all(asked)
  const [freshest] = found.sort((one, other) =>
    Number(other.lastValidBlockHeight - one.lastValidBlockHeight),
  )
  if (!freshest) throw new Unavailable('no endpoint tells a blockhash')
  return freshest
}

async function waitForOthers(): Promise<void> {
  await sleep(limits.solana.patienceMs, undefined, { ref: false })
}

async function findLatest(endpoint: Endpoint): Promise<Lifetime | undefined> {
  try {
    const params = [{ commitment: 'confirmed' }]
    const [answer] = await askOne(endpoint, [{ method: 'getLatestBlockhash', params }])
    const { blockhash, lastValidBlockHeight } = (answer as Latest).value
    return { blockhash: bytesOf(blockhash), lastValidBlockHeight: BigInt(lastValidBlockHeight) }
  } catch (error) {
    if (error instanceof EndpointFailure || error instanceof Unavailable) return undefined
    throw error
  }
}
