import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import { type CommonFilter, joinRow, type List } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import { assigned, listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { isNotMoved } from '../allocations.js'
import { type Invoice, invoices, type StoredStatus, storedStatuses } from './invoice.js'

type InvoiceName = { environmentId: EnvironmentId; reference: string }

type ReadInvoice = typeof invoices.readRow

const selectAll = sql`select ${invoices.of('i')} from invoices i`

export async function getInvoice(db: Queryable, name: InvoiceName): Promise<Invoice> {
  return findOrRefuse(name, (id) =>
    db.rows(sql<ReadInvoice>`
      ${selectAll} where environment_id = ${name.environmentId} and id = ${id}`),
  )
}

/** Of any merchant: the token gives access. */
export async function findInvoiceByToken(
  db: Queryable,
  pageToken: string,
): Promise<Invoice | undefined> {
  const [row] = await db.rows(sql<ReadInvoice>`${selectAll} where page_token = ${pageToken}`)
  return row && invoices.read(row)
}

export async function lockInvoice(tx: Tx, name: InvoiceName): Promise<Invoice> {
  return findOrRefuse(name, (id) =>
    tx.rows(sql<ReadInvoice>`
      ${selectAll} where environment_id = ${name.environmentId} and id = ${id}
      for no key update`),
  )
}

async function findOrRefuse(
  { reference }: InvoiceName,
  find: (id: string) => Promise<ReadInvoice[]>,
): Promise<Invoice> {
  const id = fromReference(prefixes.invoice, reference)
  const [row] = id ? await find(id) : []
  if (!row) throw notFound('invoice', reference)
  return invoices.read(row)
}

export function insertInvoice(tx: Tx, invoice: Invoice): void {
  tx.write(invoices.insert(invoice))
}

const changing = invoices.typesWithout('environmentId', 'id', 'createdAt')
const named = { environmentId: 'int4', id: 'uuid' } as const

const update = listStatement({
  name: 'update_invoices',
  columns: { ...named, ...changing },
  text: (list) => `
    update invoices i set ${assigned(changing)} from ${list}
    where i.environment_id = list.environment_id and i.id = list.id`,
})

export function updateInvoices(tx: Tx, changed: Invoice[]): void {
  if (changed.length > 0) tx.write(update(changed))
}

/** Only drafts: an invoice with a number stays, whatever the caller checked. */
export function deleteInvoice(
  tx: Tx,
  { environmentId, id }: Pick<Invoice, 'environmentId' | 'id'>,
): void {
  tx.write(sql`
    delete from invoices
    where environment_id = ${environmentId} and id = ${id} and status = 'DRAFT'`)
}

const findPayable = listStatement<typeof named, ReadInvoice>({
  name: 'find_payable_invoices',
  columns: named,
  text: (list) => `
    select ${invoices.of('i')} from ${list}
    join invoices i on i.environment_id = list.environment_id and i.customer_id = list.id
    where i.status in ('OPEN', 'PARTIALLY_PAID')`,
})

/** Of customers whose rows are locked: no other transaction changes these invoices meanwhile. */
export async function findPayableInvoices(
  tx: Tx,
  customers: { environmentId: EnvironmentId; id: string }[],
): Promise<Invoice[]> {
  const rows = customers.length === 0 ? [] : await tx.rows(findPayable(customers))
  return rows.map((row) => invoices.read(row))
}

const findById = listStatement<typeof named, ReadInvoice>({
  name: 'find_invoices',
  columns: named,
  text: (list) => `
    select ${invoices.of('i')} from ${list}
    join invoices i on i.environment_id = list.environment_id and i.id = list.id`,
})

export async function findInvoices(
  db: Queryable,
  names: { environmentId: EnvironmentId; id: string }[],
): Promise<Invoice[]> {
  const rows = names.length === 0 ? [] : await db.rows(findById(names))
  return rows.map((row) => invoices.read(row))
}

/** In the order in which the payment paid them. */
export async function findInvoicesPaidBy(
  db: Queryable,
  payment: { environmentId: EnvironmentId; id: string },
): Promise<Invoice[]> {
  const rows = await db.rows(sql<ReadInvoice>`
    ${selectAll} join payment_allocations a
      on a.environment_id = i.environment_id and a.invoice_id = i.id
    where a.environment_id = ${payment.environmentId} and a.payment_id = ${payment.id}
      and ${isNotMoved}
    order by a.created_at, a.place`)
  return [...new Map(rows.map((row) => [row.id, invoices.read(row)])).values()]
}

/** The next number of a series, without gaps: it is given back if the transaction fails. */
export async function takeNumber(
  tx: Tx,
  { environmentId, series }: Pick<Invoice, 'environmentId' | 'series'>,
): Promise<bigint> {
  const [row] = await tx.rows(sql<{ lastNumber: bigint }>`
    insert into invoice_series (environment_id, series, last_number)
    values (${environmentId}, ${series}, 1)
    on conflict (environment_id, series) do update set last_number = invoice_series.last_number + 1
    returning last_number`)
  return row!.lastNumber
}

export type InvoiceFilter = CommonFilter & {
  status?: StoredStatus | undefined
  /** Those that are overdue at this time of the environment. */
  overdueAt?: Date | undefined
  customer?: string | undefined
  schedule?: string | undefined
}

export const invoiceList: List<InvoiceFilter, Invoice> = {
  name: 'list_invoices',
  table: 'invoices',
  select: invoices.of('i'),
  rowsOf: joinRow('invoices', 'i'),
  toRows: (_db, rows: ReadInvoice[]) => rows.map((row) => invoices.read(row)),
  keyOf: ({ id }) => id,
  columns: {
    status: { type: 'text', values: storedStatuses },
    customer_id: { type: 'uuid' },
    schedule_id: { type: 'uuid' },
  },
  filters: {
    status: 'status',
    overdueAt: (now) => [
      { column: 'status', values: ['OPEN', 'PARTIALLY_PAID'] },
      { condition: sql`t.next_due_at < ${now}` },
    ],
    customer: (reference) => {
      const id = fromReference(prefixes.customer, reference)
      return [{ column: 'customer_id', values: id ? [id] : [] }]
    },
    schedule: (reference) => {
      const id = fromReference(prefixes.invoiceSchedule, reference)
      return [{ column: 'schedule_id', values: id ? [id] : [] }]
    },
  },
  indexes: [
    { index: 'invoices_of_schedule', serves: ['schedule_id'] },
    { index: 'invoices_by_customer', serves: ['customer_id'] },
    { index: 'invoices_by_status', serves: ['status'] },
    { index: 'invoices_pkey', serves: [] },
  ],
}
