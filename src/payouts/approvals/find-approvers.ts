import type { EnvironmentId } from '../../base/environment.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import {
  type Approver,
  findApprovingTeam,
  judgeApprovers,
  judgeEnough,
} from '../../team/approvers.js'
import type { PayoutApproval } from '../payout.js'
import { findCreators, type PayoutCreator } from '../requests/creators.js'
import { judgeExpiry } from './approval-expiry.js'

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
  const { subjects, team } = await findSubjects(db, environmentId, waiting)
  const members = team.members.filter(({ id }) => onlyUserId === undefined || id === onlyUserId)
  const judged = { ...team, members }
  return new Map(subjects.map((subject) => [subject.id, judgeApprovers(judged, subject)]))
}

/** When each payout or batch of an environment expires, if the team stays as it is, by its id. */
export async function findExpiries(
  db: Queryable,
  environmentId: EnvironmentId,
  waiting: (Waiting & { missing: number })[],
): Promise<Map<string, Date>> {
  const { subjects, team } = await findSubjects(db, environmentId, waiting)
  return new Map(
    subjects.map((subject) => {
      const enoughFrom = judgeEnough(team, subject, subject.missing)
      return [subject.id, judgeExpiry({ waitsSince: subject.waitsSince, enoughFrom })]
    }),
  )
}

/** With the creators of each, and the members who may approve. */
async function findSubjects<W extends Waiting>(
  db: Queryable,
  environmentId: EnvironmentId,
  waiting: W[],
) {
  if (waiting.length === 0) return { subjects: [], team: { members: [], links: [] } }
  const creators = await findCreators(db, environmentId, waiting)
  const subjects = waiting.map((each) => ({ ...each, creators: creators.get(each.id)! }))
  return { subjects, team: await findApprovingTeam(db, environmentId, subjects) }
}

/** The members who approved it so far. */
export function approversOf({ decisions }: PayoutApproval): string[] {
  return decisions.flatMap(({ verdict, user }) => (verdict === 'APPROVED' && user ? user.id : []))
}

/** How many more approvals it needs. */
export function missingApprovals({ needed, decisions }: PayoutApproval): number {
  const approvals = decisions.filter(({ verdict }) => verdict === 'APPROVED')
  return approvals.some(({ isOfOperator }) => isOfOperator) ? 0 : needed - approvals.length
}
