import { strict as assert } from 'node:assert'
import type { EnvironmentId } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { insertInto } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { findApprovingTeam, judgeApprovers, judgeEnough } from '../../team/approvers.js'
import { explainWait } from '../../team/shared-access.js'
import type { ApprovalDecision, PayoutApproval } from '../payout.js'
import { judgeExpiry } from './approval-expiry.js'
import { approversOf, missingApprovals } from './find-approvers.js'

/**
 * The member who decides, in the session in which they proved who they are; a simulated member, in
 * test mode; or an operator, about a payout that only screening holds.
 */
export type Decider =
  | { kind: 'user'; userId: string; sessionId: string; name: string }
  | { kind: 'simulated' | 'operator'; userId: null; sessionId: null }

export const simulatedMember: Decider = { kind: 'simulated', userId: null, sessionId: null }

export const byOperator: Decider = { kind: 'operator', userId: null, sessionId: null }

/** As decisions name them; null for a simulated member and an operator. */
function toUser(decider: Decider): ApprovalDecision['user'] {
  return decider.kind === 'user' ? { id: decider.userId, name: decider.name } : null
}

export type NewDecision = Omit<ApprovalDecision, 'user'> & { decider: Decider }

/** The rows that hold the decisions on a payout or on a batch. */
type DecisionsOf = { environmentId: EnvironmentId } & (
  | { table: 'payout_approvals'; payoutId: string }
  | { table: 'payout_batch_approvals'; batchId: string }
)

/** Writes a decision and returns the approval with it. */
export function recordDecision(
  tx: Tx,
  { table, ...key }: DecisionsOf,
  approval: PayoutApproval,
  { verdict, decider, reason, at }: NewDecision,
): PayoutApproval {
  const row = {
    ...key,
    verdict,
    decidedBy: decider.kind,
    userId: decider.userId,
    sessionId: decider.sessionId,
    orderHash: Buffer.from(approval.orderHash, 'hex'),
    reason,
    decidedAt: at,
  }
  tx.write(insertInto(table, row))
  const isOfOperator = decider.kind === 'operator'
  const decision = { verdict, user: toUser(decider), isOfOperator, reason, at }
  return { ...approval, decisions: [...approval.decisions, decision] }
}

/** A payout, or a batch of them, that waits for other members. */
export type PendingApproval = {
  environmentId: EnvironmentId
  noun: string
  /** What happens to it when its time is over. */
  ending: string
  reference: string
  creators: Iterable<string>
  createdByKey: string | null
  waitsSince: Date
  approval: PayoutApproval | null
  /** Hash of what its rows contain now. */
  hash: string
}

/**
 * Refuses a creator, a member who has approved already or may not approve it yet, an approval that
 * is too late, and one of other terms.
 */
export async function judgeApproval(
  db: Queryable,
  pending: PendingApproval,
  { orderHash, round, decider }: { orderHash: string; round?: number; decider: Decider },
  at: Date,
): Promise<void> {
  const { noun, reference, approval, hash } = pending
  assert(approval, 'a pending payout or batch has an approval')
  if (decider.kind === 'user') refuseInvolved(pending, approval, decider.userId)
  if (at >= approval.expiresAt) await refuseLate(db, pending, at)
  // The hash now, too: what is paid is what the rows say.
  if (orderHash !== approval.orderHash || hash !== approval.orderHash)
    throw new Refusal('approval_failed', {
      reason: 'order_changed',
      message: `${reference} is not the ${noun} that was shown to you. Read it again, then decide.`,
    })
  if (round !== undefined && round !== approval.round)
    throw new Refusal('approval_failed', {
      reason: 'order_changed',
      message: `${reference} waits for another reason since it was shown to you. Read it again, then decide.`,
    })
  if (decider.kind === 'user') await refuseTooEarly(db, pending, decider.userId, at)
}

/** Workers extend or end what is due. Created again before that, it could be paid twice. */
async function refuseLate(
  db: Queryable,
  { environmentId, reference, ending, creators, approval, waitsSince }: PendingApproval,
  at: Date,
): Promise<never> {
  const subject = { creators, approvedBy: approversOf(approval!), waitsSince }
  const team = await findApprovingTeam(db, environmentId, [subject])
  const enoughFrom = judgeEnough(team, subject, missingApprovals(approval!))
  if (judgeExpiry({ waitsSince, enoughFrom }) > at)
    throw new Refusal('approval_failed', {
      reason: 'invalid_state',
      message: `${reference} is given more time. Approve it again in a few seconds.`,
    })
  throw new Refusal('approval_failed', {
    reason: 'approval_expired',
    message: `${reference} waited too long and is about to ${ending}. Create it again after that.`,
  })
}

function refuseInvolved(
  { reference, creators, createdByKey }: PendingApproval,
  approval: PayoutApproval,
  userId: string,
): void {
  if ([...creators].includes(userId))
    throw new Refusal('approval_failed', {
      reason: 'own_payout',
      message: createdByKey
        ? `${reference} was created with an API key that you created, rolled or revealed. Another member must approve it.`
        : `You created ${reference}. Another member must approve it.`,
    })
  if (approversOf(approval).includes(userId))
    throw new Refusal('approval_failed', {
      reason: 'invalid_state',
      message: `You have approved ${reference} already. ${
        missingApprovals(approval) > 0
          ? 'No member made its API key, so another member must approve it, too.'
          : 'Your callback has not answered yet.'
      }`,
    })
}

/** A user who may no longer approve anything is refused by the database. */
async function refuseTooEarly(
  db: Queryable,
  { environmentId, reference, creators, approval, waitsSince }: PendingApproval,
  userId: string,
  at: Date,
): Promise<void> {
  const subject = { creators, approvedBy: approversOf(approval!), waitsSince }
  const team = await findApprovingTeam(db, environmentId, [subject])
  const approver = judgeApprovers(team, subject).find(({ id }) => id === userId)
  if (!approver || approver.from <= at) return
  throw new Refusal('approval_failed', {
    reason: 'shared_access',
    message: `You may approve ${reference} ${explainWait(approver, { userId, at })}. Until then another member must approve it.`,
  })
}
