import type { EnvironmentTime, RealTime } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import { formatMoney } from '../../money/amounts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import {
  findPayingProblem,
  lockPayingSubaccounts,
} from '../../subaccounts/lock-paying-subaccounts.js'
import { mailApprovers } from '../approvals/approval-mails.js'
import { findExpiries } from '../approvals/find-approvers.js'
import { findWait } from '../controls/find-wait.js'
import { payingSubaccountOf } from '../payout.js'
import { findNeededApprovals } from '../requests/creators.js'
import {
  type Batch,
  type BatchItem,
  batchReference,
  payableAmount,
  payingAccountOf,
} from './batch.js'
import { hashBatch } from './hash-batch.js'
import {
  type BatchName,
  lockBatch,
  readItems,
  writeItems,
  writeOrder,
  writeState,
} from './store-batches.js'

type Submission = BatchName & {
  skipsInvalid: boolean
  /** The API key that submits it, if its payouts wait: it submits its own batches only. */
  submitter: string | null
  at: EnvironmentTime
}

/**
 * Submits a validated batch: workers pay it, or it waits for an approver if the rule requires
 * it. The rule is decided for the whole batch, under the lock of the balance, as for one payout.
 * Throws refusals.
 */
export async function submitBatch(
  tx: Tx,
  now: RealTime,
  { skipsInvalid, submitter, at, ...name }: Submission,
): Promise<Batch> {
  const batch = await lockBatch(tx, name)
  if (submitter !== null && batch.createdByKey !== submitter) throw ofAnotherCreator(batch)
  refuseUnready(batch, skipsInvalid)
  const { environmentId, asset, fee, levy, createdByKey, createdByUser } = batch
  const amount = payableAmount(batch)
  const takesFrom = payingAccountOf(batch)
  const problem = findPayingProblem(
    await lockPayingSubaccounts(tx, [{ environmentId, takesFrom }]),
    {
      takesFrom,
    },
  )
  if (problem) throw problem
  const names = ['available', takesFrom] as const
  const book = await lockLedgerAccounts(
    tx,
    names.map((name) => ({ environmentId, asset, name })),
  )
  const { available } = book.endOfStatement({ environmentId, asset }, takesFrom)
  if (available < amount + fee + levy) throw notCovered(batch, available)
  const rule = { environmentId, asset, amount, createdByKey, createdByUser, at }
  const wait = await findWait(tx, rule)
  if (!wait) {
    const submitted: Batch = { ...batch, state: 'PROCESSING', submittedAt: at }
    writeState(tx, submitted, { dueAt: now })
    return submitted
  }
  const needed = await findNeededApprovals(tx, batch)
  const toApprove = { ...batch, approvedBy: [], waitsSince: at, missing: needed }
  const approval = {
    orderHash: hashBatch(batch, await readItems(tx, batch, { states: ['VALID'] })),
    expiresAt: (await findExpiries(tx, environmentId, [toApprove])).get(batch.id)!,
    needed,
    decisions: [],
    reasons: wait.reasons,
    callback: null,
    screening: null,
    round: 1,
  }
  const waiting: Batch = { ...batch, state: 'PENDING', submittedAt: at, approval }
  writeOrder(tx, waiting)
  writeState(tx, waiting, { dueAt: now })
  const reference = batchReference(batch)
  await mailApprovers(tx, now, {
    environmentId,
    waiting: toApprove,
    what: `a batch of ${batch.validCount} ${batch.validCount === 1 ? 'transfer' : 'transfers'}`,
    amount: formatMoney(amount, asset),
    facts: [['Batch', reference]],
    expiresAt: approval.expiresAt,
    path: `/payouts/batches/${reference}`,
  })
  return waiting
}

function ofAnotherCreator(batch: Batch): Refusal {
  return new Refusal('forbidden', {
    reason: 'payouts_wait',
    message: `Every payout made with this API key waits for a member. It did not create ${batchReference(batch)}, which might not wait.`,
  })
}

function refuseUnready(batch: Batch, skipsInvalid: boolean): void {
  const reference = batchReference(batch)
  if (batch.state === 'INVALID') {
    if (batch.validCount === 0)
      throw new Refusal('batch_failed', {
        reason: 'invalid_state',
        message: `No item of ${reference} can be paid. Correct the items and create a new batch.`,
      })
    if (skipsInvalid) return
    throw new Refusal('batch_failed', {
      reason: 'has_invalid_items',
      message: `Some items of ${reference} cannot be paid (${batch.invalidCount}). Send skipInvalid to pay the others, or create a new batch.`,
    })
  }
  if (batch.state === 'READY') return
  throw new Refusal('batch_failed', {
    reason: 'invalid_state',
    message:
      batch.state === 'VALIDATING'
        ? `${reference} is still being validated. Submit it when it is READY.`
        : `${reference} is ${batch.state} and cannot be submitted.`,
  })
}

function notCovered(batch: Batch, available: bigint): Refusal {
  const { asset, fee, levy } = batch
  const extras = levy > 0n ? 'fees and stamp duties' : 'fees'
  const [needed, has] = [payableAmount(batch) + fee + levy, available].map((sum) =>
    formatMoney(sum, asset),
  )
  const payingSubaccount = payingSubaccountOf({ takesFrom: payingAccountOf(batch) })
  const where =
    payingSubaccount === null
      ? 'is available. Fund the balance'
      : `is available in ${payingSubaccount}. Move money to the sub-account`
  return new Refusal('insufficient_balance', {
    message: `The batch needs ${needed} with its ${extras}; ${has} ${where}, then submit it again.`,
  })
}

/** Ends a batch that was not submitted, or stops the rest of one that is paid. Throws refusals. */
export async function cancelBatch(
  tx: Tx,
  now: RealTime,
  { at, ...name }: BatchName & { at: Date },
): Promise<Batch> {
  const batch = await lockBatch(tx, name)
  if (batch.state === 'PROCESSING') return stopRest(tx, now, { batch, at })
  if (!['VALIDATING', 'READY', 'INVALID'].includes(batch.state))
    throw new Refusal('batch_failed', {
      reason: 'invalid_state',
      message: `${batchReference(batch)} is ${batch.state}. Only a batch that was not submitted, or that is being paid, can be cancelled.`,
    })
  const cancelled: Batch = { ...batch, state: 'CANCELLED', endedAt: at }
  writeState(tx, cancelled, { dueAt: now })
  return cancelled
}

/**
 * The items that are not transfers yet fail. Workers pay items under the lock of the batch, so none
 * of these is paid afterwards; transfers that exist go on, and the batch ends with them.
 */
async function stopRest(
  tx: Tx,
  now: RealTime,
  { batch, at }: { batch: Batch; at: Date },
): Promise<Batch> {
  const waiting = await readItems(tx, batch, { states: ['VALID'] })
  if (waiting.length === 0)
    throw new Refusal('batch_failed', {
      reason: 'invalid_state',
      message: `Every item of ${batchReference(batch)} is a transfer already. Transfers cannot be cancelled.`,
    })
  const changes = waiting.map((before) => {
    const after: BatchItem = { ...before, state: 'FAILED', problem: batchCancelled, endedAt: at }
    return { before, after, dueAt: null }
  })
  return writeItems(tx, batch, changes, { dueAt: now })
}

const batchCancelled = {
  reason: 'batch_cancelled',
  message: 'The batch was cancelled before this item was paid.',
}
