import type { EnvironmentId } from '../../base/environment.js'
import { fromReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { gather } from '../../postgres/transactions/gather.js'
import { keyedRead, type RowKey } from '../../postgres/transactions/keyed-read.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Split } from '../../subaccounts/splits/split.js'
import { findSplits, type SplitName } from '../../subaccounts/splits/store-splits.js'
import { collectionLimits } from '../limits.js'
import { findOtherDeposits, type OtherDeposit } from '../notices/find-notices.js'
import type { Payment } from '../payments/payment.js'
import { findLatestPayments } from '../payments/store-payments.js'
import {
  type AccountKind,
  accountKinds,
  type CollectionAccount,
  isDedicated,
  isWallet,
} from './account.js'
import { accountColumns } from './store-accounts.js'

/** `payments` are the latest ones, newest first. */
export type AccountWithPayments = {
  account: CollectionAccount
  payments: Payment[]
  otherDeposits?: OtherDeposit[]
  /** Where it is shown: undefined if payments are not split. */
  split?: Split | undefined
}

export type AccountLookup = { environmentId: EnvironmentId; kind: AccountKind; reference: string }

const findAccounts = keyedRead<CollectionAccount, CollectionAccount>({
  name: 'read_accounts',
  columns: accountColumns,
  table: 'collection_accounts',
  alias: 'a',
  toValues: (_db, accounts) => accounts,
  keyOf: (account) => account,
})

async function findWithPayments(
  db: Queryable,
  keys: RowKey[],
): Promise<(AccountWithPayments | undefined)[]> {
  const accounts = await findAccounts(db, keys)
  // Two keys may name one account, whose payments are read once.
  const found = [...new Set(accounts)].filter((account) => account !== undefined)
  const complete = new Map(
    (await withPayments(db, found)).map((one) => [one.account, one] as const),
  )
  return accounts.map((account) => account && complete.get(account))
}

/**
 * Reads single accounts; calls that arrive together share queries. A dedicated account or wallet is
 * also found by the merchant's own reference, which is unique.
 */
export function createAccountReader(db: Queryable) {
  const findOne = gather((keys: RowKey[]) => findWithPayments(db, keys))
  return async (name: AccountLookup) => {
    const { environmentId, kind, reference } = name
    const id = fromReference(accountKinds[kind].prefix, reference)
    const found = id === undefined ? undefined : await findOne({ environmentId, id })
    if (found?.account.kind === kind) return withOtherDeposits(db, found)
    const own = isDedicated({ kind }) ? await findByOwnReference(db, name) : undefined
    return withOtherDeposits(db, checkFound(name, own && (await findOne(own))))
  }
}

async function findByOwnReference(
  db: Queryable,
  { environmentId, kind, reference }: AccountLookup,
): Promise<RowKey | undefined> {
  // No reference has a control character, and PostgreSQL refuses some of them.
  if (/\p{Cc}/u.test(reference)) return undefined
  const [row] = await db.rows(sql<{ id: string }>`
    select id from collection_accounts where environment_id = ${environmentId} and kind = ${kind}
      and merchant_reference = ${reference} and merchant_reference <> ''`)
  return row && { environmentId, id: row.id }
}

export async function getAccount(db: Queryable, name: AccountLookup): Promise<AccountWithPayments> {
  const [found] = await findWithPayments(db, [toKey(name)])
  return withOtherDeposits(db, checkFound(name, found))
}

function toKey(name: AccountLookup): RowKey {
  return { environmentId: name.environmentId, id: accountId(name) }
}

function checkFound(
  name: AccountLookup,
  found: AccountWithPayments | undefined,
): AccountWithPayments {
  if (found?.account.kind !== name.kind) throw unknownAccount(name)
  return found
}

async function withOtherDeposits(
  db: Queryable,
  found: AccountWithPayments,
): Promise<AccountWithPayments> {
  const { account } = found
  if (!isWallet(account)) return found
  const others = await findOtherDeposits(db, [account])
  return { ...found, otherDeposits: others.get(account.id) ?? [] }
}

/** The account that has this number now: banks give the number of an expired one to another. */
export async function findAccountByNumber(
  db: Queryable,
  { environmentId, rail, number }: { environmentId: EnvironmentId; rail: string; number: string },
): Promise<CollectionAccount | undefined> {
  const [account] = await db.rows<CollectionAccount>({
    name: 'find_account_by_number',
    text: `
      select ${accountColumns} from collection_accounts a
      where a.rail = $1 and a.environment_id = $2 and a.rail_account in ($3,
        (select o.reference from opened_bank_accounts o
          where o.rail = $1 and o.number = $3 order by o.created_at desc limit 1))`,
    values: [rail, environmentId, number],
  })
  return account
}

export async function findWallet(
  db: Queryable,
  environmentId: EnvironmentId,
  address: string,
): Promise<CollectionAccount | undefined> {
  const [account] = await db.rows(sql<CollectionAccount>`
    select ${accountColumns} from wallets w
    join collection_accounts a on a.rail = w.rail and a.rail_account = w.address
    where w.address = ${address} and a.environment_id = ${environmentId}`)
  return account
}

/** A malformed reference gets the same refusal as an unknown one. */
export function accountId(name: AccountLookup): string {
  const id = fromReference(accountKinds[name.kind].prefix, name.reference)
  if (id === undefined) throw unknownAccount(name)
  return id
}

export function unknownAccount({ kind, reference }: AccountLookup): Refusal {
  const { words } = accountKinds[kind]
  return new Refusal('not_found', { message: `No ${words} ${reference} exists.` })
}

export async function withPayments(
  db: Queryable,
  accounts: CollectionAccount[],
): Promise<AccountWithPayments[]> {
  const paid = accounts.filter(({ amountReceived }) => amountReceived > 0n)
  const [payments, splits] = await Promise.all([
    findLatestPayments(db, paid, collectionLimits.paymentsShownMax),
    findSplits(db, splitNames(accounts)),
  ])
  return accounts.map((account) => ({
    account,
    payments: payments.get(account.id) ?? [],
    split: account.splitId === null ? undefined : splits.get(account.splitId),
  }))
}

/** Accounts of one rule have the same split. */
export function splitNames(accounts: CollectionAccount[]): SplitName[] {
  const names = new Map<string, SplitName>()
  for (const { environmentId, splitId } of accounts)
    if (splitId !== null) names.set(splitId, { environmentId, id: splitId })
  return [...names.values()]
}
