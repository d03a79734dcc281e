import type { EnvironmentId } from '../../base/environment.js'
import { type Asset, assetNames } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type Customer, type CustomerCredit, noCredit, type ShownCustomer } from '../customer.js'

const creditEntries = new Table('customer_credit_entries', {
  environmentId: column.int4<EnvironmentId>(),
  customerId: column.uuid(),
  asset: column.text<Asset>(),
  /** Without gaps, per customer and asset. */
  number: column.int8(),
  kind: column.text<
    | 'payment'
    | 'credit_note'
    | 'refund'
    | 'refund_reversal'
    | 'applied'
    | 'unapplied'
    | 'reallocation'
  >(),
  amount: column.int8(),
  balanceAfter: column.int8(),
  /** What changed it; once per kind. */
  causeId: column.uuid(),
  /** What it was applied to, or comes back from. */
  invoiceId: column.uuid().orNull(),
  createdAt: column.time(),
})

export type CreditEntry = typeof creditEntries.row

const insert = listStatement({
  name: 'insert_customer_credit',
  columns: creditEntries.typesWithout(),
  text: (list, _parameter, names, values) => `
    insert into customer_credit_entries (${names}) select ${values} from ${list}`,
})

export function insertCreditEntries(tx: Tx, entries: CreditEntry[]): void {
  if (entries.length > 0) tx.write(insert(entries))
}

const ofCustomer = { environmentId: 'int4', id: 'uuid' } as const

type LastEntry = Pick<CreditEntry, 'customerId' | 'asset' | 'number' | 'balanceAfter'>

const findLast = listStatement<typeof ofCustomer, LastEntry>({
  name: 'find_customer_credit',
  columns: ofCustomer,
  text: (list) => `
    select list.id as customer_id, last.asset, last.number, last.balance_after
    from ${list} cross join unnest(array['${assetNames.join("', '")}']) a (asset)
    cross join lateral (
      select asset, number, balance_after from customer_credit_entries
      where environment_id = list.environment_id and customer_id = list.id and asset = a.asset
      order by number desc limit 1) last`,
})

/** What customers have to their credit, and the number of the last entry by customer and asset. */
export async function findCredit(
  db: Queryable,
  customers: Customer[],
): Promise<{ balances: Map<string, CustomerCredit>; lastEntries: Map<string, bigint> }> {
  const balances = new Map(customers.map(({ id }) => [id, { ...noCredit }]))
  const lastEntries = new Map<string, bigint>()
  const rows = customers.length === 0 ? [] : await db.rows(findLast(customers))
  for (const { customerId, asset, number, balanceAfter } of rows) {
    balances.get(customerId)![asset] = balanceAfter
    lastEntries.set(`${customerId} ${asset}`, number)
  }
  return { balances, lastEntries }
}

export async function withCredit(db: Queryable, rows: Customer[]): Promise<ShownCustomer[]> {
  const { balances } = await findCredit(db, rows)
  return rows.map((row) => ({ ...row, credit: balances.get(row.id)! }))
}

/** What credit paid of an invoice, without what refunds took back. */
export type CreditUse = { invoiceId: string; amount: bigint }

/** The invoices that credit of a customer paid; the last one first. */
export async function findCreditUses(
  db: Queryable,
  { environmentId, customerId, asset }: Pick<CreditEntry, 'environmentId' | 'customerId' | 'asset'>,
): Promise<CreditUse[]> {
  return db.rows(sql<CreditUse>`
    select applied.invoice_id, (applied.amount - coalesce(taken.amount, 0))::int8 as amount
    from (
      select invoice_id, -sum(amount) as amount, max(number) as last_number
      from customer_credit_entries
      where environment_id = ${environmentId} and customer_id = ${customerId}
        and asset = ${asset} and invoice_id is not null
      group by invoice_id) applied
    left join lateral (
      select sum(of_invoice) as amount from allocation_refunds
      where environment_id = ${environmentId} and other_invoice_id = applied.invoice_id
        and state = 'TAKEN') taken on true
    order by applied.last_number desc`)
}
