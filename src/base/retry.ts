import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from './clock.js'

/**
 * Repeats a call that fails for a passing reason, with pauses that double, until it succeeds or
 * the time is over. Then the last error is thrown.
 */
export async function retry<Result>(
  run: () => Promise<Result>,
  options: {
    isPassing: (error: unknown) => boolean
    pauseMs: number
    pauseMaxMs: number
    timeoutMs: number
  },
): Promise<Result> {
  const giveUpAtMs = systemClock.elapsedMs() + options.timeoutMs
  for (let pauseMs = options.pauseMs; ; pauseMs = Math.min(pauseMs * 2, options.pauseMaxMs)) {
    try {
      return await run()
    } catch (error) {
      const remainingMs = giveUpAtMs - systemClock.elapsedMs()
      if (!options.isPassing(error) || remainingMs <= 0) throw error
      await sleep(Math.ceil(Math.min(pauseMs, remainingMs)))
    }
  }
}
