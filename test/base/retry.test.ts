import { expect, test } from 'vitest'
import { retry } from '../../src/base/retry.js'

const passing = new Error('passing')
const options = {
  isPassing: (error: unknown) => error === passing,
  pauseMs: 1,
  pauseMaxMs: 4,
  timeoutMs: 100,
}

function failing(times: number, error: Error) {
  let calls = 0
  const run = async () => {
    calls += 1
    if (calls <= times) throw error
    return calls
  }
  return { run, calls: () => calls }
}

test('a passing failure is retried until the call succeeds', async () => {
  expect(await retry(failing(3, passing).run, options)).toBe(4)
})

test('any other failure is thrown immediately', async () => {
  const call = failing(3, new Error('lasting'))
  await expect(retry(call.run, options)).rejects.toThrow('lasting')
  expect(call.calls()).toBe(1)
})

test('a failure that does not pass is thrown when the time is over, after a last attempt', async () => {
  const call = failing(Number.POSITIVE_INFINITY, passing)
  const slow = { ...options, pauseMs: 1_000_000, pauseMaxMs: 1_000_000 }
  await expect(retry(call.run, slow)).rejects.toThrow(passing)
  // A timer may fire a moment early, and leave time for one more.
  expect(call.calls()).toBeGreaterThanOrEqual(2)
  expect(call.calls()).toBeLessThanOrEqual(3)
})
