import type { AccountKind } from '../collections/accounts/account.js'
import type { ReportedPayment } from '../collections/ports.js'
import { column, Table } from '../postgres/table.js'

export const tokenAccounts = new Table('token_accounts', {
  rail: column.text(),
  address: column.text(),
  wallet: column.text(),
  asset: column.text(),
  /** The balance after the last transaction that was read. */
  amount: column.int8(),
  /** The signature and slot of that transaction. */
  readTo: column.text().orNull(),
  readSlot: column.int8(),
  isUnread: column.bool(),
  /** Consecutive polls that left it unread. */
  unreadPolls: column.int4(),
  hasTrouble: column.bool(),
  busyUntil: column.time(),
  auditedAt: column.time(),
  /** Counts the claims: a worker that outlived its lease holds an older number. */
  polls: column.int4(),
})

/** A token account of a deposit wallet, as far as its history has been read. */
export type TokenAccount = typeof tokenAccounts.row & {
  /** Real time at which the wallet was derived: no payer knew its address before. */
  walletCreatedAt: Date
  /** The kind of the wallet's collection account; null until that is recorded. */
  kind: AccountKind | null
  /** Judged deposits minus landed sweeps; null for an account that is read or not of our coins. */
  booked: bigint | null
}

/** Why deposits to a token account may be hidden. */
export type HistoryTrouble = { unreadable: string[]; holes: string[]; why?: string }

export type HistoryVerdict = Pick<
  TokenAccount,
  'amount' | 'readTo' | 'readSlot' | 'isUnread' | 'busyUntil'
> & {
  deposits: ReportedPayment[]
  trouble: HistoryTrouble | null
}

export type PollResult = HistoryVerdict & {
  account: TokenAccount
  unreadPolls: number
  dueAt: Date
  auditedAt: Date
}
