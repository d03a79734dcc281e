import { hour, minute, second } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'

/** How long to wait after each failed try; when the list is over, the delivery is given up. */
const waits: Record<Mode, number[]> = {
  live: [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ],
  // Five tries within an hour: whoever tests is looking now.
  test: [5 * second, 30 * second, 5 * minute, 20 * minute],
}

/** A delivery is tried so often, and no more, however its attempts end. */
export function mostTries(mode: Mode): number {
  return waits[mode].length + 1
}

/**
 * When to try again after so many tries, or undefined to give up. `chance` in [0, 1) spreads the
 * tries, so that a receiver that comes back is not met by all of them at once.
 */
export function nextWaitMs(
  mode: Mode,
  tries: number,
  { retryAfterMs = 0, chance }: { retryAfterMs?: number; chance: number },
): number | undefined {
  const wait = waits[mode][tries - 1]
  if (wait === undefined) return undefined
  const jittered = wait * (1 + limits.webhooks.jitter * chance)
  return Math.max(jittered, Math.min(retryAfterMs, limits.webhooks.longestWaitMs))
}

/** `Retry-After` as seconds or as a date; anything else is ignored. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Math.min(Number(header) * second, limits.webhooks.longestWaitMs)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(date - now.getTime(), 0)
}
