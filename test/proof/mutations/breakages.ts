import type { Breakage } from './breakage.js'
import { collectionBreakages } from './collection-breakages.js'
import { coreBreakages } from './core-breakages.js'
import { payoutBreakages } from './payout-breakages.js'
import { splitBreakages } from './split-breakages.js'

/** Deliberate mistakes in money code, which `npm run proof:mutations` makes one at a time. */
export const breakages: Breakage[] = [
  ...payoutBreakages,
  ...collectionBreakages,
  ...coreBreakages,
  ...splitBreakages,
]
