import type { RealTime } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import { insertInto } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import type { Role } from './permissions.js'

export type User = {
  id: string
  email: string
  name: string
  isOperator: boolean
  isDisabled: boolean
}

/** The ways in which a user can prove their identity. */
export type Factors = {
  hasPassword: boolean
  hasTotp: boolean
  passkeys: number
  recoveryCodes: number
}

const columns = sql`u.id, u.email, u.name, u.is_operator, u.disabled_at is not null as is_disabled`

export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const [row] = await db.rows(sql<User>`
    select ${columns} from users u where u.email = ${normalizeEmail(email)}`)
  return row
}

export async function getUser(db: Queryable, id: string): Promise<User> {
  const [row] = await db.rows(sql<User>`select ${columns} from users u where u.id = ${id}`)
  return row!
}

/** Locks users, so that their rights do not change between the check and the use of a link. */
export async function lockUsers(tx: Tx, ids: string[]): Promise<void> {
  await tx.rows(sql`
    select from users where id = any (${ids}::uuid[]) order by id for no key update`)
}

/** One address has one spelling. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

export async function getFactors(db: Queryable, userId: string): Promise<Factors> {
  const [row] = await db.rows(sql<Factors>`
    select exists (select from passwords where user_id = u.id) as has_password, exists (select from
      totp_secrets where user_id = u.id) as has_totp,
      (select count(*)::int from passkeys where user_id = u.id) as passkeys,
      (select count(*)::int from recovery_codes where user_id = u.id and used_at is null)
        as recovery_codes
    from users u where u.id = ${userId}`)
  return row!
}

export function hasSecondFactor({ hasTotp, passkeys }: Factors): boolean {
  return hasTotp || passkeys > 0
}

export function makeOperator(tx: Tx, userId: string): void {
  tx.write(sql`update users set is_operator = true where id = ${userId}`)
}

/** A disabled user cannot sign in anywhere. */
export function setDisabled(
  tx: Tx,
  now: RealTime,
  { userId, isDisabled }: { userId: string; isDisabled: boolean },
): void {
  tx.write(sql`
    update users set disabled_at = ${isDisabled ? now : null} where id = ${userId}`)
}

/** Removes everything but the password. */
export function deleteFactors(tx: Tx, userId: string): void {
  for (const table of ['totp_secrets', 'passkeys', 'recovery_codes', 'sign_in_steps'])
    tx.write(sql`delete from ${sql.identifier(table)} where user_id = ${userId}`)
}

/** A user as the operator lists them. */
export type ListedUser = User & {
  createdAt: Date
  hasSecondFactor: boolean
  lastSeenAt: Date | null
  memberships: string[]
}

/** Newest first. */
export function listUsers(db: Queryable): Promise<ListedUser[]> {
  return db.rows(sql<ListedUser>`
    select ${columns}, u.created_at, ${secondFactor} as has_second_factor, ${lastSeen} as
      last_seen_at,
      array(select m.display_name || ' (' || s.role || ')' from memberships s
        join merchants m on m.id = s.merchant_id
        where s.user_id = u.id and s.disabled_at is null order by 1) as memberships
    from users u order by u.created_at desc, u.id limit ${limits.operator.rowsListedMax}`)
}

export const secondFactor = sql`(exists (select from totp_secrets t where t.user_id = u.id)
  or exists (select from passkeys k where k.user_id = u.id))`

export const lastSeen = sql`(select max(s.last_seen_at) from user_sessions s
  where s.user_id = u.id)`

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
