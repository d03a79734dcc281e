import type { AccountKind } from '../collections/accounts/account.js'
import type { ReportedPayment } from '../collections/ports.js'

/** A token account of a deposit wallet, as far as its history has been read. */
export type TokenAccount = {
  rail: string
  address: string
  wallet: string
  /** Real time at which the wallet was derived: no payer knew its address before. */
  walletCreatedAt: Date
  asset: string
  /** The balance after the last transaction that was read. */
  amount: bigint
  /** The signature and slot of that transaction. */
  readTo: string | null
  readSlot: bigint
  isUnread: boolean
  /** Consecutive polls that left it unread. */
  unreadPolls: number
  hasTrouble: boolean
  busyUntil: Date
  auditedAt: Date
  /** Counts the claims: a worker that outlived its lease holds an older number. */
  polls: number
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
