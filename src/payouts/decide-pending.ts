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
import { insertAttempts } from './store-payouts.js'

/** The person who decides, in the session in which they proved who they are. */
export type Decider = { userId: string; sessionId: string; name: string }

type PendingName = { environmentId: EnvironmentId; reference: string }

/** A payout that waits, with the person who may not approve it. */
type Pending = Payout & { creator: string | null; clockOffsetMs: number }

type PendingRow = PayoutRow & { creator: string | null; clockOffsetMs: number }

const prefixesOfPayouts = [...new Set(Object.values(payoutKinds).map(({ prefix }) => prefix))]

/** The person who created the payout, or the API key that did. */
async function findPending(
  db: Queryable,
  { environmentId, reference }: PendingName,
  { isLocked }: { isLocked: boolean },
): Promise<Pending> {
  const id = prefixesOfPayouts.map((prefix) => fromReference(prefix, reference)).find(Boolean)
  const [row] = id
    ? await db.rows(sql<PendingRow>`
        select ${sql.raw(payoutColumns)}, e.clock_offset_ms::float8 as "clockOffsetMs",
          coalesce(p.created_by_user, (select k.created_by_user from api_keys k
            where k.environment_id = p.environment_id and k.id = p.created_by_key)) as creator
        from payouts p join environments e on e.id = p.environment_id
        where p.environment_id = ${environmentId} and p.id = ${id}
        ${isLocked ? sql`for no key update of p` : sql``}`)
    : []
  if (!row || referenceOf(row) !== reference) throw notFound('transfer', reference)
  const { creator, clockOffsetMs, ...fields } = row
  return { ...toPayout(fields), creator, clockOffsetMs }
}

function refuseOthers(payout: Payout): void {
  if (payout.status === 'PENDING') return
  const why = payout.approval
    ? `${referenceOf(payout)} no longer waits for approval: it is ${payout.status}.`
    : `${referenceOf(payout)} needs no approval.`
  throw new Refusal('approval_failed', { reason: 'invalid_state', message: why })
}

type ApprovalRequest = PendingName & { orderHash: string; decider: Decider }

function judge(payout: Pending, request: ApprovalRequest, at: Date): void {
  refuseOthers(payout)
  const order = { ...payout, noun: 'transfer', ending: 'fail', reference: referenceOf(payout) }
  judgeApproval({ ...order, hash: hashOrder(payout) }, request, at)
}

/** A payout, or a batch of them, that waits for a second person. */
type WaitingOrder = {
  noun: string
  /** What happens to it when its time is over. */
  ending: string
  reference: string
  creator: string | null
  createdByKey: string | null
  approval: PayoutApproval | null
  /** Of what its rows say now. */
  hash: string
}

/** Refuses the approval of one's own order, one that is too late, and one of another order. */
export function judgeApproval(
  { noun, ending, reference, creator, createdByKey, approval, hash }: WaitingOrder,
  { orderHash, decider }: { orderHash: string; decider: Decider },
  at: Date,
): void {
  if (creator === decider.userId)
    throw new Refusal('approval_failed', {
      reason: 'own_payout',
      message: `You created ${reference}${createdByKey ? ', with an API key of yours' : ''}. Another person must approve it.`,
    })
  assert(approval, 'an order that waits has a hash')
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
}

/** For payouts and batches of them. Throws a refusal. */
export async function refuseSharedAccess(
  db: Queryable,
  at: Date,
  { creator, decider }: { creator: string | null; decider: Decider },
): Promise<void> {
  if (creator === null || !(await haveSharedAccess(db, at, [creator, decider.userId]))) return
  throw new Refusal('approval_failed', {
    reason: 'shared_access',
    message:
      'In the last 72 hours you or the creator of this transfer joined, or set a password, by a link that the other or the same third member made. Until then another person must approve it.',
  })
}

type Tools = { db: Queryable; rails: PayoutRails; banks: PayoutBanks }

/**
 * Checks an approval, has the rail resolve the recipient again and signs. Sends nothing. `at` is in
 * the environment's time. Throws refusals; the payout then waits as before.
 */
export async function prepareApproval(
  tools: Tools,
  at: Date,
  request: ApprovalRequest,
): Promise<PreparedAttempt> {
  const payout = await findPending(tools.db, request, { isLocked: false })
  judge(payout, request, at)
  await refuseSharedAccess(tools.db, at, { creator: payout.creator, decider: request.decider })
  const rail = railNamed(tools, payout.rail)
  if (!rail)
    throw new Refusal('approval_failed', {
      reason: 'rail_unavailable',
      message: `${payout.rail} is not configured. Ask the operator to configure it.`,
    })
  if (await isRailPaused(tools.db, rail.name)) throw railPaused('approval_failed')
  await refuseOtherName(rail, payout)
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
async function refuseOtherName(rail: PayoutRail, payout: Payout): Promise<void> {
  const { asset, amount, destination } = payout
  const isAccount = destination.kind === 'bank_account' && !destination.refundOf
  const target = isAccount ? { ...destination, accountName: '' } : destination
  const [inspected] = await rail.inspect([{ asset, amount, destination: target }])
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
function asApproval({ reason, message }: Refusal): Refusal {
  return new Refusal('approval_failed', { ...(reason && { reason }), message })
}

/**
 * Records an approval and the attempt to send, in one transaction. Two people, or an approval and a
 * rejection, cannot both win: the row is locked, and it is checked again. `now` is real time.
 */
export async function approvePayout(
  tx: Tx,
  now: Date,
  attempt: PreparedAttempt,
  request: ApprovalRequest,
): Promise<NewPayout> {
  const locked = await findPending(tx, request, { isLocked: true })
  const at = after(now, locked.clockOffsetMs)
  judge(locked, request, at)
  const { decider, orderHash } = request
  await refuseSharedAccess(tx, at, { creator: locked.creator, decider })
  const { creator: _creator, clockOffsetMs: _offset, ...payout } = locked
  insertDecision(tx, payout, { verdict: 'APPROVED', decider, orderHash, reason: null, at })
  const submitted: Payout = {
    ...payout,
    status: 'SUBMITTED',
    submittedAt: at,
    eventSequence: nextSequence(payout),
    approval: {
      ...payout.approval!,
      decision: { verdict: 'APPROVED', user: toUser(decider), reason: null, at },
    },
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
  return approved
}

/** Ends a payout that waits: the money is released. Its creator may do this, too. */
export async function rejectPayout(
  tx: Tx,
  now: Date,
  request: PendingName & { reason: string; decider: Decider },
  follow?: FollowReturns,
): Promise<Payout> {
  const payout = await findPending(tx, request, { isLocked: true })
  refuseOthers(payout)
  const { decider, reason } = request
  const at = after(now, payout.clockOffsetMs)
  const { orderHash } = payout.approval!
  insertDecision(tx, payout, { verdict: 'REJECTED', decider, orderHash, reason, at })
  const decision = { verdict: 'REJECTED' as const, user: toUser(decider), reason, at }
  const rejected = { ...payout, approval: { ...payout.approval!, decision } }
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
  const endReturns = await lockFollowedReturns(tx, pending, follow)
  const areResolved = await resolveAll(
    tx,
    now,
    pending.map(({ environmentId, id }) => ({ environmentId, causeId: id, verb: 'release' })),
  )
  assert(areResolved.every(Boolean), 'the money of a payout that waits is held')
  const ended = pending.map(
    ({ creator: _creator, clockOffsetMs, ...payout }): Payout => ({
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
      select ${sql.raw(payoutColumns)}, e.clock_offset_ms::float8 as "clockOffsetMs",
        null as creator
      from payouts p join environments e on e.id = p.environment_id
      where p.status = 'PENDING' ${own}
        and p.approve_by <= ${now}::timestamptz + e.clock_offset_ms * interval '1 millisecond'
      order by p.environment_id, p.id limit ${limits.payouts.expiriesPerBatchMax}
      for no key update of p skip locked`)
    const pending = due.map(({ creator, clockOffsetMs, ...row }) => ({
      ...toPayout(row),
      creator,
      clockOffsetMs,
    }))
    if (pending.length === 0) return []
    return endPending(tx, now, pending, { reason: 'approval_expired', follow })
  })
  logPayouts({ db, logger }, ended)
  return ended.length
}
