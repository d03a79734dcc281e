import { randomBytes } from 'node:crypto'
import { after, type RealTime } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { type Sql, sql } from '../postgres/sql.js'
import { column, Table } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'
import type { Role } from './permissions.js'
import { hashToken } from './sessions.js'
import { normalizeEmail } from './users.js'

/** What a link is for: joining a merchant, becoming an operator, or setting a new password. */
export type LinkPurpose =
  | { kind: 'member'; merchantId: string; role: Role; maySeeLive: boolean }
  | { kind: 'operator' }
  /** Null: made by an operator, for a user of any merchant. */
  | { kind: 'reset'; userId: string; madeInMerchantId: string | null }

const invitations = new Table('invitations', {
  id: column.uuid(),
  email: column.text(),
  merchantId: column.uuid().orNull(),
  role: column.text<Role>().orNull(),
  maySeeLive: column.bool(),
  resetsUserId: column.uuid().orNull(),
  madeInMerchantId: column.uuid().orNull(),
  /** Null if the link was made on the operator's command line. */
  makerId: column.uuid().orNull().named('created_by_user'),
  createdBy: column.text(),
  createdAt: column.time(),
  expiresAt: column.time(),
})

export type Invitation = Pick<
  typeof invitations.row,
  'id' | 'email' | 'makerId' | 'createdBy' | 'createdAt' | 'expiresAt'
> & {
  purpose: LinkPurpose
  /** Null for operators and new passwords. */
  merchantName: string | null
}

export type NewInvitation = Pick<Invitation, 'email' | 'purpose' | 'makerId' | 'createdBy'>

const isOpen = sql`used_at is null and revoked_at is null`

/** Returns the token of the link, which is not stored. Earlier links of the same kind end. */
export function createInvitation(
  tx: Tx,
  now: RealTime,
  { email, purpose, makerId, createdBy }: NewInvitation,
): { id: string; token: string; expiresAt: Date } {
  const token = randomBytes(32).toString('base64url')
  const id = newId(now)
  const expiresAt = after(now, signInLimits.invitationMs)
  const merchantId = purpose.kind === 'member' ? purpose.merchantId : null
  const resetsUserId = purpose.kind === 'reset' ? purpose.userId : null
  const madeInMerchantId = purpose.kind === 'reset' ? purpose.madeInMerchantId : null
  tx.write(sql`
    update invitations set revoked_at = ${now}
    where email = ${normalizeEmail(email)} and ${isOpen}
      and merchant_id is not distinct from ${merchantId}
      and resets_user_id is not distinct from ${resetsUserId}`)
  const invitation: typeof invitations.row = {
    id,
    email: normalizeEmail(email),
    merchantId,
    role: purpose.kind === 'member' ? purpose.role : null,
    maySeeLive: purpose.kind === 'member' && purpose.maySeeLive,
    resetsUserId,
    madeInMerchantId,
    makerId,
    createdBy,
    createdAt: now,
    expiresAt,
  }
  const isOperator = purpose.kind === 'operator'
  tx.write(invitations.insert(invitation, { hash: hashToken(token), isOperator }))
  return { id, token, expiresAt }
}

type Row = typeof invitations.row & { merchantName: string | null }

const selectInvitations = sql`
  select ${invitations.of('i')}, m.display_name as merchant_name
  from invitations i left join merchants m on m.id = i.merchant_id`

function toInvitation(row: Row): Invitation {
  const { id, email, merchantName, makerId, createdBy, createdAt, expiresAt } = row
  const purpose = purposeOf(row)
  return { id, email, merchantName, makerId, createdBy, createdAt, expiresAt, purpose }
}

function purposeOf(row: Row): LinkPurpose {
  const { merchantId, role, maySeeLive, resetsUserId, madeInMerchantId } = row
  if (resetsUserId !== null) return { kind: 'reset', userId: resetsUserId, madeInMerchantId }
  if (merchantId === null) return { kind: 'operator' }
  return { kind: 'member', merchantId, role: role!, maySeeLive }
}

/** Links that were neither used nor revoked and have not expired, newest first. */
async function listOpen(
  db: Queryable,
  now: RealTime,
  { where, limit }: { where: Sql; limit: number },
): Promise<Invitation[]> {
  const rows = await db.rows(sql<Row>`
    ${selectInvitations} where ${where} and i.used_at is null and i.revoked_at is null
      and i.expires_at > ${now}
    order by i.created_at desc, i.id desc limit ${limit}`)
  return rows.map(toInvitation)
}

/** The invitation of a link that still works. */
export async function findInvitation(
  db: Queryable,
  now: RealTime,
  token: string,
): Promise<Invitation | undefined> {
  const where = sql`i.hash = ${hashToken(token)}`
  return (await listOpen(db, now, { where, limit: 1 }))[0]
}

/** False if the link was used, revoked or expired in the meantime. */
export async function takeInvitation(tx: Tx, now: RealTime, id: string): Promise<boolean> {
  const count = await tx.count(sql`
    update invitations set used_at = ${now}
    where id = ${id} and ${isOpen} and expires_at > ${now}`)
  return count > 0
}

/** Each member has at most one open password link. */
const linksListedMax = signInLimits.invitationsOpenMax + signInLimits.membersListedMax

/** Invitations to a merchant and password links made there that still work, newest first. */
export function listInvitations(
  db: Queryable,
  now: RealTime,
  merchantId: string,
): Promise<Invitation[]> {
  const where = sql`(i.merchant_id = ${merchantId} or i.made_in_merchant_id = ${merchantId})`
  return listOpen(db, now, { where, limit: linksListedMax })
}

/** The links that one user made at one merchant and that still work. */
export function listInvitationsBy(
  db: Queryable,
  now: RealTime,
  { merchantId, makerId }: { merchantId: string; makerId: string },
): Promise<Invitation[]> {
  const where = sql`i.created_by_user = ${makerId}
    and (i.merchant_id = ${merchantId} or i.made_in_merchant_id = ${merchantId})`
  return listOpen(db, now, { where, limit: linksListedMax })
}

export function revokeInvitations(tx: Tx, now: RealTime, ids: string[]): void {
  if (ids.length === 0) return
  tx.write(sql`
    update invitations set revoked_at = ${now} where id = any (${ids}::uuid[]) and ${isOpen}`)
}

/** Ends the invitations of this address to the merchant. */
export function revokeInvitationsTo(
  tx: Tx,
  now: RealTime,
  { merchantId, email }: { merchantId: string; email: string },
): void {
  tx.write(sql`
    update invitations set revoked_at = ${now}
    where merchant_id = ${merchantId} and email = ${email} and ${isOpen}`)
}

/**
 * Ends the password links for a user: after a new password, and when the user gets access that the
 * makers of the links did not know of.
 */
export function revokeResets(tx: Tx, now: RealTime, userId: string): void {
  tx.write(sql`
    update invitations set revoked_at = ${now} where resets_user_id = ${userId} and ${isOpen}`)
}

/** Ends every link for or by a user, who is disabled. */
export function revokeLinksOf(
  tx: Tx,
  now: RealTime,
  { userId, email }: { userId: string; email: string },
): void {
  tx.write(sql`
    update invitations set revoked_at = ${now}
    where (email = ${email} or created_by_user = ${userId}) and ${isOpen}`)
}
