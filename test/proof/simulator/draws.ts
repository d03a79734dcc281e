import { createHash } from 'node:crypto'
import { type Random, randomOf } from '../../support/seed.js'

/** Draws that depend only on the seed and on what is drawn, not on what was drawn before. */
export type Draws = Random & {
  /** True in about this fraction of the draws. */
  chance(fraction: number): boolean
}

export function drawsFor(seed: number, what: string): Draws {
  const digest = createHash('sha256').update(`${seed}/${what}`).digest()
  const random = randomOf(digest.readUInt32BE())
  return { ...random, chance: (fraction) => random.integer(1, 1_000_000) <= fraction * 1_000_000 }
}
