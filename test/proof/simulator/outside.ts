import type { Faults } from './faults.js'
import type { VirtualTime } from './virtual-time.js'

const minute = 60_000

/** The caller never learns what became of its request. */
export class Unreachable extends Error {}

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
    const result = effect()
    if (faults.strikes('request doubled')) effect()
    if (faults.strikes('answer late'))
      await time.sleep(faults.drawsOf('answer late').pick([1, 3, 10, 90, 300]) * minute)
    failIfDead()
    if (faults.strikes('answer lost')) throw new Unreachable('the answer was lost')
    return result
  }
}
