import { after, day, type RealTime } from '../../base/clock.js'
import { firstIdAt } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'

/**
 * Deletes a bounded number of deliveries that ended long ago, with their attempts, and returns how
 * many. Reads each environment by the primary key, in which events are sorted by time: an index on
 * the end alone would make every delivery slower.
 */
export async function deleteOldDeliveries(db: Database, now: RealTime): Promise<number> {
  const { deliveryDays, rowsDeletedPerBatchMax } = limits.retention
  const before = after(now, -deliveryDays * day)
  const deleted = await db.rows(sql`
    with expired as (
      select old.environment_id, old.event_id, old.endpoint_id
      from environments e cross join lateral (
        select d.environment_id, d.event_id, d.endpoint_id from deliveries d
        where d.environment_id = e.id and d.event_id < ${firstIdAt(before)}
          and d.finished_at < ${before}
        order by d.event_id limit ${rowsDeletedPerBatchMax} for update of d skip locked) old
      limit ${rowsDeletedPerBatchMax}),
    forgotten as (
      delete from delivery_attempts a using expired x
      where a.environment_id = x.environment_id and a.event_id = x.event_id
        and a.endpoint_id = x.endpoint_id)
    delete from deliveries d using expired x
    where d.environment_id = x.environment_id and d.event_id = x.event_id
      and d.endpoint_id = x.endpoint_id
    returning 1`)
  return deleted.length
}
