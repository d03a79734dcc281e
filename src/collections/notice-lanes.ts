import type pg from 'pg'
import { after, type Clock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { type OpenedLane, type OpenLane, openLane } from '../postgres/lane.js'
import type { Tx } from '../postgres/tx.js'
import type { CollectionRail } from './ports.js'
import { recordPayments } from './record-payments.js'
import { insertNotices, type NewNotice, type NoticeName, noticeKey } from './store-notices.js'

/**
 * A notice passes two lanes: the first stores it, so that it can be acknowledged; the second judges
 * it. Whatever the second does not judge is done by the job in judge-due-notices.ts.
 */

type Tools = { connect: () => Promise<pg.Client>; clock: Clock; open?: OpenLane }

type RailsByName = Map<string, CollectionRail>

export type NoticeLane = OpenedLane<NewNotice, NoticeName>
export type JudgingLane = OpenedLane<NoticeName, true>

/** Stores notices. Once its batch is committed, a notice can be acknowledged. */
export function createNoticeLane({ connect, clock, open = openLane }: Tools): NoticeLane {
  return open({
    connect,
    async work(tx: Tx, notices: NewNotice[]) {
      const now = clock.now()
      // The caller judges the notice next. If it crashes before that, a worker does when it is due.
      insertNotices(tx, { now, dueAt: after(now, limits.collections.noticeRetryDelayMs) }, notices)
      return notices.map(({ rail, mode, id }) => ({ rail, mode, id }))
    },
  })
}

/** Judges stored notices. A notice that cannot be judged fails alone. */
export function createJudgingLane({
  connect,
  clock,
  rails,
  open = openLane,
}: Tools & { rails: RailsByName }): JudgingLane {
  return open({
    connect,
    // A notice does not name its environment: it is known once the account is read.
    sideLanes: { nameOf: noticeKey },
    async work(tx: Tx, names: NoticeName[]) {
      await recordPayments(tx, clock.now(), { names, rails })
      return names.map(() => true as const)
    },
  })
}
