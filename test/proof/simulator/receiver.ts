import { createHmac } from 'node:crypto'
import type {
  DeliveryResult,
  Sender,
  WebhookMessage,
} from '../../../src/webhooks/deliveries/send.js'
import type { Faults } from './faults.js'
import type { Life } from './outside.js'
import type { Violations } from './violations.js'
import type { VirtualTime } from './virtual-time.js'

const minute = 60_000

export type ReceivedEvent = { id: string; type: string; reference: string; body: string }

type Endpoint = { secret: string; failsUntilMs: number; failsSinceMs: number | null }

/** The merchants' webhook endpoints: what they received, without repetitions. */
export class Receiver {
  readonly #endpoints = new Map<string, Endpoint>()
  readonly #byUrl = new Map<string, Map<string, ReceivedEvent>>()
  /** By endpoint, type and reference. */
  readonly #bodies = new Map<string, string>()
  readonly #dependencies: { faults: Faults; time: VirtualTime; violations: Violations }
  received = 0

  constructor(dependencies: { faults: Faults; time: VirtualTime; violations: Violations }) {
    this.#dependencies = dependencies
  }

  addEndpoint(url: string, secret: string): void {
    this.#endpoints.set(url, { secret, failsUntilMs: 0, failsSinceMs: null })
    this.#byUrl.set(url, new Map())
  }

  /** Once for each step of the clock. */
  drawFailures(): void {
    const { faults, time } = this.#dependencies
    if (!faults.strikes('endpoint failing')) return
    const draws = faults.drawsOf('endpoint failing')
    const endpoint = draws.pick([...this.#endpoints.values()])
    endpoint.failsSinceMs ??= time.nowMs
    endpoint.failsUntilMs = time.nowMs + draws.pick([1, 10, 60, 180]) * minute
  }

  /** Ends every outage. Returns when the first one began, for endpoints that had any. */
  endOutages(): Map<string, Date> {
    const outages = new Map<string, Date>()
    for (const [url, endpoint] of this.#endpoints) {
      if (endpoint.failsSinceMs !== null) outages.set(url, new Date(endpoint.failsSinceMs))
      endpoint.failsUntilMs = 0
      endpoint.failsSinceMs = null
    }
    return outages
  }

  eventsAt(url: string): ReceivedEvent[] {
    return [...this.#byUrl.get(url)!.values()]
  }

  /** The resource in an event, as the merchant received it. */
  findEvent(url: string, type: string, reference: string): ReturnType<typeof JSON.parse> {
    const body = this.#bodies.get(`${url} ${type} ${reference}`)
    return body === undefined ? undefined : JSON.parse(body).data
  }

  senderOf(life: Life): Sender {
    return {
      send: async (message) => (life.isDead ? unanswered() : this.#receive(message)),
      close: () => {},
    }
  }

  #receive({ url, headers, body }: WebhookMessage): DeliveryResult {
    const { faults, time, violations } = this.#dependencies
    const endpoint = this.#endpoints.get(url)
    if (!endpoint) {
      violations.report(`webhook: sent to ${url}, which no merchant has registered`)
      return answered(404)
    }
    if (time.nowMs < endpoint.failsUntilMs) return answered(503)
    this.received += 1
    const id = headers['webhook-id']!
    const signed = `${id}.${headers['webhook-timestamp']}.${body}`
    const signature = `v1,${createHmac('sha256', keyOf(endpoint)).update(signed).digest('base64')}`
    if (!headers['webhook-signature']!.split(' ').includes(signature))
      violations.report(`webhook: ${id} has a wrong signature`)
    this.#keep(url, id, body)
    return faults.strikes('webhook answer lost') ? unanswered() : answered(200)
  }

  #keep(url: string, id: string, body: string): void {
    const events = this.#byUrl.get(url)!
    const known = events.get(id)
    if (known && known.body !== body)
      this.#dependencies.violations.report(`webhook: ${id} was sent with two contents`)
    const { type, data } = JSON.parse(body)
    const reference = data.reference ?? data.accountReference ?? data.id ?? data.asset
    events.set(id, { id, type, reference, body })
    this.#bodies.set(`${url} ${type} ${reference}`, body)
  }
}

function keyOf({ secret }: Endpoint): Buffer {
  return Buffer.from(secret.replace('whsec_', ''), 'base64')
}

function answered(status: number): DeliveryResult {
  return { status, error: null, response: '', durationMs: 1 }
}

function unanswered(): DeliveryResult {
  return { status: null, error: 'connection reset', response: '', durationMs: 1 }
}
