import { minute } from '../base/clock.js'
import type { Coin } from '../money/assets.js'
import type { SimulatedRates } from '../rates/ports.js'

const micro = 1_000_000n
const middle: Record<Coin, bigint> = { USDC: 1_590n * micro, USDT: 1_588n * micro }

/** Half of the spread between `buy` and `sell`. */
const margin = 10n * micro

/** How far the rate moves to either side, and how long it takes there and back. */
const swing = 30n * micro
const periodMinutes = 240

/**
 * Rates of test mode. They move half a naira a minute and depend only on the test clock, so that
 * tests can expect them.
 */
export const simulatedRates: SimulatedRates = {
  rateAt(asset, environmentNow) {
    const minutes = Math.floor(environmentNow.getTime() / minute) % periodMinutes
    // A triangle: 0, up to 2 × swing, and back.
    const half = periodMinutes / 2
    const step = BigInt(minutes < half ? minutes : periodMinutes - minutes)
    const moved = (2n * swing * step) / BigInt(half) - swing
    const mid = middle[asset] + moved
    return { buy: mid - margin, sell: mid + margin }
  },
}
