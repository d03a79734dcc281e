import type { RealTime } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { sql } from '../postgres/sql.js'
import { insertInto } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import type { Role } from './permissions.js'

export type NewUser = { email: string; name: string; isOperator: boolean }

/** Returns the id of the new user. E-mail addresses are unique, without regard to case. */
export function createUser(tx: Tx, now: RealTime, { email, name, isOperator }: NewUser): string {
  const id = newId(now)
  const user = { id, email: email.toLowerCase(), name, isOperator, createdAt: now }
  tx.write(insertInto('users', user))
  return id
}

export async function findUserId(db: Queryable, email: string): Promise<string | undefined> {
  const [row] = await db.rows(sql<{ id: string }>`
    select id from users where email = ${email.toLowerCase()}`)
  return row?.id
}

type NewMembership = { merchantId: string; userId: string; role: Role; maySeeLive: boolean }

export function addMembership(tx: Tx, now: RealTime, membership: NewMembership): void {
  const { merchantId, userId, role, maySeeLive } = membership
  const times = { createdAt: now, approverSince: now }
  tx.write(insertInto('memberships', { merchantId, userId, role, maySeeLive, ...times }))
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
