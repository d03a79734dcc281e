import type { EnvironmentId } from '../../base/environment.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** Names of the environment's API keys by id, revoked ones too. */
export async function findKeyNames(
  db: Queryable,
  environmentId: EnvironmentId,
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows(sql<{ id: string; name: string }>`
    select id, name from api_keys
    where environment_id = ${environmentId} and id = any (${ids}::uuid[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
