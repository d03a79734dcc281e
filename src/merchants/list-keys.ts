import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import type { Reader } from '../postgres/tx.js'
import { type ApiKey, selectKeys, unknownKey } from './api-keys.js'

/** Newest first, those that no longer work included. */
export async function listKeys(db: Reader, environmentId: EnvironmentId): Promise<ApiKey[]> {
  return db.rows(sql<ApiKey>`
    ${selectKeys} where k.environment_id = ${environmentId}
    order by k.created_at desc, k.id desc limit ${limits.operator.listed}`)
}

/** Across all environments: for an operator, who names a key by its reference alone. */
export async function getKey(db: Reader, reference: string): Promise<ApiKey> {
  const id = fromReference(prefixes.apiKey, reference)
  const [key] = id ? await db.rows(sql<ApiKey>`${selectKeys} where k.id = ${id}`) : []
  if (!key) throw unknownKey(reference)
  return key
}
