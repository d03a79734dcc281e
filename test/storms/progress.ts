import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'

const pollIntervalMs = 20
/** At least ten minutes, and more on a slow machine, where each poll takes longer. */
const pollsWithoutProgressMax = 30_000
/** A storm fails when it stands still, not when the machine is slow. */
export const noTimeout = 0
/** For work of the storm itself, which fails only while the machine is overloaded. */
const workTriesMax = 20
/** Shared by everything that retries until a process answers. */
export const triesMax = 30_000

/**
 * Polls until nothing remains (`undefined`, zero or false). Fails when what remains has not changed
 * for too many polls.
 */
export async function untilNoneRemain(
  what: string,
  readRemaining: () => Promise<unknown> | unknown,
): Promise<void> {
  let last = ''
  for (let unchanged = 0; ; unchanged += 1) {
    const remaining = await readRemaining()
    if (!remaining) return
    const shown = JSON.stringify(remaining)
    if (shown !== last) unchanged = 0
    last = shown
    assert(unchanged < pollsWithoutProgressMax, `no progress until ${what}: ${shown} remains`)
    await sleep(pollIntervalMs)
  }
}

/**
 * Retries what the storm itself does at the database, which a slow machine may time out. The work
 * must be safe to repeat: it names its own references.
 */
export async function retryWork<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries === workTriesMax) throw error
      await sleep(pollIntervalMs * tries)
    }
  }
}
