import { strict as assert } from 'node:assert'
import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'

const { listsRunning, listsWaiting, listsRetryAfterSeconds } = limits.rateLimit
assert(listsRunning < limits.postgres.poolSize / 2, 'two environments leave connections for others')

type Queue = { running: number; waiting: (() => void)[] }

export type ListReads = ReturnType<typeof createListReads>

/**
 * Limits how many lists one environment reads at once, so that slow lists of one merchant cannot
 * use up the connection pool. Further lists wait in order; when too many wait, a list gets 429.
 */
export function createListReads() {
  const environments = new Map<EnvironmentId, Queue>()

  async function run<Result>(id: EnvironmentId, read: () => Promise<Result>): Promise<Result> {
    const queue = environments.get(id) ?? { running: 0, waiting: [] }
    environments.set(id, queue)
    if (queue.waiting.length >= listsWaiting) throw tooManyLists()
    // A read that ends passes its place to the next one, so `running` does not change.
    if (queue.running >= listsRunning)
      await new Promise<void>((resolve) => queue.waiting.push(resolve))
    else queue.running += 1
    try {
      return await read()
    } finally {
      const next = queue.waiting.shift()
      if (next) next()
      else queue.running -= 1
      if (queue.running === 0) environments.delete(id)
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
