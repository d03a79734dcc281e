import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventType, Manilla, WebhookEvent } from '../src/manilla.js'
import { InsufficientBalanceError, ValidationError } from '../src/manilla.js'
import { Failure, Stopped } from './failure.js'

/** Triggers a real event in test mode and returns the reference that the event is about. */
export type Scenario = (context: ScenarioContext) => Promise<string>

const pollIntervalMs = 250
/** Covers the slowest event, a transfer that expires. */
const waitMaxMs = 120_000
/** The API accepts it as an expiry unless it is busy, and the user can wait for it. */
const shortExpiryMs = 3_000
const expiryTriesMax = 3
/** It was created, but only after the time that it should have waited for. */
export const tooLate: unique symbol = Symbol('too late')

/** What scenarios share: a test-mode client, a unique name, and waiting for events. */
export class ScenarioContext {
  readonly manilla: Manilla
  readonly isLocal: boolean
  /** Unique, so that references never collide with those of earlier runs. */
  readonly name = `trigger-${randomBytes(5).toString('hex')}`

  readonly #stop: AbortSignal

  constructor({
    manilla,
    isLocal,
    stop,
  }: { manilla: Manilla; isLocal: boolean; stop: AbortSignal }) {
    this.manilla = manilla
    this.isLocal = isLocal
    this.#stop = stop
  }

  /** Throws when the user stops the command, so that scenarios restore what they changed. */
  async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop }).catch(() => {
      throw new Stopped()
    })
  }

  /** Waits for the event about this resource. */
  async waitFor(type: EventType, resource: string): Promise<WebhookEvent> {
    return this.#wait(type, async () => {
      const { items } = await this.manilla.events.list({ type, resource, limit: 1 }).page()
      return items[0]
    })
  }

  /** For events about things without a reference: waits for one newer than any before `act`. */
  async waitForNext(type: EventType, act: () => Promise<unknown>): Promise<WebhookEvent> {
    const newest = async () => (await this.manilla.events.list({ type, limit: 1 }).page()).items[0]
    const before = await newest()
    await act()
    return this.#wait(type, async () => {
      const now = await newest()
      return now?.id === before?.id ? undefined : now
    })
  }

  async #wait(type: EventType, findEvent: () => Promise<WebhookEvent | undefined>) {
    const endMs = Date.now() + waitMaxMs
    while (Date.now() < endMs) {
      const event = await findEvent()
      if (event) return event
      await this.pause(pollIntervalMs)
    }
    throw new Failure(
      `No ${type} event within ${waitMaxMs / 1_000} seconds.`,
      'Check that a worker is running: `npx manilla doctor` on the machine of the service.',
    )
  }

  /** The approval rule, which only people can set. */
  async readRule(asset: 'NGN' | 'USDC') {
    const { approvals } = await this.manilla.settings.get()
    const rule = approvals[asset]
    if (rule && approvals.appliesTo === 'all') return rule
    throw new Failure(
      `No approval rule for ${asset} applies to API keys.`,
      'Set one in the console: Settings, Approvals, for people and API keys.',
    )
  }

  /** Refuses without a callback, which only people can set. */
  async requireCallback(): Promise<void> {
    const { approvals } = await this.manilla.settings.get()
    if (approvals.controls?.callback) return
    throw new Failure(
      'No callback is asked about transfers.',
      'Set one in the console: Settings, Approvals.',
    )
  }

  /** Funds the test balance and retries if it is too low. */
  async withFunds<Created>(
    asset: 'NGN' | 'USDC',
    create: () => Promise<Created>,
  ): Promise<Created> {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof InsufficientBalanceError)) throw error
      const funding = asset === 'NGN' ? { asset, amount: 10_000_000 } : { asset, amount: '100' }
      await this.manilla.test.fund(funding)
      return create()
    }
  }

  /**
   * Creates something that expires in seconds. The API refuses an expiry in the past: the test
   * clock may have been advanced, and a busy service takes long to answer. Each try leaves more
   * time.
   */
  async createExpiring<Created>(
    create: (expiresAt: string) => Promise<Created | typeof tooLate>,
    { now = Date.now(), tries = 1 } = {},
  ): Promise<Created> {
    const expiresAt = new Date(now + tries ** 2 * shortExpiryMs).toISOString()
    const created = await create(expiresAt).catch((error: unknown): typeof tooLate => {
      if (!(error instanceof ValidationError) || tries === expiryTriesMax) throw error
      return tooLate
    })
    if (created !== tooLate) return created
    if (tries === expiryTriesMax)
      throw new Failure('The service is too busy for this event.', 'Try again later.')
    const known = { now: await this.#readTestClock(tries), tries: tries + 1 }
    return this.createExpiring(create, known)
  }

  /** The creation time of a throwaway account reveals it. */
  async #readTestClock(tries: number): Promise<number> {
    const probe = { merchantReference: `${this.name}-clock-${tries}`, amount: 100 }
    const { reference, createdAt } = await this.manilla.virtualAccounts.create(probe)
    await this.manilla.virtualAccounts.cancel(reference)
    return Date.parse(createdAt)
  }
}
