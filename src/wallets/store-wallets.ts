import type { RealTime } from '../base/clock.js'
import type { Wallet } from '../collections/ports.js'
import { type Coin, coins } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { type TokenAccount, tokenAccounts } from './token-account.js'

export type NewWallet = Wallet & {
  rail: string
  number: number
  reference: string
  /** The expected coin; null: either. */
  asset: Coin | null
  busyUntil: Date
}

/** Wallet numbers that were never used. */
export async function reserveWalletNumbers(db: Queryable, count: number): Promise<number[]> {
  const rows = await db.rows(sql<{ number: bigint }>`
    select nextval('wallet_numbers') as number from generate_series(1, ${count})`)
  return rows.map(({ number }) => Number(number))
}

const keyColumns = { rail: 'text', reference: 'text' } as const

const findRows = listStatement<typeof keyColumns, { reference: string; address: string }>({
  name: 'find_wallets',
  columns: keyColumns,
  text: (list) => `
    select w.reference, w.address from wallets w
    join ${list} on w.rail = list.rail and w.reference = list.reference`,
})

export async function findWallets(
  db: Queryable,
  rail: string,
  references: string[],
): Promise<Map<string, string>> {
  const rows = await db.rows(findRows(references.map((reference) => ({ rail, reference }))))
  return new Map(rows.map(({ reference, address }) => [reference, address]))
}

/** Returns which addresses are deposit wallets, or their token accounts, of any merchant. */
export async function findOurAddresses(
  db: Queryable,
  rail: string,
  addresses: string[],
): Promise<Set<string>> {
  const rows = await db.rows(sql<{ address: string }>`
    select address from wallets where rail = ${rail} and address = any(${addresses})
    union all
    select address from token_accounts where rail = ${rail} and address = any(${addresses})`)
  return new Set(rows.map(({ address }) => address))
}

const insertRows = listStatement({
  name: 'insert_wallets',
  columns: { rail: 'text', address: 'text', number: 'int4', reference: 'text' },
  text: (list, parameter, names) => `
    insert into wallets (${names}, created_at)
    select ${names}, ${parameter(0)}::timestamptz from ${list}
    on conflict (rail, reference) do nothing`,
})

const insertTokenAccountRows = listStatement({
  name: 'insert_token_accounts',
  columns: tokenAccounts.types('rail', 'address', 'wallet', 'asset', 'busyUntil', 'isUnread'),
  text: (list, parameter, names) => `
    insert into token_accounts (${names}, audited_at, due_at)
    select ${names}, ${parameter(0)}::timestamptz, ${parameter(0)}::timestamptz
    from ${list}
    where exists (select from wallets w where w.rail = list.rail and w.address = list.wallet)
    on conflict do nothing`,
})

/** If two are derived for one reference, the first wins and the second is discarded. */
export function insertWallets(tx: Tx, now: RealTime, wallets: NewWallet[]): void {
  tx.write(insertRows(wallets.toSorted(byReference), now))
  insertTokenAccounts(
    tx,
    now,
    wallets.flatMap((wallet) => tokenAccountsOf(wallet, now)),
  )
}

/** The coin that is not expected is polled, too, but less often. */
function tokenAccountsOf(wallet: NewWallet, now: Date): NewTokenAccount[] {
  const { rail, address, asset, busyUntil, tokenAccounts } = wallet
  return coins.map((coin) => ({
    rail,
    address: tokenAccounts[coin],
    wallet: address,
    asset: coin,
    busyUntil: asset === null || asset === coin ? busyUntil : now,
    isUnread: false,
  }))
}

export type NewTokenAccount = Pick<
  TokenAccount,
  'rail' | 'address' | 'wallet' | 'asset' | 'busyUntil' | 'isUnread'
>

export function insertTokenAccounts(tx: Tx, now: RealTime, accounts: NewTokenAccount[]): void {
  if (accounts.length === 0) return
  tx.write(insertTokenAccountRows(accounts.toSorted(byAddress), now))
}

/**
 * Makes the token accounts of a wallet due now; a poll that is under way does not count. A thorough
 * poll audits: it reads further back and searches for other tokens.
 */
export async function pollSoon(
  db: Queryable,
  now: RealTime,
  { rail, wallet, isThorough = false }: { rail: string; wallet: string; isThorough?: boolean },
): Promise<void> {
  await db.rows(sql`
    update token_accounts set due_at = ${now}, polls = polls + 1,
      audited_at = case when ${isThorough} then to_timestamp(0) else audited_at end,
      busy_until = case when ${isThorough} then greatest(busy_until, ${now}) else busy_until end
    where rail = ${rail} and wallet = ${wallet}`)
}

function byReference(left: { reference: string }, right: { reference: string }): number {
  return left.reference < right.reference ? -1 : 1
}

function byAddress(left: { address: string }, right: { address: string }): number {
  return left.address < right.address ? -1 : 1
}
