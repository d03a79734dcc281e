import { after, minute, type RealTime, toEnvironmentTime } from '../base/clock.js'
import { Refusal } from '../base/refusal.js'
import type { CollectionAccount } from '../collections/accounts/account.js'
import {
  createAccounts,
  type PreparedAccount,
  readForAccounts,
} from '../collections/accounts/create-accounts.js'
import { accountColumns } from '../collections/accounts/store-accounts.js'
import { type Customer, customerReference } from '../customers/customer.js'
import { type Invoice, invoiceReference } from '../customers/invoices/invoice.js'
import { getInvoice } from '../customers/invoices/store-invoices.js'
import { lockCustomer } from '../customers/store-customers.js'
import type { Coin } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'

/** A virtual account or wallet that was opened for one invoice. */
export type AccountForInvoice = CollectionAccount & {
  /** The page of its session; null for a wallet, which the page of the invoice shows itself. */
  sessionReference: string | null
}

type Wanted = {
  invoice: Invoice
  /** Of a session: it asks for one amount. A wallet of an invoice in coins serves any. */
  amount: bigint
  /** The coin in which an invoice in naira is to be paid; null: in its own asset. */
  coin: Coin | null
  /** In the time of the environment. */
  now: Date
}

/** A payer who comes back gets the same account, if there is enough time to pay into it. */
const reuseMinMs = 10 * minute

export async function findAccountForInvoice(
  db: Queryable,
  { invoice: { environmentId, id, asset }, amount, coin, now }: Wanted,
): Promise<AccountForInvoice | undefined> {
  const [found] = await db.rows(sql<AccountForInvoice>`
    select ${accountColumns}, s.reference as session_reference from collection_accounts a
    left join checkout_sessions s on s.environment_id = a.environment_id and s.id = a.session_id
    where a.environment_id = ${environmentId} and a.invoice_id = ${id} and a.status = 'ACTIVE'
      and a.asset = ${coin ?? asset}
      and case when ${coin !== null} then s.amount = ${amount}
        else a.asset <> 'NGN' or a.amount = ${amount} end
      and a.expires_at > ${after(now, reuseMinMs)}
    order by a.id desc limit 1`)
  return found
}

/**
 * Records an account that was prepared for an invoice. Undefined: less is due by now, so the page
 * must show the amount again. If another request has opened one meanwhile, that one is returned:
 * the prepared number is never shown to anyone.
 */
export async function createAccountForInvoice(
  tx: Tx,
  now: RealTime,
  wanted: Pick<Wanted, 'invoice' | 'amount' | 'coin'> & {
    prepared: PreparedAccount
    clockOffsetMs: number
  },
): Promise<AccountForInvoice | undefined> {
  const { invoice, amount, coin, prepared, clockOffsetMs } = wanted
  const { environmentId, customerId } = invoice
  const reads = await readForAccounts(tx, [prepared])
  const reference = customerReference({ id: customerId })
  const customer = await lockCustomer(tx, { environmentId, reference })
  const current = await getInvoice(tx, { environmentId, reference: invoiceReference(invoice) })
  if (current.amountDue < amount) return undefined
  const at = toEnvironmentTime(now, clockOffsetMs)
  const open = await findAccountForInvoice(tx, { invoice: current, amount, coin, now: at })
  if (open) return open
  const named = nameSession(prepared, customer)
  const [created] = await createAccounts(tx, now, [named], Promise.resolve(reads))
  if (created instanceof Refusal) throw created
  return { ...created!, sessionReference: prepared.session?.reference ?? null }
}

/** The customer may have been erased since the session was prepared. */
function nameSession(prepared: PreparedAccount, { name, email }: Customer): PreparedAccount {
  const { session } = prepared
  if (!session) return prepared
  return { ...prepared, session: { ...session, customerName: name, customerEmail: email ?? '' } }
}
