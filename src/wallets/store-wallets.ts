import type { Wallet } from '../collections/ports.js'
import { type Coin, coins } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import type { Reader, Tx } from '../postgres/tx.js'

/** A wallet that is to be recorded, and what is expected there. */
export type NewWallet = Wallet & {
  rail: string
  number: number
  reference: string
  /** The coin that somebody will send; null: either. */
  asset: Coin | null
  busyUntil: Date
}

/** Numbers that nobody was ever given. */
export async function reserveWalletNumbers(db: Reader, count: number): Promise<number[]> {
  const rows = await db.rows(sql<{ number: bigint }>`
    select nextval('wallet_numbers') as number from generate_series(1, ${count})`)
  return rows.map(({ number }) => Number(number))
}

const named = { rail: 'text', reference: 'text' } as const

const find = listStatement<typeof named, { reference: string; address: string }>({
  name: 'find_wallets',
  columns: named,
  text: (list) => `
    select w.reference, w.address from wallets w
    join ${list} on w.rail = list.rail and w.reference = list.reference`,
})

/** The addresses of those that are there, by reference. */
export async function findWallets(
  db: Reader,
  rail: string,
  references: string[],
): Promise<Map<string, string>> {
  const rows = await db.rows(find(references.map((reference) => ({ rail, reference }))))
  return new Map(rows.map(({ reference, address }) => [reference, address]))
}

const insertRows = listStatement({
  name: 'insert_wallets',
  columns: { rail: 'text', address: 'text', number: 'int4', reference: 'text' },
  text: (list, more) => `
    insert into wallets (rail, address, number, reference, created_at)
    select rail, address, number, reference, ${more(0)}::timestamptz from ${list}
    on conflict (rail, reference) do nothing`,
})

const insertPlaces = listStatement({
  name: 'insert_token_accounts',
  columns: {
    rail: 'text',
    address: 'text',
    wallet: 'text',
    asset: 'text',
    busy_until: 'timestamptz',
    is_unread: 'bool',
  },
  text: (list, more, names) => `
    insert into token_accounts (${names}, audited_at, due_at)
    select ${names}, ${more(0)}::timestamptz, ${more(0)}::timestamptz
    from ${list}
    where exists (select from wallets w where w.rail = list.rail and w.address = list.wallet)
    on conflict do nothing`,
})

/** Of two that were made for one reference, the first stays and the other was never there. */
export function insertWallets(tx: Tx, now: Date, wallets: NewWallet[]): void {
  const rows = wallets.map(({ rail, address, number, reference }) => ({
    rail,
    address,
    number,
    reference,
  }))
  tx.write(insertRows(rows.sort(byReference), now))
  insertTokenAccounts(tx, now, wallets.flatMap(placesOf(now)))
}

/** Where nothing is expected it is looked, too, but in no hurry. */
function placesOf(now: Date) {
  return ({ rail, address, asset, busyUntil, tokenAccounts }: NewWallet): NewTokenAccount[] =>
    coins.map((coin) => ({
      rail,
      address: tokenAccounts[coin],
      wallet: address,
      asset: coin,
      busyUntil: asset === null || asset === coin ? busyUntil : now,
      isUnread: false,
    }))
}

export type NewTokenAccount = {
  rail: string
  address: string
  wallet: string
  asset: string
  busyUntil: Date
  isUnread: boolean
}

export function insertTokenAccounts(tx: Tx, now: Date, accounts: NewTokenAccount[]): void {
  if (accounts.length === 0) return
  const rows = accounts.map(({ busyUntil, isUnread, ...account }) => ({
    ...account,
    busy_until: busyUntil,
    is_unread: isUnread,
  }))
  tx.write(insertPlaces(rows.sort(byAddress), now))
}

/**
 * Has the token accounts of a wallet looked at now, also by whoever is just looking; and if asked,
 * thoroughly: further back, and for other tokens.
 */
export async function pollSoon(
  db: Reader,
  now: Date,
  { rail, wallet, isThorough = false }: { rail: string; wallet: string; isThorough?: boolean },
): Promise<void> {
  await db.rows(sql`
    update token_accounts set due_at = ${now}, looks = looks + 1,
      audited_at = case when ${isThorough} then to_timestamp(0) else audited_at end,
      busy_until = case when ${isThorough} then greatest(busy_until, ${now}) else busy_until end
    where rail = ${rail} and wallet = ${wallet}`)
}

function byReference(one: { reference: string }, other: { reference: string }): number {
  return one.reference < other.reference ? -1 : 1
}

function byAddress(one: { address: string }, other: { address: string }): number {
  return one.address < other.address ? -1 : 1
}
