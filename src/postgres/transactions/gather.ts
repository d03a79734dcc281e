import { strict as assert } from 'node:assert'
import { retry } from '../../base/retry.js'
import { gatherLimits, laneLimits } from '../limits.js'
import { ConnectionLost, isSilence } from '../wire/failures.js'
import { overloaded } from './overloaded.js'

type Waiting<Key, Value> = {
  key: Key
  resolve: (value: Value) => void
  reject: (error: unknown) => void
}

/**
 * Combines single calls into batches: calls of one turn of the event loop share a batch, and so do
 * those that arrive while the allowed number of batches is running. Nothing is cached: every value
 * is read after it was requested. Only for what is safe to repeat, such as reads and sending signed
 * bytes: a batch that loses its connection runs again.
 */
export function gather<Key, Value>(
  readAll: (keys: Key[]) => Promise<Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = []
  let running = 0
  let isScheduled = false

  async function runBatch(): Promise<void> {
    isScheduled = false
    if (waiting.length === 0 || running >= gatherLimits.batchesInFlightMax) return
    const batch = waiting.slice(0, gatherLimits.keysPerBatchMax)
    waiting = waiting.slice(gatherLimits.keysPerBatchMax)
    running += 1
    schedule()
    try {
      const values = await readWithRetries(batch.map(({ key }) => key))
      assert.equal(values.length, batch.length, 'every key has a value')
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    running -= 1
    schedule()
  }

  /** Retries a lost connection for a while: the database may only be restarting. */
  function readWithRetries(keys: Key[]): Promise<Value[]> {
    return retry(() => readAll(keys), {
      isPassing: (error) => error instanceof ConnectionLost && !isSilence(error.cause),
      pauseMs: laneLimits.reconnectMs,
      pauseMaxMs: laneLimits.reconnectMaxMs,
      timeoutMs: laneLimits.callWaitMaxMs,
    })
  }

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(runBatch)
  }

  return (key) => {
    if (waiting.length >= gatherLimits.keysWaitingMax) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      schedule()
    })
  }
}
