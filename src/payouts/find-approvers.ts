import type { EnvironmentId } from '../base/environment.js'
import type { Queryable } from '../postgres/tx.js'
import { type Approver, findApprovingTeam, judgeApprovers, judgeEnough } from '../team/approvers.js'
import { judgeExpiry } from './approval-expiry.js'
import { findCreators, type PayoutCreator } from './creators.js'
import type { PayoutApproval } from './payout.js'

/** A payout or a batch that waits, or would wait. */
export type Waiting = PayoutCreator & {
  id: string
  /** The users who have approved it already. */
  approvedBy: string[]
  waitsSince: Date
}

/**
 * Who may approve each payout or batch of an environment, and from when, by its id; of all members,
 * or of one.
 */
export async function findApprovers(
  db: Queryable,
  environmentId: EnvironmentId,
  waiting: Waiting[],
  onlyUserId?: string,
): Promise<Map<string, Approver[]>> {
  if (waiting.length === 0) return new Map()
  const creators = await findCreators(db, environmentId, waiting)
  const subjects = waiting.map((one) => ({ ...one, creators: creators.get(one.id)! }))
  const { members, links } = await findApprovingTeam(db, environmentId, subjects)
  const judged = members.filter(({ id }) => onlyUserId === undefined || id === onlyUserId)
  const team = { members: judged, links }
  return new Map(subjects.map((subject) => [subject.id, judgeApprovers(team, subject)]))
}

/** When each payout or batch of an environment expires, if the team stays as it is, by its id. */
export async function findExpiries(
  db: Queryable,
  environmentId: EnvironmentId,
  waiting: (Waiting & { missing: number })[],
): Promise<Map<string, Date>> {
  if (waiting.length === 0) return new Map()
  const creators = await findCreators(db, environmentId, waiting)
  const subjects = waiting.map((subject) => ({ ...subject, creators: creators.get(subject.id)! }))
  const team = await findApprovingTeam(db, environmentId, subjects)
  return new Map(
    subjects.map((subject) => {
      const enoughFrom = judgeEnough(team, subject, subject.missing)
      return [subject.id, judgeExpiry({ waitsSince: subject.waitsSince, enoughFrom })]
    }),
  )
}

/** The members who approved it so far. */
export function approversOf({ decisions }: PayoutApproval): string[] {
  return decisions.flatMap(({ verdict, user }) => (verdict === 'APPROVED' && user ? user.id : []))
}

/** How many more approvals it needs. */
export function missingApprovals({ needed, decisions }: PayoutApproval): number {
  return needed - decisions.filter(({ verdict }) => verdict === 'APPROVED').length
}
