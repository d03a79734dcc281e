import type { EnvironmentId } from '../../base/environment.js'
import type { TurnShares } from '../../postgres/due.js'
import { callbackLimits } from '../limits.js'

/** What one claim may take: checks in all, and of each environment. */
export type SlotShares = { limit: number; shares: TurnShares }

/**
 * The requests to callbacks that this process has open. Each merchant gets a part of what is free,
 * so that some is left for the next one. A callback whose latest answer decided nothing shares half
 * of the slots with others like it: however many are silent, the rest is asked at once.
 */
export class CallbackSlots {
  #inUse = 0
  #inUseByUnproven = 0
  readonly #inUseOf = new Map<EnvironmentId, number>()
  /** In order of the latest decision, so that the oldest is dropped first. */
  readonly #proven = new Set<EnvironmentId>()

  /** Of merchants whose callbacks decided last time. */
  ofProven(): SlotShares {
    const limit = callbackLimits.slotsMax - this.#inUse
    const share = shareOf(limit)
    const turns = [...this.#proven]
    return { limit, shares: { turns, limits: turns.map(this.#rest(share)), otherwise: 0 } }
  }

  ofOthers(): SlotShares {
    const { slotsMax, slotsOfUnprovenMax } = callbackLimits
    const limit = Math.min(slotsMax - this.#inUse, slotsOfUnprovenMax - this.#inUseByUnproven)
    const share = shareOf(limit)
    const proven = [...this.#proven]
    const busy = [...this.#inUseOf.keys()].filter((environment) => !this.#proven.has(environment))
    const limits = [...proven.map(() => 0), ...busy.map(this.#rest(share))]
    return { limit, shares: { turns: [...proven, ...busy], limits, otherwise: share } }
  }

  /** Returns what to call when it has ended; undefined: the callback was not asked. */
  take(environmentId: EnvironmentId): (hasDecided: boolean | undefined) => void {
    const isUnproven = !this.#proven.has(environmentId)
    this.#change(environmentId, 1, isUnproven)
    return (hasDecided) => {
      this.#change(environmentId, -1, isUnproven)
      if (hasDecided === undefined) return
      this.#proven.delete(environmentId)
      if (!hasDecided) return
      this.#proven.add(environmentId)
      const [oldest] = this.#proven
      if (this.#proven.size > callbackLimits.merchantsRememberedMax) this.#proven.delete(oldest!)
    }
  }

  #rest = (share: number) => (environmentId: EnvironmentId) =>
    Math.max(0, share - (this.#inUseOf.get(environmentId) ?? 0))

  #change(environmentId: EnvironmentId, by: 1 | -1, isUnproven: boolean): void {
    this.#inUse += by
    if (isUnproven) this.#inUseByUnproven += by
    const count = (this.#inUseOf.get(environmentId) ?? 0) + by
    if (count === 0) this.#inUseOf.delete(environmentId)
    else this.#inUseOf.set(environmentId, count)
  }
}

function shareOf(free: number): number {
  return free <= 0 ? 0 : Math.max(1, Math.floor(free * callbackLimits.merchantShareMax))
}
