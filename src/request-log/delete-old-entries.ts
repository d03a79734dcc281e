import { after, day, type RealTime } from '../base/clock.js'
import { firstIdAt } from '../base/ids.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import { requestLogLimits } from './limits.js'

/**
 * Deletes a bounded number of expired entries and returns how many. Reads each environment by the
 * primary key: an index on time alone would make every insert slower.
 */
export async function deleteOldEntries(
  db: Database,
  now: RealTime,
  keptDays: number,
): Promise<number> {
  const { entriesDeletedPerBatchMax } = requestLogLimits
  const firstKeptId = firstIdAt(after(now, -keptDays * day))
  const forgotten = await db.rows(sql`
    with forgotten as (
      delete from request_logs r using (
        select old.environment_id, old.id from environments e cross join lateral (
          select environment_id, id from request_logs
          where environment_id = e.id and id < ${firstKeptId}
            and not is_held(${now}, environment_id,
              concat_ws(' ', path, query, request_body, response_body), resource_ids)
          order by id limit ${entriesDeletedPerBatchMax} for update skip locked) old
        limit ${entriesDeletedPerBatchMax}) expired
      where r.environment_id = expired.environment_id and r.id = expired.id
      returning r.environment_id, r.id, r.resource_ids),
    unnamed as (
      delete from request_log_resources n using (
        select f.environment_id, f.id, named.resource_id
        from forgotten f cross join unnest(f.resource_ids) named (resource_id)) gone
      where n.environment_id = gone.environment_id and n.resource_id = gone.resource_id
        and n.log_id = gone.id)
    select from forgotten`)
  return forgotten.length
}
