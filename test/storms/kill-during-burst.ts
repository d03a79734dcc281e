import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Demo,
  isRunning,
  type Program,
  postgresOf,
  readDemo,
  runCommand,
  startProgram,
} from '../support/program.js'
import type { Random } from '../support/seed.js'
import { differenceOf } from './multiset.js'
import { untilNoneRemain } from './progress.js'

/** What is killed. A power cut takes both. */
const victims = ['server', 'server', 'database', 'both'] as const
const quiet = { RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'silent' }
const replayed = 1_000

type Storm = {
  home: string
  kills: number
  connections: number
  random: Random
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

export type Aftermath = {
  acknowledged: number
  killsDuringWork: number
  /** Unanswered requests that had been done, and those that had not. */
  unanswered: { done: number; undone: number }
  /** Keys whose answer differs from the one before the kill. */
  changedAnswers: string[]
  /** References of answers that are not on the statement exactly once. */
  missing: string[]
  /** Lines on the statement without an answer. */
  unexplained: string[]
  available: bigint
  expected: bigint
  verdict: { code: number | null; out: string }
  exitCode: number | null
}

/**
 * Many connections write with idempotency keys while processes are killed at random moments; some
 * unanswered requests are retried in the next round. Finally every key is retried, and the statement
 * is compared with the answers.
 */
export async function killDuringBurst(storm: Storm): Promise<Aftermath> {
  const burst = new Burst(storm.random)
  let duringWork = 0
  for (let round = 1; round <= storm.kills; round += 1) {
    const program = await start(storm)
    const before = burst.answers.size
    const bursting = burst.run(readDemo(storm.home), storm.connections)
    await untilNoneRemain('a write is answered', () => burst.answers.size === before)
    await sleep(storm.random.integer(20, 700))
    const victim = storm.random.pick(victims)
    const { underWay } = burst
    if (underWay > 0) duringWork += 1
    await kill(storm.home, program, victim)
    await bursting.stop()
    const written = burst.answers.size - before
    const sum = `${written} answered, ${burst.open.size} not`
    storm.say(`kill ${round} (${victim}) with ${underWay} requests under way: ${sum}`)
  }
  return { ...(await readAftermath(storm, burst)), killsDuringWork: duringWork }
}

async function start(storm: Storm): Promise<Program> {
  const program = await startProgram(storm.home, quiet)
  storm.onStart(program)
  return program
}

/** A service without its database must end by itself: another may be about to replace it. */
async function kill(
  home: string,
  program: Program,
  victim: (typeof victims)[number],
): Promise<void> {
  const postgres = postgresOf(home)
  assert(postgres, 'the database runs')
  if (victim !== 'server') process.kill(postgres, 'SIGKILL')
  if (victim !== 'database') program.signal('SIGKILL')
  await program.ended
  while (victim !== 'server' && isRunning(postgres)) await sleep(1)
}

/** Answers to many callers by key. The amount of a key is its number. */
class Burst {
  readonly answers = new Map<number, string>()
  readonly open = new Set<number>()
  /** Requests that were sent and are not answered yet. */
  underWay = 0
  readonly #random: Random
  #next = 1

  constructor(random: Random) {
    this.#random = random
  }

  run(demo: Demo, connections: number): { stop(): Promise<void> } {
    let isOver = false
    const work = async () => {
      while (!isOver) await this.#write(demo)
    }
    const working = Array.from({ length: connections }, work)
    return {
      async stop() {
        isOver = true
        await Promise.all(working)
      },
    }
  }

  async #write(demo: Demo): Promise<void> {
    const number = this.#pick()
    this.underWay += 1
    const answer = await post(demo, number)
    this.underWay -= 1
    if (answer?.status === 201) {
      this.answers.set(number, answer.text)
      return
    }
    assert(!answer || answer.status === 503, `no answer but 201 and 503: ${answer?.text}`)
    this.open.add(number)
    await sleep(1)
  }

  /** A new key, or one without an answer, used by one caller at a time. */
  #pick(): number {
    const [old] = this.open
    if (old !== undefined && this.#random.integer(1, 20) === 1) {
      this.open.delete(old)
      return old
    }
    this.#next += 1
    return this.#next
  }
}

type Answer = { status: number; text: string; isReplayed: boolean }

/** Undefined: the connection was lost; the outcome is unknown. */
async function post({ baseUrl, test: keys }: Demo, number: number): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${baseUrl}/v1/test/balances/fund`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keys.secretKey}`,
        'content-type': 'application/json',
        'idempotency-key': `storm ${number}`,
      },
      body: JSON.stringify({ asset: 'NGN', amount: number }),
    })
    const isReplayed = response.headers.get('idempotent-replayed') === 'true'
    return { status: response.status, text: await response.text(), isReplayed }
  } catch {
    return undefined
  }
}

async function readAftermath(
  storm: Storm,
  burst: Burst,
): Promise<Omit<Aftermath, 'killsDuringWork'>> {
  const program = await start(storm)
  const demo = readDemo(storm.home)
  const acknowledged = burst.answers.size
  const changedAnswers = await repeatAnswered(storm, burst, demo)
  const unanswered = await retryUnanswered(burst, demo)
  const answered = [...burst.answers.values()].map(
    (text) => JSON.parse(text).data.reference as string,
  )
  const { references, available } = await readStatement(demo)
  const [demoFunding] = references.splice(-1)
  assert(demoFunding, 'the demo merchant starts with a demoFunding')
  const { code, out } = await runCommand(storm.home, 'verify-ledger')
  program.signal('SIGINT')
  const expected = [...burst.answers.keys()].reduce(
    (sum, number) => sum + BigInt(number),
    500_000_000n,
  )
  return {
    acknowledged,
    unanswered,
    changedAnswers,
    available,
    expected,
    missing: differenceOf(answered, references),
    unexplained: differenceOf(references, answered),
    verdict: { code, out },
    exitCode: (await program.ended).code,
  }
}

async function repeatAnswered({ random }: Storm, burst: Burst, demo: Demo): Promise<string[]> {
  const some = random.shuffle([...burst.answers]).slice(0, replayed)
  return (
    await inTurns(some, async ([number, text]) => {
      const again = await post(demo, number)
      return again?.isReplayed && again.text === text ? [] : [`storm ${number}: ${again?.text}`]
    })
  ).flat()
}

async function retryUnanswered(burst: Burst, demo: Demo) {
  const replays = await inTurns([...burst.open], async (number) => {
    const answer = await post(demo, number)
    assert.equal(answer?.status, 201, `storm ${number} can be retried`)
    burst.answers.set(number, answer.text)
    return answer.isReplayed
  })
  const done = replays.filter(Boolean).length
  return { done, undone: replays.length - done }
}

/** A few at a time, as callers do. */
async function inTurns<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += 50)
    results.push(...(await Promise.all(items.slice(from, from + 50).map(work))))
  return results
}

async function readStatement({ baseUrl, test: keys }: Demo) {
  const headers = { authorization: `Bearer ${keys.secretKey}`, accept: 'text/csv' }
  const answer = await fetch(`${baseUrl}/v1/balance-entries?asset=NGN`, { headers })
  const [head, ...rows] = (await answer.text()).trimEnd().split('\n')
  const columns = head!.split(',')
  const cells = (column: string) => rows.map((row) => row.split(',')[columns.indexOf(column)]!)
  return {
    references: cells('reference'),
    available: BigInt(cells('balanceAfterMinor')[0]!),
  }
}
