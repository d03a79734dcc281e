import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { ConnectionLost, isSilence } from './failures.js'
import { overloaded } from './overloaded.js'

type Waiting<Key, Value> = {
  key: Key
  resolve: (value: Value) => void
  reject: (error: unknown) => void
}

/**
 * Gathers single questions into one. Questions of the same turn of the event loop travel together,
 * and while the allowed number is under way the next ones wait and travel together too.
 * Nothing is cached: every answer was read after its question was asked. Only for reads: a batch
 * whose connection is lost is asked again.
 */
export function gather<Key, Value>(
  askAll: (keys: Key[]) => Promise<Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = []
  let underWay = 0
  let isScheduled = false

  async function ask(): Promise<void> {
    isScheduled = false
    if (waiting.length === 0 || underWay >= limits.gather.underWay) return
    const batch = waiting.slice(0, limits.gather.batch)
    waiting = waiting.slice(limits.gather.batch)
    underWay += 1
    schedule()
    try {
      const values = await askPatiently(batch.map(({ key }) => key))
      assert.equal(values.length, batch.length, 'every question has an answer')
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    underWay -= 1
    schedule()
  }

  /** A lost connection is asked again for a while: a restart of the database is over soon. */
  async function askPatiently(keys: Key[]): Promise<Value[]> {
    const { waitMs, reconnectMs, reconnectMaxMs } = limits.lane
    const giveUpAtMs = systemClock.elapsedMs() + waitMs
    for (let pauseMs: number = reconnectMs; ; pauseMs = Math.min(pauseMs * 2, reconnectMaxMs)) {
      try {
        return await askAll(keys)
      } catch (error) {
        const isWorthIt = error instanceof ConnectionLost && !isSilence(error.cause)
        if (!isWorthIt || systemClock.elapsedMs() + pauseMs > giveUpAtMs) throw error
      }
      await sleep(pauseMs)
    }
  }

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(ask)
  }

  return (key) => {
    if (waiting.length >= limits.gather.waiting) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      schedule()
    })
  }
}
