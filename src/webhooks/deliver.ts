import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Clock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import type { Seal } from '../base/sealed.js'
import { Lane } from '../postgres/lane.js'
import type { Reader } from '../postgres/tx.js'
import { showEndpoint } from '../resources/webhook-endpoint.js'
import { type ClaimedDelivery, claimDeliveries } from './claim-deliveries.js'
import {
  findOpenEndpoints,
  type OpenEndpoint,
  type Position,
  start,
} from './find-open-endpoints.js'
import { type FinishedAttempt, isSuccess, judgeDeliveryAttempt } from './judge-attempt.js'
import { createSigner } from './message.js'
import { recordAttempts } from './record-attempts.js'
import { mostTries } from './schedule.js'
import type { DeliveryResult, Sender } from './send.js'
import { sharePlaces } from './share-places.js'
import { UnderWay } from './under-way.js'

type Tools = {
  db: Reader
  connect: () => Promise<pg.Client>
  seal: Seal
  clock: Clock
  logger: Logger
  sender: Sender
  /** Called after each search for due deliveries. */
  onRound?: (hasSucceeded: boolean) => void
}

/**
 * Sends what is due until stopped. Endpoints share the places of a process, so that a slow or dead
 * one never delays another; many processes may do this at once.
 */
export class Deliverer {
  readonly stats = { claimed: 0, delivered: 0, failed: 0 }
  readonly #tools: Tools
  readonly #sign: ReturnType<typeof createSigner>
  readonly #results: Lane<FinishedAttempt, true>
  readonly #underWay = new UnderWay()
  readonly #stopping = new AbortController()
  #position: Position = start
  #loop: Promise<void> | undefined
  #hasClosed = false

  constructor(tools: Tools) {
    this.#tools = tools
    this.#sign = createSigner(tools.seal)
    this.#results = new Lane({
      connect: tools.connect,
      nameOf: ({ delivery }) => delivery.endpointId,
      work: async (tx, ended) => {
        const disabled = await recordAttempts(tx, tools.clock.now(), ended)
        for (const endpoint of disabled) {
          const { id, disabledReason } = showEndpoint(endpoint)
          tools.logger.warn({ id, reason: disabledReason }, 'a webhook endpoint was disabled')
        }
        return ended.map(() => true)
      },
    })
  }

  start(): void {
    this.#loop = this.#run()
  }

  /**
   * Nothing new is claimed; what is under way is finished and written down. A receiver that takes
   * too long is cut off: its delivery falls due again when the lease is over.
   */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
    await this.#finish(limits.webhooks.finishMs)
    this.#hasClosed = true
    this.#tools.sender.close()
    await this.#finish(limits.webhooks.attemptMs)
    await this.#results.close()
  }

  async #finish(withinMs: number): Promise<void> {
    const { clock } = this.#tools
    const startedAt = clock.elapsedMs()
    while (this.#underWay.count > 0 && clock.elapsedMs() - startedAt < withinMs) await sleep(10)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      let restMs: number = limits.webhooks.lookEveryMs
      try {
        restMs = await this.#look()
        this.#tools.onRound?.(true)
      } catch (error) {
        // What was claimed falls due again by itself when its lease is over.
        this.#tools.logger.error({ err: error }, 'due deliveries could not be claimed')
        this.#tools.onRound?.(false)
      }
      await sleep(restMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Claims as much as there are places for; says how long to rest before the next look. */
  async #look(): Promise<number> {
    const { places: most, breathMs, lookEveryMs, endpointsPerLook } = limits.webhooks
    if (this.#underWay.count >= most) return breathMs
    const { db, clock } = this.#tools
    const startedAt = clock.elapsedMs()
    const walked = await findOpenEndpoints(db, clock.now(), this.#position)
    const walkMs = clock.elapsedMs() - startedAt
    const due = inAnyTurn(walked.filter((endpoint) => endpoint.isDue))
    const places = sharePlaces(
      this.#underWay,
      due.map((endpoint) => this.#underWay.of(endpoint)),
    )
    const shares = due.map((endpoint, index) => ({ ...endpoint, places: places[index]! }))
    const claimed = await claimDeliveries(
      db,
      clock.now(),
      shares.filter((share) => share.places > 0),
    )
    this.stats.claimed += claimed.length
    for (const delivery of claimed) void this.#deliver(delivery)

    const isUnfinished = walked.length === endpointsPerLook
    this.#position = isUnfinished ? walked.at(-1)! : start
    const isWaiting = due.some((endpoint) => this.#underWay.of(endpoint).isProven)
    if (claimed.length > 0 || isWaiting) return breathMs
    // A long way past endpoints that only wait: as much rest as work, so that it costs little.
    return isUnfinished ? Math.max(walkMs, breathMs) : lookEveryMs
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { clock, logger } = this.#tools
    const end = this.#underWay.add(delivery)
    const startedAt = clock.now()
    let wasSuccess = false
    try {
      const sent = await this.#attempt(delivery, startedAt)
      wasSuccess = isSuccess(sent)
      if (!this.#hasClosed) await this.#record(delivery, startedAt, sent)
    } catch (error) {
      logger.error({ err: error }, 'the end of a delivery attempt could not be written down')
    }
    end(wasSuccess)
  }

  async #attempt(delivery: ClaimedDelivery, now: Date): Promise<DeliveryResult> {
    if (!delivery.isEnabled) return unsent('the endpoint is disabled or deleted')
    // Workers died of it, or could not write down how it ended: not for ever.
    if (delivery.tries > mostTries(delivery.mode)) return unsent('no attempt came to an end')
    try {
      return await this.#tools.sender.send(this.#sign(delivery, now))
    } catch (error) {
      this.#tools.logger.error({ err: error }, 'a delivery could not be sent')
      return unsent('an internal error')
    }
  }

  async #record(delivery: ClaimedDelivery, startedAt: Date, sent: DeliveryResult): Promise<void> {
    const now = this.#tools.clock.now()
    const { mode, tries } = delivery
    const verdict = delivery.isEnabled
      ? judgeDeliveryAttempt(sent, { now, mode, tries, chance: Math.random() })
      : ({ state: 'GIVEN_UP', dueAt: now, finishedAt: now } as const)
    await this.#results.run({ delivery, startedAt, sent, verdict })
    this.stats[verdict.state === 'DELIVERED' ? 'delivered' : 'failed'] += 1
  }
}

function unsent(error: string): DeliveryResult {
  return { status: null, error, response: '', durationMs: 0 }
}

/** Somebody must be asked first; nobody is always the last. */
function inAnyTurn(endpoints: OpenEndpoint[]): OpenEndpoint[] {
  const first = Math.floor(Math.random() * endpoints.length)
  return [...endpoints.slice(first), ...endpoints.slice(0, first)]
}
