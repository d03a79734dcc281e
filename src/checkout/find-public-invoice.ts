import type { Environment, EnvironmentId } from '../base/environment.js'
import { isPageToken } from '../base/page-token.js'
import type { CollectionAccount } from '../collections/accounts/account.js'
import { accountColumns } from '../collections/accounts/store-accounts.js'
import { customerReference } from '../customers/customer.js'
import type { Invoice } from '../customers/invoices/invoice.js'
import { findInvoiceByToken } from '../customers/invoices/store-invoices.js'
import { getCustomer } from '../customers/store-customers.js'
import { getEnvironmentById } from '../merchants/environments.js'
import { getSettings } from '../merchants/settings/settings.js'
import type { Settings } from '../merchants/settings/settings-document.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'

/** A final invoice with all that its page shows. */
export type PublicInvoice = {
  invoice: Invoice
  customer: { name: string; email: string | null }
  environment: Environment
  checkout: Settings['checkout']
  paymentMethods: Settings['paymentMethods']
  /** Dedicated accounts and wallets of the customer that take the asset of the invoice. */
  dedicated: CollectionAccount[]
}

/** Undefined for drafts, and for unknown and malformed tokens. */
export async function findPublicInvoice(
  db: Queryable,
  token: string,
): Promise<PublicInvoice | undefined> {
  const invoice = isPageToken(token) ? await findInvoiceByToken(db, token) : undefined
  return invoice && invoice.status !== 'DRAFT' ? toPublicInvoice(db, invoice) : undefined
}

export async function toPublicInvoice(db: Queryable, invoice: Invoice): Promise<PublicInvoice> {
  const { environmentId, customerId, asset } = invoice
  const reference = customerReference({ id: customerId })
  const [{ name, email }, environment, dedicated] = await Promise.all([
    getCustomer(db, { environmentId, reference }),
    getEnvironmentById(db, environmentId),
    findDedicated(db, { environmentId, customerId, asset }),
  ])
  const { checkout, paymentMethods } = await getSettings(db, environment)
  return { invoice, customer: { name, email }, environment, checkout, paymentMethods, dedicated }
}

/** Wallets take both coins. The oldest first, which the customer may have saved. */
async function findDedicated(
  db: Queryable,
  {
    environmentId,
    customerId,
    asset,
  }: { environmentId: EnvironmentId; customerId: string; asset: Asset },
): Promise<CollectionAccount[]> {
  const kind = asset === 'NGN' ? 'dedicated_account' : 'dedicated_crypto_wallet'
  return db.rows(sql<CollectionAccount>`
    select ${accountColumns} from collection_accounts a
    where a.environment_id = ${environmentId} and a.customer_id = ${customerId}
      and a.kind = ${kind} and a.status = 'ACTIVE'
    order by a.id limit ${shownAccountsMax}`)
}

const shownAccountsMax = 3
