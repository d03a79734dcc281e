import { after, toEnvironmentTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { toJson } from '../../base/json-text.js'
import { emitAll } from '../../events/emit.js'
import { leaseLimits } from '../../postgres/limits.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { failureReasons } from '../attempts/failure-reasons.js'
import { batchLimits } from '../limits.js'
import type { PayoutStatus } from '../payout.js'
import { type Batch, type BatchItem, batchReference } from './batch.js'
import { showBatch } from './resource.js'
import type { BatchDependencies } from './step.js'
import {
  type ItemChange,
  lockBatch,
  lockItems,
  readItems,
  writeItems,
  writeState,
} from './store-batches.js'

type Ended = {
  number: number
  status: PayoutStatus
  reason: string | null
  endedAt: Date
}

/** Records the results of transfers that have ended. Returns whether there may be more of them. */
export async function concludeStep(
  dependencies: Pick<BatchDependencies, 'db' | 'clock'>,
  batch: Batch,
): Promise<boolean> {
  const { db, clock } = dependencies
  const { resultsPerStepMax } = batchLimits
  const ended = await findEnded(db, batch)
  if (ended.length === 0) return false
  const results = new Map(ended.map((payout) => [payout.number, payout]))
  await db.transaction(async (tx) => {
    const name = { environmentId: batch.environmentId, reference: batchReference(batch) }
    const locked = await lockBatch(tx, name)
    const numbers = [...results.keys()]
    const open = await lockItems(tx, locked, { state: 'SUBMITTED', numbers })
    const items = await readItems(tx, locked, { states: ['SUBMITTED'], numbers: [...open] })
    const changes = items.map((item) => conclude(batch, item, results.get(item.number)!))
    writeItems(tx, locked, changes, { dueAt: after(clock.now(), leaseLimits.leaseMs) })
  })
  return ended.length === resultsPerStepMax
}

/**
 * Each payout is read by its key: by its status, while the tables have no statistics, the planner
 * would read all ended payouts for each item.
 */
function findEnded(db: Queryable, { environmentId, id }: Batch): Promise<Ended[]> {
  return db.rows(sql<Ended>`
    select i.number, p.status, p.failure_reason as reason,
      coalesce(p.failed_at, p.completed_at) as ended_at
    from payout_batch_items i cross join lateral (
      select status, failure_reason, failed_at, completed_at from payouts
      where environment_id = ${environmentId} and id = i.payout_id offset 0) p
    where i.environment_id = ${environmentId} and i.batch_id = ${id} and i.state = 'SUBMITTED'
      and p.status in ('COMPLETED', 'FAILED', 'REVERSED')
    order by i.number limit ${batchLimits.resultsPerStepMax}`)
}

/** A transfer that was reversed had been completed; the item stays COMPLETED. */
function conclude(
  { kind }: Batch,
  before: BatchItem,
  { status, reason, endedAt }: Ended,
): ItemChange {
  if (status !== 'FAILED')
    return { before, after: { ...before, state: 'COMPLETED', endedAt }, dueAt: null }
  const reasons: Record<string, string> = failureReasons[kind]
  const problem = {
    reason: reason ?? 'failed',
    message: reasons[reason ?? ''] ?? 'The transfer failed.',
  }
  return { before, after: { ...before, state: 'FAILED', problem, endedAt }, dueAt: null }
}

/**
 * Moves a batch on when all of its items allow it: validated, or all ended. Returns whether it did.
 * The end is reported by one event.
 */
export async function advanceBatch(
  { db, clock }: Pick<BatchDependencies, 'db' | 'clock'>,
  batch: Batch,
  environment: Environment,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const now = clock.now()
    const name = { environmentId: batch.environmentId, reference: batchReference(batch) }
    const locked = await lockBatch(tx, name)
    const at = toEnvironmentTime(now, environment.clockOffsetMs)
    if (locked.state === 'VALIDATING') {
      if (locked.validCount + locked.invalidCount < locked.itemCount) return false
      const state = locked.invalidCount > 0 ? 'INVALID' : 'READY'
      writeState(tx, { ...locked, state, validatedAt: at }, { dueAt: now })
      return true
    }
    if (locked.state !== 'PROCESSING') return true
    if (locked.validCount + locked.submittedCount > 0) return false
    const completed: Batch = { ...locked, state: 'COMPLETED', endedAt: at }
    writeState(tx, completed, { dueAt: now })
    emitAll(tx, now, [
      {
        environmentId: locked.environmentId,
        type: 'batch.completed',
        resourceId: locked.id,
        causeId: locked.id,
        sequence: 1,
        data: toJson(showBatch(completed)),
      },
    ])
    return true
  })
}
