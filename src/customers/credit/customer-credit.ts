import type { EnvironmentId } from '../../base/environment.js'
import { type Asset, assetNames } from '../../money/assets.js'
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
  kind: column.text<'payment' | 'credit_note' | 'refund' | 'refund_reversal' | 'reallocation'>(),
  amount: column.int8(),
  balanceAfter: column.int8(),
  /** What changed it; once per kind. */
  causeId: column.uuid(),
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
