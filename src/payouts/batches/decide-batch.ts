import type { EnvironmentTime } from '../../base/clock.js'
import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { approversOf, findExpiries, missingApprovals } from '../approvals/find-approvers.js'
import {
  type Decider,
  judgeApproval,
  type NewDecision,
  type PendingApproval,
  recordDecision,
} from '../approvals/judge-approval.js'
import { batchLimits } from '../limits.js'
import { findCreators } from '../requests/creators.js'
import { type Batch, batchReference } from './batch.js'
import { hashBatch } from './hash-batch.js'
import { type BatchName, extendBatch, lockBatch, readItems, writeState } from './store-batches.js'

type Decision = BatchName & {
  decider: Decider
  at: EnvironmentTime
}

function refuseOthers(batch: Batch): void {
  if (batch.state === 'PENDING') return
  const why = batch.approval
    ? `${batchReference(batch)} no longer waits for approval: it is ${batch.state}.`
    : `${batchReference(batch)} does not wait for approval: it is ${batch.state}.`
  throw new Refusal('approval_failed', { reason: 'invalid_state', message: why })
}

/**
 * Records an approval. If it is the last one needed, workers pay the batch. The items are hashed
 * again, because what is paid is what the rows say. Throws refusals; the batch then waits as
 * before.
 */
export async function approveBatch(
  tx: Tx,
  now: RealTime,
  { orderHash, decider, at, ...name }: Decision & { orderHash: string },
): Promise<Batch> {
  const batch = await lockBatch(tx, name)
  refuseOthers(batch)
  const { createdByKey } = batch
  const before = batch.approval!
  const creators = (await findCreators(tx, batch.environmentId, [batch])).get(batch.id)!
  const items = await readItems(tx, batch, { states: ['VALID'] })
  const pending: PendingApproval = {
    environmentId: batch.environmentId,
    noun: 'batch',
    ending: 'expire',
    reference: batchReference(batch),
    creators,
    createdByKey,
    waitsSince: batch.submittedAt!,
    approval: before,
    hash: hashBatch(batch, items),
  }
  await judgeApproval(tx, pending, { orderHash, decider }, at)
  const approval = decide(tx, batch, { verdict: 'APPROVED', decider, reason: null, at })
  if (missingApprovals(before) > 1) return { ...batch, approval }
  const approved: Batch = { ...batch, state: 'PROCESSING', approval }
  writeState(tx, approved, { dueAt: now })
  return approved
}

/** Ends a batch that waits. Its creator may do this, too. Throws refusals. */
export async function rejectBatch(
  tx: Tx,
  now: RealTime,
  { reason, decider, at, ...name }: Decision & { reason: string },
): Promise<Batch> {
  const batch = await lockBatch(tx, name)
  refuseOthers(batch)
  const approval = decide(tx, batch, { verdict: 'REJECTED', decider, reason, at })
  const rejected: Batch = { ...batch, state: 'REJECTED', endedAt: at, approval }
  writeState(tx, rejected, { dueAt: now })
  return rejected
}

function decide(tx: Tx, { environmentId, id, approval }: Batch, decision: NewDecision) {
  const rows = { table: 'payout_batch_approvals', environmentId, batchId: id } as const
  return recordDecision(tx, rows, approval!, decision)
}

type Due = { environmentId: Batch['environmentId']; id: string; clockOffsetMs: number }

/**
 * Ends batches that were not approved in time. Those whose approvers may not approve yet, or have
 * had little time, wait longer. The time is that of the environment, whose clock may have been
 * advanced; Returns how many were due.
 */
export async function expireBatches(db: Database, now: RealTime): Promise<number> {
  const due = await db.rows(sql<Due>`
    select b.environment_id, b.id, e.clock_offset_ms::float8 as clock_offset_ms
    from payout_batches b join environments e on e.id = b.environment_id
    where b.state = 'PENDING'
      and b.approve_by <= ${now}::timestamptz + e.clock_offset_ms * interval '1 millisecond'
    limit ${batchLimits.expiriesPerRunMax}`)
  for (const { environmentId, id, clockOffsetMs } of due)
    await db.transaction(async (tx) => {
      const reference = toReference(prefixes.payoutBatch, id)
      const batch = await lockBatch(tx, { environmentId, reference })
      if (batch.state !== 'PENDING') return
      const at = toEnvironmentTime(now, clockOffsetMs)
      const expiresAt = await findExpiry(tx, batch)
      if (expiresAt > at) extendBatch(tx, { ...batch, approval: { ...batch.approval!, expiresAt } })
      else writeState(tx, { ...batch, state: 'EXPIRED', endedAt: at }, { dueAt: now })
    })
  return due.length
}

async function findExpiry(tx: Tx, batch: Batch): Promise<Date> {
  const approval = batch.approval!
  const waiting = {
    ...batch,
    waitsSince: batch.submittedAt!,
    approvedBy: approversOf(approval),
    missing: missingApprovals(approval),
  }
  return (await findExpiries(tx, batch.environmentId, [waiting])).get(batch.id)!
}
