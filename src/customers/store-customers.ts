import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { invalidField, notFound, Refusal } from '../base/refusal.js'
import { type CommonFilter, joinRow, type List, matchNamed } from '../postgres/lists/list.js'
import { writeTerms } from '../postgres/lists/write-terms.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { withCredit } from './credit/customer-credit.js'
import { type Customer, customers, type ShownCustomer } from './customer.js'

type CustomerName = { environmentId: EnvironmentId; reference: string }

const selectAll = sql`select ${customers.of('c')} from customers c`

export async function getCustomer(db: Queryable, name: CustomerName): Promise<Customer> {
  return findOrRefuse(name, (id) =>
    db.rows(sql<Customer>`
      ${selectAll} where environment_id = ${name.environmentId} and id = ${id}`),
  )
}

export async function lockCustomer(tx: Tx, name: CustomerName): Promise<Customer> {
  return findOrRefuse(name, (id) =>
    tx.rows(sql<Customer>`
      ${selectAll} where environment_id = ${name.environmentId} and id = ${id}
      for no key update`),
  )
}

async function findOrRefuse(
  { reference }: CustomerName,
  find: (id: string) => Promise<Customer[]>,
): Promise<Customer> {
  const id = fromReference(prefixes.customer, reference)
  const [row] = id ? await find(id) : []
  if (!row) throw notFound('customer', reference)
  return row
}

/** Refuses an external reference that another customer has. */
export async function insertCustomer(tx: Tx, customer: Customer): Promise<void> {
  await refuseUsedReference(tx, customer)
  tx.write(customers.insert(customer))
  writeTerms(tx, 'customer', [toSearchable(customer)])
}

export async function updateCustomer(tx: Tx, customer: Customer): Promise<void> {
  await refuseUsedReference(tx, customer)
  const { environmentId, id, name, email, phone, externalReference, metadata, erasedAt } = customer
  tx.write(sql`
    update customers set name = ${name}, email = ${email}, phone = ${phone},
      external_reference = ${externalReference}, metadata = ${metadata}::json,
      erased_at = ${erasedAt}
    where environment_id = ${environmentId} and id = ${id}`)
  tx.write(sql`
    delete from search_terms
    where environment_id = ${environmentId} and kind = 'customer' and id = ${id}`)
  if (erasedAt === null) writeTerms(tx, 'customer', [toSearchable(customer)])
}

function toSearchable({ environmentId, id, name, email, phone }: Customer) {
  return { environmentId, id, name, exact: [email?.toLowerCase(), phone] }
}

async function refuseUsedReference(tx: Tx, customer: Customer): Promise<void> {
  const { environmentId, id, externalReference } = customer
  if (externalReference === null) return
  const used = await findNamedCustomers(tx, environmentId, externalReference)
  if (used.every((other) => other === id)) return
  const refusal = invalidField('externalReference', 'belongs to another customer')
  throw new Refusal('validation_failed', {
    reason: 'duplicate_reference',
    message: `externalReference ${externalReference} belongs to another customer.`,
    details: refusal.details,
  })
}

/** At most one. */
async function findNamedCustomers(
  db: Queryable,
  environmentId: EnvironmentId,
  externalReference: string,
): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string }>`
    select id from customers
    where environment_id = ${environmentId} and external_reference = ${externalReference}`)
  return rows.map(({ id }) => id)
}

export type CustomerFilter = CommonFilter & {
  /** An external reference, e-mail address, phone number, or words of a name. */
  text?: string | undefined
}

export const customerList: List<CustomerFilter, ShownCustomer> = {
  name: 'list_customers',
  table: 'customers',
  select: customers.of('c'),
  rowsOf: joinRow('customers', 'c'),
  toRows: (db, rows: Customer[]) => withCredit(db, rows),
  keyOf: ({ id }) => id,
  columns: {},
  filters: { text: matchNamed('customer', findNamedCustomers) },
  indexes: [
    { index: 'search_terms_pkey', serves: ['terms'] },
    { index: 'customers_pkey', serves: [] },
  ],
}
