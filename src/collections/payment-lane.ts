import type pg from 'pg'
import { after, type Clock } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import type { Database } from '../postgres/database.js'
import { claimDue, type DueTable } from '../postgres/due.js'
import { type OpenedLane, type OpenLane, openLane } from '../postgres/lane.js'
import type { Tx } from '../postgres/tx.js'
import type { CollectionRail } from './ports.js'
import { recordPayments } from './record-payments.js'
import { insertNotices, type NewNotice, type NoticeName, noticeKey } from './store-notices.js'

type Tools = { connect: () => Promise<pg.Client>; clock: Clock; open?: OpenLane }

type RailsByName = Map<string, CollectionRail>

export type NoticeLane = OpenedLane<NewNotice, NoticeName>
export type PaymentLane = OpenedLane<NoticeName, true>

/** Stores notices in batches. Once its batch is committed, a notice can be acknowledged. */
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

/** Judges notices in batches. A notice that cannot be judged fails alone. */
export function createPaymentLane({
  connect,
  clock,
  rails,
  open = openLane,
}: Tools & { rails: RailsByName }): PaymentLane {
  return open({
    connect,
    nameOf: noticeKey,
    async work(tx: Tx, names: NoticeName[]) {
      await recordPayments(tx, clock.now(), { names, rails })
      return names.map(() => true as const)
    },
  })
}

const noticesDue: DueTable = {
  table: 'notices',
  keyColumns: ['rail', 'mode', 'id'],
  openCondition: "state in ('WAITING', 'UNMATCHED')",
  ownerColumn: 'rail',
  counterColumn: 'looks',
  returning: 'job.rail, job.mode, job.id',
}

/** Judges notices that were not judged on arrival, and unmatched ones again. Returns how many. */
export async function judgeDueNotices(
  tools: { db: Database; rail: string; lane: Pick<PaymentLane, 'run'>; logger: Logger },
  now: Date,
): Promise<number> {
  const { db, rail, lane, logger } = tools
  const { leaseMs, noticesPerBatchMax: limit } = limits.collections
  const names = await claimDue<NoticeName>(db, noticesDue, { owner: rail, now, leaseMs, limit })
  await Promise.all(
    names.map((name) =>
      lane.run(name).catch((error) => {
        logger.error({ err: error, ...name }, 'notice could not be judged, will retry')
      }),
    ),
  )
  return names.length
}
