import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import { column, Table } from '../postgres/table.js'

export const customers = new Table('customers', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  name: column.text(),
  email: column.text().orNull(),
  phone: column.text().orNull(),
  /** As the merchant names it; unique in the environment. */
  externalReference: column.text().orNull(),
  metadata: column.jsonText(),
  eventSequence: column.int4(),
  createdAt: column.time(),
  /** Since then nothing here says who it was. */
  erasedAt: column.time().orNull(),
})

/** Someone who pays a merchant again and again. */
export type Customer = typeof customers.row

export function customerReference({ id }: Pick<Customer, 'id'>): string {
  return toReference(prefixes.customer, id)
}
