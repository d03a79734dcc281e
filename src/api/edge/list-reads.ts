import { strict as assert } from 'node:assert'
import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'

const { listsRunning, listsWaiting, listsRetryAfterSeconds } = limits.rateLimit
assert(listsRunning < limits.postgres.poolSize / 2, 'two environments leave connections')

type Turns = { running: number; waiting: (() => void)[] }

export type ListReads = ReturnType<typeof createListReads>

/**
 * Caps the lists that one environment reads at once, so that slow lists of one merchant cannot
 * take every connection of the pool from the others. Further lists of that environment wait in
 * the order in which they came; when too many wait, a list is refused with 429.
 */
export function createListReads() {
  const environments = new Map<EnvironmentId, Turns>()

  async function run<Result>(id: EnvironmentId, read: () => Promise<Result>): Promise<Result> {
    const turns = environments.get(id) ?? { running: 0, waiting: [] }
    environments.set(id, turns)
    if (turns.waiting.length >= listsWaiting) throw tooManyLists()
    // A read that ends hands its place to the next one, so `running` does not change then.
    if (turns.running >= listsRunning)
      await new Promise<void>((resolve) => turns.waiting.push(resolve))
    else turns.running += 1
    try {
      return await read()
    } finally {
      const next = turns.waiting.shift()
      if (next) next()
      else turns.running -= 1
      if (turns.running === 0) environments.delete(id)
    }
  }

  return { run }
}

function tooManyLists(): Refusal {
  return new Refusal('rate_limited', {
    message: `Too many lists of this environment are being read at once. Read at most ${listsRunning} at a time.`,
    retryAfterSeconds: listsRetryAfterSeconds,
  })
}
