import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/tx.js'
import { type ApiKey, type KeyName, lockKey } from './api-keys.js'

/**
 * Ends a key for good; every process has forgotten it within a second. Revoking again changes
 * nothing: the answer shows when it was first revoked.
 */
export async function revokeKey(
  tx: Tx,
  now: Date,
  name: KeyName,
): Promise<{ key: ApiKey; isFresh: boolean }> {
  const key = await lockKey(tx, name)
  if (key.revokedAt) return { key, isFresh: false }
  tx.write(sql`
    update api_keys set revoked_at = ${now}
    where environment_id = ${key.environmentId} and id = ${key.id} and revoked_at is null`)
  return { key: { ...key, revokedAt: now }, isFresh: true }
}
