import type { EnvironmentTime } from '../base/clock.js'
import type { Coin } from '../money/assets.js'
import type { RatePair } from '../money/rates.js'

/** The rate of a source. `at` is the time that the source states, or when it answered. */
export type Reading = RatePair & { at: Date }

/** An external source of rates. */
export interface RateSource {
  readonly name: string
  readonly asset: Coin
  /** Throws a `SourceProblem` if the source does not answer in time, or not with a rate. */
  read(): Promise<Reading>
}

/** Why a source gave no rate. The message is for operators and contains no URL and no key. */
export class SourceProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SourceProblem'
  }
}

/** The rates of test mode. They depend only on the time. */
export interface SimulatedRates {
  rateAt(asset: Coin, environmentNow: EnvironmentTime): RatePair
}
