import { PassThrough, type Readable } from 'node:stream'
import type pg from 'pg'
import { type Clock, second } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { Refusal } from '../../base/refusal.js'
import { sessionChannel } from '../../collections/notify-sessions.js'
import { listen } from '../../postgres/listen.js'

export type StreamLimits = { -readonly [Name in keyof typeof limits.streams]: number }
type Tools = {
  clock: Clock
  connect: () => Promise<pg.Client>
  logger: Logger
  /** In the place of those that hold otherwise. */
  streamLimits?: Partial<StreamLimits> | undefined
}
type Listener = ReturnType<typeof listen>
type Open = { reference: string; network: string; until: number; body: PassThrough }

/**
 * Open streams of hints. They carry nothing but "look again", so that losing one costs a payer the
 * time until the next look and nothing else.
 */
export class Streams {
  readonly #ofSessions = new Map<string, Set<Open>>()
  readonly #ofNetworks = new Map<string, number>()
  readonly #clock: Clock
  readonly #limits: StreamLimits
  readonly #listen: () => Listener
  readonly #beat: NodeJS.Timeout
  #count = 0
  #listener: Listener | undefined
  #isClosed = false

  constructor({ clock, connect, logger, streamLimits }: Tools) {
    this.#clock = clock
    this.#limits = { ...limits.streams, ...streamLimits }
    const onMessage = (reference: string | undefined) => this.wake(reference)
    this.#listen = () => listen({ connect, channel: sessionChannel, onMessage, logger })
    this.#beat = setInterval(() => this.#keepAlive(), this.#limits.beatMs)
    this.#beat.unref()
  }

  get count(): number {
    return this.#count
  }

  /** Refuses more than a session, a network (network-of.ts), or this process may have. */
  open({ reference, network }: { reference: string; network: string }): Readable {
    const { perSession, perAddress, total, longestMs, retryMs } = this.#limits
    if (this.#isClosed || this.#count >= total) throw this.#noRoom()
    const ofSession = this.#ofSessions.get(reference)?.size ?? 0
    const ofNetwork = this.#ofNetworks.get(network) ?? 0
    if (ofSession >= perSession || ofNetwork >= perAddress) throw this.#tooMany()
    this.#listener ??= this.#listen()
    const body = new PassThrough()
    this.#remember({ reference, network, until: this.#clock.elapsedMs() + longestMs, body })
    // The first words tell proxies that it has begun, and the browser how soon to come back.
    body.write(`retry: ${retryMs}\n\n`)
    return body
  }

  /** Undefined: whoever listens may have missed something, so all look again. */
  wake(reference?: string): void {
    const woken = reference === undefined ? this.#all() : (this.#ofSessions.get(reference) ?? [])
    for (const { body } of woken)
      if (!body.writableEnded) body.write('event: changed\ndata: {}\n\n')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#beat)
    for (const { body } of this.#all()) body.end()
    await this.#listener?.stop()
  }

  /** Streams end while they are walked through, so the list is made before. */
  #all(): Open[] {
    return [...this.#ofSessions.values()].flatMap((all) => [...all])
  }

  #remember(one: Open): void {
    const { reference, network, body } = one
    const ofSession = this.#ofSessions.get(reference) ?? new Set()
    this.#ofSessions.set(reference, ofSession.add(one))
    this.#ofNetworks.set(network, (this.#ofNetworks.get(network) ?? 0) + 1)
    this.#count += 1
    body.once('close', () => {
      ofSession.delete(one)
      if (ofSession.size === 0) this.#ofSessions.delete(reference)
      const left = this.#ofNetworks.get(network)! - 1
      if (left === 0) this.#ofNetworks.delete(network)
      else this.#ofNetworks.set(network, left)
      this.#count -= 1
    })
  }

  /**
   * A comment keeps the line open; a stream that is old enough is ended, and comes back. Whoever
   * does not even take its end is cut off.
   */
  #keepAlive(): void {
    const now = this.#clock.elapsedMs()
    for (const { body, until } of this.#all()) {
      if (body.writableEnded) body.destroy()
      else if (until <= now) body.end()
      else body.write(': \n\n')
    }
  }

  #noRoom(): Refusal {
    return new Refusal('internal_error', {
      reason: 'unavailable',
      message: `No more pages can listen right now. ${inTheMeantime(this.#limits.fullMs)}`,
      retryAfterSeconds: this.#limits.fullMs / second,
    })
  }

  #tooMany(): Refusal {
    return new Refusal('rate_limited', {
      message: `Too many pages are listening. ${inTheMeantime(this.#limits.retryMs)}`,
      retryAfterSeconds: this.#limits.retryMs / second,
    })
  }
}

function inTheMeantime(waitMs: number): string {
  return `Try again in ${waitMs / second} seconds; until then, read the session itself from time to time.`
}
