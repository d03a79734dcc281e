import type { Clock } from '../../base/clock.js'
import { webhookLimits } from '../limits.js'

type Logged = { atMs: number; unlogged: number }

/**
 * Decides which failed attempts are logged: one per endpoint and minute. A dead endpoint would
 * otherwise fill the log, with thousands of lines that say the same.
 */
export class FailureLog {
  readonly #clock: Clock
  readonly #logged = new Map<string, Logged>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns how many attempts failed without a line since the last line of this endpoint; undefined
   * if this attempt gets none either.
   */
  note(endpointId: string): number | undefined {
    const nowMs = this.#clock.elapsedMs()
    const last = this.#logged.get(endpointId)
    if (last && nowMs - last.atMs < webhookLimits.failureLogIntervalMs) {
      last.unlogged += 1
      return undefined
    }
    if (this.#logged.size >= webhookLimits.failureLogEndpointsMax) this.#logged.clear()
    this.#logged.set(endpointId, { atMs: nowMs, unlogged: 0 })
    return last?.unlogged ?? 0
  }
}
