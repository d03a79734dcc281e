import { PassThrough, type Readable } from 'node:stream'
import type pg from 'pg'
import type { Clock } from '../clock.js'
import { sessionChannel } from '../collections/tell-sessions.js'
import { limits } from '../limits.js'
import { listen } from '../postgres/listen.js'
import { Refusal } from '../refusal.js'

type Tools = { clock: Clock; connect: () => Promise<pg.Client>; beatMs?: number }
type Listener = ReturnType<typeof listen>
type Open = { reference: string; address: string; until: number; body: PassThrough }

/**
 * Open streams of hints. They carry nothing but "look again", so that losing one costs a payer the
 * time until the next look and nothing else.
 */
export class Streams {
  readonly #open = new Set<Open>()
  readonly #clock: Clock
  readonly #listen: () => Listener
  readonly #beat: NodeJS.Timeout
  #listener: Listener | undefined
  #isClosed = false

  constructor({ clock, connect, beatMs = limits.streams.beatMs }: Tools) {
    this.#clock = clock
    const onMessage = (reference: string | undefined) => this.wake(reference)
    this.#listen = () => listen({ connect, channel: sessionChannel, onMessage })
    this.#beat = setInterval(() => this.#keepAlive(), beatMs)
    this.#beat.unref()
  }

  get count(): number {
    return this.#open.size
  }

  /** Refuses more than a session, or an address, may have. */
  open({ reference, address }: { reference: string; address: string }): Readable {
    const all = [...this.#open]
    const ofSession = all.filter((one) => one.reference === reference).length
    const ofAddress = all.filter((one) => one.address === address).length
    const { perSession, perAddress, longestMs } = limits.streams
    if (this.#isClosed || ofSession >= perSession || ofAddress >= perAddress) throw tooMany()
    this.#listener ??= this.#listen()
    const body = new PassThrough()
    const one = { reference, address, until: this.#clock.elapsedMs() + longestMs, body }
    this.#open.add(one)
    body.on('close', () => this.#open.delete(one))
    // The first words tell proxies that it has begun, and the browser how soon to come back.
    body.write(`retry: ${limits.streams.retryMs}\n\n`)
    return body
  }

  /** Undefined: whoever listens may have missed something, so all look again. */
  wake(reference?: string): void {
    for (const one of this.#open)
      if (reference === undefined || one.reference === reference)
        one.body.write('event: changed\ndata: {}\n\n')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#beat)
    for (const { body } of this.#open) body.end()
    await this.#listener?.stop()
  }

  /** A comment keeps the line open; a stream that is old enough is ended, and comes back. */
  #keepAlive(): void {
    const now = this.#clock.elapsedMs()
    for (const { body, until } of this.#open) {
      if (until <= now) body.end()
      else body.write(': \n\n')
    }
  }
}

function tooMany(): Refusal {
  return new Refusal('rate_limited', {
    message: 'Too many pages are listening. Ask for the session again from time to time instead.',
  })
}
