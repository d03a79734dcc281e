import { strict as assert } from 'node:assert'
import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, type Clock, pauseAfter } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { Pause } from '../../base/pause.js'
import type { Database } from '../../postgres/database.js'
import { gather } from '../../postgres/transactions/gather.js'
import { isDatabaseAway } from '../../postgres/wire/failures.js'
import { isSuccess } from '../../webhooks/deliveries/judge-attempt.js'
import { createSender, type Sender } from '../../webhooks/deliveries/send.js'
import { sandboxBankLimits } from './limits.js'
import { writeNotice } from './notice.js'
import { toReported } from './payment.js'
import {
  claimNotice,
  claimNotices,
  type EndedAttempt,
  endAttempts,
  isUnderWay,
  type SandboxNotice,
} from './store-notices.js'

const { noticeTimeoutMs, noticeLeaseMs } = sandboxBankLimits

type SenderDependencies = { db: Database; clock: Clock; logger: Logger; key: KeyObject }

/**
 * Sends due notices until stopped, all copies of one at the same time. A notice that was not
 * accepted is sent again. Several processes may run this at once.
 */
export class NoticeSender {
  readonly #dependencies: SenderDependencies
  readonly #http: Sender
  readonly #end: (attempt: EndedAttempt) => Promise<true>
  readonly #underWay = new Map<string, Promise<void>>()
  #url: string | undefined
  #loop: Promise<void> | undefined
  #isStopping = false
  #mayHaveMoreDue = false
  readonly #pause = new Pause()

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies
    this.#http = createSender({
      clock: dependencies.clock,
      allowsLoopback: true,
      attemptTimeoutMs: noticeTimeoutMs,
    })
    this.#end = gather(async (attempts) => {
      await dependencies.db.transaction(async (tx) => endAttempts(tx, attempts))
      return attempts.map(() => true)
    })
  }

  start(url: string): void {
    assert(!this.#loop, 'notices are sent to one URL')
    this.#url = url
    this.#loop = this.#run()
  }

  /**
   * How many notices of new payments this process may send from memory. They are stored as leased,
   * so that claiming them costs no query.
   */
  leaseNew(): { now: Date; leasedUntil: Date; leasesMax: number } {
    const isSending = this.#url !== undefined && !this.#isStopping
    return { ...this.#lease(), leasesMax: isSending ? this.#capacity : 0 }
  }

  /** Sends notices that are leased to this process. */
  send(notices: SandboxNotice[]): void {
    for (const notice of notices) void this.#track(notice)
  }

  /** Claims the notices that are due after this delay then, instead of at the next poll. */
  wake(delayMs = 0): void {
    if (delayMs > 0) setTimeout(() => this.#pause.wake(), delayMs).unref()
    else this.#pause.wake()
  }

  /**
   * Sends what is due for this payment and waits for the answers, also when another process is
   * sending it. Copies that were not accepted are sent again later.
   */
  async sendNow(paymentId: string): Promise<void> {
    assert(this.#url, 'the notice sender was started')
    while (!this.#isStopping) {
      const underWay = this.#underWay.get(paymentId)
      if (underWay) return underWay
      const notice = await claimNotice(this.#dependencies.db, { ...this.#lease(), paymentId })
      if (notice) return this.#track(notice)
      // Ends with the other process's lease at the latest: then the notice can be claimed here.
      if (!(await isUnderWay(this.#dependencies.db, paymentId))) return
      await sleep(sandboxBankLimits.noticePollIntervalMs)
    }
  }

  /** Gives requests under way a moment to finish, then aborts them; they become due again. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.wake()
    await this.#loop
    const finished = Promise.all(this.#underWay.values())
    await Promise.race([
      finished,
      sleep(sandboxBankLimits.noticeShutdownMs, undefined, { ref: false }),
    ])
    this.#http.close()
    await finished
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#claimAndSend().catch((error: unknown) => {
        // Claimed notices become due again when their lease ends.
        const level = isDatabaseAway(error) ? 'warn' : 'error'
        this.#dependencies.logger[level](
          { err: error },
          'sandbox bank: due notices could not be claimed',
        )
      })
      if (!this.#isStopping) await this.#pause.wait(sandboxBankLimits.noticeIntervalMs)
    }
  }

  async #claimAndSend(): Promise<void> {
    const limit = this.#capacity
    const notices =
      limit > 0 ? await claimNotices(this.#dependencies.db, { ...this.#lease(), limit }) : []
    this.#mayHaveMoreDue = notices.length >= limit
    this.send(notices)
  }

  get #capacity(): number {
    return sandboxBankLimits.noticesPerBatchMax - this.#underWay.size
  }

  #lease(): { now: Date; leasedUntil: Date } {
    const now = this.#dependencies.clock.now()
    return { now, leasedUntil: after(now, noticeLeaseMs) }
  }

  #track(notice: SandboxNotice): Promise<void> {
    const { id } = notice.payment
    const sent = this.#send(notice)
      .catch((error: unknown) => {
        // The row stays under way until its lease ends, then it is sent again.
        this.#dependencies.logger.error(
          { err: error, id },
          'sandbox bank: the result of a notice could not be recorded',
        )
      })
      .finally(() => {
        this.#underWay.delete(id)
        // Waiting until half are done saves a query for every notice that ends.
        const isHalfFree = this.#underWay.size <= sandboxBankLimits.noticesPerBatchMax / 2
        if (this.#mayHaveMoreDue && isHalfFree) this.wake()
      })
    this.#underWay.set(id, sent)
    return sent
  }

  async #send({ payment, copies, attempts }: SandboxNotice): Promise<void> {
    const { clock, logger, key } = this.#dependencies
    const notice = writeNotice(key, toReported(payment))
    const message = { url: this.#url!, mode: 'test' as const, ...notice }
    const posts = Array.from({ length: copies }, () => this.#http.send(message))
    const remaining = (await Promise.all(posts)).filter((result) => !isSuccess(result)).length
    const dueAt = nextAttemptAt(clock.now(), attempts)
    await this.#end({ paymentId: payment.id, attempts, copies: remaining, dueAt })
    if (remaining === 0) return
    const details = { id: payment.id, attempts, remaining }
    if (dueAt) logger.warn(details, 'sandbox bank: a notice was not accepted')
    else logger.error(details, 'sandbox bank: a notice was given up')
  }
}

/** Doubles the wait after every attempt, up to a maximum. Null: no attempts remain. */
export function nextAttemptAt(now: Date, attempts: number): Date | null {
  const { noticeAttemptsMax, ...limits } = sandboxBankLimits
  if (attempts >= noticeAttemptsMax) return null
  const { noticeRetryDelayMs: retryMs, noticeRetryDelayMaxMs: retryMaxMs } = limits
  return after(now, pauseAfter(attempts - 1, { retryMs, retryMaxMs }))
}
