import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { gatherLimits } from '../../src/postgres/limits.js'
import { gather } from '../../src/postgres/transactions/gather.js'

/** Answers on command and records its calls. */
function slowAnswers() {
  const asked: { keys: number[]; answer: () => void; fail: (error: Error) => void }[] = []
  const askAll = (keys: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      const answer = () => resolve(keys.map((key) => `answer ${key}`))
      asked.push({ keys, answer, fail: reject })
    })
  return { asked, askAll }
}

function countUpTo(length: number): number[] {
  return Array.from({ length }, (_, key) => key)
}

// A hundred reads of one turn of the event loop become one, and each gets its own value.
test('reads of one turn share a batch, and each gets its own value', async () => {
  const asked: number[][] = []
  const find = gather(async (keys: number[]) => {
    asked.push(keys)
    return keys.map((key) => `answer ${key}`)
  })
  const answers = await Promise.all(countUpTo(100).map(find))
  expect(asked).toEqual([countUpTo(100)])
  expect(answers).toEqual(countUpTo(100).map((key) => `answer ${key}`))
})

// Equal keys are not deduplicated and nothing is cached.
test('nothing is cached: every value is read after it was requested', async () => {
  let balance = 0
  const find = gather(async (keys: string[]) => keys.map(() => balance))
  expect(await Promise.all([find('a'), find('a')])).toEqual([0, 0])
  balance = 7
  expect(await find('a')).toBe(7)
})

// A read that arrives while a batch is running must not get its result, which may be older than the
// read. It waits only while the allowed number of batches is running, together with the others.
test('while the allowed number of batches is running the next reads wait together', async () => {
  const { asked, askAll } = slowAnswers()
  const find = gather(askAll)
  const answers: Promise<string>[] = []
  for (const key of countUpTo(gatherLimits.batchesInFlightMax + 20)) {
    answers.push(find(key))
    await nextTurn()
  }
  expect(asked.map(({ keys }) => keys)).toEqual(
    countUpTo(gatherLimits.batchesInFlightMax).map((key) => [key]),
  )
  asked[0]!.answer()
  await answers[0]
  await nextTurn()
  expect(asked.at(-1)!.keys).toEqual(
    countUpTo(gatherLimits.batchesInFlightMax + 20).slice(gatherLimits.batchesInFlightMax),
  )
  for (const { answer } of asked) answer()
  expect(await Promise.all(answers)).toHaveLength(gatherLimits.batchesInFlightMax + 20)
})

// More reads than fit into one batch arrive in one turn. The rest need not wait for the first batch
// while fewer than the allowed number are running.
test('reads that do not fit into one batch start in the next one immediately', async () => {
  const { asked, askAll } = slowAnswers()
  const find = gather(askAll)
  const answers = countUpTo(2 * gatherLimits.keysPerBatchMax + 1).map(find)
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()

  const { keysPerBatchMax } = gatherLimits
  expect(asked.map(({ keys }) => keys.length)).toEqual([keysPerBatchMax, keysPerBatchMax, 1])
  for (const { answer } of asked) answer()
  expect(await Promise.all(answers)).toEqual(
    countUpTo(2 * keysPerBatchMax + 1).map((key) => `answer ${key}`),
  )
})

// A failure reaches the callers of that batch and no others.
test('a failed batch fails its own reads and no others', async () => {
  const { asked, askAll } = slowAnswers()
  const find = gather(askAll)
  const first = Promise.allSettled([find(1), find(2)])
  await nextTurn()
  const second = find(3)
  await nextTurn()
  asked[0]!.fail(new Error('the database is away'))
  asked[1]!.answer()
  expect(await first).toMatchObject([
    { reason: { message: 'the database is away' } },
    { reason: { message: 'the database is away' } },
  ])
  expect(await second).toBe('answer 3')
  const third = find(4)
  await nextTurn()
  asked[2]!.answer()
  expect(await third).toBe('answer 4')
})

// With a value too few, callers would get each other's values. That is a bug, and none gets one.
test('a batch with the wrong number of values fails all of its reads', async () => {
  const find = gather(async (keys: number[]) => keys.slice(1))
  const outcomes = await Promise.allSettled([find(1), find(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

// A queue without a limit turns an outage into a crash.
test('the queue has a limit, and reads beyond it are refused', async () => {
  const { asked, askAll } = slowAnswers()
  const find = gather(askAll)
  for (const key of countUpTo(gatherLimits.batchesInFlightMax)) {
    void find(key)
    await nextTurn()
  }
  const waiting = countUpTo(gatherLimits.keysWaitingMax).map(find)
  await expect(find(-1)).rejects.toMatchObject({ reason: 'unavailable', status: 503 })
  while (asked.length > 0) {
    for (const { answer } of asked.splice(0)) answer()
    await nextTurn()
    await nextTurn()
  }
  expect(await Promise.all(waiting)).toHaveLength(gatherLimits.keysWaitingMax)
})
