import { hour, minute, second } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { webhookLimits } from '../limits.js'

/** Delay after each failed attempt; at the end of the list the delivery is given up. */
const retryDelaysMs: Record<Mode, number[]> = {
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
  // Five attempts within an hour: a developer is waiting for the result.
  test: [5 * second, 30 * second, 5 * minute, 20 * minute],
}

export function attemptsMax(mode: Mode): number {
  return retryDelaysMs[mode].length + 1
}

/**
 * Delay before the next attempt, or undefined to give up. `chance` in [0, 1) spreads retries, so
 * that a recovering receiver does not get all of them at once.
 */
export function nextRetryDelayMs(
  mode: Mode,
  attemptsInSchedule: number,
  { retryAfterMs = 0, chance }: { retryAfterMs?: number; chance: number },
): number | undefined {
  const delayMs = retryDelaysMs[mode][attemptsInSchedule - 1]
  if (delayMs === undefined) return undefined
  const spreadMs = delayMs * (1 + webhookLimits.retryJitterFraction * chance)
  return Math.max(spreadMs, Math.min(retryAfterMs, webhookLimits.retryAfterMaxMs))
}

/** Parses `Retry-After` as seconds or a date; ignores anything else. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Math.min(Number(header) * second, webhookLimits.retryAfterMaxMs)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(date - now.getTime(), 0)
}
