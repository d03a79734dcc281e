import type { RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import type { Seal } from '../../base/sealed.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { KeyName } from './api-keys.js'

export type KeyOfOldSecret = KeyName & {
  merchantId: string
  mode: Mode
  name: string
  hint: string
  lastUsedAt: Date | null
}

/**
 * Valid keys that were not used since the rotation began, the latest used ones first. With
 * `unusedSince`, only those that were neither created nor used since then.
 */
export async function listKeysOfOldSecret(
  db: Queryable,
  now: RealTime,
  { fingerprint }: Pick<Seal, 'fingerprint'>,
  unusedSince?: Date,
): Promise<KeyOfOldSecret[]> {
  const isUnused = unusedSince
    ? sql`and greatest(k.created_at, k.last_used_at) < ${unusedSince}`
    : sql``
  return db.rows(sql<KeyOfOldSecret>`
    select k.environment_id, k.id, e.merchant_id, e.mode, k.name, k.hint, k.last_used_at
    from api_keys k join environments e on e.id = k.environment_id
    where k.secret_fingerprint is distinct from ${fingerprint}
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now}) ${isUnused}
    order by k.last_used_at desc nulls last, k.id limit ${limits.operator.rowsListedMax}`)
}

export async function countKeysOfOldSecret(
  db: Queryable,
  now: RealTime,
  { fingerprint }: Pick<Seal, 'fingerprint'>,
): Promise<number> {
  const [row] = await db.rows(sql<{ count: number }>`
    select count(*)::int as count from api_keys
    where secret_fingerprint is distinct from ${fingerprint}
      and revoked_at is null and (expires_at is null or expires_at > ${now})`)
  return row!.count
}
