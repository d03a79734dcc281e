import { after, day } from '../base/clock.js'
import { firstIdAt } from '../base/ids.js'
import { limits } from '../base/limits.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'

/**
 * Deletes a bounded number of expired entries and returns how many. Reads each environment by the
 * primary key: an index on time alone would make every insert slower.
 */
export async function deleteOldEntries(db: Database, now: Date, keptDays: number): Promise<number> {
  const { entriesDeletedPerBatchMax } = limits.requestLogs
  const firstKeptId = firstIdAt(after(now, -keptDays * day))
  const forgotten = await db.rows(sql`
    delete from request_logs r using (
      select old.environment_id, old.id from environments e cross join lateral (
        select environment_id, id from request_logs
        where environment_id = e.id and id < ${firstKeptId}
        order by id limit ${entriesDeletedPerBatchMax} for update skip locked) old
      limit ${entriesDeletedPerBatchMax}) expired
    where r.environment_id = expired.environment_id and r.id = expired.id
    returning 1`)
  return forgotten.length
}
