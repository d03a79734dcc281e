import type { Ability } from './bank-under-test.js'
import type { World } from './open-world.js'

/** What a scenario may tell the suite. */
export type Remarks = {
  /** Excludes a payout from the comparison at the end. */
  plant(reference: string): void
  /** What is particular about this bank. */
  note(words: string): void
}

/** One promise of the contract. */
export type Scenario = {
  name: string
  needs?: Ability[]
  run(world: World & Remarks): Promise<void>
}
