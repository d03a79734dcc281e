import { newId } from '../base/ids.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import type { Role } from './permissions.js'

export type NewUser = { email: string; name: string; isOperator: boolean }

/** Returns the id of the new user. E-mail addresses are unique, without regard to case. */
export function createUser(tx: Tx, now: Date, { email, name, isOperator }: NewUser): string {
  const id = newId(now)
  tx.write(sql`
    insert into users (id, email, name, is_operator, created_at)
    values (${id}, ${email.toLowerCase()}, ${name}, ${isOperator}, ${now})`)
  return id
}

export async function findUserId(db: Queryable, email: string): Promise<string | undefined> {
  const [row] = await db.rows(sql<{ id: string }>`
    select id from users where email = ${email.toLowerCase()}`)
  return row?.id
}

type NewMembership = { merchantId: string; userId: string; role: Role; maySeeLive: boolean }

export function addMembership(tx: Tx, now: Date, membership: NewMembership): void {
  const { merchantId, userId, role, maySeeLive } = membership
  tx.write(sql`
    insert into memberships (merchant_id, user_id, role, may_see_live, created_at, approver_since)
    values (${merchantId}, ${userId}, ${role}, ${maySeeLive}, ${now}, ${now})`)
}

export async function findMembership(
  db: Queryable,
  merchantId: string,
  userId: string,
): Promise<{ role: Role } | undefined> {
  const [row] = await db.rows(sql<{ role: Role }>`
    select role from memberships where merchant_id = ${merchantId} and user_id = ${userId}`)
  return row
}
