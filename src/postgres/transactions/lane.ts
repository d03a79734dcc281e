import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { pauseAfter, systemClock } from '../../base/clock.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { laneLimits } from '../limits.js'
import { cutConnection } from '../wire/connection.js'
import {
  ConnectionLost,
  isConnectionLost,
  isLockTimeout,
  isOutOfMemory,
  isServerTrouble,
  isTransient,
  OutcomeUnknown,
} from '../wire/failures.js'
import { Busy } from './busy.js'
import { overloaded } from './overloaded.js'
import type { Turns } from './turns.js'
import { inTransaction, type Tx } from './tx.js'

type Waiting<Call, Answer> = {
  call: Call
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
  sinceMs: number
  /** In a side lane: what the call waits for. The others have none. */
  group: string | undefined
}

/** Runs a list of calls in one transaction and returns one outcome per call, in order. */
export type LaneWork<Call, Answer> = (tx: Tx, calls: Call[]) => Promise<Outcome<Answer>[]>

type LaneSettings<Call, Answer> = {
  connect: () => Promise<pg.Client>
  work: LaneWork<Call, Answer>
  /**
   * With this option no batch waits for a lock: a call whose rows another transaction holds moves
   * to a side lane and delays only calls that wait for the same rows (busy.ts). `nameOf` is the
   * name under which `Busy` reports a call.
   */
  sideLanes?: { nameOf: (call: Call) => string }
  /** Shared with other lanes that lock the same rows. Side lanes wait for locks instead. */
  turns?: Turns | undefined
}

export type OpenedLane<Call, Answer> = Pick<
  Lane<Call, Answer>,
  'run' | 'close' | 'stats' | 'times' | 'waiting' | 'ping'
>

/** The benchmark passes an implementation with one transaction per call. */
export type OpenLane = <Call, Answer>(
  settings: LaneSettings<Call, Answer>,
) => OpenedLane<Call, Answer>

export const openLane: OpenLane = (settings) => new Lane(settings)

/**
 * Collects the calls that arrive while the previous commit is running and runs them in one
 * transaction: group commit for whole use cases. Callers see an ordinary async function.
 *
 * A call that cannot be done is refused alone. A batch that fails as a whole is halved until the
 * failing call is alone, so that no call fails because of another one.
 */
export class Lane<Call, Answer> {
  readonly stats = { calls: 0, batches: 0, halved: 0, retried: 0, deferred: 0, unknown: 0 }
  /** Sums since the start: how long calls waited for their batch, and how long batches ran. */
  readonly times = { waitedMs: 0, ranMs: 0 }
  readonly #settings: LaneSettings<Call, Answer>
  readonly #waiting: Waiting<Call, Answer>[] = []
  /** Where calls wait for locks; opened on demand. */
  readonly #sideLanes: Lane<Call, Answer>[] = []
  readonly #deferredGroups = new Map<string, { sideLane: Lane<Call, Answer>; count: number }>()
  #isSideLane = false
  #client: pg.Client | undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(settings: LaneSettings<Call, Answer>) {
    this.#settings = settings
  }

  run(call: Call): Promise<Answer> {
    if (this.#isFull || this.#isClosed) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      const waiting = {
        call,
        resolve,
        reject,
        sinceMs: systemClock.elapsedMs(),
        group: undefined,
      }
      const group = this.#findWaitingGroup(call)
      if (group === undefined) this.#enqueue(waiting)
      else this.#defer({ ...waiting, group })
    })
  }

  /**
   * The group that waits for the lock which this call would meet too. Known only where the name of
   * a call is a group, as in lanes that name calls after their environment or endpoint. Other calls
   * meet the lock themselves and join the group then.
   */
  #findWaitingGroup(call: Call): string | undefined {
    if (this.#deferredGroups.size === 0) return undefined
    const name = this.#nameOf(call)
    return this.#deferredGroups.has(name) ? name : undefined
  }

  /** Calls that wait for their batch, or for a lock. */
  get waiting(): number {
    return this.#sideLanes.reduce((sum, lane) => sum + lane.#waiting.length, this.#waiting.length)
  }

  /** Runs every waiting call, then closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#running) await this.#running
    await Promise.all(this.#sideLanes.map((sideLane) => sideLane.close()))
    await this.#client?.end().catch(() => {}) // a connection that was lost is closed already
  }

  /**
   * Resolves when the database answers on this lane's connection; throws when it is lost. A lane
   * without a connection opens one for its next batch and has nothing to check.
   */
  async ping(): Promise<void> {
    const client = this.#client
    if (!client) return
    try {
      await client.query('select')
    } catch (error) {
      // Any other error, such as that of an aborted transaction, is an answer too.
      if (isConnectionLost(error)) throw this.#afterFailure(error, client)
    }
  }

  #enqueue(waiting: Waiting<Call, Answer>): void {
    this.#waiting.push(waiting)
    this.#running ??= this.#runAll()
  }

  async #runAll(): Promise<void> {
    // The first batch includes the other calls of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const turns = this.#isSideLane ? undefined : this.#settings.turns
      const endTurn = turns && (await turns.take())
      try {
        this.#refuseOverdue()
        await this.#runNext()
      } finally {
        endTurn?.()
      }
    }
    this.#running = undefined
  }

  async #runNext(): Promise<void> {
    const batch = this.#takeBatch()
    if (batch.length === 0) return
    this.stats.batches += 1
    this.stats.calls += batch.length
    const startedAt = systemClock.elapsedMs()
    for (const { sinceMs } of batch) this.times.waitedMs += startedAt - sinceMs
    await this.#runBatch(batch)
    this.times.ranMs += systemClock.elapsedMs() - startedAt
  }

  #refuseOverdue(): void {
    if (this.#isSideLane) return
    const overdueMs = systemClock.elapsedMs() - laneLimits.callWaitMaxMs
    while (this.#waiting[0] && this.#waiting[0].sinceMs < overdueMs)
      this.#waiting.shift()!.reject(overloaded())
  }

  /** A side lane takes one group at a time, so that no other group waits for that lock. */
  #takeBatch(): Waiting<Call, Answer>[] {
    const { callsPerBatchMax } = laneLimits
    if (!this.#isSideLane || this.#waiting.length === 0)
      return this.#waiting.splice(0, callsPerBatchMax)
    const [first] = this.#waiting
    const same = this.#waiting
      .filter(({ group }) => group === first!.group)
      .slice(0, callsPerBatchMax)
    const taken = new Set(same)
    const others = this.#waiting.filter((waiting) => !taken.has(waiting))
    this.#waiting.splice(0, this.#waiting.length, ...others)
    return same
  }

  async #runBatch(calls: Waiting<Call, Answer>[]): Promise<void> {
    let batch = calls
    for (let retries = 0; ; retries += 1) {
      try {
        return answerAll(
          batch,
          await this.#commit(
            batch.map(({ call }) => call),
            retries === 0,
          ),
        )
      } catch (error) {
        if (this.#isSideLane && isLockTimeout(error)) return this.#requeue(batch, error)
        const blocked = this.#findBlocked(batch, error)
        if (blocked) {
          batch = this.#deferBlocked(batch, blocked)
          if (batch.length === 0) return
          continue
        }
        if (error instanceof OutcomeUnknown) {
          // Not retried here: the work may be committed already.
          this.stats.unknown += batch.length
          return rejectAll(batch, error)
        }
        if (await this.#mayRetry(batch, error, retries)) {
          this.stats.retried += 1
          continue
        }
        if (batch.length === 1 || !mayHalvingHelp(error)) return rejectAll(batch, error)
        return this.#runHalves(batch)
      }
    }
  }

  async #runHalves(batch: Waiting<Call, Answer>[]): Promise<void> {
    this.stats.halved += 1
    const middle = batch.length >> 1
    await this.#runBatch(batch.slice(0, middle))
    await this.#runBatch(batch.slice(middle))
  }

  /** Retries a lost connection while the oldest call is within the wait limit. */
  async #mayRetry(
    batch: Waiting<Call, Answer>[],
    error: unknown,
    retries: number,
  ): Promise<boolean> {
    if (isTransient(error)) return retries < laneLimits.retriesMax
    if (!(error instanceof ConnectionLost)) return false
    const { callWaitMaxMs, reconnectMs: retryMs, reconnectMaxMs: retryMaxMs } = laneLimits
    const pauseMs = pauseAfter(retries, { retryMs, retryMaxMs })
    const waitedMs = systemClock.elapsedMs() - batch[0]!.sinceMs
    if (waitedMs + pauseMs > callWaitMaxMs) return false
    if (retries > 0) await sleep(pauseMs)
    return true
  }

  /** The groups of blocked calls, by the calls' names; undefined for failures of another kind. */
  #findBlocked(
    batch: Waiting<Call, Answer>[],
    error: unknown,
  ): ReadonlyMap<string, string> | undefined {
    if (error instanceof Busy)
      return batch.some(({ call }) => error.groups.has(this.#nameOf(call)))
        ? error.groups
        : undefined
    // An insert met one of another transaction. The server does not say which call it was: all are
    // deferred, each as a group of its own name.
    if (this.#waitsForLocks || !isLockTimeout(error)) return undefined
    const names = batch.map(({ call }) => this.#nameOf(call))
    return new Map(names.map((name) => [name, name]))
  }

  /** Groups take turns, so that one whose rows are held for long does not delay the others. */
  #requeue(batch: Waiting<Call, Answer>[], error: unknown): void {
    const overdueMs = systemClock.elapsedMs() - laneLimits.deferredWaitMaxMs
    for (const waiting of batch)
      if (waiting.sinceMs < overdueMs) waiting.reject(error)
      else this.#waiting.push(waiting)
  }

  /** Moves blocked calls to side lanes and returns the others. */
  #deferBlocked(
    batch: Waiting<Call, Answer>[],
    groups: ReadonlyMap<string, string>,
  ): Waiting<Call, Answer>[] {
    const free: Waiting<Call, Answer>[] = []
    for (const waiting of batch) {
      const group = groups.get(this.#nameOf(waiting.call))
      if (group === undefined) free.push(waiting)
      else this.#defer({ ...waiting, group })
    }
    this.stats.deferred += batch.length - free.length
    return free
  }

  #defer(waiting: Waiting<Call, Answer> & { group: string }): void {
    const { group } = waiting
    const deferred = this.#deferredGroups.get(group) ?? {
      sideLane: this.#chooseSideLane(),
      count: 0,
    }
    deferred.count += 1
    this.#deferredGroups.set(group, deferred)
    const leave = () => {
      deferred.count -= 1
      if (deferred.count === 0) this.#deferredGroups.delete(group)
    }
    deferred.sideLane.#enqueue({
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

  /** An idle one if possible: a group should wait for its own lock only. */
  #chooseSideLane(): Lane<Call, Answer> {
    const idle = this.#sideLanes.find((sideLane) => !sideLane.#running)
    if (idle) return idle
    if (this.#sideLanes.length >= laneLimits.sideLanesMax)
      return this.#sideLanes.reduce((least, other) =>
        other.#waiting.length < least.#waiting.length ? other : least,
      )
    const sideLane = new Lane(this.#settings)
    sideLane.#isSideLane = true
    this.#sideLanes.push(sideLane)
    return sideLane
  }

  get #isFull(): boolean {
    return this.waiting >= laneLimits.callsWaitingMax
  }

  #nameOf(call: Call): string {
    return this.#settings.sideLanes?.nameOf(call) ?? ''
  }

  get #waitsForLocks(): boolean {
    return this.#isSideLane || !this.#settings.sideLanes
  }

  async #commit(calls: Call[], isFirstRun: boolean): Promise<Outcome<Answer>[]> {
    const { connect, work } = this.#settings
    try {
      this.#client ??= await connect().catch(toConnectionLost)
      const client = this.#client
      const deadline = setTimeout(() => cutConnection(client), laneLimits.deadlineMs)
      const run = async (tx: Tx) => {
        if (this.#isSideLane && this.#waiting.length === 0) tx.write(waitLonger)
        const outcomes = await work(tx, calls)
        assert.equal(outcomes.length, calls.length, 'every call has an outcome')
        return outcomes
      }
      const options = { waitsForLocks: this.#waitsForLocks, isFirstRun }
      return await inTransaction(client, run, options).finally(() => clearTimeout(deadline))
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

/** For a side lane where no other group waits for its turn. */
const waitLonger = { text: `set local lock_timeout = ${laneLimits.deferredWaitMaxMs}`, values: [] }

/** No call causes a failure to connect, so halving the batch cannot help. */
function toConnectionLost(error: unknown): never {
  throw new ConnectionLost('no connection to the database', { cause: error })
}

/** Not when the server is the problem, unless smaller batches need less memory. */
function mayHalvingHelp(error: unknown): boolean {
  if (isOutOfMemory(error)) return true
  return !(error instanceof ConnectionLost) && !isServerTrouble(error)
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
