import type { Ability } from './bank-under-test.js'
import type { World } from './open-world.js'

/**
 * One promise of the contract. `plant` excludes a payout from the comparison at the end. `run`
 * may return what is particular about this bank.
 */
export type Scenario = {
  name: string
  needs?: Ability[]
  run(world: World & { plant(reference: string): void }): Promise<string | undefined | void>
}
