import type { Outcome } from '../base/refusal.js'
import type { Secret } from '../base/secret.js'
import type { Coin } from '../money/assets.js'
import type {
  AttemptFinding,
  BankDirectory,
  PreparedAttempt,
  ReversingRail,
} from '../payouts/ports.js'
import type { RailTransfer } from '../payouts/reconciliation/compare-books.js'
import type { Dispute } from '../payouts/reconciliation/disputes.js'

/** The customer of a dedicated account. BVN and NIN are passed on to the bank and never stored. */
export type AccountCustomer = {
  name: string
  email: string
  phone: string | null
  /** Bank Verification Number. */
  bvn: Secret | null
  /** National Identification Number. */
  nin: Secret | null
}

/** A bank account to open. The bank returns the same number for the same reference. */
export type AccountOpening = {
  reference: string
  /** Account holder name that payers see. */
  name: string
  /** The merchant's reference. */
  purpose: string
  /**
   * Null for a dedicated account: any amount, no expiry. `expiresAt` is in the time of the
   * environment, `lifetimeMs` from now on.
   */
  expected: { amount: bigint; expiresAt: Date; lifetimeMs: number } | null
  customer: AccountCustomer | null
}

export type OpenedAccount = {
  /**
   * The name of the account at the rail: its number, or our reference at a bank that gives the
   * number of an expired account to another one.
   */
  railAccount: string
  number: string
  accountName: string
  /** Empty if the bank is not in the provider's list. */
  bankCode: string
  bankName: string
  /** Real time at which the bank closes the account. Null: never, or as requested. */
  expiresAt: Date | null
}

/** The sender as the bank reports it. The account number may be masked but for its last digits. */
export type BankSender = {
  name: string
  accountNumber: string
  bankCode: string
  bankName: string
}

/** The sending wallet, if known. It may belong to an exchange. */
export type WalletSender = { address: string | null }

/** A payment as a rail reports it, in a notice or when queried, before it is judged. */
export type ReportedPayment = {
  /** The rail's own id of the payment. */
  id: string
  /** As in `OpenedAccount`. */
  railAccount: string
  /** In the smallest unit of the currency. Banks have reported zero and negative amounts. */
  amount: bigint
  currency: string
  sender: BankSender | WalletSender | null
  /** The bank's id of the transfer (NIP session); unrelated to checkout sessions. */
  bankSessionId: string | null
  narration: string | null
  /** When the rail received the money, not when it notified us. */
  receivedAt: Date
  /**
   * A coin of ours in a token account of the wallet that is not its associated one. Sweeps do not
   * reach it, so it is never credited.
   */
  isInOtherTokenAccount?: boolean
  /** What the provider charged us for it, in kobo. Absent: unknown, or nothing. */
  providerFee?: bigint
}

/** An unverified HTTP request to a rail's notice URL. */
export type NoticeRequest = {
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** What a rail makes of a notice request. */
export type NoticeReading =
  /** Signed and complete: booked without a further query. */
  | { kind: 'payment'; payment: ReportedPayment }
  /** Something happened at the bank. What exactly is read through its API. */
  | { kind: 'hint'; hint: NoticeHint }
  /** From the bank, but nothing that concerns us. */
  | { kind: 'other' }
  /** The signature is missing or wrong. */
  | { kind: 'unverified' }

/** `id` names the event at the bank: copies of a notice have the same one. */
export type NoticeHint = {
  id: string
  about: /** `key` is what `confirmPayment` needs. */
    | { subject: 'payment'; key: string }
    /** Our reference, as in the books. `sessionId`: the NIP session, if the notice has it. */
    | { subject: 'payout'; reference: string; sessionId?: string | null }
}

/** What the bank's API reports about a payment that a notice named. */
export type ConfirmedPayment =
  | { found: 'payment'; payment: ReportedPayment }
  /** The bank sent the money back to the payer: it never reaches us. */
  | { found: 'rejected'; railAccount: string | null; amount: bigint | null; reason: string }
  /** It is not, and will not become, a payment to us. */
  | { found: 'nothing' }
  /** Not decided, or the bank does not answer: query again later. */
  | { found: 'unknown' }

export const paymentVariances = [
  'underpayment',
  'overpayment',
  'latePayment',
  'duplicatePayment',
] as const
export type PaymentVariance = (typeof paymentVariances)[number]

export const customerFields = ['name', 'email', 'phone', 'bvn_or_nin'] as const
export type CustomerField = (typeof customerFields)[number]

/** The fields that a bank needs of a customer and that are missing. */
export function findMissingFields(
  needs: readonly CustomerField[],
  customer: AccountCustomer | null,
): CustomerField[] {
  const hasField: Record<CustomerField, boolean> = {
    name: Boolean(customer?.name),
    email: Boolean(customer?.email),
    phone: Boolean(customer?.phone),
    bvn_or_nin: Boolean(customer?.bvn ?? customer?.nin),
  }
  return needs.filter((need) => !hasField[need])
}

/** What a bank can do, and its bounds. Amounts are in kobo. */
export type BankLimits = {
  /** Bounds of the lifetime of a temporary account at the bank. */
  expiryMinMs: number
  expiryMaxMs: number
  /** Payments that the bank sends back to the payer, so that no policy applies to them. */
  bounces: readonly PaymentVariance[]
  /** What must be known about a customer for a dedicated account. */
  customerNeeds: readonly CustomerField[]
  closesTemporary: boolean
  closesDedicated: boolean
  /** Only the last digits of a sender's account number are known. */
  masksSenders: boolean
  /** Whether it can refund by payment id, which needs no account number of the sender. */
  refundsById: boolean
  /** Spelling of our references: matched against the whole reference. */
  referencePattern: RegExp
  /** Payouts of whole naira only. */
  isWholeNaira: boolean
  collectMin: bigint
  payoutMin: bigint
  /** Of a refund by payment id. A bank that refuses it later might leave it open. */
  refundMin: bigint
}

/** A bank that collects money for us. It never gives a `railAccount` to a second account. */
export interface CollectionRail {
  /** Provider and mode, such as `paystack-live`. */
  readonly name: string
  /** As in the URL of its notices. */
  readonly provider: string
  readonly limits: BankLimits
  /** As in `PayoutRail`. */
  readonly takesBatches: boolean
  /** Results are in the order of the list; each opening can be refused alone. Idempotent. */
  openAccounts(openings: AccountOpening[]): Promise<Outcome<OpenedAccount>[]>
  /** The bank may then reject transfers, but some can still arrive. Idempotent. */
  closeAccounts(railAccounts: string[]): Promise<void>
  readNotice(request: NoticeRequest): NoticeReading
  /** `key` is that of a hint. */
  confirmPayment(key: string): Promise<ConfirmedPayment>
  /** All payments into an account, including those the bank sent no notice for. */
  findPayments(railAccount: string): Promise<ReportedPayment[]>
  /** All payments of a period, page by page, for reconciliation. */
  listPayments(period: {
    from: Date
    to: Date
    after: string | undefined
  }): Promise<{ payments: ReportedPayment[]; next: string | null } & Incomplete>
}

/** How many rows of a page the bank wrote in an unknown way. The rail logs them. */
type Incomplete = { unreadable: number }

/** One line of a bank's statement of outgoing transfers. */
export type StatementLine = {
  /** The bank's own id. A page may repeat a line of the previous one. */
  id: string
  /** Our reference as the bank spells it. */
  token: string
  reference: string
  amount: bigint
  /** What the bank shows as debited for a levy besides the amount. Null: it shows none. */
  levy: bigint | null
  state: RailTransfer['state']
}

/** What a harmless call to a bank showed about the setup of our account there. */
export type BankFinding = { level: 'ok' | 'warning' | 'failure'; message: string; fix: string }

/** A bank that collects and pays out. */
export interface BankRail extends CollectionRail, ReversingRail, BankDirectory {
  /** Outgoing transfers that began in the period (`to` excluded), a page at a time. */
  statement(period: {
    from: Date
    to: Date
    after: string | undefined
  }): Promise<{ lines: StatementLine[]; next: string | null } & Incomplete>
  /** The money from which payouts are made, in kobo; null: the bank does not limit it. */
  readFloat(): Promise<bigint | null>
  examine(): Promise<BankFinding[]>
  stop(): Promise<void>
}

/** A simulated bank transfer into a collection account. */
export type SimulatedPayment = {
  /** Chosen by the caller. A repeated id changes nothing. */
  id: string
  accountNumber: string
  /** In the smallest unit. May be zero or negative, as banks have reported. */
  amount: bigint
  /** Defaults to NGN. */
  currency?: string
  /** Missing fields are made up. Null simulates a bank that does not know the sender. */
  sender?: Partial<BankSender> | null
  isSenderMasked?: boolean
  narration?: string
  paidAt: Date
  /** How many times the notice is sent. */
  copies: number
  delayMs?: number
  /** No notice is sent: the payment is found only by querying the bank. */
  isSilent?: boolean
}

/** Simulated payers of the sandbox bank. */
export interface SandboxPayers {
  /**
   * Pays into an account, open or closed. Returns the bank's id of the payment; undefined if the
   * bank does not know the account. `rejected`: the bank sent it back to the payer.
   */
  receivePayment(payment: SimulatedPayment): Promise<{ id: string } | 'rejected' | undefined>
  /** Sends the payment's due notices and waits until all are answered. */
  sendNoticesNow(paymentId: string): Promise<void>
  /**
   * The notice of a payment that the bank sends back to its payer by itself. Undefined: this bank
   * decides on its own which ones it sends back.
   */
  sendBack(payment: { id: string; railAccount: string; amount: bigint }): NoticeHint | undefined
}

/** A wallet derived from the seed, with its token account for each coin. */
export type Wallet = { address: string; tokenAccounts: Record<Coin, string> }

/** What a finalized transaction changed in one token account. */
export type TokenTransaction = {
  signature: string
  slot: bigint
  /** Block time; null: a majority of the endpoints does not agree on one. */
  at: Date | null
  /** Negative if coins were sent out. */
  change: bigint
  /** Balance after the transaction. */
  left: bigint
  /** The sending wallet, if known. It may belong to an exchange. */
  sender: string | null
  memo: string | null
}

/** Oldest first. */
export type TokenHistory = {
  moves: TokenTransaction[]
  /** Transactions without a majority of endpoints, or of an unknown version: possible deposits. */
  unreadable: string[]
  /** Transactions that endpoints report differently. */
  disputes?: Dispute[]
  /** Whether more may exist: too few endpoints answered or have the newest transactions. */
  isPartial?: boolean
}

/** The history after a transaction or since a time; from the older point if both are set. */
export type HistoryRange = {
  tokenAccount: string
  /** Signature of the newest known transaction; null reads from the start or from `since`. */
  after: string | null
  /** Slot of `after`. Without `since`, transactions up to this slot are skipped. */
  afterSlot?: bigint
  since?: Date
}

/** One token account in a sweep. */
export type SweptPart = {
  walletNumber: number
  /** Stored address. The rail refuses to sign if the seed derives another one. */
  wallet: string
  tokenAccount: string
  amount: bigint
  /** Whether to close the emptied token account and reclaim its rent. */
  isClosing: boolean
}

/** Our reference becomes the memo of the transaction. */
export type SweepRequest = { reference: string; asset: Coin; parts: SweptPart[] }

/** A committed sweep, read back from its row. */
export type LiveSweep = PreparedAttempt & { reference: string; asset: Coin }

/** A chain on which we collect coins, in wallets derived from one seed. Lists keep their order. */
export interface WalletRail {
  readonly name: string
  /** Address of each coin on this chain, for payment links. */
  readonly mints: Readonly<Record<Coin, string>>
  /** Whether the chain has been identified, and with it the rail's name. */
  isChainKnown(): Promise<boolean>
  /** A number always derives the same wallet. */
  deriveWallets(numbers: number[]): Promise<Wallet[]>
  /**
   * Current balances, with one cheap check per account: if one endpoint reports the known amount,
   * that amount is returned. Null if the balance changed but the endpoints disagree on it.
   */
  pollAmounts(accounts: { address: string; amount: bigint }[]): Promise<(bigint | null)[]>
  /** Finalized balances by majority of endpoints; 0 if no account exists, null if they disagree. */
  readAmounts(tokenAccounts: string[]): Promise<(bigint | null)[]>
  /** An Error marks a history that cannot be read; the others are not affected. */
  readMoves(ranges: HistoryRange[]): Promise<(TokenHistory | Error)[]>
  /** Tokens other than ours in these wallets; `asset` is the mint address. */
  findStrayTokens(wallets: string[]): Promise<{ wallet: string; address: string; asset: string }[]>
  /** How many parts fit in one transaction. */
  readonly partsPerSweep: number
  /** Signs with the keys of the wallets and of the treasury. Sends nothing. */
  prepareSweeps(requests: SweepRequest[]): Promise<Outcome<PreparedAttempt>[]>
  /** Sends committed sweeps; may be repeated. Neither success nor an error is a final result. */
  sendSweeps(sweeps: LiveSweep[]): Promise<void>
  checkSweeps(sweeps: LiveSweep[]): Promise<AttemptFinding[]>
}

/** Simulated payers on the localnet. */
export interface LocalnetPayers {
  /**
   * Sends coins to a wallet and returns the signature once the transaction is in a block. With a
   * repeated key it sends nothing and returns the first signature.
   */
  deposit(deposit: { key: string; address: string; asset: Coin; amount: bigint }): Promise<string>
}
