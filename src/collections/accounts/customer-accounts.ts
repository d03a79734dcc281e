import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { type JsonText, toJson } from '../../base/json-text.js'
import { notYet, resource, text, timestamp, walletAddress } from '../../base/shapes.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { collectionLimits } from '../limits.js'
import { accountReference, type CollectionAccount, isWallet } from './account.js'

/** Kinds of accounts that stay: a customer can have them. */
export const customerAccountKinds = ['dedicated_account', 'dedicated_crypto_wallet'] as const
export type CustomerAccountKind = (typeof customerAccountKinds)[number]

export const customerAccount = resource('CustomerAccount', {
  reference: text('da_06dst4m7b0fgv3x0ba9bwrf0yw', 'Identifies the account or wallet.'),
  kind: Type.Enum([...customerAccountKinds], {
    description: 'Whether it is a bank account or a wallet for stablecoins.',
    examples: ['dedicated_account'],
  }),
  accountNumber: notYet(text('0000000223'), 'Permanent account number; null for a wallet.'),
  accountName: notYet(text('Ada Stores'), 'Name on the account; null for a wallet.'),
  bankName: notYet(text('Sandbox Bank'), 'Name of the bank; null for a wallet.'),
  bankCode: notYet(text('999'), 'Code of the bank; null for a wallet.'),
  address: notYet(walletAddress, 'Permanent wallet address; null for a bank account.'),
  status: Type.Enum(['ACTIVE', 'INACTIVE'], {
    description: '`INACTIVE` once you deactivated it.',
    examples: ['ACTIVE'],
  }),
  createdAt: timestamp('When it was opened.'),
})

export type ShownAccount = Pick<
  CollectionAccount,
  'id' | 'kind' | 'number' | 'accountName' | 'bankName' | 'bankCode' | 'status' | 'createdAt'
>

export const shownColumns = sql.raw(
  'id, kind, number, account_name, bank_name, bank_code, status, created_at',
)

export const showCustomerAccount = (account: ShownAccount): JsonText => toJson(fieldsOf(account))

function fieldsOf(account: ShownAccount): Static<typeof customerAccount> {
  const { kind, number, accountName, bankName, bankCode, status, createdAt } = account
  const isBank = !isWallet(account)
  return {
    reference: accountReference(account),
    kind: kind as CustomerAccountKind,
    accountNumber: isBank ? number : null,
    accountName: isBank ? accountName : null,
    bankName: isBank ? bankName : null,
    bankCode: isBank ? bankCode : null,
    address: isBank ? null : number,
    status: status as 'ACTIVE' | 'INACTIVE',
    createdAt: toIsoText(createdAt),
  }
}

type CustomerKey = { environmentId: EnvironmentId; id: string }

/** Newest first; temporary accounts, such as those of sessions, are left out. */
export async function listCustomerAccounts(
  db: Queryable,
  { environmentId, id }: CustomerKey,
): Promise<ShownAccount[]> {
  return db.rows(sql<ShownAccount>`
    select ${shownColumns}
    from collection_accounts
    where environment_id = ${environmentId} and customer_id = ${id}
      and kind = any(${[...customerAccountKinds]})
    order by id desc limit ${collectionLimits.customerAccountsMax}`)
}

export const showCustomerAccounts = (accounts: ShownAccount[]) => ({
  items: accounts.map(fieldsOf),
})

/** Accounts are locked before customers, and those of sessions protect the sessions. */
export async function lockAccountsOfCustomer(
  tx: Tx,
  { environmentId, id }: CustomerKey,
): Promise<void> {
  await tx.rows(sql`
    select from collection_accounts
    where environment_id = ${environmentId} and customer_id = ${id}
    order by id for no key update`)
}

/**
 * What the merchant sent of the customer when it opened accounts that it gave to them later, and
 * what checkout sessions for their invoices say of them. The accounts are locked.
 */
export function forgetCustomerOfAccounts(
  tx: Tx,
  { environmentId, id, name }: CustomerKey & { name: string },
): void {
  tx.write(sql`
    update collection_accounts set customer = null
    where environment_id = ${environmentId} and customer_id = ${id} and customer is not null`)
  const ofSessions = sql`
    select session_id from collection_accounts
    where environment_id = ${environmentId} and customer_id = ${id} and session_id is not null`
  tx.write(sql`
    delete from search_terms
    where environment_id = ${environmentId} and kind = 'session' and id in (${ofSessions})`)
  tx.write(sql`
    update checkout_sessions set customer_name = ${name}, customer_email = ''
    where environment_id = ${environmentId} and id in (${ofSessions})`)
}
