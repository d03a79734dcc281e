import { PassThrough, type Readable } from 'node:stream'
import type pg from 'pg'
import { type Clock, second } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { Refusal } from '../../base/refusal.js'
import { sessionChannel } from '../../collections/sessions/wake-pages.js'
import { type ChannelListener, listen } from '../../postgres/wire/listen.js'
import { streamLimits } from '../limits.js'
import type { SharedLimits, StreamPlace } from '../server/shared-limits.js'

export type StreamLimits = { -readonly [Name in keyof typeof streamLimits]: number }
type StreamDependencies = {
  clock: Clock
  connect: () => Promise<pg.Client>
  logger: Logger
  /** Overrides defaults. */
  streamLimits?: Partial<StreamLimits> | undefined
  /** Undefined: this process alone serves streams. */
  shared?: SharedStreams | undefined
}
type SharedStreams = Pick<SharedLimits, 'takeStream' | 'releaseStream'>
type OpenStream = StreamPlace & { until: number; body: PassThrough; isOfPage: boolean }

/**
 * Open server-sent event streams: of checkout pages, and of consoles (change-hints.ts), which have
 * names of their own. An event of a page only reports that the session changed, so a page that
 * misses one is late until its next poll.
 */
export class Streams {
  readonly #bySession = new Map<string, Set<OpenStream>>()
  readonly #countByNetwork = new Map<string, number>()
  readonly #clock: Clock
  readonly #limits: StreamLimits
  readonly #startListener: () => ChannelListener
  readonly #heartbeat: NodeJS.Timeout
  readonly #shared: SharedStreams | undefined
  #count = 0
  #listener: ChannelListener | undefined
  #isClosed = false

  constructor({ clock, connect, logger, streamLimits: ownLimits, shared }: StreamDependencies) {
    this.#clock = clock
    this.#shared = shared
    this.#limits = { ...streamLimits, ...ownLimits }
    this.#startListener = () =>
      listen({
        connect,
        channel: sessionChannel,
        onPayload: (reference) => this.wake(reference),
        onConnected: () => this.wakeAll(),
        logger,
      })
    this.#heartbeat = setInterval(() => this.#keepAlive(), this.#limits.heartbeatIntervalMs)
    this.#heartbeat.unref()
  }

  get count(): number {
    return this.#count
  }

  /** Refuses more than a session, a network (network-of.ts) or this process may have. */
  async open(place: StreamPlace, { isOfPage = true } = {}): Promise<Readable> {
    if (this.#shared && !(await this.#shared.takeStream(place))) throw this.#tooMany()
    try {
      return this.#openHere(place, isOfPage)
    } catch (error) {
      this.#shared?.releaseStream(place)
      throw error
    }
  }

  #openHere({ reference, network }: StreamPlace, isOfPage: boolean): Readable {
    const { perSessionMax, perNetworkMax, totalMax, durationMaxMs, retryMs } = this.#limits
    if (this.#isClosed || this.#count >= totalMax) throw this.#noRoom()
    const countOfSession = this.#bySession.get(reference)?.size ?? 0
    const countOfNetwork = this.#countByNetwork.get(network) ?? 0
    if (countOfSession >= perSessionMax || countOfNetwork >= perNetworkMax) throw this.#tooMany()
    this.#listener ??= this.#startListener()
    const body = new PassThrough()
    const until = this.#clock.elapsedMs() + durationMaxMs
    this.#add({ reference, network, until, body, isOfPage })
    // Makes proxies forward the headers, and sets when the browser reconnects.
    body.write(openingOf(retryMs))
    return body
  }

  /** Makes the pages of a session read it again. */
  wake(reference: string): void {
    for (const stream of this.#bySession.get(reference) ?? []) sendChanged(stream)
  }

  /** Sends an event to the streams of one name. */
  send(reference: string, event: string): void {
    for (const { body } of this.#bySession.get(reference) ?? [])
      if (!body.writableEnded) body.write(event)
  }

  end(reference: string): void {
    for (const { body } of [...(this.#bySession.get(reference) ?? [])]) body.end()
  }

  /** Called after a lost connection to the database: changes may have been missed. */
  wakeAll(): void {
    for (const stream of this.#all()) if (stream.isOfPage) sendChanged(stream)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    for (const { body } of this.#all()) body.end()
    await this.#listener?.stop()
  }

  /** A copy, because streams end during the iteration. */
  #all(): OpenStream[] {
    return [...this.#bySession.values()].flatMap((streams) => [...streams])
  }

  #add(stream: OpenStream): void {
    const { reference, network, body } = stream
    const sessionStreams = this.#bySession.get(reference) ?? new Set()
    this.#bySession.set(reference, sessionStreams.add(stream))
    this.#countByNetwork.set(network, (this.#countByNetwork.get(network) ?? 0) + 1)
    this.#count += 1
    body.once('close', () => {
      sessionStreams.delete(stream)
      if (sessionStreams.size === 0) this.#bySession.delete(reference)
      const remaining = this.#countByNetwork.get(network)! - 1
      if (remaining === 0) this.#countByNetwork.delete(network)
      else this.#countByNetwork.set(network, remaining)
      this.#count -= 1
      this.#shared?.releaseStream({ reference, network })
    })
  }

  /**
   * A comment keeps the connection open. An old stream is ended and the browser reconnects; one
   * whose end the client does not read is destroyed.
   */
  #keepAlive(): void {
    const now = this.#clock.elapsedMs()
    for (const { body, until } of this.#all()) {
      if (body.writableEnded) body.destroy()
      else if (until <= now) body.end()
      else body.write(streamMessages.heartbeat.example)
    }
  }

  #noRoom(): Refusal {
    return new Refusal('internal_error', {
      reason: 'unavailable',
      message: `Too many streams are open on this server. ${adviceFor(this.#limits.fullRetryMs)}`,
      retryAfterSeconds: this.#limits.fullRetryMs / second,
    })
  }

  #tooMany(): Refusal {
    return new Refusal('rate_limited', {
      message: `Too many streams are open for this session or network. ${adviceFor(this.#limits.retryMs)}`,
      retryAfterSeconds: this.#limits.retryMs / second,
    })
  }
}

const openingOf = (retryMs: number) => `retry: ${retryMs}\n\n`

/** Everything that a stream sends, also for the OpenAPI document. */
export const streamMessages = {
  opened: {
    summary: 'Sent once, first: how many milliseconds to wait before connecting again.',
    pattern: 'retry: \\d+\\n\\n',
    example: openingOf(streamLimits.retryMs),
  },
  changed: {
    summary: 'The session changed: read it again. The event carries no data.',
    pattern: 'event: changed\\ndata: \\{\\}\\n\\n',
    example: 'event: changed\ndata: {}\n\n',
  },
  heartbeat: {
    summary: `A comment every ${streamLimits.heartbeatIntervalMs / second} seconds, which keeps the connection open. Ignore it.`,
    pattern: ': \\n\\n',
    example: ': \n\n',
  },
}

function sendChanged({ body }: OpenStream): void {
  if (!body.writableEnded) body.write(streamMessages.changed.example)
}

function adviceFor(waitMs: number): string {
  return `Try again in ${waitMs / second} seconds; until then, poll the session.`
}
