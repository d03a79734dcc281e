import { strict as assert } from 'node:assert'
import type pg from 'pg'
import { limits } from '../limits.js'
import { type Outcome, Refusal } from '../refusal.js'
import { ConnectionLost, isConnectionLost, isTransient, OutcomeUnknown } from './failures.js'
import { overloaded } from './overloaded.js'
import { inTransaction, type Tx } from './tx.js'

type Waiting<Call, Answer> = {
  call: Call
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** The work of a lane: a list of calls in one transaction, one outcome per call, in their order. */
export type LaneWork<Call, Answer> = (tx: Tx, calls: Call[]) => Promise<Outcome<Answer>[]>

type Options<Call, Answer> = {
  connect: () => Promise<pg.Client>
  work: LaneWork<Call, Answer>
}

export type OpenedLane<Call, Answer> = Pick<Lane<Call, Answer>, 'run' | 'close' | 'stats'>

/** The benchmark opens something else: a transaction for every call. */
export type OpenLane = <Call, Answer>(options: Options<Call, Answer>) => OpenedLane<Call, Answer>

export const openLane: OpenLane = (options) => new Lane(options)

/**
 * Gathers the calls that arrive while the previous commit is under way and runs them together in
 * one transaction: group commit at the level of the business. To the caller it is an ordinary
 * function.
 *
 * A call that cannot be done is refused alone. When a batch fails as a whole it is halved until the
 * guilty call is alone, so a failure is never shared with a call that did not cause it.
 */
export class Lane<Call, Answer> {
  readonly stats = { calls: 0, batches: 0, halved: 0, retried: 0, unknown: 0 }
  readonly #connect: () => Promise<pg.Client>
  readonly #work: LaneWork<Call, Answer>
  readonly #waiting: Waiting<Call, Answer>[] = []
  #client: pg.Client | undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(options: Options<Call, Answer>) {
    this.#connect = options.connect
    this.#work = options.work
  }

  run(call: Call): Promise<Answer> {
    const isFull = this.#waiting.length >= limits.lane.waiting
    if (isFull || this.#isClosed) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, resolve, reject })
      this.#running ??= this.#runAll()
    })
  }

  /** Everything that waits is answered, then the connection is closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running) await this.#running
    await this.#client?.end()
  }

  async #runAll(): Promise<void> {
    // Whatever else this turn of the event loop brings travels along with the first call.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, limits.lane.batch)
      this.stats.batches += 1
      this.stats.calls += batch.length
      await this.#settle(batch)
    }
    this.#running = undefined
  }

  async #settle(batch: Waiting<Call, Answer>[]): Promise<void> {
    for (let retries = 0; ; retries += 1) {
      try {
        return answerAll(batch, await this.#commit(batch.map((waiting) => waiting.call)))
      } catch (error) {
        if (error instanceof OutcomeUnknown) {
          // Never tried again on the caller's behalf: it may be there already.
          this.stats.unknown += batch.length
          return rejectAll(batch, error)
        }
        if (mayTryAgain(error) && retries < limits.lane.transientRetries) {
          this.stats.retried += 1
          continue
        }
        if (error instanceof ConnectionLost || batch.length === 1) return rejectAll(batch, error)
        return this.#settleHalves(batch)
      }
    }
  }

  async #settleHalves(batch: Waiting<Call, Answer>[]): Promise<void> {
    this.stats.halved += 1
    const middle = batch.length >> 1
    await this.#settle(batch.slice(0, middle))
    await this.#settle(batch.slice(middle))
  }

  async #commit(calls: Call[]): Promise<Outcome<Answer>[]> {
    try {
      this.#client ??= await this.#connect().catch(toConnectionLost)
      return await inTransaction(this.#client, async (tx) => {
        const outcomes = await this.#work(tx, calls)
        assert.equal(outcomes.length, calls.length, 'a lane answers every call')
        return outcomes
      })
    } catch (error) {
      throw this.#afterFailure(error)
    }
  }

  /** A connection that was lost is left behind; the next batch makes a new one. */
  #afterFailure(error: unknown): unknown {
    const isLost = error instanceof OutcomeUnknown || error instanceof ConnectionLost
    if (!isLost && !isConnectionLost(error)) return error
    this.#client?.end().catch(() => {})
    this.#client = undefined
    return isLost ? error : new ConnectionLost('the connection was lost', { cause: error })
  }
}

/** Whatever kept us from connecting is no call's fault, so halving the batch cannot mend it. */
function toConnectionLost(error: unknown): never {
  throw new ConnectionLost('no connection to the database', { cause: error })
}

function mayTryAgain(error: unknown): boolean {
  return isTransient(error) || error instanceof ConnectionLost
}

function answerAll<Call, Answer>(
  batch: Waiting<Call, Answer>[],
  outcomes: Outcome<Answer>[],
): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index] as Outcome<Answer>
    if (outcome instanceof Refusal) reject(outcome)
    else resolve(outcome)
  }
}

function rejectAll(batch: { reject: (error: unknown) => void }[], error: unknown): void {
  for (const { reject } of batch) reject(error)
}
