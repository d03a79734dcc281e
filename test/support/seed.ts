import { createHash } from 'node:crypto'

/** Reproducible randomness. */
export type Random = {
  /** At least `from`, at most `to`. */
  integer(from: number, to: number): number
  pick<Item>(items: readonly Item[]): Item
  shuffle<Item>(items: readonly Item[]): Item[]
}

export function seededRandom(test: string): Random {
  const seed = seedOf(test)
  console.log(`${test}: SEED=${seed}`)
  return randomOf(seed)
}

export function randomOf(seed: number): Random {
  const next = mulberry32(seed)
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    integer,
    pick: (items) => items[integer(0, items.length - 1)]!,
    shuffle(items) {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = integer(0, last)
        ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
      }
      return shuffled
    },
  }
}

/**
 * Tests use fixed seeds, so that a failure is caused by a change. `SEED=new npm test` uses new ones;
 * `SEED=123` repeats a printed one.
 */
export function seedOf(test: string): number {
  const { SEED } = process.env
  if (SEED === 'new') return Math.floor(Math.random() * 2 ** 31)
  if (SEED && !/^\d+$/.test(SEED)) throw new Error('SEED is a whole number, or new')
  if (SEED) return Number(SEED)
  return createHash('sha256').update(test).digest().readUInt32BE() >>> 1
}

/** A small, portable generator; not for cryptography. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
