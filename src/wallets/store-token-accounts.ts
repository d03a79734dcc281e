import { limits } from '../base/limits.js'
import type { AccountKind } from '../collections/account.js'
import { claimDue, type DueTable } from '../postgres/due.js'
import { listStatement } from '../postgres/statement.js'
import type { Reader, Tx } from '../postgres/tx.js'
import type { Left } from './read-history.js'

/** Where coins of a wallet lie, as far as its history was read. */
export type TokenAccount = {
  rail: string
  address: string
  wallet: string
  asset: string
  amount: bigint
  readTo: string | null
  readSlot: bigint
  isUnread: boolean
  /** How many looks in a row have left it so. */
  unreadLooks: number
  hasTrouble: boolean
  busyUntil: Date
  auditedAt: Date
  looks: number
  /** Of the account that the wallet is; null while it is being recorded. */
  kind: AccountKind | null
  /** What came less what was swept, as far as that was judged; null where nobody asks. */
  booked: bigint | null
}

/**
 * Those that are unread are few. Of other tokens nothing is in the books, and anybody can send more
 * of them than a bigint holds.
 */
const booked = `case when job.is_unread and job.asset in ('USDC', 'USDT') then least(
  (select coalesce(sum(p.amount), 0) from payments p
    join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id
    where a.rail = job.rail and a.number = job.wallet and p.asset = job.asset)
  + (select coalesce(sum((n.announced ->> 'amount')::numeric), 0) from notices n
    where n.rail = job.rail and n.announced ->> 'accountNumber' = job.wallet
      and n.state = 'REFUSED' and split_part(n.id, ':', 2) = job.address)
  - (select coalesce(sum(p.amount), 0) from sweep_parts p
    join sweeps s on s.rail = p.rail and s.id = p.sweep_id and s.state = 'LANDED'
    where p.rail = job.rail and p.token_account = job.address),
  ${limits.money.ledgerMax})::bigint end`

const tokenAccountsDue: DueTable = {
  table: 'token_accounts',
  key: ['rail', 'address'],
  open: 'not has_trouble',
  of: 'rail',
  counter: 'looks',
  returning: `job.rail, job.address, job.wallet, job.asset, job.amount, job.read_to as "readTo",
    job.read_slot as "readSlot", job.is_unread as "isUnread", job.unread_looks as "unreadLooks",
    job.has_trouble as "hasTrouble", job.busy_until as "busyUntil",
    job.audited_at as "auditedAt", job.looks,
    (select a.kind from collection_accounts a where a.rail = job.rail and a.number = job.wallet)
      as kind, ${booked} as booked`,
}

const troubledDue: DueTable = {
  ...tokenAccountsDue,
  name: 'troubled_token_accounts',
  open: 'has_trouble',
}

/** Those in trouble apart: reading them may take long, and others must not wait for it. */
export async function claimTokenAccounts(
  db: Reader,
  now: Date,
  { rail, isTroubled }: { rail: string; isTroubled: boolean },
): Promise<TokenAccount[]> {
  const { leaseMs, accountsAtOnce: limit } = limits.deposits
  return claimDue(db, isTroubled ? troubledDue : tokenAccountsDue, {
    of: rail,
    now,
    leaseMs,
    limit,
  })
}

/** A look that was finished. */
export type PollResult = Left & {
  one: TokenAccount
  unreadLooks: number
  dueAt: Date
  auditedAt: Date
}

const named = { rail: 'text', address: 'text', looks: 'int4' } as const

/** In one order, always, so that two who write can never wait for each other. */
const locked = (list: string) => `
  with own as materialized (
    select t.rail, t.address from token_accounts t
    join ${list} on t.rail = list.rail and t.address = list.address and t.looks = list.looks
    order by t.rail, t.address for no key update of t)`

const write = listStatement({
  name: 'write_looks',
  columns: {
    ...named,
    amount: 'int8',
    read_to: 'text',
    read_slot: 'int8',
    is_unread: 'bool',
    has_trouble: 'bool',
    busy_until: 'timestamptz',
    unread_looks: 'int4',
    audited_at: 'timestamptz',
    due_at: 'timestamptz',
  },
  text: (list) => `${locked(list)}
    update token_accounts t set amount = list.amount, read_to = list.read_to,
      read_slot = list.read_slot, is_unread = list.is_unread, unread_looks = list.unread_looks,
      has_trouble = list.has_trouble, busy_until = list.busy_until,
      audited_at = list.audited_at, due_at = list.due_at
    from own join ${list} on own.rail = list.rail and own.address = list.address
    where t.rail = own.rail and t.address = own.address`,
})

/** Each names the look it follows from: a worker that outlived its lease writes nothing. */
export function writePollResults(tx: Tx, looks: PollResult[]): void {
  const rows = looks.map(({ one, dueAt, auditedAt, ...left }) => ({
    rail: one.rail,
    address: one.address,
    looks: one.looks,
    amount: left.amount,
    read_to: left.readTo,
    read_slot: left.readSlot,
    is_unread: left.isUnread,
    unread_looks: left.unreadLooks,
    has_trouble: left.trouble !== null,
    busy_until: left.busyUntil,
    audited_at: auditedAt,
    due_at: dueAt,
  }))
  tx.write(write(rows))
}

const postpone = listStatement({
  name: 'postpone_looks',
  columns: named,
  text: (list, more) => `${locked(list)}
    update token_accounts t set due_at = ${more(0)}::timestamptz
    from own where t.rail = own.rail and t.address = own.address`,
})

/** What nobody could look at is due again before the lease is over. */
export async function postponePolls(db: Reader, dueAt: Date, claimed: TokenAccount[]) {
  if (claimed.length === 0) return
  const rows = claimed.map(({ rail, address, looks }) => ({ rail, address, looks }))
  await db.rows(postpone(rows, dueAt))
}
