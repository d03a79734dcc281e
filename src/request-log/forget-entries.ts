import { after, day } from '../base/clock.js'
import { firstIdAt } from '../base/ids.js'
import { limits } from '../base/limits.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'

/**
 * Removes requests whose time is over, a bounded number at once; says how many. Goes from one
 * environment to the next by the primary key: an index by time alone would cost every request.
 */
export async function forgetOldEntries(db: Database, now: Date, keptDays: number): Promise<number> {
  const { forgottenAtOnce } = limits.requestLogs
  const first = firstIdAt(after(now, -keptDays * day))
  const forgotten = await db.rows(sql`
    delete from request_logs r using (
      select old.environment_id, old.id from environments e cross join lateral (
        select environment_id, id from request_logs
        where environment_id = e.id and id < ${first}
        order by id limit ${forgottenAtOnce} for update skip locked) old
      limit ${forgottenAtOnce}) gone
    where r.environment_id = gone.environment_id and r.id = gone.id
    returning 1`)
  return forgotten.length
}
