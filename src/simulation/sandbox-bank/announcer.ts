import { strict as assert } from 'node:assert'
import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, type Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { gather } from '../../postgres/gather.js'
import { writeNotice } from './notice.js'
import { toAnnounced } from './payment.js'
import { createPost } from './post-notice.js'
import {
  claimNotice,
  claimNotices,
  type EndedTry,
  endTries,
  isUnderWay,
  type SandboxNotice,
} from './store-notices.js'

type Tools = { db: Database; clock: Clock; logger: Logger; key: KeyObject }

/**
 * Announces payments that are due, until stopped, as often as they are to be announced and all
 * copies at once. A notice that is not taken is sent again; many processes may do this at once.
 */
export class Announcer {
  readonly #tools: Tools
  readonly #http = createPost()
  readonly #end: (ended: EndedTry) => Promise<true>
  readonly #underWay = new Map<string, Promise<void>>()
  #url: string | undefined
  #loop: Promise<void> | undefined
  #isStopping = false
  /** Something may be due that the last look did not see. */
  #hasNews = false
  #mayBeMore = false
  #stopResting = () => {}

  constructor(tools: Tools) {
    this.#tools = tools
    this.#end = gather(async (ended) => {
      await tools.db.transaction(async (tx) => endTries(tx, ended))
      return ended.map(() => true)
    })
  }

  start(url: string): void {
    assert(!this.#loop, 'notices go to one place')
    this.#url = url
    this.#loop = this.#run()
  }

  /** For whoever made something due in this process: nobody waits for the next look. */
  wake(): void {
    this.#hasNews = true
    this.#stopResting()
  }

  /**
   * Sends what is due of this payment, and waits until it is answered, also where somebody else is
   * sending it. What was not taken is sent again later, as ever.
   */
  async announceNow(paymentId: string): Promise<void> {
    assert(this.#url, 'somebody listens to the sandbox bank')
    while (!this.#isStopping) {
      const underWay = this.#underWay.get(paymentId)
      if (underWay) return underWay
      const notice = await claimNotice(this.#tools.db, { ...this.#lease(), paymentId })
      if (notice) return this.#announce(notice)
      // Ends with the lease at the latest: then the notice is there to be claimed.
      if (!(await isUnderWay(this.#tools.db, paymentId))) return
      await sleep(limits.sandboxBank.noticeBreathMs)
    }
  }

  /** What is under way may finish; what takes too long is cut off, and due again later. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.wake()
    await this.#loop
    const finished = Promise.all(this.#underWay.values())
    await Promise.race([
      finished,
      sleep(limits.sandboxBank.noticeFinishMs, undefined, { ref: false }),
    ])
    this.#http.close()
    await finished
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#hasNews = false
      await this.#look().catch((error: unknown) => {
        // What was claimed falls due again by itself when its lease is over.
        this.#tools.logger.error({ err: error }, 'due notices could not be claimed')
        this.#hasNews = false
      })
      if (!this.#hasNews && !this.#isStopping) await this.#rest()
    }
  }

  async #look(): Promise<void> {
    const limit = limits.sandboxBank.noticesAtOnce - this.#underWay.size
    const notices = limit > 0 ? await claimNotices(this.#tools.db, { ...this.#lease(), limit }) : []
    this.#mayBeMore = notices.length >= limit
    for (const notice of notices) void this.#announce(notice)
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limits.sandboxBank.noticesEveryMs)
      this.#stopResting = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #lease(): { now: Date; leasedUntil: Date } {
    const now = this.#tools.clock.now()
    return { now, leasedUntil: after(now, limits.sandboxBank.noticeLeaseMs) }
  }

  #announce(notice: SandboxNotice): Promise<void> {
    const { id } = notice.payment
    const sent = this.#send(notice)
      .catch((error: unknown) => {
        // It counts as under way until its lease is over; then it is sent again.
        this.#tools.logger.error({ err: error, id }, 'the end of a notice was not written down')
      })
      .finally(() => {
        this.#underWay.delete(id)
        // Many are claimed together: a look for each one that ends would be a question for each.
        const isHalfFree = this.#underWay.size <= limits.sandboxBank.noticesAtOnce / 2
        if (this.#mayBeMore && isHalfFree) this.wake()
      })
    this.#underWay.set(id, sent)
    return sent
  }

  async #send({ payment, copies, tries }: SandboxNotice): Promise<void> {
    const { clock, logger, key } = this.#tools
    const message = { url: this.#url!, ...writeNotice(key, toAnnounced(payment)) }
    const posts = Array.from({ length: copies }, () => this.#http.post(message))
    const left = (await Promise.all(posts)).filter((wasTaken) => !wasTaken).length
    const dueAt = decideNextTry(clock.now(), tries)
    await this.#end({ paymentId: payment.id, tries, copies: left, dueAt })
    const told = { id: payment.id, tries, left }
    if (left > 0 && dueAt) logger.warn(told, 'a notice of the sandbox bank was not taken')
    if (left > 0 && !dueAt) logger.error(told, 'the sandbox bank gave up a notice')
  }
}

/** Each wait is twice the one before, up to a longest; null: it was tried often enough. */
export function decideNextTry(now: Date, tries: number): Date | null {
  const { noticeTries, noticeRetryMs, longestNoticeRetryMs } = limits.sandboxBank
  if (tries >= noticeTries) return null
  return after(now, Math.min(noticeRetryMs * 2 ** (tries - 1), longestNoticeRetryMs))
}
