import { strict as assert } from 'node:assert'
import type pg from 'pg'
import { after, type Clock } from '../../base/clock.js'
import type { Database } from '../../postgres/database.js'
import { gather } from '../../postgres/transactions/gather.js'
import { type OpenedLane, type OpenLane, openLane } from '../../postgres/transactions/lane.js'
import type { Turns } from '../../postgres/transactions/turns.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { ConnectionLost, OutcomeUnknown } from '../../postgres/wire/failures.js'
import type { Screening } from '../../screening/ports.js'
import { TermsReader } from '../accounts/environment-terms.js'
import { collectionLimits } from '../limits.js'
import type { Payment } from '../payments/payment.js'
import { bookNewNotices, bookStoredNotices } from '../payments/record-payments.js'
import type { CollectionRail } from '../ports.js'
import { screenStoredNotices } from '../screening/screen-senders.js'
import { insertNotices, type NewNotice, type NoticeName, noticeKey } from './store-notices.js'

/**
 * The first lane stores a notice and judges it in the same transaction; then it can be
 * acknowledged. A notice that cannot be judged yet is only stored: the second lane judges it, or
 * else the job in judge-due-notices.ts does.
 */

type RailsByName = ReadonlyMap<string, CollectionRail>

type NoticeLaneDependencies = {
  connect: () => Promise<pg.Client>
  clock: Clock
  rails: RailsByName
  open?: OpenLane
  turns?: Turns | undefined
  /** Called after the commit. */
  onBooked?: ((payments: Payment[]) => void) | undefined
  /** Undefined: nothing is screened. */
  screening?: Screening | undefined
}

/** `isJudged` is false if the notice was only stored, or had been stored before. */
export type ReceivedNotice = NoticeName & { isJudged: boolean }

export type NoticeLane = OpenedLane<NewNotice, ReceivedNotice>
export type JudgingLane = OpenedLane<NoticeName, true>

/** `isJudgedLater`: only store it, because judging it failed. */
type Arrival = { notice: NewNotice; sinceMs: number; isJudgedLater: boolean }

/**
 * Stores and judges notices. Once its batch is committed, a notice can be acknowledged.
 *
 * A bank does not wait for the ledger. A notice whose rows another transaction holds goes to a side
 * lane, which only stores; one that cannot be judged is stored on its own; and while notices wait
 * for too long, or a provider has to screen their senders first, the lane only stores.
 */
export function createNoticeLane(dependencies: NoticeLaneDependencies): NoticeLane {
  const { connect, clock, rails, open = openLane, onBooked, turns, screening } = dependencies
  const { noticeJudgeWaitMaxMs, noticeRetryDelayMs } = collectionLimits
  const recent = new TermsReader()
  const lane = open<Arrival, ReceivedNotice>({
    connect,
    turns,
    sideLanes: { nameOf: ({ notice }) => noticeKey(notice) },
    async work(tx, arrivals) {
      const now = clock.now()
      const isBehind = clock.elapsedMs() - arrivals[0]!.sinceMs > noticeJudgeWaitMaxMs
      // A side lane, whose transactions wait for locks, only stores.
      const isLater = (arrival: Arrival) => arrival.isJudgedLater || isBehind || tx.waitsForLocks
      const judgedLater = arrivals.filter(isLater).map(({ notice }) => notice)
      const notices = arrivals.filter((arrival) => !isLater(arrival)).map(({ notice }) => notice)
      // The caller judges them next. If it crashes before that, a worker does when they are due.
      if (judgedLater.length > 0)
        insertNotices(tx, { now, dueAt: after(now, noticeRetryDelayMs) }, judgedLater)
      const given = { notices, rails, recent, onBooked, screening }
      const judged = await bookNewNotices(tx, now, given)
      return arrivals.map(({ notice }) => ({
        rail: notice.rail,
        mode: notice.mode,
        id: notice.id,
        isJudged: judged.has(noticeKey(notice)),
      }))
    },
  })
  return withRun(lane, (notice) => {
    const sinceMs = clock.elapsedMs()
    const isJudgedLater = screening?.asksProvider ?? false
    return lane.run({ notice, sinceMs, isJudgedLater }).catch((error: unknown) => {
      // Whether it was stored is unknown, or nothing can be stored now: the bank sends it again.
      if (error instanceof OutcomeUnknown || error instanceof ConnectionLost) throw error
      return lane.run({ notice, sinceMs, isJudgedLater: true })
    })
  })
}

/**
 * Judges stored notices. A notice that cannot be judged fails alone. If a provider screens senders,
 * it is queried before the notice enters the lane.
 */
export function createJudgingLane(
  dependencies: NoticeLaneDependencies & { db?: Database },
): JudgingLane {
  const { connect, clock, rails, open = openLane, onBooked, turns, screening, db } = dependencies
  const lane: JudgingLane = open({
    connect,
    turns,
    // A notice does not name its environment: it is known once the account is read.
    sideLanes: { nameOf: noticeKey },
    async work(tx: Tx, names: NoticeName[]) {
      await bookStoredNotices(tx, clock.now(), { names, rails, onBooked, screening })
      return names.map(() => true as const)
    },
  })
  if (!screening?.asksProvider) return lane
  assert(db, 'what a provider reports is stored')
  const screenFirst = gather(async (names: NoticeName[]) => {
    await screenStoredNotices({ db, screening }, names)
    return names.map(() => true)
  })
  return withRun(lane, async (name) => {
    await screenFirst(name)
    return lane.run(name)
  })
}

/** The same lane, whose calls do something before or after. */
function withRun<Call, Answer>(
  lane: Omit<OpenedLane<never, Answer>, 'run'>,
  run: (call: Call) => Promise<Answer>,
): OpenedLane<Call, Answer> {
  return {
    stats: lane.stats,
    times: lane.times,
    get waiting() {
      return lane.waiting
    },
    ping: () => lane.ping(),
    close: () => lane.close(),
    run,
  }
}
