import type { RealTime } from '../base/clock.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import { idempotencyLimits } from './limits.js'

/** Deletes a bounded number of expired keys and returns how many. */
export async function deleteOldKeys(db: Database, now: RealTime): Promise<number> {
  const { keysDeletedPerBatchMax } = idempotencyLimits
  const deleted = await db.rows(sql`
    delete from idempotency_keys k using (
      select environment_id, digest from idempotency_keys where forget_at <= ${now}
      order by forget_at limit ${keysDeletedPerBatchMax} for update skip locked) old
    where k.environment_id = old.environment_id and k.digest = old.digest
    returning 1`)
  return deleted.length
}
