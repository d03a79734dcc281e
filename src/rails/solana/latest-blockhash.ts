import type { Clock } from '../../clock.js'
import { bytesOf } from './addresses.js'
import type { Endpoints } from './endpoints.js'

export type Lifetime = { blockhash: Uint8Array; lastValidBlockHeight: bigint }

type Latest = { value: { blockhash: string; lastValidBlockHeight: number } }

/**
 * A blockhash to sign with, shared by all payouts of a moment. Confirmed: one that is only
 * processed may turn out to belong to no chain.
 */
export function createLatestBlockhash(endpoints: Endpoints, clock: Clock, cachedMs: number) {
  let latest: Promise<Lifetime> | undefined
  let askedAt = 0

  async function ask(): Promise<Lifetime> {
    const { value } = await endpoints.call<Latest>('getLatestBlockhash', {
      commitment: 'confirmed',
    })
    const blockhash = bytesOf(value.blockhash)
    return { blockhash, lastValidBlockHeight: BigInt(value.lastValidBlockHeight) }
  }

  return async (): Promise<Lifetime> => {
    const now = clock.elapsedMs()
    if (latest === undefined || now - askedAt >= cachedMs) {
      askedAt = now
      latest = ask()
      latest.catch(() => {
        latest = undefined
      })
    }
    return latest
  }
}
