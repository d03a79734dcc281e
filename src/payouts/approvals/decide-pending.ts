import { type RealTime, toEnvironmentTime, toRealTime } from '../../base/clock.js'
import type { JsonText } from '../../base/json-text.js'
import type { Logger } from '../../base/log.js'
import { Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import {
  findPayingProblem,
  lockPayingSubaccounts,
} from '../../subaccounts/lock-paying-subaccounts.js'
import type { FollowReturns } from '../attempts/followed-returns.js'
import { isTreasuryShort } from '../attempts/unfinished-payouts.js'
import { nextSequence, type Payout, payoutKinds, referenceOf } from '../payout.js'
import type { PayoutRail, PreparedAttempt } from '../ports.js'
import type { PayoutRails } from '../rails.js'
import { insertAttempts } from '../records/store-payouts.js'
import { type NewPayout, toNewPayout } from '../requests/create-payouts.js'
import { hashOrder } from '../requests/order-hash.js'
import { isRailPaused, railPaused } from '../requests/paused-rails.js'
import { reportShortfall } from '../requests/report-shortfall.js'
import { showPayout } from '../resource.js'
import { missingApprovals } from './find-approvers.js'
import {
  type Decider,
  judgeApproval,
  type NewDecision,
  type PendingApproval,
  recordDecision,
} from './judge-approval.js'
import { endPending, findPending, type Pending, type PendingName } from './pending-payouts.js'

function refuseOthers(payout: Payout): void {
  if (payout.status === 'PENDING') return
  const why = payout.approval
    ? `${referenceOf(payout)} no longer waits for approval: it is ${payout.status}.`
    : `${referenceOf(payout)} needs no approval.`
  throw new Refusal('approval_failed', { reason: 'invalid_state', message: why })
}

type ApprovalRequest = PendingName & { orderHash: string; decider: Decider }

/** Throws refusals. */
async function judge(
  db: Queryable,
  { payout, creators }: Pending,
  request: ApprovalRequest,
  at: Date,
): Promise<void> {
  refuseOthers(payout)
  const { environmentId, createdByKey, createdAt: waitsSince, approval } = payout
  const pending: PendingApproval = {
    environmentId,
    noun: 'transfer',
    ending: 'fail',
    reference: referenceOf(payout),
    creators,
    createdByKey,
    waitsSince,
    approval,
    hash: hashOrder(payout),
  }
  await judgeApproval(db, pending, request, at)
}

type Tools = { db: Queryable; rails: PayoutRails; logger: Logger }

/**
 * Checks an approval, has the rail resolve the recipient again and signs. Sends nothing. `at` is in
 * the environment's time. Throws refusals; the payout then waits as before.
 */
export async function prepareApproval(
  tools: Tools,
  at: Date,
  request: ApprovalRequest,
): Promise<PreparedAttempt> {
  const pending = await findPending(tools.db, request, { isLocked: false })
  await judge(tools.db, pending, request, at)
  const { payout } = pending
  const rail = tools.rails.named(payout.rail)
  if (!rail)
    throw new Refusal('approval_failed', {
      reason: 'rail_unavailable',
      message: `${payout.rail} is not configured. Ask the operator to configure it.`,
    })
  if (await isRailPaused(tools.db, rail.name)) throw railPaused('approval_failed')
  await refuseOtherName(tools, toRealTime(at, pending.clockOffsetMs), rail, payout)
  const { asset, amount, destination } = payout
  const [attempt] = await rail.prepare([
    { asset, amount, destination, reference: referenceOf(payout) },
  ])
  if (attempt instanceof Refusal) throw asApproval(attempt)
  return attempt!
}

/** The account may have been closed or given to another customer since the payout was created. */
async function refuseOtherName(
  tools: Pick<Tools, 'db' | 'logger'>,
  now: Date,
  rail: PayoutRail,
  payout: Payout,
): Promise<void> {
  const { asset, amount, destination } = payout
  const isAccount = destination.kind === 'bank_account' && !destination.refundOf
  const target = isAccount ? { ...destination, accountName: '' } : destination
  const [inspected] = await rail.inspect([{ asset, amount, destination: target }], 'pay')
  if (isTreasuryShort(inspected)) await reportShortfall(tools, now, { rail: rail.name, asset })
  if (inspected instanceof Refusal) throw asApproval(inspected)
  const found = inspected!.destination
  if (!isAccount || found.kind !== 'bank_account') return
  if (found.accountName === destination.accountName) return
  throw new Refusal('approval_failed', {
    reason: 'name_changed',
    message: `The account now belongs to ${found.accountName}, not to ${destination.accountName}. Check with the recipient; reject the transfer if it is wrong.`,
  })
}

/** Refusals of a rail or a paying sub-account, under the code of the approval. */
function asApproval(refusal: Refusal): Refusal {
  return refusal.under('approval_failed')
}

/** `signed` is null while another member must approve, too. */
export type ApprovedPayout = { shown: JsonText; signed: NewPayout | null }

/**
 * Records an approval and, if it is the last one needed, the attempt to send, in one transaction.
 * Two approvers, or an approval and a rejection, cannot both win: the row is locked, and it is
 * checked again. What was signed for an approval that is not the last is forgotten. `now` is real
 * time.
 */
export async function approvePayout(
  tx: Tx,
  now: RealTime,
  attempt: PreparedAttempt,
  request: ApprovalRequest,
): Promise<ApprovedPayout> {
  const locked = await findPending(tx, request, { isLocked: true })
  const at = toEnvironmentTime(now, locked.clockOffsetMs)
  await judge(tx, locked, request, at)
  const { decider } = request
  const { payout } = locked
  // The sub-account may have been paused since the money was held.
  const problem = findPayingProblem(await lockPayingSubaccounts(tx, [payout]), payout)
  if (problem) throw asApproval(problem)
  const approval = decide(tx, payout, { verdict: 'APPROVED', decider, reason: null, at })
  if (missingApprovals(payout.approval!) > 1)
    return { shown: showPayout({ ...payout, approval }, []), signed: null }
  const submitted: Payout = {
    ...payout,
    status: 'SUBMITTED',
    submittedAt: at,
    eventSequence: nextSequence(payout),
    approval,
  }
  const approved = toNewPayout(submitted, attempt, now)
  const { environmentId, id, kind, eventSequence: sequence } = submitted
  tx.write(sql`
    update payouts set status = 'SUBMITTED', submitted_at = ${at}, event_sequence = ${sequence}
    where environment_id = ${environmentId} and id = ${id} and status = 'PENDING'`)
  insertAttempts(tx, now, [{ ...attempt, payout: submitted, number: 1, createdAt: now }])
  const type = payoutKinds[kind].events?.submitted
  if (type)
    emitAll(tx, now, [
      { environmentId, type, resourceId: id, causeId: id, sequence, data: approved.shown },
    ])
  return { shown: approved.shown, signed: approved }
}

/** Ends a payout that waits: the money is released. Its creator may do this, too. */
export async function rejectPayout(
  tx: Tx,
  now: RealTime,
  request: PendingName & { reason: string; decider: Decider },
  follow?: FollowReturns,
): Promise<Payout> {
  const pending = await findPending(tx, request, { isLocked: true })
  const { payout, clockOffsetMs } = pending
  refuseOthers(payout)
  const { decider, reason } = request
  const at = toEnvironmentTime(now, clockOffsetMs)
  const approval = decide(tx, payout, { verdict: 'REJECTED', decider, reason, at })
  const rejected = { ...pending, payout: { ...payout, approval } }
  const [ended] = await endPending(tx, now, [rejected], { reason: 'approval_rejected', follow })
  return ended!
}

function decide(tx: Tx, { environmentId, id, approval }: Payout, decision: NewDecision) {
  const rows = { table: 'payout_approvals', environmentId, payoutId: id } as const
  return recordDecision(tx, rows, approval!, decision)
}
