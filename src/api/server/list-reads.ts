import { strict as assert } from 'node:assert'
import type { EnvironmentId } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { postgresLimits } from '../../postgres/limits.js'
import { requestRateLimits } from '../limits.js'

const { listsRunning, listsWaiting, listsRetryAfterSeconds } = requestRateLimits
assert(listsRunning < postgresLimits.poolSize / 2, 'two environments leave connections for others')

type Read<Result> = () => Promise<Result>

type Waiting = {
  /** Reads with equal keys have equal results. Undefined: the result is not shared. */
  key: string | undefined
  /** Runs the read for this one and for the others with its key. */
  start: (others: Waiting[]) => void
  follow: (result: Promise<never>) => void
}

type Queue = { running: number; waiting: Waiting[] }

export type ListReads = ReturnType<typeof createListReads>

/**
 * Limits how many lists one environment reads at once, so that slow lists of one merchant cannot
 * use up the connection pool. Further lists wait in order; when too many wait, a list gets 429.
 * Lists that wait with the same key are read once, together: after every one of them was requested,
 * so nothing is older than its request.
 */
export function createListReads() {
  const environments = new Map<EnvironmentId, Queue>()

  function queueOf(id: EnvironmentId): Queue {
    const queue = environments.get(id) ?? { running: 0, waiting: [] }
    environments.set(id, queue)
    return queue
  }

  /** Passes its place to the next one, so `running` changes only when none waits. */
  async function runAndPassOn<Result>(
    id: EnvironmentId,
    queue: Queue,
    read: Read<Result>,
  ): Promise<Result> {
    try {
      return await read()
    } finally {
      const next = queue.waiting.shift()
      if (next) next.start(takeSame(queue, next.key))
      else queue.running -= 1
      if (queue.running === 0) environments.delete(id)
    }
  }

  return {
    async run<Result>(
      id: EnvironmentId,
      key: string | undefined,
      read: Read<Result>,
    ): Promise<Result> {
      if (queueOf(id).waiting.length >= listsWaiting) throw tooManyLists()
      return this.runNext(id, key, read)
    },

    /** The next part of a list that has begun: it waits its turn and is never refused. */
    async runNext<Result>(
      id: EnvironmentId,
      key: string | undefined,
      read: Read<Result>,
    ): Promise<Result> {
      const queue = queueOf(id)
      if (queue.running < listsRunning) {
        queue.running += 1
        return runAndPassOn(id, queue, read)
      }
      return new Promise<Result>((resolve) => {
        queue.waiting.push({
          key,
          start(others) {
            const result = runAndPassOn(id, queue, read)
            resolve(result)
            for (const other of others) other.follow(result as Promise<never>)
          },
          follow: resolve,
        })
      })
    },
  }
}

function takeSame(queue: Queue, key: string | undefined): Waiting[] {
  if (key === undefined) return []
  const same = queue.waiting.filter((read) => read.key === key)
  queue.waiting = queue.waiting.filter((read) => read.key !== key)
  return same
}

function tooManyLists(): Refusal {
  return new Refusal('rate_limited', {
    message: `Too many lists of this environment are being read at once. Read at most ${listsRunning} at a time.`,
    retryAfterSeconds: listsRetryAfterSeconds,
  })
}
