import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import type { Asset } from '../money/assets.js'
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

/** A payer that a merchant invoices repeatedly. */
export type Customer = typeof customers.row

export function customerReference({ id }: Pick<Customer, 'id'>): string {
  return toReference(prefixes.customer, id)
}

/** What the merchant owes a customer, who paid more than was due; invoices can be paid with it. */
export type CustomerCredit = Record<Asset, bigint>

export const noCredit: CustomerCredit = { NGN: 0n, USDC: 0n, USDT: 0n }

export type ShownCustomer = Customer & { credit: CustomerCredit }
