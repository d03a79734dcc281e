/** Seeded random numbers: `--seed` repeats the choices of an earlier run. */
export function createRandom(seed) {
  const next = mulberry32(seed)
  const integer = (from, to) => from + Math.floor(next() * (to - from + 1))
  return {
    integer,
    pick: (items) => items[integer(0, items.length - 1)],
    shuffle(items) {
      const shuffled = [...items]
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = integer(0, last)
        ;[shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]]
      }
      return shuffled
    },
  }
}

function mulberry32(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
