import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { after, type Clock } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Logger } from '../../base/log.js'
import type { Seal } from '../../base/sealed.js'
import type { ClaimedDelivery, Courier, DeliveryLease } from '../../events/new-deliveries.js'
import { logFacts } from '../../merchants/log-facts.js'
import { Lane } from '../../postgres/transactions/lane.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { isDatabaseAway } from '../../postgres/wire/failures.js'
import {
  type EndpointPosition,
  findOpenEndpoints,
  firstPosition,
  type OpenEndpoint,
} from '../endpoints/find-open-endpoints.js'
import { HourlyCounts } from '../endpoints/hourly-counts.js'
import { showEndpoint } from '../endpoints/resource.js'
import { attemptAndRecordMs, webhookLimits } from '../limits.js'
import { claimDeliveries, type EndpointShare, handBackDeliveries } from './claim-deliveries.js'
import { FailureLog } from './failure-log.js'
import { InFlight } from './in-flight.js'
import {
  type FinishedAttempt,
  findObstacle,
  isSuccess,
  judgeDeliveryAttempt,
} from './judge-attempt.js'
import { createSigner } from './message.js'
import { recordAttempts } from './record-attempts.js'
import type { DeliveryResult, Sender } from './send.js'
import { shareCapacity } from './share-capacity.js'

type DeliveryDependencies = {
  db: Queryable
  /** Writes hourly counts, so that claims do not wait for them. Default: `db`. */
  countsDb?: Queryable
  connect: () => Promise<pg.Client>
  seal: Seal
  clock: Clock
  logger: Logger
  sender: Sender
  /** Called after each poll for due deliveries. */
  onPoll?: (hasSucceeded: boolean) => void
  /** Replaced in tests. */
  pollIntervalMs?: number
}

/**
 * Sends due deliveries until stopped. Endpoints share the capacity of a process, so that a slow or
 * dead one never delays another. Many processes may run at once.
 */
export class Deliverer implements Courier {
  readonly stats = { claimed: 0, delivered: 0, failed: 0 }
  readonly #dependencies: DeliveryDependencies
  readonly #sign: ReturnType<typeof createSigner>
  readonly #results: Lane<FinishedAttempt, true>
  readonly #inFlight = new InFlight()
  readonly #counts = new HourlyCounts()
  readonly #failures: FailureLog
  #countsTimer: NodeJS.Timeout | undefined
  readonly #stopping = new AbortController()
  #position: EndpointPosition = firstPosition
  /** Endpoints with due deliveries that had no free capacity in the last poll. */
  #waitingEndpoints = new Set<string>()
  /** Attempts that have ended and wait to be recorded together. */
  #unrecorded: (() => void)[] = []
  #recordTimer: NodeJS.Timeout | undefined
  #isWoken = false
  #endPause: (() => void) | undefined
  #loop: Promise<void> | undefined
  #hasClosed = false
  /** Attempts that the shutdown ended, without an outcome. */
  readonly #cutOff: ClaimedDelivery[] = []

  constructor(dependencies: DeliveryDependencies) {
    this.#dependencies = dependencies
    this.#sign = createSigner(dependencies.seal)
    this.#failures = new FailureLog(dependencies.clock)
    this.#results = new Lane({
      connect: dependencies.connect,
      sideLanes: { nameOf: ({ delivery }) => delivery.endpointId },
      work: async (tx, attempts) => {
        const disabled = await recordAttempts(tx, dependencies.clock.now(), attempts)
        for (const endpoint of disabled) {
          const { id, disabledReason } = showEndpoint(endpoint)
          dependencies.logger.warn({ id, reason: disabledReason }, 'webhook endpoint disabled')
        }
        return attempts.map(() => true)
      },
    })
  }

  start(): void {
    this.#loop = this.#run()
    const { countsIntervalMs } = webhookLimits
    this.#countsTimer = setInterval(() => void this.#writeCounts(), countsIntervalMs).unref()
  }

  /** They are for display: deliveries go on without them. */
  async #writeCounts(): Promise<void> {
    const { countsDb = this.#dependencies.db, clock, logger } = this.#dependencies
    await this.#counts
      .write(countsDb, clock.now())
      .catch((error: unknown) => logger.warn({ err: error }, 'hourly counts were not written'))
  }

  /** Deliveries are due: polls without waiting for the end of the interval. */
  wake(): void {
    this.#isWoken = true
    this.#endPause?.()
  }

  /** For deliveries that this process commits, so that they are sent from memory, unclaimed. */
  lease(): DeliveryLease | undefined {
    if (this.#stopping.signal.aborted || this.#inFlight.count >= webhookLimits.inFlightMax) return
    const until = after(this.#dependencies.clock.now(), webhookLimits.leaseMs)
    return { until, fullEndpoints: [...this.#waitingEndpoints] }
  }

  /** Hands back what its endpoint has no capacity for: it is claimed when there is some. */
  send(deliveries: ClaimedDelivery[], { until }: DeliveryLease): void {
    const { clock } = this.#dependencies
    // After a slow commit an attempt could outlive the lease: another worker claims them.
    if (after(clock.now(), attemptAndRecordMs) >= until) return
    if (this.#stopping.signal.aborted) {
      this.#cutOff.push(...deliveries)
      return
    }
    const unsent: ClaimedDelivery[] = []
    for (const delivery of deliveries) {
      const [capacity] = shareCapacity(this.#inFlight, [this.#inFlight.loadOf(delivery)])
      if (capacity === 0) unsent.push(delivery)
      else void this.#deliver(delivery)
    }
    this.stats.claimed += deliveries.length - unsent.length
    void this.#handBack(unsent)
  }

  async #handBack(deliveries: ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const { db, clock, logger } = this.#dependencies
    try {
      await handBackDeliveries(db, clock.now(), deliveries)
      this.wake()
    } catch (error) {
      logger.warn({ err: error }, 'deliveries without an attempt wait for the end of their lease')
    }
  }

  /**
   * Stops claiming, then finishes and records what is in flight. Slow receivers are cut off; their
   * deliveries are due again at once, and the attempt does not count.
   */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#loop
    await this.#waitForInFlight(webhookLimits.shutdownMs)
    this.#hasClosed = true
    this.#dependencies.sender.close()
    await this.#waitForInFlight(webhookLimits.attemptTimeoutMs)
    await this.#handBack(this.#cutOff)
    await this.#results.close()
    clearInterval(this.#countsTimer)
    await this.#writeCounts()
  }

  async #waitForInFlight(timeoutMs: number): Promise<void> {
    const { clock } = this.#dependencies
    const startedAt = clock.elapsedMs()
    while (this.#inFlight.count > 0 && clock.elapsedMs() - startedAt < timeoutMs) await sleep(10)
  }

  async #run(): Promise<void> {
    const { clock } = this.#dependencies
    while (!this.#stopping.signal.aborted) {
      const startedAt = clock.elapsedMs()
      let pauseMs = this.#pollIntervalMs
      this.#isWoken = false
      try {
        pauseMs = await this.#poll()
        this.#dependencies.onPoll?.(true)
      } catch (error) {
        // Claimed deliveries fall due again when their lease ends.
        const level = isDatabaseAway(error) ? 'warn' : 'error'
        this.#dependencies.logger[level]({ err: error }, 'could not claim due deliveries')
        this.#dependencies.onPoll?.(false)
      }
      await this.#pause(pauseMs)
      // Limits how often a busy worker polls: a poll costs about the same for one delivery and for
      // all that were committed meanwhile.
      const earlyMs = webhookLimits.busyPollIntervalMs - (clock.elapsedMs() - startedAt)
      if (earlyMs > 0) await sleep(earlyMs)
    }
  }

  /** Ends early when woken. */
  async #pause(pauseMs: number): Promise<void> {
    if (this.#isWoken) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endPause = undefined
  }

  get #pollIntervalMs(): number {
    return this.#dependencies.pollIntervalMs ?? webhookLimits.pollIntervalMs
  }

  /** Claims and sends up to the free capacity; returns the pause before the next poll. */
  async #poll(): Promise<number> {
    const { inFlightMax, busyPollIntervalMs, endpointsPerPollMax } = webhookLimits
    if (this.#inFlight.count >= inFlightMax) return busyPollIntervalMs
    const { db, clock } = this.#dependencies
    const startedAt = clock.elapsedMs()
    const open = await findOpenEndpoints(db, clock.now(), this.#position)
    const searchMs = clock.elapsedMs() - startedAt
    const due = rotateRandomly(open.filter((endpoint) => endpoint.isDue))
    const capacities = shareCapacity(
      this.#inFlight,
      due.map((endpoint) => this.#inFlight.loadOf(endpoint)),
    )
    const shares = due.map((endpoint, index) => ({ ...endpoint, capacity: capacities[index]! }))
    this.#waitingEndpoints = new Set(
      shares.filter(({ capacity }) => capacity === 0).map(({ endpointId }) => endpointId),
    )
    const claimed = await claimDeliveries(
      db,
      clock.now(),
      shares.filter((share) => share.capacity > 0),
    )
    this.stats.claimed += claimed.length
    for (const delivery of claimed) void this.#deliver(delivery)

    const isUnfinished = open.length === endpointsPerPollMax
    this.#position = isUnfinished ? open.at(-1)! : firstPosition
    // New deliveries wake the worker, and so does the end of one whose endpoint had no capacity.
    const isProvenWaiting = shares.some(
      (share) => share.capacity === 0 && this.#inFlight.loadOf(share).isProven,
    )
    if (isProvenWaiting || isMoreDue(shares, claimed)) return busyPollIntervalMs
    // Many endpoints with nothing due: pause as long as the search took, to bound its load.
    return isUnfinished ? Math.max(searchMs, busyPollIntervalMs) : this.#pollIntervalMs
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { clock, logger } = this.#dependencies
    const end = this.#inFlight.add(delivery)
    const startedAt = clock.now()
    let wasSuccess = false
    try {
      const result = await this.#attempt(delivery, startedAt)
      wasSuccess = isSuccess(result)
      if (wasSuccess || !this.#hasClosed) await this.#record(delivery, startedAt, result)
      else this.#cutOff.push(delivery)
    } catch (error) {
      logger.error({ err: error }, 'could not record a delivery attempt')
    }
    end(wasSuccess)
    if (this.#waitingEndpoints.has(delivery.endpointId)) this.wake()
  }

  async #attempt(delivery: ClaimedDelivery, now: Date): Promise<DeliveryResult> {
    const obstacle = findObstacle(delivery)
    if (obstacle !== undefined) return unsent(obstacle)
    try {
      return await this.#dependencies.sender.send(this.#sign(delivery, now))
    } catch (error) {
      this.#dependencies.logger.error({ err: error }, 'could not send a delivery')
      return unsent('internal error')
    }
  }

  async #record(delivery: ClaimedDelivery, startedAt: Date, result: DeliveryResult): Promise<void> {
    const chances = { now: this.#dependencies.clock.now(), chance: Math.random() }
    const verdict = judgeDeliveryAttempt(result, delivery, chances)
    await this.#waitForOthers()
    await this.#results.run({ delivery, startedAt, result, verdict })
    const hasSucceeded = verdict.state === 'DELIVERED'
    this.stats[hasSucceeded ? 'delivered' : 'failed'] += 1
    this.#counts.note({
      environmentId: delivery.environmentId,
      endpointId: delivery.endpointId,
      startedAt,
      hasSucceeded,
      durationMs: result.isUnsent ? null : result.durationMs,
    })
    const unlogged = hasSucceeded ? 0 : this.#failures.note(delivery.endpointId)
    if (unlogged === undefined) return
    logFacts(
      this.#dependencies,
      [{ environmentId: delivery.environmentId, delivery, result, verdict, unlogged }],
      describeAttempt,
    )
  }

  /**
   * Attempts that end within one interval share a transaction. Enough of them do not wait for its
   * end: they would only occupy the capacity of their endpoints.
   */
  #waitForOthers(): Promise<void> {
    const { recordIntervalMs, attemptsPerRecordMin } = webhookLimits
    return new Promise((resolve) => {
      this.#unrecorded.push(resolve)
      if (this.#unrecorded.length >= attemptsPerRecordMin) this.#stopWaiting()
      else this.#recordTimer ??= setTimeout(() => this.#stopWaiting(), recordIntervalMs)
    })
  }

  #stopWaiting(): void {
    clearTimeout(this.#recordTimer)
    this.#recordTimer = undefined
    const waiting = this.#unrecorded
    this.#unrecorded = []
    for (const record of waiting) record()
  }
}

const attemptMessages = {
  DELIVERED: 'webhook delivered',
  PENDING: 'webhook attempt failed',
  GIVEN_UP: 'webhook given up',
}

type LoggedAttempt = Omit<FinishedAttempt, 'startedAt'> & { unlogged: number }

/** Without the URL: its path or query may hold a secret of the merchant. */
function describeAttempt({ delivery, result, verdict, unlogged }: LoggedAttempt) {
  const fields = {
    event: toReference(prefixes.event, delivery.eventId),
    type: delivery.type,
    endpoint: toReference(prefixes.webhookEndpoint, delivery.endpointId),
    attempt: delivery.attemptNumber,
    status: result.status ?? undefined,
    error: result.error ?? undefined,
    durationMs: Math.round(result.durationMs),
    /** Failed attempts at this endpoint since its last line. */
    unlogged: unlogged > 0 ? unlogged : undefined,
  }
  return { message: attemptMessages[verdict.state], fields }
}

function unsent(error: string): DeliveryResult {
  return { status: null, error, response: '', durationMs: 0, isUnsent: true }
}

/** Whether an endpoint has taken all of its capacity, and may have more that is due. */
function isMoreDue(shares: EndpointShare[], claimed: ClaimedDelivery[]): boolean {
  const counts = new Map<string, number>()
  for (const { endpointId } of claimed) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
  return shares.some(
    ({ endpointId, capacity }) => capacity > 0 && counts.get(endpointId) === capacity,
  )
}

/** Rotates so that no endpoint is always served last. */
function rotateRandomly(endpoints: OpenEndpoint[]): OpenEndpoint[] {
  const first = Math.floor(Math.random() * endpoints.length)
  return [...endpoints.slice(first), ...endpoints.slice(0, first)]
}
