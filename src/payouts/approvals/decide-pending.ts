import { type RealTime, toEnvironmentTime, toRealTime } from '../../base/clock.js'
import type { JsonText } from '../../base/json-text.js'
import type { Logger } from '../../base/log.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import {
  findPayingProblem,
  lockPayingSubaccounts,
} from '../../subaccounts/lock-paying-subaccounts.js'
import type { FollowReturns } from '../attempts/followed-returns.js'
import { isTreasuryShort } from '../attempts/unfinished-payouts.js'
import { endChecks } from '../controls/payout-checks.js'
import { refuseFrozen } from '../freezes/find-frozen.js'
import {
  nextSequence,
  type Payout,
  payingSubaccountOf,
  payoutKinds,
  referenceOf,
} from '../payout.js'
import type { PayoutRail, PreparedAttempt } from '../ports.js'
import type { PayoutRails } from '../rails.js'
import { refuseRecipient } from '../recipients/judge-recipient.js'
import { findRecipientOf, lockRecipientsOf } from '../recipients/store-recipients.js'
import { insertAttempts } from '../records/store-payouts.js'
import { type NewPayout, toNewPayout } from '../requests/create-payouts.js'
import { hashOrder } from '../requests/order-hash.js'
import { isRailPaused, railPaused } from '../requests/paused-rails.js'
import { reportShortfall } from '../requests/report-shortfall.js'
import { showPayout } from '../resource.js'
import { maySettle } from '../settlements/settlement.js'
import { followSettlements, toSettlementEvent } from '../settlements/settlement-events.js'
import { findSettlementsOf } from '../settlements/store-settlements.js'
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

type ApprovalRequest = PendingName & {
  orderHash: string
  /** Of the approval as it was shown. Absent: not compared. */
  round?: number
  /** Why; required if the recipient is on a sanctions list. */
  reason?: string | undefined
  decider: Decider
}

/** Throws refusals. */
async function judge(
  db: Queryable,
  { payout, creators }: Pending,
  request: ApprovalRequest,
  at: Date,
): Promise<void> {
  refuseOthers(payout)
  if (payout.approval!.needed === 0)
    throw new Refusal('approval_failed', {
      reason: 'invalid_state',
      message: `${referenceOf(payout)} waits for your callback. Members decide if it stays silent.`,
    })
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
  // What an operator decides has its evidence in the audit log.
  const { reason, decider } = request
  const isHit = approval!.screening?.verdict === 'hit'
  if (isHit && reason === undefined && decider.kind !== 'operator')
    throw invalidField('reason', 'is required: the recipient is on a sanctions list')
}

type ApprovalDependencies = { db: Queryable; rails: PayoutRails; logger: Logger }

/**
 * Checks an approval, has the rail resolve the recipient again and signs. Sends nothing. `at` is in
 * the environment's time. Throws refusals; the payout then waits as before.
 */
export async function prepareApproval(
  dependencies: ApprovalDependencies,
  at: Date,
  request: ApprovalRequest,
): Promise<PreparedAttempt> {
  const pending = await findPending(dependencies.db, request, { isLocked: false })
  await judge(dependencies.db, pending, request, at)
  return signPending(dependencies, toRealTime(at, pending.clockOffsetMs), pending.payout)
}

/** Has the rail resolve the recipient of a pending payout again and signs. Throws refusals. */
export async function signPending(
  dependencies: ApprovalDependencies,
  now: RealTime,
  payout: Payout,
): Promise<PreparedAttempt> {
  const recipient = await findRecipientOf(dependencies.db, payout.environmentId, payout.destination)
  if (recipient?.status === 'DISABLED') await refuseDisabledRecipient(dependencies.db, payout)
  const rail = dependencies.rails.named(payout.rail)
  if (!rail)
    throw new Refusal('approval_failed', {
      reason: 'rail_unavailable',
      message: `${payout.rail} is not configured. Ask the operator to configure it.`,
    })
  if (await isRailPaused(dependencies.db, rail.name)) throw railPaused('approval_failed')
  await refuseOtherName(dependencies, now, rail, payout)
  const { asset, amount, destination } = payout
  const [attempt] = await rail.prepare([
    { asset, amount, destination, reference: referenceOf(payout) },
  ])
  if (attempt instanceof Refusal) throw asApproval(attempt)
  return attempt!
}

/** The account may have been closed or given to another customer since the payout was created. */
async function refuseOtherName(
  dependencies: Pick<ApprovalDependencies, 'db' | 'logger'>,
  now: Date,
  rail: PayoutRail,
  payout: Payout,
): Promise<void> {
  const { asset, amount, destination } = payout
  const isAccount = destination.kind === 'bank_account' && !destination.refundOf
  const target = isAccount ? { ...destination, accountName: '' } : destination
  const [inspected] = await rail.inspect([{ asset, amount, destination: target }], 'pay')
  if (isTreasuryShort(inspected))
    await reportShortfall(dependencies, now, { rail: rail.name, asset })
  if (inspected instanceof Refusal) throw asApproval(inspected)
  const found = inspected!.destination
  if (!isAccount || found.kind !== 'bank_account') return
  if (found.accountName === destination.accountName) return
  throw new Refusal('approval_failed', {
    reason: 'name_changed',
    message: `The account now belongs to ${found.accountName}, not to ${destination.accountName}. Check with the recipient; reject the transfer if it is wrong.`,
  })
}

/** Settlements of the merchant go to its own accounts, whatever is saved. */
async function refuseDisabledRecipient(db: Queryable, payout: Payout): Promise<void> {
  const mayBeExempt = payingSubaccountOf(payout) === null && maySettle(payout)
  const isExempt = mayBeExempt && (await findSettlementsOf(db, [payout])).has(payout.id)
  if (!isExempt) throw refuseRecipient('approval_failed', { reason: 'recipient_disabled' })
}

/** Refusals of a rail or a paying sub-account, under the code of the approval. */
function asApproval(refusal: Refusal): Refusal {
  return refusal.under('approval_failed')
}

/** `signed` is null while another member, or the callback, must approve, too. */
export type ApprovedPayout = { payout: Payout; shown: JsonText; signed: NewPayout | null }

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
  const { decider, reason = null } = request
  const { payout } = locked
  await refuseStopped(tx, payout)
  const approval = decide(tx, payout, { verdict: 'APPROVED', decider, reason, at })
  const approved: Payout = { ...payout, approval }
  if (isOpen(approved)) return { payout: approved, shown: showPayout(approved, []), signed: null }
  return submitPending(tx, now, { payout: approved, attempt, at })
}

/** Whether a member or the callback still has to approve it. */
export function isOpen({ approval }: Payout): boolean {
  return missingApprovals(approval!) > 0 || approval!.callback?.status === 'OPEN'
}

/**
 * The merchant may have been suspended, the sub-account paused, the recipient disabled, or the
 * payout frozen, since the money was held.
 */
export async function refuseStopped(tx: Tx, payout: Payout): Promise<void> {
  if ((await getEnvironmentById(tx, payout.environmentId)).isSuspended) throw merchantSuspended
  const problem = findPayingProblem(await lockPayingSubaccounts(tx, [payout]), payout)
  if (problem) throw asApproval(problem)
  // The recipient may have been saved since the payout was created, too.
  const { size: disabled } = await lockRecipientsOf(tx, [payout])
  if (disabled > 0) await refuseDisabledRecipient(tx, payout)
  const { environmentId, asset } = payout
  // A freeze locks it, too: one that is committed before this payout leaves is seen.
  await lockLedgerAccounts(tx, [{ environmentId, asset, name: 'available' }])
  await refuseFrozen(tx, payout).catch((error: unknown) => {
    throw error instanceof Refusal ? asApproval(error) : error
  })
}

export const merchantSuspended = new Refusal('approval_failed', {
  reason: 'merchant_suspended',
  message: 'The merchant is suspended, so nothing is paid out.',
})

type ApprovedAttempt = { payout: Payout; attempt: PreparedAttempt; at: Date }

/** Submits a locked payout that all have approved. */
export async function submitPending(
  tx: Tx,
  now: RealTime,
  { payout, attempt, at }: ApprovedAttempt,
): Promise<ApprovedPayout & { signed: NewPayout }> {
  const findSettlements = await followSettlements(tx, [payout])
  const submitted: Payout = {
    ...payout,
    status: 'SUBMITTED',
    submittedAt: at,
    eventSequence: nextSequence(payout),
  }
  const signed = toNewPayout(submitted, attempt, now)
  const { environmentId, id, kind, eventSequence: sequence } = submitted
  tx.write(sql`
    update payouts set status = 'SUBMITTED', submitted_at = ${at}, event_sequence = ${sequence}
    where environment_id = ${environmentId} and id = ${id} and status = 'PENDING'`)
  endChecks(tx, [submitted])
  insertAttempts(tx, now, [{ ...attempt, payout: submitted, number: 1, createdAt: now }])
  const type = payoutKinds[kind].events?.submitted
  if (type)
    emitAll(tx, now, [
      { environmentId, type, resourceId: id, causeId: id, sequence, data: signed.shown },
    ])
  emitAll(tx, now, findSettlements([submitted]).map(toSettlementEvent))
  return { payout: submitted, shown: signed.shown, signed }
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
