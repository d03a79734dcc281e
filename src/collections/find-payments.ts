import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { gather } from '../postgres/gather.js'
import { keyedRead, type RowKey } from '../postgres/keyed-read.js'
import { named } from '../postgres/named.js'
import { newestRows, rowsRead } from '../postgres/newest-rows.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import { type PaymentStatus, paymentStatuses } from '../resources/payment.js'
import { type AccountKind, accountKinds } from './account.js'
import type { Payment } from './payment.js'
import { type PaymentRow, paymentColumns, toPayment } from './store-payments.js'

export type PaymentName = { environmentId: EnvironmentId; reference: string }

type PaymentFilter = {
  source: AccountKind | undefined
  accountId: string | undefined
  status: PaymentStatus | undefined
  beforeId: string | undefined
  limit: number
}

/** Newest first. */
export async function listPayments(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PaymentFilter,
): Promise<Payment[]> {
  const { source, accountId, limit } = filter
  // All payments of an account share its source: with any other source, return nothing at once.
  const isPossible =
    source && accountId
      ? sql`${source} = (select kind from collection_accounts
          where environment_id = ${environmentId} and id = ${accountId})`
      : sql`true`
  const page = sql<PaymentRow>`
    select ${sql.raw(paymentColumns)} from ${filteredPayments(environmentId, filter)} p
    where ${isPossible} order by p.id desc limit ${limit}`
  const rows = await db.rows(named('list_payments', page))
  return rows.map(toPayment)
}

const sources = Object.keys(accountKinds) as AccountKind[]

function filteredPayments(environmentId: EnvironmentId, filter: PaymentFilter): Sql<unknown> {
  const { source, accountId, status, beforeId, limit } = filter
  if (!source && !accountId && !status)
    return sql`(
      select * from payments
      where environment_id = ${environmentId} ${beforeId ? sql`and id < ${beforeId}` : sql``}
      order by id desc limit ${rowsRead(limit)})`
  const statusColumn = {
    name: 'status',
    type: 'text',
    values: status ? [status] : paymentStatuses,
  } as const
  return newestRows({
    table: 'payments',
    environmentId,
    columns: accountId
      ? [statusColumn, { name: 'account_id', type: 'uuid', values: [accountId] }]
      : [{ name: 'source', type: 'text', values: source ? [source] : sources }, statusColumn],
    order: [{ name: 'id', type: 'uuid' }],
    before: beforeId === undefined ? undefined : [beforeId],
    limit,
  })
}

const findPayments = keyedRead<PaymentRow, Payment>({
  name: 'read_payments',
  columns: paymentColumns,
  table: 'payments',
  alias: 'p',
  toValue: toPayment,
  keyOf: (payment) => payment,
})

/** Reads single payments; calls that arrive together share a query. */
export function createPaymentReader(db: Queryable) {
  const findOne = gather((keys: RowKey[]) => findPayments(db, keys))
  return async (name: PaymentName) => checkFound(name, await findOne(toKey(name)))
}

export async function getPayment(db: Queryable, name: PaymentName): Promise<Payment> {
  const [found] = await findPayments(db, [toKey(name)])
  return checkFound(name, found)
}

function toKey(name: PaymentName): RowKey {
  return { environmentId: name.environmentId, id: paymentId(name) }
}

function checkFound(name: PaymentName, found: Payment | undefined): Payment {
  if (!found) throw unknownPayment(name)
  return found
}

export async function findPaymentByRailId(
  db: Queryable,
  { rail, railId }: Pick<Payment, 'rail' | 'railId'>,
): Promise<Payment | undefined> {
  const [row] = await db.rows(sql<PaymentRow>`
    select ${sql.raw(paymentColumns)} from payments p
    where p.rail = ${rail} and p.rail_id = ${railId}`)
  return row && toPayment(row)
}

export function paymentId(name: PaymentName): string {
  const id = fromReference(prefixes.payment, name.reference)
  if (id === undefined) throw unknownPayment(name)
  return id
}

export function unknownPayment({ reference }: PaymentName): Refusal {
  return new Refusal('not_found', { message: `No payment ${reference} exists.` })
}
