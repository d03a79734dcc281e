import { randomBytes } from 'node:crypto'
import { after } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import { normalizeEmail } from './people.js'
import type { Role } from './permissions.js'
import { hashToken } from './sessions.js'

/** What a link is for: joining a merchant, becoming an operator, or setting a new password. */
export type Purpose =
  | { kind: 'member'; merchantId: string; role: Role; maySeeLive: boolean }
  | { kind: 'operator' }
  | { kind: 'reset'; userId: string }

export type Invitation = {
  id: string
  email: string
  purpose: Purpose
  /** Of the merchant; null for operators and new passwords. */
  merchantName: string | null
  createdBy: string
  createdAt: Date
  expiresAt: Date
}

export type NewInvitation = { email: string; purpose: Purpose; createdBy: string }

/** Returns the token of the link, which is not stored. Earlier links of the same kind end. */
export function createInvitation(
  tx: Tx,
  now: Date,
  { email, purpose, createdBy }: NewInvitation,
): { id: string; token: string; expiresAt: Date } {
  const token = randomBytes(32).toString('base64url')
  const id = newId(now)
  const expiresAt = after(now, limits.signIn.invitationMs)
  const merchantId = purpose.kind === 'member' ? purpose.merchantId : null
  const resetsUserId = purpose.kind === 'reset' ? purpose.userId : null
  tx.write(sql`
    update invitations set revoked_at = ${now}
    where email = ${normalizeEmail(email)} and used_at is null and revoked_at is null
      and merchant_id is not distinct from ${merchantId}
      and resets_user_id is not distinct from ${resetsUserId}`)
  tx.write(sql`
    insert into invitations (id, hash, email, merchant_id, role, may_see_live, is_operator,
      resets_user_id, created_by, created_at, expires_at)
    values (${id}, ${hashToken(token)}, ${normalizeEmail(email)}, ${merchantId},
      ${purpose.kind === 'member' ? purpose.role : null},
      ${purpose.kind === 'member' && purpose.maySeeLive}, ${purpose.kind === 'operator'},
      ${resetsUserId}, ${createdBy}, ${now}, ${expiresAt})`)
  return { id, token, expiresAt }
}

type Row = Omit<Invitation, 'purpose'> & {
  merchantId: string | null
  role: Role | null
  maySeeLive: boolean
  resetsUserId: string | null
}

const selectInvitations = sql`
  select i.id, i.email, i.merchant_id as "merchantId", m.display_name as "merchantName", i.role,
    i.may_see_live as "maySeeLive", i.resets_user_id as "resetsUserId",
    i.created_by as "createdBy", i.created_at as "createdAt", i.expires_at as "expiresAt"
  from invitations i left join merchants m on m.id = i.merchant_id`

function toInvitation(row: Row): Invitation {
  const { id, email, merchantName, createdBy, createdAt, expiresAt } = row
  return { id, email, merchantName, createdBy, createdAt, expiresAt, purpose: purposeOf(row) }
}

function purposeOf({ merchantId, role, maySeeLive, resetsUserId }: Row): Purpose {
  if (resetsUserId !== null) return { kind: 'reset', userId: resetsUserId }
  if (merchantId === null) return { kind: 'operator' }
  return { kind: 'member', merchantId, role: role!, maySeeLive }
}

/** The invitation of a link that still works. */
export async function findInvitation(
  db: Queryable,
  now: Date,
  token: string,
): Promise<Invitation | undefined> {
  const [row] = await db.rows(sql<Row>`
    ${selectInvitations} where i.hash = ${hashToken(token)} and i.used_at is null
      and i.revoked_at is null and i.expires_at > ${now}`)
  return row && toInvitation(row)
}

/** False if the link was used, revoked or expired in the meantime. */
export async function takeInvitation(tx: Tx, now: Date, id: string): Promise<boolean> {
  const count = await tx.count(sql`
    update invitations set used_at = ${now}
    where id = ${id} and used_at is null and revoked_at is null and expires_at > ${now}`)
  return count > 0
}

/** Invitations that still work, newest first. */
export async function listInvitations(
  db: Queryable,
  now: Date,
  merchantId: string,
): Promise<Invitation[]> {
  const rows = await db.rows(sql<Row>`
    ${selectInvitations} where i.merchant_id = ${merchantId} and i.used_at is null
      and i.revoked_at is null and i.expires_at > ${now}
    order by i.created_at desc, i.id desc limit ${limits.signIn.invitationsOpenMax}`)
  return rows.map(toInvitation)
}

/** The revoked invitation; undefined if none still works. */
export async function revokeInvitation(
  tx: Tx,
  now: Date,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<{ email: string; role: Role } | undefined> {
  const [row] = await tx.rows(sql<{ email: string; role: Role }>`
    update invitations set revoked_at = ${now}
    where merchant_id = ${merchantId} and id = ${id} and used_at is null and revoked_at is null
      and expires_at > ${now}
    returning email, role`)
  return row
}

/** Links to or from a member who may no longer invite. */
export function revokeInvitationsOf(
  tx: Tx,
  now: Date,
  member: { merchantId: string; email: string; reference: string },
): void {
  tx.write(sql`
    update invitations set revoked_at = ${now}
    where merchant_id = ${member.merchantId} and used_at is null and revoked_at is null
      and (email = ${member.email} or created_by = ${member.reference})`)
}

/** A new password makes links for one worthless. */
export function revokeResets(tx: Tx, now: Date, userId: string): void {
  tx.write(sql`
    update invitations set revoked_at = ${now}
    where resets_user_id = ${userId} and used_at is null and revoked_at is null`)
}
