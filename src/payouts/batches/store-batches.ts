import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import type { TimeRange } from '../../postgres/lists/key-range.js'
import type { List, Page, RowPage } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import { assigned, listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { toApproval } from '../records/find-payouts.js'
import {
  type Batch,
  type BatchItem,
  type BatchItemWithPayout,
  type BatchState,
  type ItemState,
  type ItemWarning,
  type NewItem,
  payoutBatches,
  payoutBatchItems,
} from './batch.js'

type BatchRow = typeof payoutBatches.row & { approval: string | null }

/** `approval` is JSON; null for a batch that needed no approval. */
const batchColumns = sql.raw(`${payoutBatches.of('b')},
  case when b.order_hash is not null then json_build_object(
    'orderHash', encode(b.order_hash, 'hex'), 'expiresAt', b.approve_by,
    'needed', approvals_needed(b.created_by_user, b.created_by_key),
    'check', case when key_waits(b.created_by_key)
      then json_build_object('reasons', array['key'], 'callback', null) end,
    'decisions', array(
      select json_build_object('verdict', d.verdict, 'reason', d.reason, 'at', d.decided_at,
        'user', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end)
      from payout_batch_approvals d left join users u on u.id = d.user_id
      where d.environment_id = b.environment_id and d.batch_id = b.id
        and (b.state <> 'PENDING' or d.decided_by = 'simulated'
          or d.user_id in (select * from approvers_of(b)))
      order by d.decided_at, d.user_id)) end as approval`)

function toBatch(row: BatchRow): Batch {
  return { ...row, approval: row.approval === null ? null : toApproval(JSON.parse(row.approval)) }
}

export type BatchName = { environmentId: EnvironmentId; reference: string }

export async function getBatch(db: Queryable, name: BatchName): Promise<Batch> {
  return readBatch(db, name)
}

/**
 * Locked until the end of the transaction, so changes of a batch take turns, and by a statement of
 * its own: one that waits would read approvals as they were before.
 */
export async function lockBatch(tx: Tx, name: BatchName): Promise<Batch> {
  const id = fromReference(prefixes.payoutBatch, name.reference)
  const locking = id
    ? tx.rows(sql`
        select from payout_batches
        where environment_id = ${name.environmentId} and id = ${id} for no key update`)
    : []
  const [, batch] = await Promise.all([locking, readBatch(tx, name)])
  return batch
}

async function readBatch(db: Queryable, { environmentId, reference }: BatchName): Promise<Batch> {
  const id = fromReference(prefixes.payoutBatch, reference)
  const [row] = id
    ? await db.rows(sql<BatchRow>`
        select ${batchColumns} from payout_batches b
        where b.environment_id = ${environmentId} and b.id = ${id}`)
    : []
  if (!row) throw notFound('batch', reference)
  return toBatch(row)
}

/** The batch that pays the failed items of another one, unless it ended without a payment. */
export async function findRetry(
  db: Queryable,
  { environmentId, id }: BatchKey,
): Promise<Pick<Batch, 'id' | 'state'> | undefined> {
  const [row] = await db.rows(sql<Pick<Batch, 'id' | 'state'>>`
    select id, state from payout_batches
    where environment_id = ${environmentId} and retry_of = ${id}
      and state not in ('CANCELLED', 'REJECTED', 'EXPIRED')`)
  return row
}

type BatchFilter = TimeRange & {
  state?: BatchState | undefined
  subaccountId?: string | undefined
}

export const batchList: List<BatchFilter, Batch> = {
  name: 'list_batches',
  table: 'payout_batches',
  select: batchColumns,
  rowsOf: (environmentId) => sql`
    join payout_batches b on b.environment_id = ${environmentId} and b.id = found.id`,
  toRows: (_db, rows: BatchRow[]) => rows.map(toBatch),
  keyOf: ({ id }) => id,
  columns: { state: { type: 'text' }, subaccount_id: { type: 'uuid' } },
  filters: { state: 'state', subaccountId: 'subaccount_id' },
  indexes: [
    {
      index: 'payout_batches_by_subaccount',
      serves: ['subaccount_id'],
      where: sql`subaccount_id is not null`,
    },
    { index: 'payout_batches_by_state', serves: ['state'] },
    { index: 'payout_batches_pkey', serves: [] },
  ],
}

const itemKey = { environmentId: 'int4', batchId: 'uuid', number: 'int4' } as const

const insertItemRows = listStatement({
  name: 'insert_payout_batch_items',
  columns: {
    ...itemKey,
    ...payoutBatchItems.types(
      'amount',
      'requestedAmount',
      'destination',
      'recipientId',
      'merchantReference',
      'purpose',
      'warnings',
    ),
  },
  text: (list, _parameter, names, values) => `
    insert into payout_batch_items (${names}) select ${values} from ${list}`,
})

type InsertedItem = NewItem & { warnings: ItemWarning[] }

/** Workers validate the batch at once. */
export function insertBatch(tx: Tx, now: RealTime, batch: Batch, items: InsertedItem[]): void {
  tx.write(payoutBatches.insert(batch, { dueAt: now }))
  const rows = items.map((item, index) => ({
    ...toItemRow(item),
    environmentId: batch.environmentId,
    batchId: batch.id,
    number: index + 1,
  }))
  tx.write(insertItemRows(rows))
}

type ItemRow = typeof payoutBatchItems.readRow

const itemColumns = payoutBatchItems.of('i')

function toItem<Row extends ItemRow>(row: Row) {
  const item = payoutBatchItems.read(row)
  return { ...item, warnings: item.warnings ?? [] }
}

/** An empty list of warnings is stored as null. */
function toItemRow<Item extends { warnings: ItemWarning[] }>(item: Item) {
  return { ...item, warnings: item.warnings.length > 0 ? item.warnings : null }
}

type ItemFilter = { state?: ItemState | undefined; hasWarnings: boolean }
type BatchKey = Pick<Batch, 'environmentId' | 'id'>

/** The items in the order of the request. */
export async function listItems(
  db: Queryable,
  { environmentId, id }: BatchKey,
  { state, hasWarnings }: ItemFilter,
  { before: previous = '0', limit }: Page,
): Promise<RowPage<BatchItemWithPayout>> {
  type Row = ItemRow & Pick<BatchItemWithPayout, 'payoutStatus' | 'failureReason'>
  const rows = await db.rows(sql<Row>`
    select ${itemColumns}, p.status as payout_status, p.failure_reason
    from payout_batch_items i left join lateral (
      select status, failure_reason from payouts
      where environment_id = ${environmentId} and id = i.payout_id offset 0) p on true
    where i.environment_id = ${environmentId} and i.batch_id = ${id} and i.number > ${previous}
      ${state ? sql`and i.state = ${state}` : sql``}
      ${hasWarnings ? sql`and i.warnings is not null` : sql``}
    order by i.number limit ${limit + 1}`)
  const items = rows.slice(0, limit).map(toItem)
  return { rows: items, next: rows.length > limit ? String(items.at(-1)!.number) : undefined }
}

/** All items of these states, or those of them with these numbers, in the order of the request. */
export async function readItems(
  db: Queryable,
  { environmentId, id }: BatchKey,
  { states, numbers }: { states: ItemState[]; numbers?: number[] },
): Promise<BatchItem[]> {
  const rows = await db.rows(sql<ItemRow>`
    select ${itemColumns} from payout_batch_items i
    where i.environment_id = ${environmentId} and i.batch_id = ${id}
      and i.state = any (${states}::text[])
      ${numbers ? sql`and i.number = any (${numbers}::int[])` : sql``}
    order by i.number`)
  return rows.map(toItem)
}

/** The next items in a state that are due. */
export async function findDueItems(
  db: Queryable,
  now: RealTime,
  { environmentId, id }: BatchKey,
  { state, limit }: { state: ItemState; limit: number },
): Promise<BatchItem[]> {
  const rows = await db.rows(sql<ItemRow>`
    select ${itemColumns} from payout_batch_items i
    where i.environment_id = ${environmentId} and i.batch_id = ${id} and i.state = ${state}
      and (i.due_at is null or i.due_at <= ${now})
    order by i.number limit ${limit}`)
  return rows.map(toItem)
}

/** Locks those of the items that are still in the state, and returns their numbers. */
export async function lockItems(
  tx: Tx,
  { environmentId, id }: BatchKey,
  { state, numbers }: { state: ItemState; numbers: number[] },
): Promise<Set<number>> {
  const rows = await tx.rows(sql<{ number: number }>`
    select number from payout_batch_items
    where environment_id = ${environmentId} and batch_id = ${id} and state = ${state}
      and number = any (${numbers}::int[])
    order by number for no key update skip locked`)
  return new Set(rows.map(({ number }) => number))
}

const changing = {
  ...payoutBatchItems.typesWithout(
    'number',
    'amount',
    'requestedAmount',
    'destination',
    'recipientId',
    'merchantReference',
    'purpose',
  ),
  dueAt: 'timestamptz',
} as const

const updateItemRows = listStatement({
  name: 'update_payout_batch_items',
  columns: { ...itemKey, ...changing, oldState: 'text' },
  text: (list) => `
    update payout_batch_items i set ${assigned(changing)}
    from ${list}
    where i.environment_id = list.environment_id and i.batch_id = list.batch_id
      and i.number = list.number and i.state = list.old_state`,
})

/** How a step of a worker changes an item. */
export type ItemChange = { before: BatchItem; after: BatchItem; dueAt: Date | null }

/** Writes locked items and the counts of their batch. */
export function writeItems(
  tx: Tx,
  batch: Batch,
  changes: ItemChange[],
  { dueAt }: { dueAt: Date },
): Batch {
  const changed = { ...batch }
  for (const { before, after } of changes) {
    count(changed, before.state, -1)
    count(changed, after.state, 1)
    if (before.warnings.length === 0 && after.warnings.length > 0) changed.warnedCount += 1
    if (before.state !== 'COMPLETED' && after.state === 'COMPLETED') {
      changed.paidAmount += after.amount
      changed.paidFee += after.fee ?? 0n
      changed.paidLevy += after.levy ?? 0n
    }
    if (before.state !== 'PENDING') continue
    if (after.state === 'INVALID') changed.invalidAmount += after.amount
    if (after.state !== 'VALID') continue
    changed.fee += after.fee ?? 0n
    changed.levy += after.levy ?? 0n
  }
  const rows = changes.map(({ before, after, dueAt: itemDueAt }) => ({
    ...toItemRow(after),
    environmentId: batch.environmentId,
    batchId: batch.id,
    oldState: before.state,
    dueAt: itemDueAt,
  }))
  if (rows.length > 0) tx.write(updateItemRows(rows))
  writeState(tx, changed, { dueAt })
  return changed
}

const counters = {
  VALID: 'validCount',
  INVALID: 'invalidCount',
  SUBMITTED: 'submittedCount',
  COMPLETED: 'completedCount',
  FAILED: 'failedCount',
} as const

function count(batch: Batch, state: ItemState, by: 1 | -1): void {
  if (state !== 'PENDING') batch[counters[state]] += by
}

/** Writes the state and the counts of a locked batch. */
export function writeState(tx: Tx, batch: Batch, { dueAt }: { dueAt: Date }): void {
  tx.write(sql`
    update payout_batches set state = ${batch.state}, valid_count = ${batch.validCount},
      invalid_count = ${batch.invalidCount}, submitted_count = ${batch.submittedCount},
      completed_count = ${batch.completedCount}, failed_count = ${batch.failedCount},
      warned_count = ${batch.warnedCount}, invalid_amount = ${batch.invalidAmount},
      fee = ${batch.fee}, paid_amount = ${batch.paidAmount}, paid_fee = ${batch.paidFee},
      levy = ${batch.levy}, paid_levy = ${batch.paidLevy},
      validated_at = ${batch.validatedAt},
      submitted_at = ${batch.submittedAt}, ended_at = ${batch.endedAt}, due_at = ${dueAt}
    where environment_id = ${batch.environmentId} and id = ${batch.id}`)
}

/** Lets a batch that waits do so until its `expiresAt`. */
export function extendBatch(tx: Tx, batch: Batch): void {
  tx.write(sql`
    update payout_batches set approve_by = ${batch.approval!.expiresAt}
    where environment_id = ${batch.environmentId} and id = ${batch.id} and state = 'PENDING'`)
}

/** Written once, when a batch begins to wait for an approver. */
export function writeOrder(tx: Tx, batch: Batch): void {
  const { orderHash, expiresAt } = batch.approval!
  tx.write(sql`
    update payout_batches set order_hash = ${Buffer.from(orderHash, 'hex')},
      approve_by = ${expiresAt}
    where environment_id = ${batch.environmentId} and id = ${batch.id}`)
}

/** When the next item in this state is due; undefined: no item is in it. */
export async function findNextDue(
  db: Queryable,
  now: RealTime,
  { environmentId, id }: BatchKey,
  state: ItemState,
): Promise<Date | undefined> {
  const [row] = await db.rows(sql<{ dueAt: Date | null }>`
    select min(coalesce(due_at, ${now})) as due_at from payout_batch_items
    where environment_id = ${environmentId} and batch_id = ${id} and state = ${state}`)
  return row!.dueAt ?? undefined
}
