import type { Clock } from '../../src/base/clock.js'

/** A clock that stands still until a test advances it. */
export function manualClock(start = new Date('2026-01-05T09:00:00.000Z')) {
  let nowMs = start.getTime()
  return {
    now: () => new Date(nowMs),
    elapsedMs: () => nowMs,
    advance(durationMs: number) {
      nowMs += durationMs
    },
  } satisfies Clock & { advance(durationMs: number): void }
}
