import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { measureRailCall } from '../rail-calls.js'
import { readBounded } from '../read-bounded.js'
import { parseWithNumberTexts } from './number-texts.js'

/** No answer, or none that shows what happened. Never treated as a failure. */
export class Unknown extends Error {
  constructor(what: string) {
    super(what)
    this.name = 'Unknown'
  }
}

/** An answer whose content cannot be read: a row of a list can be left out, and reported. */
export class Unreadable extends Unknown {
  constructor(what: string) {
    super(what)
    this.name = 'Unreadable'
  }
}

export type ProviderCall = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Without the query. Appears in logs, so it must contain no secret. */
  path: string
  query?: Record<string, string>
  /** Sent as JSON. */
  body?: object
  headers: Record<string, string>
  /** For a caller that has committed nothing yet: refused at once while the provider is down. */
  isEarly?: boolean
}

/** Numbers in `body` are texts, with the digits that the provider wrote. */
export type ProviderAnswer = { status: number; body: unknown }

/**
 * Calls a provider over kept connections, with a timeout, bounded in number. After several calls
 * without an answer the circuit opens: early calls are then refused at once, until one of the
 * others, or one early call after a pause, is answered. Answers below 500 are returned; anything
 * else throws `Unknown`.
 */
export class ProviderClient {
  readonly #name: string
  readonly #url: string
  readonly #clock: Clock
  readonly #logger: Logger
  /** Early calls have their own places: they must not queue behind polls of a slow provider. */
  readonly #earlyPlaces = new Places()
  readonly #latePlaces = new Places()
  #failuresInRow = 0
  /** When an early call may try again, on the scale of `clock.elapsedMs`. */
  #probeAtMs = 0

  constructor(given: { name: string; url: string; clock: Clock; logger: Logger }) {
    this.#name = given.name
    this.#url = given.url.replace(/\/$/, '')
    this.#clock = given.clock
    this.#logger = given.logger
  }

  get isDown(): boolean {
    return this.#failuresInRow >= limits.banks.failuresUntilDown
  }

  async call(call: ProviderCall): Promise<ProviderAnswer> {
    const what = `${this.#name}: ${call.method} ${call.path}`
    if (call.isEarly) this.#refuseWhileDown(what)
    const places = call.isEarly ? this.#earlyPlaces : this.#latePlaces
    // Counts from here, so that a caller waits no longer if it must queue.
    const signal = AbortSignal.timeout(
      call.isEarly ? limits.banks.earlyTimeoutMs : limits.banks.timeoutMs,
    )
    await places.enter(what, signal)
    try {
      const answer = await measureRailCall(this.#name, () => this.#fetchAgainIfClosed(call, signal))
      this.#noteAnswer()
      return answer
    } catch (error) {
      this.#noteFailure(what, error)
      throw new Unknown(`${what}: ${describe(error)}`)
    } finally {
      places.leave()
    }
  }

  #refuseWhileDown(what: string): void {
    if (!this.isDown) return
    const nowMs = this.#clock.elapsedMs()
    if (nowMs < this.#probeAtMs) throw new Unknown(`${what}: not called, the provider is down`)
    // One early call goes through as a probe; the others wait for its result.
    this.#probeAtMs = nowMs + limits.banks.probeIntervalMs
  }

  /**
   * A provider may close a kept connection just as a request goes out on it. A query is then made
   * again, once; a request that moves money is not.
   */
  async #fetchAgainIfClosed(call: ProviderCall, signal: AbortSignal): Promise<ProviderAnswer> {
    try {
      return await this.#fetch(call, signal)
    } catch (error) {
      if (call.method !== 'GET' || !isClosedConnection(error)) throw error
      return this.#fetch(call, signal)
    }
  }

  async #fetch({ method, path, query, body, headers }: ProviderCall, signal: AbortSignal) {
    const search = query ? `?${new URLSearchParams(query)}` : ''
    const response = await fetch(`${this.#url}${path}${search}`, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
      // A redirect could carry the key to another host.
      redirect: 'error',
      signal,
    })
    const text = await readBounded(response, limits.banks.answerBytesMax)
    if (text === undefined) throw new Error('the answer is too long')
    if (response.status >= 500) throw new Error(`status ${response.status}`)
    return { status: response.status, body: parseWithNumberTexts(text) }
  }

  #noteAnswer(): void {
    if (this.isDown) this.#logger.info({ bank: this.#name }, 'bank answers again')
    this.#failuresInRow = 0
  }

  #noteFailure(what: string, error: unknown): void {
    this.#failuresInRow += 1
    if (this.#failuresInRow !== limits.banks.failuresUntilDown) return
    this.#probeAtMs = this.#clock.elapsedMs() + limits.banks.probeIntervalMs
    this.#logger.error(
      { bank: this.#name, what, why: describe(error) },
      'bank does not answer: new requests are refused until it does',
    )
  }
}

/** Bounds how many calls are under way, and how many wait for that. */
class Places {
  readonly #waiting: (() => void)[] = []
  #taken = 0

  async enter(what: string, signal: AbortSignal): Promise<void> {
    if (this.#taken < limits.banks.callsInFlightMax) {
      this.#taken += 1
      return
    }
    if (this.#waiting.length >= limits.banks.callsWaitingMax)
      throw new Unknown(`${what}: not called, too many calls are waiting`)
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1)
        reject(new Unknown(`${what}: not called in time, too many calls are under way`))
      }
      const take = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(take)
    })
  }

  /** Hands the place over to the call that has waited longest. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken -= 1
  }
}

function isClosedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(cause?.code ?? '')
}

/** Leaves out the URL and the headers, which `fetch` may put into messages. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  if (error.name === 'TimeoutError') return 'no answer in time'
  const cause = error.cause as { code?: string } | undefined
  return cause?.code ?? error.message
}
