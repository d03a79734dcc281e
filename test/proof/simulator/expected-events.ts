import type { BookedPayout } from './books.js'
import type { Merchant } from './merchant.js'
import type { Receiver } from './receiver.js'
import type { Violations } from './violations.js'

type Bounds = { least: number; most: number }

/** How often each event about each resource must have been received, by environment. */
export class ExpectedEvents {
  readonly #byEnvironment = new Map<number, Map<string, Bounds>>()

  expect(environmentId: number, type: string, reference: string, count = 1): void {
    this.expectBetween(environmentId, `${type} ${reference}`, { least: count, most: count })
  }

  /** It may have happened, depending on an order of events that is unknown outside. */
  allow(environmentId: number, type: string, reference: string): void {
    this.expectBetween(environmentId, `${type} ${reference}`, { least: 0, most: 1 })
  }

  /** How often it happened depends on an order of events that is unknown outside. */
  expectAtLeast(environmentId: number, event: string, least: number): void {
    this.expectBetween(environmentId, event, { least, most: Number.POSITIVE_INFINITY })
  }

  expectBetween(environmentId: number, event: string, { least, most }: Bounds): void {
    const events = this.#byEnvironment.get(environmentId) ?? new Map<string, Bounds>()
    this.#byEnvironment.set(environmentId, events)
    const bounds = events.get(event) ?? { least: 0, most: 0 }
    events.set(event, { least: bounds.least + least, most: bounds.most + most })
  }

  expectPayout(payout: BookedPayout, settlement: string | undefined): void {
    const { environmentId, kind, reference, status, hasWaited, isSubmitted } = payout
    const types = [
      ...(hasWaited ? ['pending'] : []),
      ...(isSubmitted ? ['submitted'] : []),
      ...endings[status]!,
    ]
    for (const type of types) {
      const isConfirmed = kind === 'crypto_transfer' && type === 'completed'
      this.expect(environmentId, `${kind}.${isConfirmed ? 'confirmed' : type}`, reference)
    }
    if (!settlement) return
    this.expect(environmentId, 'settlement.created', settlement)
    for (const type of endings[status]!)
      this.expect(environmentId, `settlement.${type === 'completed' ? 'paid' : type}`, settlement)
  }

  compare(merchants: Merchant[], receiver: Receiver, violations: Violations): void {
    for (const { name, environmentId, webhookUrl } of merchants) {
      const expected = this.#byEnvironment.get(environmentId) ?? new Map<string, Bounds>()
      const received = new Map<string, number>()
      for (const { type, reference } of receiver.eventsAt(webhookUrl)) {
        const event = `${type} ${reference}`
        received.set(event, (received.get(event) ?? 0) + 1)
      }
      for (const [event, { least, most }] of expected) {
        const count = received.get(event) ?? 0
        if (count < least || count > most)
          violations.report(`${name} received ${event} ${count} times, not ${least} to ${most}`)
      }
      for (const event of received.keys())
        if (!expected.has(event))
          violations.report(`${name} received ${event}, which did not happen`)
    }
  }
}

const endings: Record<string, string[]> = {
  PENDING: [],
  SUBMITTED: [],
  COMPLETED: ['completed'],
  FAILED: ['failed'],
  REVERSED: ['completed', 'reversed'],
}
