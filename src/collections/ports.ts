import type { Outcome } from '../base/refusal.js'
import type { Coin } from '../money/assets.js'
import type { Dispute } from '../payouts/disputes.js'
import type { Finding, Prepared } from '../payouts/ports.js'

/** What a bank is asked to open. The reference is ours: asked for again, it is the same number. */
export type AccountOpening = {
  reference: string
  /** Whose the account is said to be. */
  name: string
  /** How the merchant names what it is for. */
  purpose: string
  /** Null: any amount, for ever. */
  expected: { amount: bigint; expiresAt: Date } | null
}

export type OpenedAccount = {
  number: string
  accountName: string
  bankCode: string
  bankName: string
}

/** Who sent the money, as far as the bank tells. A masked number shows its last digits only. */
export type BankSender = {
  name: string
  accountNumber: string
  bankCode: string
  bankName: string
}

/** The wallet that coins came from, where one can be told. It may be an exchange's. */
export type WalletSender = { address: string | null }

/** A payment that a bank speaks of. Nothing in it has been judged. */
export type PaymentNotice = {
  /** The bank's own name for the payment. */
  id: string
  accountNumber: string
  /** In the smallest unit of the currency; banks have announced zero and less. */
  amount: bigint
  currency: string
  sender: BankSender | WalletSender | null
  sessionId: string | null
  narration: string | null
  /** When the bank had the money, not when it told us. */
  receivedAt: Date
}

/** A message at the door: nothing is known of it but its bytes. */
export type IncomingMessage = {
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** What a message turned out to be. Only `announced` is kept. */
export type ReadMessage =
  | { kind: 'announced'; announced: PaymentNotice }
  /** From the bank for certain, but about nothing that concerns payments. */
  | { kind: 'beside_the_point' }
  /** Not from the bank, or not for certain. */
  | { kind: 'not_genuine' }

/** Where a bank collects money for us. Every number it opens is one account for ever. */
export interface CollectionRail {
  readonly name: string
  /** In the order of the list; each is refused alone. Repeatable by reference. */
  openAccounts(orders: AccountOpening[]): Promise<Outcome<OpenedAccount>[]>
  /** From then on the bank may turn payers away. Repeatable; money may still be on its way. */
  closeAccounts(numbers: string[]): Promise<void>
  readMessage(message: IncomingMessage): ReadMessage
  /** Every payment into this account that the bank has, also those it failed to announce. */
  findPayments(accountNumber: string): Promise<PaymentNotice[]>
  /** Everything that came in a time, a page at a time, for reconciliation. */
  listPayments(period: {
    from: Date
    to: Date
    after: string | undefined
  }): Promise<{ payments: PaymentNotice[]; next: string | null }>
  /**
   * Whether the bank can send a payment back by its own id: the only way where it masks the number
   * of the sender.
   */
  readonly refundsById: boolean
}

/** A customer pays in. */
export type CustomerPayment = {
  /** Given by whoever orders: given again, nothing happens. */
  id: string
  accountNumber: string
  /** In the smallest unit. Banks have announced zero and less. */
  amount: bigint
  /** NGN unless it is said. */
  currency?: string
  /** What is not said of the sender is made up; null: the bank does not know who it was. */
  sender?: Partial<BankSender> | null
  isSenderMasked?: boolean
  narration?: string
  paidAt: Date
  /** How often the notice is sent. */
  copies: number
  delayMs?: number
  /** It is never announced: only who asks finds it. */
  isSilent?: boolean
}

/** A bank of test mode, at which a tester plays the customer. */
export interface SandboxPayers {
  /**
   * A customer pays in, also into a closed account: the money was on its way. Answers what the bank
   * has under the id; undefined: it has no such account.
   */
  receivePayment(payment: CustomerPayment): Promise<PaymentNotice | undefined>
  /** Sends what is due of this payment's notices, and waits until all were answered. */
  announceNow(paymentId: string): Promise<void>
}

/** A wallet of the seed, and where its coins lie. */
export type Wallet = { address: string; tokenAccounts: Record<Coin, string> }

/** A transaction that is final, as far as it concerns one token account. */
export type Move = {
  signature: string
  slot: bigint
  /** When the chain had it. */
  at: Date
  /** By how much it changed the account; below zero when coins left. */
  change: bigint
  /** What was there afterwards. */
  left: bigint
  /** The wallet whose coins came, where one can be told; it may be an exchange's. */
  sender: string | null
  memo: string | null
}

/** Oldest first. */
export type Moves = {
  moves: Move[]
  /** Those that no majority of endpoints shows, or not in a known version: they may hide money. */
  unreadable: string[]
  /** Transactions about which endpoints contradict each other. */
  disputes?: Dispute[]
  /** Whether there may be more: too few endpoints answered, or know the newest yet. */
  isPartial?: boolean
}

/**
 * Which part of an account's history: all after a transaction, or all since a time. Where both are
 * said, from the older of the two places.
 */
export type HistoryRange = {
  tokenAccount: string
  /** The newest that is known; null: from the beginning, or since the time. */
  after: string | null
  /** Its slot: without a time, nothing of that slot or before is listed. */
  afterSlot?: bigint
  since?: Date
}

/** Coins in a token account of a wallet. */
export type SweptPart = {
  walletNumber: number
  /** As it was derived before: a seed that derives another address must not sign. */
  wallet: string
  tokenAccount: string
  amount: bigint
  /** Whether the emptied token account is given up, and its rent with it taken back. */
  isClosing: boolean
}

/** The reference is ours, and is written on the transaction. */
export type SweepRequest = { reference: string; asset: Coin; parts: SweptPart[] }

/** A sweep as it was read back from its committed row. */
export type LiveSweep = Prepared & { reference: string; asset: Coin }

/** A chain on which coins are collected for us, in wallets whose keys come from one seed. */
export interface WalletRail {
  readonly name: string
  /** Whether its chain, and with it its name, is known. */
  hasMetItsChain(): Promise<boolean>
  /** In the order of the numbers; a number is one wallet for ever. */
  deriveWallets(numbers: number[]): Promise<Wallet[]>
  /**
   * Compares what lies in each with what is known, cheaply: what one endpoint calls unchanged
   * counts as unchanged this time. Null: it has changed, and the endpoints do not agree to what.
   */
  pollAmounts(accounts: { address: string; amount: bigint }[]): Promise<(bigint | null)[]>
  /**
   * What lies in each for good, in their order, by a majority of the endpoints; 0 where there is no
   * such account, null where they do not agree.
   */
  readAmounts(tokenAccounts: string[]): Promise<(bigint | null)[]>
  /** In the order of the ranges. The error: this history cannot be read, though others can. */
  readMoves(ranges: HistoryRange[]): Promise<(Moves | Error)[]>
  /** Other tokens that somebody has sent to these wallets; the asset is the mint's address. */
  findStrayTokens(wallets: string[]): Promise<{ wallet: string; address: string; asset: string }[]>
  /** How many parts fit in one transaction. */
  readonly partsPerSweep: number
  /** Signs, with the keys of the wallets and the treasury's. Nothing leaves. */
  prepareSweeps(orders: SweepRequest[]): Promise<Outcome<Prepared>[]>
  /** Sends, or sends again, what was committed before. No answer or error concludes anything. */
  sendSweeps(sweeps: LiveSweep[]): Promise<void>
  checkSweeps(sweeps: LiveSweep[]): Promise<Finding[]>
}

/** A chain of test mode, on which a tester plays the customer. */
export interface LocalnetPayers {
  /**
   * Sends coins to a wallet, and answers the signature once the transaction is in a block. The key
   * is the orderer's: given again, nothing happens and the first signature is answered.
   */
  deposit(order: { key: string; address: string; asset: Coin; amount: bigint }): Promise<string>
}
