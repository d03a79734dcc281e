import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'

/** Names of users by id, also of those who left. */
export async function findUserNames(db: Queryable, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows(sql<{ id: string; name: string }>`
    select id, name from users where id = any (${ids}::uuid[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Names by id of those who are or were members of a merchant. */
export async function findMemberNames(
  db: Queryable,
  merchantId: string,
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows(sql<{ id: string; name: string }>`
    select u.id, u.name from users u join memberships m on m.user_id = u.id
    where m.merchant_id = ${merchantId} and u.id = any (${ids}::uuid[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
