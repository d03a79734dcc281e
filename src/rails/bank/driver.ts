import type {
  AccountOpening,
  BankFinding,
  BankLimits,
  BankSender,
  NoticeHint,
  NoticeRequest,
} from '../../collections/ports.js'
import type { BankFailure } from '../../payouts/attempts/failure-reasons.js'
import type { Bank } from '../../payouts/ports.js'

/**
 * The part of a bank rail that differs between providers: their calls and their formats. What
 * keeps money safe (sending once, confirming, unknown outcomes) is written once, in rail.ts.
 *
 * Every method that calls the provider throws `Unknown` (provider-client.ts) on a timeout, a lost
 * connection, a 5xx, or an answer that it cannot read. It never turns those into "no".
 */
export interface BankDriver {
  /** Name in the URL of its notices. */
  readonly provider: string
  readonly limits: BankLimits

  /** Opens an account, or returns the one that the provider has opened for this reference. */
  openAccount(opening: AccountOpening): Promise<DriverAccount | Refused>
  /** Does nothing if the provider cannot close the account. Idempotent. */
  closeAccount(account: StoredAccount): Promise<void>

  /** Checks the signature over the raw body. Calls nothing. */
  readNotice(request: NoticeRequest): DriverNotice
  /** `key` is that of a hint. Undefined: unknown to the provider. */
  fetchPayment(key: string): Promise<DriverPayment | undefined>
  /** All payments into an account, whatever their state. */
  findPayments(account: StoredAccount): Promise<Omit<DriverPage<DriverPayment>, 'next'>>
  /** Payments of a period, in any state; may return more than requested. */
  listPayments(period: DriverPeriod): Promise<DriverPage<DriverPayment>>

  listBanks(): Promise<Bank[]>
  /** Undefined: the provider reports that no such account exists. */
  resolveName(account: BankAccountNumber): Promise<{ accountName: string } | undefined>

  /** What must exist at the provider before a payout, such as a recipient. Moves no money. */
  prepareInstruction(instruction: BankInstruction): Promise<{ recipient: string | null } | Refused>
  sendPayout(instruction: BankInstruction): Promise<SendAnswer>
  /** Undefined: unknown to the provider at this moment. It may still appear. */
  findPayout(instruction: BankInstruction): Promise<DriverPayout | undefined>
  /** Payouts that began in the period, in any state; may return more than requested. */
  listPayouts(period: DriverPeriod): Promise<DriverPage<DriverPayout>>
  /** References of payouts that were reversed, of those that began since then. */
  listReversed(since: Date): Promise<string[]>

  /** Returns money of a payment to its sender. `instruction.refundOf` is the payment's id. */
  sendRefund(instruction: BankInstruction): Promise<SendAnswer>
  findRefund(instruction: BankInstruction): Promise<DriverPayout | undefined>
  listRefunds(period: DriverPeriod): Promise<DriverPage<DriverPayout>>

  /** In kobo. */
  readFloat(): Promise<bigint>
  /** Harmless calls that show how our account at the provider is set up. */
  examine(): Promise<BankFinding[]>
}

export type DriverPeriod = { from: Date; to: Date; after: string | undefined }
/** `unreadable`: why rows were left out. Such a page is not complete. */
export type DriverPage<Item> = { items: Item[]; next: string | null; unreadable: string[] }

export type BankAccountNumber = { bankCode: string; accountNumber: string }

export type DriverAccount = {
  number: string
  accountName: string
  /** Empty if the provider gives none and does not list the bank. */
  bankCode: string
  bankName: string
  /** Amount that the payer must send, in kobo, if the provider adds its fee; else as requested. */
  amount: bigint | null
  /** Null: never, or not reported in a format that is known. */
  expiresAt: Date | null
  /** The provider's own ids, for later calls. Texts only. */
  details: Record<string, string>
}

/** An opened account as stored; `reference` is ours. */
export type StoredAccount = DriverAccount & { reference: string }

export type DriverNotice =
  | { kind: 'hint'; hint: NoticeHint }
  | { kind: 'other' }
  | { kind: 'unverified' }

/** A payment at the provider. The account is named by our reference, or by its number. */
export type DriverPayment = {
  /** The provider's id, the same in notices, lists and queries. */
  id: string
  account: { reference: string } | { number: string }
  /** `open`: may still be paid. `other`: failed, abandoned or otherwise not money to us. */
  state: 'paid' | 'rejected' | 'open' | 'other'
  /** What arrived, in kobo. */
  amount: bigint
  currency: string
  sender: BankSender | null
  bankSessionId: string | null
  narration: string | null
  receivedAt: Date
  /** Why the provider sent it back. */
  rejection?: string
  /** What the provider charges us for it, in kobo; null: not reported. */
  providerFee: bigint | null
}

/** A payout or refund as fixed before it is sent. `reference` is in the provider's spelling. */
export type BankInstruction = {
  reference: string
  amount: bigint
  bankCode: string
  accountNumber: string
  accountName: string
  bankName: string
  narration: string | null
  /** From `prepareInstruction`. */
  recipient: string | null
  /** The provider's id of the payment to refund. */
  refundOf: string | null
}

/** The provider refuses. The text is for the caller and states what to change. */
export type Refused = { refused: string }

/**
 * `exists`: an instruction with this reference was received before. `failure`: the provider refused
 * this sending, so it moved nothing; only for answers that are certain to mean that.
 * `unclear`: anything else, such as a missing permission that support may still grant.
 */
export type SendAnswer = 'accepted' | 'exists' | { failure: BankFailure } | { unclear: string }

export type DriverPayout = {
  /** The provider's own id: two with one reference were made twice. */
  id: string
  /** As in the instruction; for a refund, the reference that we put into its note. */
  reference: string
  /** What the recipient gets, in kobo; null: not reported. */
  amount: bigint | null
  /** What the provider shows as debited for the stamp duty, in kobo. Absent or null: nothing. */
  levy?: bigint | null
  /** `review`: open until staff of the provider or the operator act. */
  state: 'open' | 'review' | 'success' | 'failed' | 'reversed'
  /** If it failed or was reversed. */
  failure: BankFailure | null
  /** The interbank (NIP) session, if the provider reports it here. */
  sessionId?: string | null
  /** What the provider charges us for it, in kobo, if it reports it here. */
  providerFee?: bigint | null
}
