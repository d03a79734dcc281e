import type { Faults } from './faults.js'
import type { VirtualTime } from './virtual-time.js'

const minute = 60_000

/** The caller never learns what became of its request. */
export class Unreachable extends Error {}

function ignoreUnreachable(error: unknown): void {
  if (!(error instanceof Unreachable)) throw error
}

/** One process of the service, as the outside world sees it. A dead one reaches nothing. */
export type Life = { isDead: boolean }

export type Reach = <Result>(effect: () => Result) => Promise<Result>

/** Calls of one process to a bank or chain, with everything that can go wrong on the way. */
export function createReach(life: Life, faults: Faults, time: VirtualTime): Reach {
  const failIfDead = () => {
    if (life.isDead) throw new Unreachable('the process has died')
  }
  return async (effect) => {
    failIfDead()
    if (faults.strikes('request lost')) throw new Unreachable('the request was lost')
    if (faults.strikes('request late')) {
      const delayMs = faults.drawsOf('request late').integer(1, 5 * minute)
      // At a bank that does not answer then, it is lost.
      void time.sleep(delayMs).then(effect).catch(ignoreUnreachable)
      throw new Unreachable('the request takes too long')
    }
    const result = effect()
    if (faults.strikes('request doubled')) effect()
    if (faults.strikes('answer late'))
      await time.sleep(faults.drawsOf('answer late').pick([1, 3, 10, 90, 300]) * minute)
    failIfDead()
    if (faults.strikes('answer lost')) throw new Unreachable('the answer was lost')
    return result
  }
}
