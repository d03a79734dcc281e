import type { WorldPlan } from './plan.js'

/** Worlds that once failed, as the simulator shrank them. `npm test` runs each of them. */
export const keptSeeds: readonly WorldPlan[] = []
