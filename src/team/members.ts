import type { RealTime } from '../base/clock.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'
import type { Giver } from './may-give.js'
import type { Role } from './permissions.js'
import { lastSeen, secondFactor } from './users.js'

/** A user who belongs to a merchant, or did. */
export type Member = {
  userId: string
  name: string
  email: string
  role: Role
  maySeeLive: boolean
  createdAt: Date
  disabledAt: Date | null
  hasSecondFactor: boolean
  lastSeenAt: Date | null
}

const selectMembers = sql`
  select u.id as user_id, u.name, u.email, m.role, m.may_see_live, m.created_at,
    coalesce(m.disabled_at, u.disabled_at) as disabled_at, ${secondFactor} as has_second_factor,
    ${lastSeen} as last_seen_at
  from memberships m join users u on u.id = m.user_id`

/** Oldest first; disabled ones last. */
export function listMembers(db: Queryable, merchantId: string): Promise<Member[]> {
  return db.rows(sql<Member>`
    ${selectMembers} where m.merchant_id = ${merchantId}
    order by m.disabled_at is not null, m.created_at, u.id
    limit ${signInLimits.membersListedMax}`)
}

export async function findMember(
  db: Queryable,
  { merchantId, userId }: { merchantId: string; userId: string },
): Promise<Member | undefined> {
  const [row] = await db.rows(sql<Member>`
    ${selectMembers} where m.merchant_id = ${merchantId} and m.user_id = ${userId}`)
  return row
}

/** Changes of members of one merchant run one after another. */
export async function lockMembers(tx: Tx, merchantId: string): Promise<void> {
  await tx.rows(sql`select from merchants where id = ${merchantId} for no key update`)
}

export type MemberChange = { role: Role; maySeeLive: boolean; isDisabled: boolean }

/**
 * Fails with `one_owner_remains` if no owner would remain. The database keeps when and by whom the
 * member became an approver, unless this change makes them one.
 */
export async function changeMember(
  tx: Tx,
  now: RealTime,
  {
    merchantId,
    userId,
    change,
    changedBy,
  }: { merchantId: string; userId: string; change: MemberChange; changedBy: string },
): Promise<void> {
  await tx
    .rows(sql`
      update memberships set role = ${change.role}, may_see_live = ${change.maySeeLive},
        disabled_at = ${change.isDisabled ? sql`coalesce(disabled_at, ${now})` : null},
        approver_since = ${now}, approver_by = ${changedBy}
      where merchant_id = ${merchantId} and user_id = ${userId}`)
    .catch((error: { constraint?: string }) => {
      if (error.constraint === 'one_owner_remains') throw lastOwner()
      throw error
    })
}

function lastOwner(): Refusal {
  return new Refusal('forbidden', {
    reason: 'last_owner',
    message: 'This is the only owner. Make another member an owner first.',
  })
}

/** False if the user belongs to the merchant already. A former member comes back with this role. */
export async function addMember(
  tx: Tx,
  now: RealTime,
  member: {
    merchantId: string
    userId: string
    role: Role
    maySeeLive: boolean
    /** Null: an operator. */
    addedBy: string | null
  },
): Promise<boolean> {
  const count = await tx.count(sql`
    insert into memberships as m (merchant_id, user_id, role, may_see_live, created_at,
      approver_since, approver_by)
    values (${member.merchantId}, ${member.userId}, ${member.role}, ${member.maySeeLive}, ${now},
      ${now}, ${member.addedBy})
    on conflict (merchant_id, user_id) do update set role = excluded.role,
      may_see_live = excluded.may_see_live, disabled_at = null,
      approver_since = ${now}, approver_by = ${member.addedBy}
    where m.disabled_at is not null`)
  return count > 0
}

/** What a user has now, and so may give, at a merchant or, without one, as an operator. */
export async function findGiver(
  db: Queryable,
  { merchantId, userId }: { merchantId: string | null; userId: string },
): Promise<Giver> {
  type Row = { isDisabled: boolean; isOperator: boolean; role: Role | null; maySeeLive: boolean }
  const [row] = await db.rows(sql<Row>`
    select u.disabled_at is not null as is_disabled, u.is_operator, m.role, coalesce(m.may_see_live,
      false) as may_see_live
    from users u left join memberships m on m.user_id = u.id and m.merchant_id = ${merchantId}
      and m.disabled_at is null
    where u.id = ${userId}`)
  const { isDisabled, isOperator, role, maySeeLive } = row!
  return { isDisabled, isOperator, membership: role && { role, maySeeLive } }
}

/** Whether a user is an operator or belongs to another merchant, too. */
export async function belongsElsewhere(
  db: Queryable,
  { merchantId, userId }: { merchantId: string; userId: string },
): Promise<boolean> {
  const [row] = await db.rows(sql<{ isElsewhere: boolean }>`
    select u.is_operator or exists (select from memberships m
      where m.user_id = u.id and m.merchant_id <> ${merchantId}) as is_elsewhere
    from users u where u.id = ${userId}`)
  return row?.isElsewhere ?? true
}
