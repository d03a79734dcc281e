import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { systemClock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { Busy } from './busy.js'
import { cutConnection } from './connection.js'
import {
  ConnectionLost,
  isConnectionLost,
  isLockTimeout,
  isOutOfMemory,
  isServerTrouble,
  isTransient,
  OutcomeUnknown,
} from './failures.js'
import { overloaded } from './overloaded.js'
import { inTransaction, type Tx } from './tx.js'

type Waiting<Call, Answer> = {
  call: Call
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
  sinceMs: number
  /** What it waits for, where that is held by another transaction. */
  group: string
}

/** The work of a lane: a list of calls in one transaction, one outcome per call, in their order. */
export type LaneWork<Call, Answer> = (tx: Tx, calls: Call[]) => Promise<Outcome<Answer>[]>

type Options<Call, Answer> = {
  connect: () => Promise<pg.Client>
  work: LaneWork<Call, Answer>
  /**
   * The name under which `Busy` reports a call. With it, no batch waits for a lock: a call whose
   * rows another transaction holds waits apart, and delays only calls that wait for the same.
   */
  nameOf?: (call: Call) => string
}

export type OpenedLane<Call, Answer> = Pick<Lane<Call, Answer>, 'run' | 'close' | 'stats' | 'ping'>

/** The benchmark opens something else: a transaction for every call. */
export type OpenLane = <Call, Answer>(options: Options<Call, Answer>) => OpenedLane<Call, Answer>

export const openLane: OpenLane = (options) => new Lane(options)

/**
 * Gathers the calls that arrive while the previous commit is under way and runs them together in
 * one transaction: group commit at the level of the business. To the caller it is an ordinary
 * function.
 *
 * A call that cannot be done is refused alone. When a batch fails as a whole it is halved until the
 * failing call is alone, so a failure is never shared with a call that did not cause it.
 */
export class Lane<Call, Answer> {
  readonly stats = { calls: 0, batches: 0, halved: 0, retried: 0, deferred: 0, unknown: 0 }
  readonly #options: Options<Call, Answer>
  readonly #waiting: Waiting<Call, Answer>[] = []
  /** Where calls wait for locks: lanes of their own, opened when they are needed. */
  readonly #asides: Lane<Call, Answer>[] = []
  readonly #groupsAside = new Map<string, { aside: Lane<Call, Answer>; count: number }>()
  #isAside = false
  #client: pg.Client | undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(options: Options<Call, Answer>) {
    this.#options = options
  }

  run(call: Call): Promise<Answer> {
    if (this.#isFull || this.#isClosed) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      const group = this.#groupsAside.size > 0 ? this.#nameOf(call) : ''
      const waiting = { call, resolve, reject, sinceMs: systemClock.elapsedMs(), group }
      // Behind those that wait for a lock already: it would meet the same lock.
      if (this.#groupsAside.has(group)) this.#putAside(waiting)
      else this.#enqueue(waiting)
    })
  }

  /** Answers everything that waits, then closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running) await this.#running
    await Promise.all(this.#asides.map((aside) => aside.close()))
    await this.#client?.end().catch(() => {}) // a connection that was lost is closed already
  }

  /**
   * Resolves when the database answers on the connection of this lane; throws when it is lost. A
   * lane without a connection opens one with its next batch and has nothing to check.
   */
  async ping(): Promise<void> {
    const client = this.#client
    if (!client) return
    try {
      await client.query('select')
    } catch (error) {
      // Any other error, such as that of an aborted transaction around it, is an answer as well.
      if (isConnectionLost(error)) throw this.#afterFailure(error, client)
    }
  }

  #enqueue(waiting: Waiting<Call, Answer>): void {
    this.#waiting.push(waiting)
    this.#running ??= this.#runAll()
  }

  async #runAll(): Promise<void> {
    // Whatever else this turn of the event loop brings travels along with the first call.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      this.#refuseLate()
      const batch = this.#takeBatch()
      if (batch.length === 0) continue
      this.stats.batches += 1
      this.stats.calls += batch.length
      await this.#settle(batch)
    }
    this.#running = undefined
  }

  #refuseLate(): void {
    if (this.#isAside) return
    const tooEarlyMs = systemClock.elapsedMs() - limits.lane.waitMs
    while (this.#waiting[0] && this.#waiting[0].sinceMs < tooEarlyMs)
      this.#waiting.shift()!.reject(overloaded())
  }

  /** Where calls wait for locks, those of one group at a time: no other waits for that lock. */
  #takeBatch(): Waiting<Call, Answer>[] {
    const { batch } = limits.lane
    if (!this.#isAside || this.#waiting.length === 0) return this.#waiting.splice(0, batch)
    const [first] = this.#waiting
    const same = this.#waiting.filter(({ group }) => group === first!.group).slice(0, batch)
    const taken = new Set(same)
    const others = this.#waiting.filter((waiting) => !taken.has(waiting))
    this.#waiting.splice(0, this.#waiting.length, ...others)
    return same
  }

  async #settle(given: Waiting<Call, Answer>[]): Promise<void> {
    let batch = given
    for (let retries = 0; ; retries += 1) {
      try {
        return answerAll(batch, await this.#commit(batch.map((waiting) => waiting.call)))
      } catch (error) {
        if (this.#isAside && isLockTimeout(error)) return this.#enqueueAgain(batch, error)
        const held = this.#findHeld(batch, error)
        if (held) {
          batch = this.#putAsideHeld(batch, held)
          if (batch.length === 0) return
          continue
        }
        if (error instanceof OutcomeUnknown) {
          // Never tried again on the caller's behalf: it may be there already.
          this.stats.unknown += batch.length
          return rejectAll(batch, error)
        }
        if (await this.#mayTryAgain(batch, error, retries)) {
          this.stats.retried += 1
          continue
        }
        if (batch.length === 1 || !this.#mayHalvesHelp(error)) return rejectAll(batch, error)
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

  /** Not where the batch as a whole, or none of its calls, is what cannot be done. */
  #mayHalvesHelp(error: unknown): boolean {
    if (isOutOfMemory(error)) return true
    return !(error instanceof ConnectionLost) && !isServerTrouble(error)
  }

  /** A lost connection is tried again for as long as its callers would rather wait than fail. */
  async #mayTryAgain(
    batch: Waiting<Call, Answer>[],
    error: unknown,
    retries: number,
  ): Promise<boolean> {
    if (isTransient(error)) return retries < limits.lane.transientRetries
    if (!(error instanceof ConnectionLost)) return false
    const { waitMs, reconnectMs, reconnectMaxMs } = limits.lane
    const pauseMs = Math.min(reconnectMs * 2 ** retries, reconnectMaxMs)
    const waitedMs = systemClock.elapsedMs() - batch[0]!.sinceMs
    if (waitedMs + pauseMs > waitMs) return false
    if (retries > 0) await sleep(pauseMs)
    return true
  }

  /** Calls that must wait apart, by name; undefined when the failure is of another kind. */
  #findHeld(
    batch: Waiting<Call, Answer>[],
    error: unknown,
  ): ReadonlyMap<string, string> | undefined {
    if (error instanceof Busy)
      return batch.some(({ call }) => error.waitsFor.has(this.#nameOf(call)))
        ? error.waitsFor
        : undefined
    // An insert met that of another transaction. Which call did, the server does not say.
    if (this.#waitsForLocks || !isLockTimeout(error)) return undefined
    const names = batch.map(({ call }) => this.#nameOf(call))
    return new Map(names.map((name) => [name, name]))
  }

  /** Groups take turns, so that one whose rows are held for long does not delay the others. */
  #enqueueAgain(batch: Waiting<Call, Answer>[], error: unknown): void {
    const tooEarlyMs = systemClock.elapsedMs() - limits.postgres.lockMs
    for (const waiting of batch)
      if (waiting.sinceMs < tooEarlyMs) waiting.reject(error)
      else this.#waiting.push(waiting)
  }

  /** Returns those that need not wait. */
  #putAsideHeld(
    batch: Waiting<Call, Answer>[],
    groups: ReadonlyMap<string, string>,
  ): Waiting<Call, Answer>[] {
    const free: Waiting<Call, Answer>[] = []
    for (const waiting of batch) {
      const group = groups.get(this.#nameOf(waiting.call))
      if (group === undefined) free.push(waiting)
      else this.#putAside({ ...waiting, group })
    }
    this.stats.deferred += batch.length - free.length
    return free
  }

  #putAside(waiting: Waiting<Call, Answer>): void {
    const { group } = waiting
    const known = this.#groupsAside.get(group) ?? { aside: this.#chooseAside(), count: 0 }
    known.count += 1
    this.#groupsAside.set(group, known)
    const leave = () => {
      known.count -= 1
      if (known.count === 0) this.#groupsAside.delete(group)
    }
    known.aside.#enqueue({
      ...waiting,
      resolve: (answer) => {
        leave()
        waiting.resolve(answer)
      },
      reject: (error) => {
        leave()
        waiting.reject(error)
      },
    })
  }

  /** One that has nothing to do, if there may be one: a group should wait for its own lock only. */
  #chooseAside(): Lane<Call, Answer> {
    const idle = this.#asides.find((aside) => !aside.#running)
    if (idle) return idle
    if (this.#asides.length >= limits.lane.asides)
      return this.#asides.reduce((least, other) =>
        other.#waiting.length < least.#waiting.length ? other : least,
      )
    const aside = new Lane(this.#options)
    aside.#isAside = true
    this.#asides.push(aside)
    return aside
  }

  get #isFull(): boolean {
    const lanes = [this, ...this.#asides]
    const waiting = lanes.reduce((sum, lane) => sum + lane.#waiting.length, 0)
    return waiting >= limits.lane.waiting
  }

  #nameOf(call: Call): string {
    return this.#options.nameOf?.(call) ?? ''
  }

  get #waitsForLocks(): boolean {
    return this.#isAside || !this.#options.nameOf
  }

  async #commit(calls: Call[]): Promise<Outcome<Answer>[]> {
    const { connect, work } = this.#options
    try {
      this.#client ??= await connect().catch(toConnectionLost)
      const client = this.#client
      const deadline = setTimeout(() => cutConnection(client), limits.lane.deadlineMs)
      const run = async (tx: Tx) => {
        if (this.#isAside && this.#waiting.length === 0) tx.write(waitLonger)
        const outcomes = await work(tx, calls)
        assert.equal(outcomes.length, calls.length, 'a lane answers every call')
        return outcomes
      }
      return await inTransaction(client, run, { waitsForLocks: this.#waitsForLocks }).finally(() =>
        clearTimeout(deadline),
      )
    } catch (error) {
      throw this.#afterFailure(error, this.#client)
    }
  }

  /** Drops a lost connection; the next batch opens a new one. */
  #afterFailure(error: unknown, client: pg.Client | undefined): unknown {
    const isLost = error instanceof OutcomeUnknown || error instanceof ConnectionLost
    if (!isLost && !isConnectionLost(error)) return error
    client?.end().catch(() => {})
    if (this.#client === client) this.#client = undefined
    return isLost ? error : new ConnectionLost('the connection was lost', { cause: error })
  }
}

/** Where no other group waits for its turn. */
const waitLonger = { text: `set local lock_timeout = ${limits.postgres.lockMs}`, values: [] }

/** Whatever kept us from connecting is no call's fault, so halving the batch cannot mend it. */
function toConnectionLost(error: unknown): never {
  throw new ConnectionLost('no connection to the database', { cause: error })
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
