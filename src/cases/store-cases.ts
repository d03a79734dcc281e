import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { invalidField, notFound } from '../base/refusal.js'
import { findKeyNames } from '../merchants/keys/find-key-names.js'
import type { Asset } from '../money/assets.js'
import { transferStatus } from '../payouts/resource.js'
import { type CommonFilter, joinRow, type List } from '../postgres/lists/list.js'
import { type Sql, sql } from '../postgres/sql.js'
import { assigned, listStatement } from '../postgres/statement.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { findUserNames } from '../team/find-user-names.js'
import {
  type Case,
  type CaseItem,
  type CaseItemKind,
  type CaseKind,
  caseItems,
  caseKinds,
  cases,
  itemIdOf,
  itemKindOf,
  type ShownCase,
  type StoredStatus,
  storedStatuses,
} from './case.js'

export type CaseName = { environmentId: EnvironmentId; reference: string }

export async function getCase(db: Queryable, name: CaseName): Promise<ShownCase> {
  return findOrRefuse(db, name, sql``)
}

/** Locked until the end of the transaction, with its items. */
export async function lockCase(tx: Tx, name: CaseName): Promise<ShownCase> {
  return findOrRefuse(tx, name, sql`for no key update`)
}

async function findOrRefuse(
  db: Queryable,
  { environmentId, reference }: CaseName,
  lock: Sql,
): Promise<ShownCase> {
  const id = fromReference(prefixes.case, reference)
  const rows = id
    ? await db.rows(sql<Case>`
        select ${cases.of('c')} from cases c
        where environment_id = ${environmentId} and id = ${id} ${lock}`)
    : []
  const [found] = await completeCases(db, rows)
  if (!found) throw notFound('case', reference)
  return found
}

const keys = { environmentId: 'int4', id: 'uuid' } as const

type ItemRow = Pick<CaseItem, 'id' | 'kind' | 'resourceId' | 'status' | 'addedAt'> & {
  caseId: string
  asset: Asset | null
  amount: bigint | null
}

/** Each row of another table by its primary key. */
const selectItems = listStatement<typeof keys, ItemRow>({
  name: 'find_items_of_cases',
  columns: keys,
  text: (list) => `
    select i.case_id, i.id, i.resource_id, i.added_at, coalesce(p.asset, o.asset) as asset,
      coalesce(p.amount, o.amount) as amount, coalesce(p.status, o.status, r.status) as status,
      case when i.payment_id is not null then 'payment' when i.payout_id is not null then o.kind
        when i.recipient_id is not null then 'recipient' else 'customer' end as kind
    from ${list}
    join case_items i on i.environment_id = list.environment_id and i.case_id = list.id
      and i.removed_at is null
    left join lateral (
      select asset, amount, status from payments
      where environment_id = i.environment_id and id = i.payment_id limit 1) p on true
    left join lateral (
      select kind, asset, amount, status from payouts
      where environment_id = i.environment_id and id = i.payout_id limit 1) o on true
    left join lateral (
      select status from recipients
      where environment_id = i.environment_id and id = i.recipient_id limit 1) r on true
    order by i.id`,
})

/** Adds what cases of one environment are about, and names. */
export async function completeCases(db: Queryable, found: Case[]): Promise<ShownCase[]> {
  const [first] = found
  if (!first) return []
  const rows = await db.rows(selectItems(found))
  const keyIds = found.flatMap(({ createdByKey }) => createdByKey ?? [])
  const userIds = found.flatMap(({ createdByUser, assigneeId }) =>
    [createdByUser, assigneeId].filter((id) => id !== null),
  )
  const names = {
    keys: await findKeyNames(db, first.environmentId, keyIds),
    users: await findUserNames(db, userIds),
  }
  return found.map((row) => ({
    ...row,
    names,
    items: rows.filter(({ caseId }) => caseId === row.id).map(toItem),
  }))
}

function toItem({ caseId: _, ...row }: ItemRow): CaseItem {
  if (row.kind !== 'crypto_transfer') return row
  return { ...row, status: transferStatus({ asset: row.asset!, status: row.status as never }) }
}

/** A payment, transfer, recipient or customer that exists. */
export type FoundItem = Pick<CaseItem, 'kind' | 'resourceId'>

const tables: Record<CaseItemKind, 'payments' | 'payouts' | 'recipients' | 'customers'> = {
  payment: 'payments',
  bank_transfer: 'payouts',
  crypto_transfer: 'payouts',
  recipient: 'recipients',
  customer: 'customers',
}

/** What these references name. Refuses those that name nothing in the environment. */
export async function findItems(
  db: Queryable,
  environmentId: EnvironmentId,
  references: string[],
): Promise<FoundItem[]> {
  const wanted = [...new Set(references)].map((reference) => {
    const kind = itemKindOf(reference)
    if (kind) return { kind, reference, resourceId: itemIdOf(kind, reference) }
    throw invalidField(
      'items',
      'must be references of payments, transfers, recipients or customers',
    )
  })
  const found = new Set<string>()
  for (const kind of new Set(wanted.map((item) => item.kind))) {
    const ids = wanted.flatMap((item) => (item.kind === kind ? (item.resourceId ?? []) : []))
    // Returns are payouts as well; they belong to their payments.
    const isOfKind = tables[kind] === 'payouts' ? sql`and kind = ${kind}` : sql``
    const rows = await db.rows(sql<{ id: string }>`
      select id from ${sql.identifier(tables[kind])}
      where environment_id = ${environmentId} and id = any (${ids}::uuid[]) ${isOfKind}`)
    for (const { id } of rows) found.add(id)
  }
  return wanted.map(({ kind, reference, resourceId }) => {
    if (resourceId !== undefined && found.has(resourceId)) return { kind, resourceId }
    throw notFound(kind.replace('_', ' '), reference)
  })
}

export function insertCase(tx: Tx, created: Case): void {
  tx.write(cases.insert(created))
}

export function insertItem(
  tx: Tx,
  { environmentId, id: caseId }: Pick<Case, 'environmentId' | 'id'>,
  { kind, resourceId, id, addedAt }: FoundItem & Pick<CaseItem, 'id' | 'addedAt'>,
): void {
  const column = {
    payment: 'paymentId',
    bank_transfer: 'payoutId',
    crypto_transfer: 'payoutId',
    recipient: 'recipientId',
    customer: 'customerId',
  } as const
  tx.write(caseItems.insert({ environmentId, caseId, id, addedAt, [column[kind]]: resourceId }))
}

export function removeItem(
  tx: Tx,
  { environmentId }: Pick<Case, 'environmentId'>,
  { id }: Pick<CaseItem, 'id'>,
  removedAt: Date,
): void {
  tx.write(sql`
    update case_items set removed_at = ${removedAt}
    where environment_id = ${environmentId} and id = ${id} and removed_at is null`)
}

const changing = cases.types(
  'kind',
  'status',
  'title',
  'description',
  'externalReference',
  'assigneeId',
  'deadline',
  'dueAt',
  'outcome',
  'outcomeNote',
  'eventSequence',
  'closedAt',
  'changedAt',
)

const update = listStatement({
  name: 'update_cases',
  columns: { ...cases.types('environmentId', 'id'), ...changing },
  text: (list, parameter) => `
    update cases c set ${assigned(changing)} from ${list}
    where c.environment_id = list.environment_id and c.id = list.id
      and c.status = ${parameter(0)}::text`,
})

/** Writes what changes of a case that is locked, if it still has the status it had. */
export function updateCase(
  tx: Tx,
  changedAt: RealTime,
  before: Pick<Case, 'status'>,
  changed: Case,
): void {
  tx.write(update([{ ...changed, changedAt }], before.status))
}

export type CaseFilter = CommonFilter & {
  kind?: CaseKind | undefined
  status?: StoredStatus | undefined
  /** Those that are overdue at this time of the environment. */
  overdueAt?: Date | undefined
  /** The reference of a member. */
  assignee?: string | undefined
  externalReference?: string | undefined
  /** The reference of a payment, transfer, recipient or customer. */
  item?: string | undefined
}

export const caseList: List<CaseFilter, ShownCase> = {
  name: 'list_cases',
  table: 'cases',
  select: cases.of('c'),
  rowsOf: joinRow('cases', 'c'),
  toRows: (db, rows: Case[]) => completeCases(db, rows),
  keyOf: ({ id }) => id,
  columns: {
    kind: { type: 'text', values: caseKinds },
    status: { type: 'text', values: storedStatuses },
    assignee_id: { type: 'uuid' },
    external_reference: { type: 'text' },
    resource_id: { type: 'uuid' },
  },
  filters: {
    kind: 'kind',
    status: 'status',
    overdueAt: (now) => [
      { column: 'status', values: ['OPEN'] },
      { condition: sql`t.deadline < ${now}` },
    ],
    assignee: (reference) => {
      const id = fromReference(prefixes.user, reference)
      return [{ column: 'assignee_id', values: id ? [id] : [] }]
    },
    externalReference: 'external_reference',
    item: (reference) => {
      const kind = itemKindOf(reference)
      const id = kind && itemIdOf(kind, reference)
      return [{ column: 'resource_id', values: id ? [id] : [] }]
    },
  },
  indexes: [
    {
      index: 'case_has_an_item_once',
      serves: ['resource_id'],
      where: sql`removed_at is null`,
      of: { table: 'case_items', key: 'case_id' },
    },
    {
      index: 'cases_by_external_reference',
      serves: ['external_reference'],
      where: sql`external_reference is not null`,
    },
    {
      index: 'cases_by_assignee',
      serves: ['assignee_id', 'status'],
      where: sql`assignee_id is not null`,
    },
    { index: 'cases_by_kind_and_status', serves: ['kind', 'status'] },
    { index: 'cases_pkey', serves: [] },
  ],
}
