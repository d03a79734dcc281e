import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventType, Manilla, WebhookEvent } from '../src/manilla.js'
import { InsufficientBalanceError, ValidationError } from '../src/manilla.js'
import { Failure } from './failure.js'

/** What makes an event happen in earnest; it answers with the reference that the event is about. */
export type Scenario = (stage: Stage) => Promise<string>

const lookEveryMs = 250
/** The slowest event, a transfer that expires, comes well within. */
const patienceMs = 120_000
/** Long enough to be taken by the service, short enough to wait for. */
const shortLifeMs = 3_000

/** Where scenarios play: a merchant of test mode, its customers, and patience. */
export class Stage {
  readonly manilla: Manilla
  readonly isLocal: boolean
  /** Nothing that is made here collides with what was made before. */
  readonly name = `trigger-${randomBytes(5).toString('hex')}`

  constructor(manilla: Manilla, isLocal: boolean) {
    this.manilla = manilla
    this.isLocal = isLocal
  }

  /** The event, as soon as it is there. */
  async until(type: EventType, resource: string): Promise<WebhookEvent> {
    return this.#wait(type, async () => {
      const { items } = await this.manilla.events.list({ type, resource, limit: 1 }).page()
      return items[0]
    })
  }

  /** For events of what has no reference: the next one that is not among those of before. */
  async untilNext(type: EventType, act: () => Promise<unknown>): Promise<WebhookEvent> {
    const newest = async () => (await this.manilla.events.list({ type, limit: 1 }).page()).items[0]
    const before = await newest()
    await act()
    return this.#wait(type, async () => {
      const now = await newest()
      return now?.id === before?.id ? undefined : now
    })
  }

  async #wait(type: EventType, look: () => Promise<WebhookEvent | undefined>) {
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += lookEveryMs) {
      const event = await look()
      if (event) return event
      await sleep(lookEveryMs)
    }
    throw new Failure(
      `${type} has not come within ${patienceMs / 1_000} seconds.`,
      'Does the work run (`npm start`, or `manilla work` beside `manilla serve`)? Ask `manilla doctor`.',
    )
  }

  /** With test money where there is too little. */
  async afford<Made>(asset: 'NGN' | 'USDC', make: () => Promise<Made>): Promise<Made> {
    try {
      return await make()
    } catch (error) {
      if (!(error instanceof InsufficientBalanceError)) throw error
      const gift = asset === 'NGN' ? { asset, amount: 10_000_000 } : { asset, amount: '100' }
      await this.manilla.test.fund(gift)
      return make()
    }
  }

  /**
   * Something that expires in a moment. The clock of test mode may have been moved, and only what
   * it has made tells its time.
   */
  async shortLived<Made>(make: (expiresAt: string) => Promise<Made>): Promise<Made> {
    const soon = (now: number) => new Date(now + shortLifeMs).toISOString()
    try {
      return await make(soon(Date.now()))
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      const probe = { merchantReference: `${this.name}-clock`, amount: 100 }
      const { reference, createdAt } = await this.manilla.virtualAccounts.create(probe)
      await this.manilla.virtualAccounts.cancel(reference)
      return make(soon(Date.parse(createdAt)))
    }
  }
}
