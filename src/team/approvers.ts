import { strict as assert } from 'node:assert'
import { after } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'
import { type Permission, rolesWith } from './permissions.js'
import { type AccessLink, type Freedom, findAccessLinks, judgeFreedom } from './shared-access.js'

/** Something that waits for the approval of members who did not create or approve it. */
export type ApprovalSubject = {
  /** The users who may have created it. */
  creators: Iterable<string>
  /** The users who have approved it already. */
  approvedBy: string[]
  waitsSince: Date
}

/** A member whose approval is accepted from a moment on. */
export type Approver = { id: string; name: string } & Freedom

type Member = { id: string; name: string; approverSince: Date | null }

/** What decides who may approve. */
export type ApprovingTeam = { members: Member[]; links: AccessLink[] }

/** The members with a permission, with how they and the users behind the subjects got access. */
export async function findApprovingTeam(
  db: Queryable,
  environmentId: EnvironmentId,
  subjects: ApprovalSubject[],
  permission: Permission = 'payouts.approve',
): Promise<ApprovingTeam> {
  const members = await db.rows(sql<Member>`
    select u.id, u.name, m.approver_since
    from environments e
    join memberships m on m.merchant_id = e.merchant_id and m.disabled_at is null
      and m.role = any (case e.mode when 'test' then ${rolesWith(permission, 'test')}::text[]
        else ${rolesWith(permission, 'live')}::text[] end)
      and (e.mode = 'test' or m.may_see_live)
    join users u on u.id = m.user_id and u.disabled_at is null
    where e.id = ${environmentId}
    order by u.name, u.id`)
  if (subjects.length === 0) return { members, links: [] }
  const oldest = Math.min(...subjects.map(({ waitsSince }) => waitsSince.getTime()))
  const since = after(new Date(oldest), -signInLimits.linkDistrustMs)
  const users = new Set([
    ...members.map(({ id }) => id),
    ...subjects.flatMap(({ creators, approvedBy }) => [...creators, ...approvedBy]),
  ])
  return { members, links: await findAccessLinks(db, since, users) }
}

/**
 * Decides who may approve, and from when: members who neither created nor approved it, once they
 * share access with none of those. The first who may comes first.
 */
export function judgeApprovers(team: ApprovingTeam, subject: ApprovalSubject): Approver[] {
  const behind = new Set([...subject.creators, ...subject.approvedBy])
  return team.members
    .filter(({ id }) => !behind.has(id))
    .map((member) => ({
      id: member.id,
      name: member.name,
      ...judgeApprover(team, subject, member),
    }))
    .sort((a, b) => a.from.getTime() - b.from.getTime())
}

function judgeApprover(
  { links }: ApprovingTeam,
  { creators, approvedBy, waitsSince }: ApprovalSubject,
  { id, approverSince }: Member,
): Freedom {
  const start = approverSince && approverSince > waitsSince ? approverSince : waitsSince
  return [...creators, ...approvedBy]
    .map((other) => judgeFreedom(links, start, [id, other]))
    .reduce((latest, next) => (next.from > latest.from ? next : latest), {
      from: start,
      because: null,
    })
}

/**
 * From when on as many members as are missing may approve it, one after the other: those who share
 * access do not approve the same payout. Undefined if there are too few.
 */
export function judgeEnough(
  team: ApprovingTeam,
  subject: ApprovalSubject,
  missing: number,
): Date | undefined {
  assert(missing <= 2, 'at most two members must approve')
  const approvers = judgeApprovers(team, subject)
  if (missing < 2) return approvers[0]?.from
  const pairs = approvers.flatMap((approver, index) =>
    approvers.slice(index + 1).map((next) => {
      // Sorted, so the next one may later.
      const { from } = judgeFreedom(team.links, next.from, [approver.id, next.id])
      return from.getTime()
    }),
  )
  return pairs.length === 0 ? undefined : new Date(Math.min(...pairs))
}
