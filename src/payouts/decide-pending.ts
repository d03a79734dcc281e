import { strict as assert } from 'node:assert'
import { after } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { fromReference } from '../base/ids.js'
import { limits } from '../base/limits.js'
import type { Logger } from '../base/log.js'
import { notFound, Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import { resolveAll } from '../ledger/resolve.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import { showPayout } from '../resources/payout.js'
import { haveSharedAccess } from '../team/shared-access.js'
import { type NewPayout, toNewPayout } from './create-payouts.js'
import type { ApprovalFailure } from './failure-reasons.js'
import { type PayoutRow, payoutColumns, toPayout } from './find-payouts.js'
import { type FollowReturns, lockFollowedReturns } from './followed-returns.js'
import { logPayouts } from './log-payouts.js'
import { hashOrder } from './order-hash.js'
import { isRailPaused, railPaused } from './paused-rails.js'
import {
  nextSequence,
  type Payout,
  type PayoutApproval,
  payoutKinds,
  referenceOf,
} from './payout.js'
import type { PayoutRail, PreparedAttempt } from './ports.js'
import type { PayoutBanks, PayoutRails } from './prepare-payouts.js'
import { reportShortfall } from './report-shortfall.js'
import { insertAttempts } from './store-payouts.js'
import { isTreasuryShort } from './unfinished-payouts.js'

/** The person who decides, in the session in which they proved who they are. */
export type Decider = { userId: string; sessionId: string; name: string }

type PendingName = { environmentId: EnvironmentId; reference: string }

/** A payout that waits, with the users who may have created it and do not approve it. */
type Pending = { payout: Payout; creators: string[]; clockOffsetMs: number }

type PendingRow = PayoutRow & Omit<Pending, 'payout'>

const prefixesOfPayouts = [...new Set(Object.values(payoutKinds).map(({ prefix }) => prefix))]

/** Creators as of now: a user who sees the key after the payout was made counts, too. */
async function findPending(
  db: Queryable,
  { environmentId, reference }: PendingName,
  { isLocked }: { isLocked: boolean },
): Promise<Pending> {
  const id = prefixesOfPayouts.map((prefix) => fromReference(prefix, reference)).find(Boolean)
  const [row] = id
    ? await db.rows(sql<PendingRow>`
        select ${sql.raw(payoutColumns)}, e.clock_offset_ms::float8 as clock_offset_ms,
          array(select * from creators_of(p.environment_id, p.created_by_user, p.created_by_key))
            as creators
        from payouts p join environments e on e.id = p.environment_id
        where p.environment_id = ${environmentId} and p.id = ${id}
        ${isLocked ? sql`for no key update of p` : sql``}`)
    : []
  if (!row || referenceOf(row) !== reference) throw notFound('transfer', reference)
  return toPending(row)
}

function toPending({ creators, clockOffsetMs, ...row }: PendingRow): Pending {
  return { payout: toPayout(row), creators, clockOffsetMs }
}

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
  const { createdByKey, approval } = payout
  const pending: PendingApproval = {
    noun: 'transfer',
    ending: 'fail',
    reference: referenceOf(payout),
    creators,
    createdByKey,
    approval,
    hash: hashOrder(payout),
  }
  await judgeApproval(db, pending, request, at)
}

/** A payout, or a batch of them, that waits for other members. */
export type PendingApproval = {
  noun: string
  /** What happens to it when its time is over. */
  ending: string
  reference: string
  creators: string[]
  createdByKey: string | null
  approval: PayoutApproval | null
  /** Hash of what its rows contain now. */
  hash: string
}

/**
 * Refuses a creator, a member who has approved already or shares access with a creator or another
 * approver, an approval that is too late, and one of other terms.
 */
export async function judgeApproval(
  db: Queryable,
  { noun, ending, reference, creators, createdByKey, approval, hash }: PendingApproval,
  { orderHash, decider }: { orderHash: string; decider: Decider },
  at: Date,
): Promise<void> {
  if (creators.includes(decider.userId))
    throw new Refusal('approval_failed', {
      reason: 'own_payout',
      message: createdByKey
        ? `${reference} was created with an API key that you created, rolled or revealed. Another member must approve it.`
        : `You created ${reference}. Another member must approve it.`,
    })
  assert(approval, 'a payout that waits has a hash')
  const approvers = approversOf(approval)
  if (approvers.includes(decider.userId))
    throw new Refusal('approval_failed', {
      reason: 'invalid_state',
      message: `You have approved ${reference} already. No member made its API key, so another member must approve it, too.`,
    })
  if (at >= approval.expiresAt)
    throw new Refusal('approval_failed', {
      reason: 'approval_expired',
      message: `${reference} waited too long and is about to ${ending}. Create it again.`,
    })
  // The hash now, too: what is paid is what the rows say.
  if (orderHash !== approval.orderHash || hash !== approval.orderHash)
    throw new Refusal('approval_failed', {
      reason: 'order_changed',
      message: `${reference} is not the ${noun} that was shown to you. Read it again, then decide.`,
    })
  await refuseSharedAccess(db, at, { others: [...creators, ...approvers], decider })
}

function approversOf({ decisions }: PayoutApproval): string[] {
  return decisions.filter(({ verdict }) => verdict === 'APPROVED').map(({ user }) => user.id)
}

/** Whether one more approval is enough. */
export function isLastApproval(approval: PayoutApproval): boolean {
  return approversOf(approval).length + 1 >= approval.needed
}

async function refuseSharedAccess(
  db: Queryable,
  at: Date,
  { others, decider }: { others: string[]; decider: Decider },
): Promise<void> {
  for (const other of others)
    if (await haveSharedAccess(db, at, [other, decider.userId]))
      throw new Refusal('approval_failed', {
        reason: 'shared_access',
        message:
          'In the last 72 hours you, or a creator or another approver of this transfer, joined, or set a password, by a link that the other or the same third member made. Until then another member must approve it.',
      })
}

type Tools = { db: Queryable; rails: PayoutRails; banks: PayoutBanks; logger: Logger }

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
  const rail = railNamed(tools, payout.rail)
  if (!rail)
    throw new Refusal('approval_failed', {
      reason: 'rail_unavailable',
      message: `${payout.rail} is not configured. Ask the operator to configure it.`,
    })
  if (await isRailPaused(tools.db, rail.name)) throw railPaused('approval_failed')
  await refuseOtherName(tools, after(at, -pending.clockOffsetMs), rail, payout)
  const { asset, amount, destination } = payout
  const [attempt] = await rail.prepare([
    { asset, amount, destination, reference: referenceOf(payout) },
  ])
  if (attempt instanceof Refusal) throw asApproval(attempt)
  return attempt!
}

function railNamed({ rails, banks }: Tools, name: string): PayoutRail | undefined {
  return [
    ...Object.values(rails).flatMap((byKind) => Object.values(byKind)),
    ...Object.values(banks).flatMap((byProvider) => [...byProvider.values()]),
  ].find((rail) => rail.name === name)
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

/** Refusals of a rail, under the code of the approval. */
function asApproval(refusal: Refusal): Refusal {
  return refusal.under('approval_failed')
}

/** `signed` is null while another member must approve, too. */
export type ApprovedPayout = { shown: string; signed: NewPayout | null }

/**
 * Records an approval and, if it is the last one needed, the attempt to send, in one transaction.
 * Two approvers, or an approval and a rejection, cannot both win: the row is locked, and it is
 * checked again. What was signed for an approval that is not the last is forgotten. `now` is real
 * time.
 */
export async function approvePayout(
  tx: Tx,
  now: Date,
  attempt: PreparedAttempt,
  request: ApprovalRequest,
): Promise<ApprovedPayout> {
  const locked = await findPending(tx, request, { isLocked: true })
  const at = after(now, locked.clockOffsetMs)
  await judge(tx, locked, request, at)
  const { decider, orderHash } = request
  const { payout } = locked
  insertDecision(tx, payout, { verdict: 'APPROVED', decider, orderHash, reason: null, at })
  const before = payout.approval!
  const decision = { verdict: 'APPROVED' as const, user: toUser(decider), reason: null, at }
  const approval = { ...before, decisions: [...before.decisions, decision] }
  if (!isLastApproval(before))
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
  now: Date,
  request: PendingName & { reason: string; decider: Decider },
  follow?: FollowReturns,
): Promise<Payout> {
  const pending = await findPending(tx, request, { isLocked: true })
  const { payout, clockOffsetMs } = pending
  refuseOthers(payout)
  const { decider, reason } = request
  const at = after(now, clockOffsetMs)
  const before = payout.approval!
  const { orderHash } = before
  insertDecision(tx, payout, { verdict: 'REJECTED', decider, orderHash, reason, at })
  const decision = { verdict: 'REJECTED' as const, user: toUser(decider), reason, at }
  const approval = { ...before, decisions: [...before.decisions, decision] }
  const rejected = { ...pending, payout: { ...payout, approval } }
  const [ended] = await endPending(tx, now, [rejected], { reason: 'approval_rejected', follow })
  return ended!
}

function toUser({ userId, name }: Decider) {
  return { id: userId, name }
}

function insertDecision(
  tx: Tx,
  { environmentId, id }: Payout,
  decision: {
    verdict: 'APPROVED' | 'REJECTED'
    decider: Decider
    orderHash: string
    reason: string | null
    at: Date
  },
): void {
  const { verdict, decider, orderHash, reason, at } = decision
  tx.write(sql`
    insert into payout_approvals (environment_id, payout_id, verdict, user_id, session_id,
      order_hash, reason, decided_at)
    values (${environmentId}, ${id}, ${verdict}, ${decider.userId}, ${decider.sessionId},
      ${Buffer.from(orderHash, 'hex')}, ${reason}, ${at})`)
}

type Ending = {
  reason: ApprovalFailure
  follow?: FollowReturns | undefined
}

/** Releases the money of locked payouts that were not approved. */
async function endPending(
  tx: Tx,
  now: Date,
  pending: Pending[],
  { reason, follow }: Ending,
): Promise<Payout[]> {
  const payouts = pending.map(({ payout }) => payout)
  const endReturns = await lockFollowedReturns(tx, payouts, follow)
  const areResolved = await resolveAll(
    tx,
    now,
    payouts.map(({ environmentId, id }) => ({ environmentId, causeId: id, verb: 'release' })),
  )
  assert(areResolved.every(Boolean), 'the money of a payout that waits is held')
  const ended = pending.map(
    ({ payout, clockOffsetMs }): Payout => ({
      ...payout,
      status: 'FAILED',
      failureReason: reason,
      failedAt: after(now, clockOffsetMs),
      eventSequence: nextSequence(payout),
    }),
  )
  for (const { environmentId, id, failedAt, eventSequence } of ended)
    tx.write(sql`
      update payouts set status = 'FAILED', failure_reason = ${reason}, failed_at = ${failedAt},
        event_sequence = ${eventSequence}
      where environment_id = ${environmentId} and id = ${id} and status = 'PENDING'`)
  emitAll(tx, now, ended.flatMap(toFailedEvent))
  endReturns(now, ended)
  return ended
}

function toFailedEvent(payout: Payout) {
  const { environmentId, id, kind, eventSequence: sequence } = payout
  const type = payoutKinds[kind].events?.failed
  const data = showPayout(payout, [])
  return type ? [{ environmentId, type, resourceId: id, causeId: id, sequence, data }] : []
}

/**
 * Ends payouts not approved in time, of one environment or of all. The time is that of the
 * environment, whose clock may have been advanced; `now` is real time. Returns how many ended.
 */
export async function expirePending(
  { db, logger, follow }: { db: Database; logger: Logger; follow: FollowReturns },
  now: Date,
  environmentId?: EnvironmentId,
): Promise<number> {
  const own = environmentId === undefined ? sql`` : sql`and p.environment_id = ${environmentId}`
  const ended = await db.transaction(async (tx) => {
    const due = await tx.rows(sql<PendingRow>`
      select ${sql.raw(payoutColumns)}, e.clock_offset_ms::float8 as clock_offset_ms,
        array[]::uuid[] as creators
      from payouts p join environments e on e.id = p.environment_id
      where p.status = 'PENDING' ${own}
        and p.approve_by <= ${now}::timestamptz + e.clock_offset_ms * interval '1 millisecond'
      order by p.environment_id, p.id limit ${limits.payouts.expiriesPerBatchMax}
      for no key update of p skip locked`)
    const pending = due.map(toPending)
    if (pending.length === 0) return []
    return endPending(tx, now, pending, { reason: 'approval_expired', follow })
  })
  logPayouts({ db, logger }, ended)
  return ended.length
}
