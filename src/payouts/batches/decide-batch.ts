import { after } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/tx.js'
import type { Decider } from '../decide-pending.js'
import { judgeApproval, refuseSharedAccess } from '../decide-pending.js'
import type { ApprovalDecision } from '../payout.js'
import { type Batch, batchReference } from './batch.js'
import { hashBatch } from './hash-batch.js'
import { type BatchName, lockBatch, readItems, writeState } from './store-batches.js'

type Decision = BatchName & {
  decider: Decider
  /** In the environment's time. */
  at: Date
}

/** Who created the batch, themselves or with an API key of theirs. */
async function findCreator(tx: Tx, batch: Batch): Promise<string | null> {
  if (batch.createdByUser !== null || batch.createdByKey === null) return batch.createdByUser
  const [row] = await tx.rows(sql<{ creator: string | null }>`
    select created_by_user as creator from api_keys
    where environment_id = ${batch.environmentId} and id = ${batch.createdByKey}`)
  return row?.creator ?? null
}

function refuseOthers(batch: Batch): void {
  if (batch.state === 'PENDING') return
  const why = batch.approval
    ? `${batchReference(batch)} no longer waits for approval: it is ${batch.state}.`
    : `${batchReference(batch)} does not wait for approval: it is ${batch.state}.`
  throw new Refusal('approval_failed', { reason: 'invalid_state', message: why })
}

/**
 * Records an approval: workers pay the batch. The items are hashed again, because what is paid is
 * what the rows say. Throws refusals; the batch then waits as before.
 */
export async function approveBatch(
  tx: Tx,
  now: Date,
  { orderHash, decider, at, ...name }: Decision & { orderHash: string },
): Promise<Batch> {
  const batch = await lockBatch(tx, name)
  refuseOthers(batch)
  const creator = await findCreator(tx, batch)
  const items = await readItems(tx, batch, { states: ['VALID'] })
  const order = { ...batch, noun: 'batch', ending: 'expire', reference: batchReference(batch) }
  const waiting = { ...order, creator, hash: hashBatch(batch, items) }
  judgeApproval(waiting, { orderHash, decider }, at)
  await refuseSharedAccess(tx, at, { creator, decider })
  const decision = decide(tx, batch, { verdict: 'APPROVED', decider, reason: null, at })
  const approval = { ...batch.approval!, decision }
  const approved: Batch = { ...batch, state: 'PROCESSING', approval }
  writeState(tx, approved, { dueAt: now })
  return approved
}

/** Ends a batch that waits. Its creator may do this, too. Throws refusals. */
export async function rejectBatch(
  tx: Tx,
  now: Date,
  { reason, decider, at, ...name }: Decision & { reason: string },
): Promise<Batch> {
  const batch = await lockBatch(tx, name)
  refuseOthers(batch)
  const decision = decide(tx, batch, { verdict: 'REJECTED', decider, reason, at })
  const approval = { ...batch.approval!, decision }
  const rejected: Batch = { ...batch, state: 'REJECTED', endedAt: at, approval }
  writeState(tx, rejected, { dueAt: now })
  return rejected
}

function decide(
  tx: Tx,
  { environmentId, id, approval }: Batch,
  decision: {
    verdict: ApprovalDecision['verdict']
    decider: Decider
    reason: string | null
    at: Date
  },
): ApprovalDecision {
  const { verdict, decider, reason, at } = decision
  tx.write(sql`
    insert into payout_batch_approvals (environment_id, batch_id, verdict, user_id, session_id,
      order_hash, reason, decided_at)
    values (${environmentId}, ${id}, ${verdict}, ${decider.userId}, ${decider.sessionId},
      ${Buffer.from(approval!.orderHash, 'hex')}, ${reason}, ${at})`)
  return { verdict, user: { id: decider.userId, name: decider.name }, reason, at }
}

type Due = { environmentId: Batch['environmentId']; id: string; clockOffsetMs: number }

/**
 * Ends batches that were not approved in time. The time is that of the environment, whose clock may
 * have been advanced; `now` is real time. Returns how many ended.
 */
export async function expireBatches(db: Database, now: Date): Promise<number> {
  const due = await db.rows(sql<Due>`
    select b.environment_id as "environmentId", b.id,
      e.clock_offset_ms::float8 as "clockOffsetMs"
    from payout_batches b join environments e on e.id = b.environment_id
    where b.state = 'PENDING'
      and b.approve_by <= ${now}::timestamptz + e.clock_offset_ms * interval '1 millisecond'
    limit ${limits.batches.expiriesPerRunMax}`)
  for (const { environmentId, id, clockOffsetMs } of due)
    await db.transaction(async (tx) => {
      const reference = toReference(prefixes.payoutBatch, id)
      const batch = await lockBatch(tx, { environmentId, reference })
      if (batch.state !== 'PENDING') return
      const expired: Batch = { ...batch, state: 'EXPIRED', endedAt: after(now, clockOffsetMs) }
      writeState(tx, expired, { dueAt: now })
    })
  return due.length
}
