/**
 * Durations are counted in classes that grow by a tenth, so that a median is off by at most 5 %
 * however many attempts there are. Class `n` starts at 1.1ⁿ − 1 milliseconds.
 */
const growth = 1.1
/** The last class has everything longer than about half a minute. */
const classMax = 108

export function durationClassOf(durationMs: number): number {
  return Math.min(Math.floor(Math.log(durationMs + 1) / Math.log(growth)), classMax)
}

/** In milliseconds; null if nothing was counted. */
export function medianDurationOf(counts: number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let remaining = Math.ceil(total / 2)
  for (const [index, count] of counts.entries()) {
    remaining -= count
    if (count > 0 && remaining <= 0) return Math.round(growth ** (index + 0.5) - 1)
  }
  return null
}
