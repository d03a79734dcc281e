import type { RealTime } from '../../base/clock.js'
import type { JsonText } from '../../base/json-text.js'
import { type Outcome, Refusal, returnRefusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import type { LedgerAccountKey } from '../../ledger/accounts.js'
import { insertMoved } from '../../ledger/move.js'
import { writeBook } from '../../ledger/write-book.js'
import { hasControls } from '../../merchants/settings/settings-document.js'
import { formatMoney } from '../../money/amounts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { findPayingProblem } from '../../subaccounts/lock-paying-subaccounts.js'
import { mailApprovers } from '../approvals/approval-mails.js'
import { findExpiries } from '../approvals/find-approvers.js'
import {
  findWait,
  judgeControls,
  type RuleRequest,
  readRule,
  screeningReasons,
  toWait,
} from '../controls/find-wait.js'
import { insertCheck } from '../controls/payout-checks.js'
import { auditPayoutScreening } from '../controls/screen-destination.js'
import { type Wait, type WaitReason, waitReasons } from '../controls/wait.js'
import { describeDestination } from '../describe-destination.js'
import { findFrozen, refuseFrozen } from '../freezes/find-frozen.js'
import { type Payout, payoutKinds, referenceOf } from '../payout.js'
import { insertPendingPayout } from '../records/store-payouts.js'
import { showPayout } from '../resource.js'
import {
  createPayouts,
  duplicateReference,
  findRecipientProblem,
  type NewPayout,
  notHeld,
  type Reads,
  readForPayouts,
  referenceKey,
  toHoldMovement,
} from './create-payouts.js'
import { findNeededApprovals } from './creators.js'
import { hashOrder } from './order-hash.js'

export type CreatedUnderRule = { payout: Payout; shown: JsonText }

/**
 * Creates a payout, or lets it wait if the rule asks for it. It may be signed although it has to
 * wait now, because its creator has sent more meanwhile; then what was signed is forgotten. Throws
 * refusals.
 */
export async function createUnderRule(
  tx: Tx,
  now: RealTime,
  { payout, signed }: { payout: Payout; signed: NewPayout | null },
  request: RuleRequest,
  locked?: Reads,
): Promise<CreatedUnderRule> {
  const { environmentId, asset } = payout
  // Also for money in suspense: the sum of the day is decided under this lock.
  const balance: LedgerAccountKey = { environmentId, asset, name: 'available' }
  const reads = locked ?? (await readForPayouts(tx, [{ payout }], [balance]))
  await refuseFrozen(tx, payout)
  const wait = await findWait(tx, { ...request, screeningHold: payout.screeningHold })
  // Unsigned without a reason to wait: the rule was loosened since it was prepared.
  if (signed === null || wait) {
    const pending = await holdPending(tx, now, payout, { wait: wait ?? overLimits, reads })
    writeBook(tx, reads.book)
    return pending
  }
  const [created] = await createPayouts(tx, now, [signed], Promise.resolve(reads))
  if (created instanceof Refusal) throw created
  return { payout, shown: signed.shown }
}

/**
 * Creates payouts of one environment that no limit concerns, such as those of an approved batch.
 * Freezes and controls apply to each; those that wait are `PENDING`.
 */
export async function createControlled(
  tx: Tx,
  now: RealTime,
  newPayouts: NewPayout[],
  reads: Reads,
): Promise<Outcome<Payout>[]> {
  const [first] = newPayouts
  if (!first) return []
  const approvals = await readRule(tx, first.payout.environmentId)
  const isControlled = approvals !== null && hasControls(approvals)
  const frozen = await findFrozen(
    tx,
    newPayouts.map(({ payout }) => payout),
  )
  const outcomes = new Map<NewPayout, Outcome<Payout>>()
  const ready: NewPayout[] = []
  for (const [index, newPayout] of newPayouts.entries()) {
    const { payout } = newPayout
    const refusal = frozen[index]
    if (refusal) {
      outcomes.set(newPayout, refusal)
      continue
    }
    const terms = { ...payout, at: payout.createdAt }
    const reasons = screeningReasons(payout)
    const besides = ready.map((other) => other.payout)
    const wait = isControlled
      ? await judgeControls(tx, approvals, terms, { besides, reasons }).catch(returnRefusal)
      : toWait(reasons, null)
    if (wait === null) ready.push(newPayout)
    else outcomes.set(newPayout, await refuseOrHold(tx, now, payout, { wait, reads }))
  }
  // Writes the book, also if all of them wait.
  const created = await createPayouts(tx, now, ready, Promise.resolve(reads))
  for (const [index, newPayout] of ready.entries()) outcomes.set(newPayout, created[index]!)
  return newPayouts.map((newPayout) => outcomes.get(newPayout)!)
}

async function refuseOrHold(
  tx: Tx,
  now: RealTime,
  payout: Payout,
  { wait, reads }: { wait: Outcome<Wait>; reads: Reads },
): Promise<Outcome<Payout>> {
  if (wait instanceof Refusal) return wait
  const pending = await holdPending(tx, now, payout, { wait, reads }).catch(returnRefusal)
  return pending instanceof Refusal ? pending : pending.payout
}

/**
 * Creates the payout of a settlement: only the callback and screening let it wait. One of a
 * sub-account that another control holds is refused before (`rule-of-subaccounts.ts`).
 */
export async function createOwnPayout(
  tx: Tx,
  now: RealTime,
  newPayout: NewPayout,
  reads: Reads,
): Promise<Outcome<Payout>> {
  const approvals = await readRule(tx, newPayout.payout.environmentId)
  const callbackMinutes = approvals?.controls?.callback?.retryMinutes ?? null
  const wait = toWait(screeningReasons(newPayout.payout), callbackMinutes)
  if (wait === null) return (await createPayouts(tx, now, [newPayout], Promise.resolve(reads)))[0]!
  const created = await refuseOrHold(tx, now, newPayout.payout, { wait, reads })
  if (!(created instanceof Refusal)) writeBook(tx, reads.book)
  return created
}

const overLimits: Wait = { reasons: ['amount'], callbackMinutes: null }

/**
 * Holds the money of a payout that waits for members or for the callback, and records it. Signs
 * nothing. Throws refusals before it writes. The caller writes the book, once.
 */
async function holdPending(
  tx: Tx,
  now: RealTime,
  unsigned: Payout,
  { wait, reads: { book, used, paying, disabled } }: { wait: Wait; reads: Reads },
): Promise<CreatedUnderRule> {
  if (used.has(referenceKey(unsigned))) throw duplicateReference(unsigned)
  const problem =
    findPayingProblem(paying, unsigned) ?? findRecipientProblem({ disabled }, unsigned)
  if (problem) throw problem
  const { environmentId, id, kind, createdAt: waitsSince } = unsigned
  const isForMembers = wait.reasons.length > 0
  const needed = await findNeededApprovals(tx, unsigned)
  const waiting = { ...unsigned, approvedBy: [], waitsSince, missing: needed }
  const approval = {
    orderHash: hashOrder(unsigned),
    expiresAt: (await findExpiries(tx, environmentId, [waiting])).get(id)!,
    needed: isForMembers ? needed : 0,
    decisions: [],
    reasons: wait.reasons,
    callback: wait.callbackMinutes === null ? null : newCallback,
    screening: unsigned.screeningHold ?? null,
    round: 1,
  }
  const payout: Payout = { ...unsigned, status: 'PENDING', submittedAt: null, approval }
  const movement = toHoldMovement({ payout })
  const hold = book.move(movement)
  if (!hold.isMoved) throw notHeld(payout, hold)
  insertMoved(tx, now, { movements: [movement], outcomes: [hold] })
  insertPendingPayout(tx, payout, approval)
  insertCheck(tx, now, payout, wait)
  const { screeningHold: verdict } = unsigned
  if (verdict) {
    const action = verdict.verdict
    await auditPayoutScreening(tx, now, { payout, verdict, action, actor: 'screening' })
  }
  const shown = showPayout(payout, [])
  const type = payoutKinds[kind].events?.pending
  if (type)
    emitAll(tx, now, [
      { environmentId, type, resourceId: id, causeId: id, sequence: 1, data: shown },
    ])
  if (isForMembers) await askMembers(tx, now, payout)
  return { payout, shown }
}

const newCallback = { status: 'OPEN', attempts: 0, problem: null, rejection: null } as const

/** Mails the members who may approve a payout; again, if a reason was added since. */
export async function askMembers(
  tx: Tx,
  now: RealTime,
  payout: Payout,
  added?: WaitReason,
): Promise<void> {
  const { environmentId, asset, amount, destination, approval, createdAt: waitsSince } = payout
  const waiting = { ...payout, approvedBy: [], waitsSince }
  await mailApprovers(tx, now, {
    environmentId,
    waiting,
    what: 'a transfer',
    amount: formatMoney(amount, asset),
    facts: [
      ['To', describeDestination(destination)],
      ['Reference', referenceOf(payout)],
    ],
    expiresAt: approval!.expiresAt,
    askedAgain: added && waitReasons[added],
    path: `/payouts/${referenceOf(payout)}`,
  })
}
