import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import { type CommonFilter, joinRow, type List } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
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

export function updateInvoice(tx: Tx, invoice: Invoice): void {
  const { environmentId, id, ...row } = invoice
  tx.write(sql`
    update invoices set customer_id = ${row.customerId}, series = ${row.series},
      number = ${row.number}, status = ${row.status}, asset = ${row.asset},
      lines = ${JSON.stringify(row.lines)}::json,
      discount = ${row.discount && JSON.stringify(row.discount)}::json,
      subtotal = ${row.subtotal}, discount_amount = ${row.discountAmount}, vat = ${row.vat},
      total = ${row.total}, amount_due = ${row.amountDue}, amount_paid = ${row.amountPaid},
      amount_credited = ${row.amountCredited}, amount_refunded = ${row.amountRefunded},
      instalments = ${JSON.stringify(row.instalments)}::json, due_at = ${row.dueAt},
      next_due_at = ${row.nextDueAt}, memo = ${row.memo}, footer = ${row.footer},
      metadata = ${row.metadata}::json, event_sequence = ${row.eventSequence},
      finalized_at = ${row.finalizedAt}, paid_at = ${row.paidAt}, voided_at = ${row.voidedAt}
    where environment_id = ${environmentId} and id = ${id}`)
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
  },
  indexes: [
    { index: 'invoices_by_customer', serves: ['customer_id'] },
    { index: 'invoices_by_status', serves: ['status'] },
    { index: 'invoices_pkey', serves: [] },
  ],
}
