import type { Clock, EnvironmentTime } from '../base/clock.js'
import type { Environment } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import type { Coin } from '../money/assets.js'
import type { RatePair } from '../money/rates.js'
import { gather } from '../postgres/transactions/gather.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { SimulatedRates } from './ports.js'
import { findRates, type StoredRate } from './store-rates.js'

/** The rate of a coin now. */
export type CurrentRate = RatePair & {
  asset: Coin
  origin: 'operator' | 'sources' | 'simulation'
  /** When it was set or read. */
  at: Date
}

export type RateBook = {
  /** Undefined: there is none now. */
  find(
    environment: Pick<Environment, 'mode'>,
    asset: Coin,
    environmentNow: EnvironmentTime,
  ): Promise<CurrentRate | undefined>
  /** Throws a refusal if there is none. */
  get(
    environment: Pick<Environment, 'mode'>,
    asset: Coin,
    environmentNow: EnvironmentTime,
  ): Promise<CurrentRate>
}

/** Reads the stored rates of live mode, at most a second old; those of test mode are simulated. */
export function createRateBook({
  db,
  clock,
  simulated,
}: {
  db: Queryable
  clock: Clock
  simulated: SimulatedRates
}): RateBook {
  let cached: { rates: StoredRate[]; readAt: number } | undefined
  const readAll = gather(async (calls: true[]) => {
    const rates = await findRates(db, clock.now())
    cached = { rates, readAt: clock.elapsedMs() }
    return calls.map(() => rates)
  })

  async function list(): Promise<StoredRate[]> {
    const isFresh = cached && clock.elapsedMs() - cached.readAt < limits.rates.cacheMs
    return isFresh ? cached!.rates : readAll(true)
  }

  const find: RateBook['find'] = async ({ mode }, asset, environmentNow) => {
    if (mode === 'test') {
      const { buy, sell } = simulated.rateAt(asset, environmentNow)
      return { asset, buy, sell, origin: 'simulation', at: environmentNow }
    }
    const now = clock.now()
    const rate = (await list()).find((stored) => stored.asset === asset)
    if (!rate || (rate.expiresAt && rate.expiresAt <= now)) return undefined
    const { buy, sell, origin, createdAt } = rate
    return { asset, buy, sell, origin, at: createdAt }
  }

  return {
    find,
    async get(environment, asset, environmentNow) {
      const rate = await find(environment, asset, environmentNow)
      if (rate) return rate
      throw new Refusal('conversion_failed', {
        reason: 'rate_unavailable',
        message: `No rate for ${asset} is available. Try again in a minute, or ask the operator.`,
      })
    },
  }
}
