import { setTimeout as sleep } from 'node:timers/promises'
import { BooksFile } from './books-file.js'
import { type Clock, second } from './clock.js'
import type { EmulatedPayment, Emulator, EmulatorOptions } from './emulator.js'
import { noFaults } from './faults.js'
import {
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderRoutes,
  serveProvider,
} from './http-server.js'
import { NoticeOutbox, type OutgoingNotice } from './notice-outbox.js'

/** How long an answer waits for the notices that are sent before it. */
const earlyNoticeMaxMs = 2 * second

/** What every emulator runs on: books in a file, faults, waiting times, notices, a server. */
export class EmulatedProvider<Books extends object> {
  readonly books: Books
  readonly faults = noFaults()
  readonly speed: number
  readonly #clock: Clock
  readonly #port: number
  readonly #file: BooksFile
  readonly #outbox: NoticeOutbox
  readonly #timers = new Set<NodeJS.Timeout>()

  /** `books` are those of a first start; an earlier one's are read into them. */
  constructor(options: EmulatorOptions, books: Books, retryPausesMs: number[]) {
    const { clock, port = 0, noticeUrl: url, file, speed = 1 } = options
    this.books = books
    this.speed = speed
    this.#clock = clock
    this.#port = port
    this.#file = new BooksFile(file, books)
    this.#outbox = new NoticeOutbox({
      url,
      faults: this.faults,
      retryPausesMs: retryPausesMs.map((pauseMs) => pauseMs / speed),
    })
  }

  get nowMs(): number {
    return this.#clock.now().getTime()
  }

  /** Must be called after every change of the books. */
  changed(): void {
    this.#file.changed()
  }

  /** Whether a row that was recorded at this time shows in lists yet. */
  isListed(recordedMs: number): boolean {
    return recordedMs + this.faults.listDelayMs <= this.nowMs
  }

  /** Runs after the provider's waiting time, divided by the speed. */
  later(waitMs: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, waitMs / this.speed)
    timer.unref()
    this.#timers.add(timer)
  }

  send(notice: OutgoingNotice, payment: Pick<EmulatedPayment, 'copies' | 'isSilent'> = {}): void {
    if (!payment.isSilent) this.#outbox.add(notice, payment)
  }

  /** With early notices, carries a payout or refund out before its call is answered. */
  async carryOutEarly(run: () => unknown): Promise<void> {
    if (this.faults.notices !== 'early') return
    run()
    await Promise.race([this.#outbox.drain(), sleep(earlyNoticeMaxMs, undefined, { ref: false })])
  }

  async serve(serving: {
    routes: ProviderRoutes
    refuse: (request: ProviderRequest) => ProviderAnswer | undefined
    notFound: ProviderAnswer
  }): Promise<Pick<Emulator, 'url' | 'faults' | 'sendNoticesTo' | 'drainNotices' | 'close'>> {
    const { faults } = this
    const server = await serveProvider({ port: this.#port, faults, ...serving })
    return {
      url: server.url,
      faults,
      sendNoticesTo: (url) => {
        this.#outbox.url = url
      },
      drainNotices: () => this.#outbox.drain(),
      close: async () => {
        for (const timer of this.#timers) clearTimeout(timer)
        await this.#outbox.stop()
        await server.close()
        this.#file.close()
      },
    }
  }
}
