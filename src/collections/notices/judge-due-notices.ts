import type { Logger } from '../../base/log.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, type DueTable } from '../../postgres/due.js'
import { collectionLimits } from '../limits.js'
import type { JudgingLane } from './notice-lanes.js'
import type { NoticeName } from './store-notices.js'

export const noticesDue: DueTable = {
  table: 'notices',
  keyColumns: ['rail', 'mode', 'id'],
  openCondition: "state in ('WAITING', 'UNMATCHED')",
  ownerColumn: 'rail',
  counterColumn: 'attempts',
  returning: 'job.rail, job.mode, job.id',
}

/** Judges notices that were not judged on arrival, and unmatched ones again. Returns how many. */
export async function judgeDueNotices(
  tools: { db: Database; rail: string; lane: Pick<JudgingLane, 'run'>; logger: Logger },
  now: Date,
): Promise<number> {
  const { db, rail, lane, logger } = tools
  const { noticesPerBatchMax: limit } = collectionLimits
  const names = await claimDue<NoticeName>(db, noticesDue, { owner: rail, now, limit })
  await Promise.all(
    names.map((name) =>
      lane.run(name).catch((error) => {
        logger.error({ err: error, ...name }, 'notice could not be judged, will retry')
      }),
    ),
  )
  return names.length
}
