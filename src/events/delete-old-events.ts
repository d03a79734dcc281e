import { after, day, type RealTime } from '../base/clock.js'
import { firstIdAt } from '../base/ids.js'
import { limits } from '../base/limits.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'

/**
 * Deletes a bounded number of events older than this and returns how many. An event that was
 * delivered again stays as long as that delivery, which is read by its key: `not exists` might join
 * all deliveries. What a legal hold concerns stays. A trigger refuses every other deletion.
 */
export async function deleteOldEvents(
  db: Database,
  now: RealTime,
  keptDays: number,
): Promise<number> {
  const { rowsDeletedPerBatchMax } = limits.retention
  const before = after(now, -keptDays * day)
  return db.transaction(async (tx) => {
    await tx.rows(sql`
      select set_config('manilla.events_deleted_before', ${before.toISOString()}, true)`)
    const deleted = await tx.rows(sql`
      delete from events v using (
        select old.environment_id, old.id from environments e cross join lateral (
          select o.environment_id, o.id from events o
          where o.environment_id = e.id and o.id < ${firstIdAt(before)}
            and (
              select 1 from deliveries d
              where d.environment_id = o.environment_id and d.event_id = o.id limit 1) is null
            and not is_held(${now}, o.environment_id, o.data, array[o.resource_id])
          order by o.id limit ${rowsDeletedPerBatchMax} for update of o skip locked) old
        limit ${rowsDeletedPerBatchMax}) expired
      where v.environment_id = expired.environment_id and v.id = expired.id
      returning 1`)
    return deleted.length
  })
}
