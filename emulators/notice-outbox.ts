import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Faults } from './faults.js'

/** The headers are computed at sending, from the body. */
export type OutgoingNotice = { body: string; headers: Record<string, string> }

type Queued = OutgoingNotice & { copies: number }

const timeoutMs = 10_000

/**
 * Sends notices in order, each with its number of copies: a notice leaves once the one before it
 * was answered. A notice that was not answered with 2xx comes again after the given pauses, and
 * the others do not wait for that.
 */
export class NoticeOutbox {
  url: string | undefined
  readonly #faults: Faults
  readonly #retryPausesMs: number[]
  readonly #underWay = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #latest: Promise<unknown> = Promise.resolve()
  #held: Queued[] = []

  constructor(given: { url: string | undefined; faults: Faults; retryPausesMs: number[] }) {
    this.url = given.url
    // Every notice on its way listens for the stop; Node would warn of a leak.
    setMaxListeners(0, this.#stopping.signal)
    this.#faults = given.faults
    this.#retryPausesMs = given.retryPausesMs
  }

  add(notice: OutgoingNotice, { copies = 1 }: { copies?: number } = {}): void {
    const { notices } = this.#faults
    if (this.url === undefined || notices === 'lost' || this.#stopping.signal.aborted) return
    const queued = { ...notice, copies: notices === 'twice' ? Math.max(2, copies) : copies }
    if (notices === 'reversed_order') this.#hold(queued)
    else this.#begin(queued)
  }

  /** Resolves once no notice is waiting, on its way or to be sent again. */
  async drain(): Promise<void> {
    this.#release()
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#underWay)
  }

  /** Sends in pairs, the second first. */
  #hold(notice: Queued): void {
    this.#held.push(notice)
    if (this.#held.length >= 2) this.#release()
  }

  #release(): void {
    const held = this.#held.reverse()
    this.#held = []
    for (const notice of held) this.#begin(notice)
  }

  #begin(notice: Queued): void {
    for (let copy = 0; copy < notice.copies; copy += 1) {
      const sending = this.#send(notice).finally(() => this.#underWay.delete(sending))
      this.#underWay.add(sending)
    }
  }

  async #send(notice: OutgoingNotice): Promise<void> {
    const { signal } = this.#stopping
    const first = this.#latest.then(() => this.#post(notice))
    this.#latest = first
    if (await first) return
    for (const pauseMs of this.#retryPausesMs) {
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      if (signal.aborted || (await this.#post(notice))) return
    }
  }

  async #post({ body, headers }: OutgoingNotice): Promise<boolean> {
    try {
      const response = await fetch(this.url!, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]),
      })
      await response.arrayBuffer()
      return response.ok
    } catch {
      return false
    }
  }
}
