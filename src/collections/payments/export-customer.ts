import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { type JsonText, joinObjects, objectOf, toJson } from '../../base/json-text.js'
import {
  anyAmount,
  anyAsset,
  flag,
  resource,
  text,
  timestamp,
  withDescription,
} from '../../base/shapes.js'
import { withCredit } from '../../customers/credit/customer-credit.js'
import type { Customer } from '../../customers/customer.js'
import { invoices } from '../../customers/invoices/invoice.js'
import { invoice, showInvoice } from '../../customers/invoices/resource.js'
import { customer, showCustomer } from '../../customers/resource.js'
import { toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import {
  customerAccount,
  listCustomerAccounts,
  showCustomerAccounts,
} from '../accounts/customer-accounts.js'
import { collectionLimits } from '../limits.js'
import { payment, showPayment } from './resource.js'
import { type PaymentRow, paymentColumns, toPayment } from './store-payments.js'

const session = Type.Object({
  reference: text('cs_06dst4m7b0fgv3x0ba9bwrf0yx', 'Identifies the checkout session.'),
  description: text('Invoice INV-000042', 'What was paid for.'),
  customerName: text('Ada Obi', 'Name that the session was made for.'),
  customerEmail: text('ada@example.com', 'E-mail address that the session was made for.'),
  createdAt: timestamp('When the session was created.'),
})

const creditEntry = Type.Object({
  asset: anyAsset,
  kind: text('payment', 'What changed the credit.'),
  amount: withDescription(anyAmount, 'Change of the credit.'),
  balanceAfter: withDescription(anyAmount, 'Credit after it.'),
  createdAt: timestamp('When it changed.'),
})

/** All that is known of a person, newest first. */
export const customerExport = resource('CustomerExport', {
  exportedAt: timestamp('When it was written.'),
  customer,
  accounts: Type.Array(customerAccount, { description: 'Dedicated accounts and wallets.' }),
  invoices: Type.Array(invoice, { description: 'Drafts, too.' }),
  payments: Type.Array(payment, { description: 'With who sent them.' }),
  checkoutSessions: Type.Array(session, { description: 'Sessions made for the customer.' }),
  creditEntries: Type.Array(creditEntry, { description: 'Every change of the credit.' }),
  complete: flag(true, 'False if there is more of something than one document has.'),
})

type SessionRow = {
  reference: string
  description: string
  customerName: string
  customerEmail: string
  createdAt: Date
}
type CreditRow = {
  asset: Asset
  kind: string
  amount: bigint
  balanceAfter: bigint
  createdAt: Date
}

/** `now` is the time of the environment. One read at a time: a request holds one connection. */
export async function exportCustomer(db: Queryable, now: Date, owner: Customer): Promise<JsonText> {
  const { environmentId, id } = owner
  const { exportRowsMax } = collectionLimits
  const limit = exportRowsMax + 1
  const [shown] = await withCredit(db, [owner])
  const accounts = await listCustomerAccounts(db, owner)
  const written = await db.rows(sql<typeof invoices.readRow>`
    select ${invoices.of('i')} from invoices i
    where environment_id = ${environmentId} and customer_id = ${id}
    order by id desc limit ${limit}`)
  const paid = await db.rows(sql<PaymentRow>`
    select ${paymentColumns} from payments p
    where environment_id = ${environmentId} and customer_id = ${id}
    order by id desc limit ${limit}`)
  const sessions = await db.rows(sql<SessionRow>`
    select distinct s.id, s.reference, s.description, s.customer_name, s.customer_email,
      s.created_at
    from collection_accounts a join checkout_sessions s
      on s.environment_id = a.environment_id and s.id = a.session_id
    where a.environment_id = ${environmentId} and a.customer_id = ${id}
    order by s.id desc limit ${limit}`)
  const credit = await db.rows(sql<CreditRow>`
    select asset, kind, amount, balance_after, created_at from customer_credit_entries
    where environment_id = ${environmentId} and customer_id = ${id}
    order by asset, number desc limit ${limit}`)
  const first = <Row>(rows: Row[]) => rows.slice(0, exportRowsMax)
  const fields: Omit<Static<typeof customerExport>, 'customer' | 'invoices'> = {
    exportedAt: toIsoText(now),
    accounts: showCustomerAccounts(accounts).items,
    payments: first(paid).map((row) => showPayment(toPayment(row))),
    checkoutSessions: first(sessions).map(
      ({ reference, description, customerName, customerEmail, createdAt }) => ({
        reference,
        description,
        customerName,
        customerEmail,
        createdAt: toIsoText(createdAt),
      }),
    ),
    creditEntries: first(credit).map(({ asset, kind, amount, balanceAfter, createdAt }) => ({
      asset,
      kind,
      amount: toWire(amount, asset),
      balanceAfter: toWire(balanceAfter, asset),
      createdAt: toIsoText(createdAt),
    })),
    complete: [written, paid, sessions, credit].every((rows) => rows.length <= exportRowsMax),
  }
  const shownInvoices = first(written).map((row) => showInvoice(invoices.read(row), now))
  const others = {
    customer: showCustomer(shown!),
    invoices: `[${shownInvoices.join(',')}]` as JsonText,
  }
  return joinObjects(objectOf(others), toJson(fields))
}
