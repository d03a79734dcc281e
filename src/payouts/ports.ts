import type { EnvironmentId } from '../base/environment.js'
import type { Outcome } from '../base/refusal.js'
import type { FeeOperation } from '../merchants/settings/fee-schedules.js'
import type { Asset } from '../money/assets.js'

/** Where a payout goes: named by the merchant, completed by the rail. */
export type Destination = { kind: 'wallet'; address: string } | BankDestination

export type BankDestination = {
  kind: 'bank_account'
  bankCode: string
  accountNumber: string
  bankName: string
  accountName: string
  narration: string | null
  /** For a refund to the sender: the bank's id of the payment. */
  refundOf?: string
}

export type Target = { asset: Asset; amount: bigint; destination: Destination }

/** The completed destination, and the fees on top of the base fee. */
export type Inspected = { destination: Destination; extraFees: FeeOperation[] }

export type InspectionPurpose = 'price' | 'pay'

/** What a rail is asked to carry out. The reference is ours, unique, and sent along. */
export type PayoutInstruction = Target & { reference: string }

/** An attempt, fixed before it is sent and safe to send again. */
export type PreparedAttempt = {
  /**
   * Its name at the rail: on Solana the signature of the transaction, at a bank our reference.
   * Neither a coin nor a token account.
   */
  token: string
  /** The exact bytes to send: a signed transaction, or a payment order to a bank. */
  wire: Buffer
  /** Height of the last block in which it can land; null: it never expires. */
  validUntil: bigint | null
  /**
   * The slot that a majority of the nodes had reached when it was signed: no earlier block can
   * include it. Null or absent: unknown, or not on a chain.
   */
  signedSlot?: bigint | null
}

/** A committed attempt, from its row or from the memory of the process that committed it. */
export type LiveAttempt = PreparedAttempt & {
  environmentId: EnvironmentId
  payoutId: string
  number: number
  reference: string
  asset: Asset
  /** How often it was polled, including now. */
  polls: number
  createdAt: Date
  /** A block height that caps `validUntil`: the rail reported that it expires by this block. */
  expiresBy?: bigint | null
}

/**
 * What a rail knows of an attempt. Only `landed`, `failed` and `gone` are final: a rail reports
 * them only when nothing that happens later can make them untrue. On a chain, `landed` means that
 * the transaction is finalized.
 */
export type AttemptFinding = FoundState & {
  disputedBy?: string[]
}

type FoundState =
  /** Known to the rail, or the rail does not answer: poll again later. */
  | { state: 'pending'; expiresBy?: bigint }
  /** Unknown to the rail, and can still land: the same bytes may be sent again. */
  | { state: 'unseen'; expiresBy?: bigint }
  /**
   * `sessionId`: the interbank (NIP) session of a bank transfer, if the bank reports it.
   * `providerFee`: what the provider charged, in kobo, if it reports it.
   */
  | { state: 'landed'; sessionId?: string | null; providerFee?: bigint | null }
  /** Nothing moved and nothing will. `reason` is for API clients. */
  | { state: 'failed'; reason: string }
  /** It can no longer land: another attempt may be prepared. */
  | { state: 'gone' }

/**
 * Pays money out through a bank or chain. Its name contains the network, so that an attempt is
 * never polled or sent on a network other than the one it was prepared for.
 */
export interface PayoutRail {
  readonly name: string
  /**
   * Whether one call of the rail serves many items. Otherwise each item is a call of its own, and
   * must not wait for a batch.
   */
  readonly takesBatches: boolean
  /**
   * The process that sent a transfer keeps it in memory and checks it this long afterwards: when it
   * has usually ended or, where that takes long, when it must be known to the rail. Absent: only
   * workers poll, because each check is a call of its own.
   */
  readonly checkAfterMs?: number
  /** A bank may charge for resolving a name: then the balance is checked before `inspect`. */
  readonly chargesToInspect?: boolean
  /**
   * Refuses targets that are known not to work. Nothing leaves. To `pay`, the default, the
   * operator's funds must cover the targets; a price must not reveal what the hot wallet has.
   */
  inspect(targets: Target[], purpose?: InspectionPurpose): Promise<Outcome<Inspected>[]>
  /** Fixes what will be sent. Nothing leaves. Refuses what the rail would certainly refuse. */
  prepare(instructions: PayoutInstruction[]): Promise<Outcome<PreparedAttempt>[]>
  /** Sends committed attempts, possibly again. Neither success nor failure is a conclusion. */
  send(attempts: LiveAttempt[]): Promise<void>
  check(attempts: LiveAttempt[]): Promise<AttemptFinding[]>
}

/** What the endpoints of a chain report about an attempt, for an operator's decision. */
export type Examined = {
  token: string
  finding: AttemptFinding
  /** Height of the block that a majority has finalized; undefined: too few answered. */
  height: bigint | undefined
  /** A block height, as in `PreparedAttempt`. */
  validUntil: bigint
  /** A majority reports that no later block can include it. */
  isExpired: boolean
  /** Hosts of the endpoints that know it, whatever the others report. */
  knownBy: string[]
}

/** A chain: attempts expire. */
export interface ExpiringRail extends PayoutRail {
  examine(attempt: LiveAttempt): Promise<Examined>
}

/** Reversals after a cursor, oldest first. References are ours. */
export type Reversals = { cursor: bigint; references: string[] }

/** A bank: completed transfers may be reversed. */
export interface ReversingRail extends PayoutRail {
  readonly reversalIntervalMs: number
  /** The first cursor is 0. A reversal may be reported again. */
  findReversed(after: bigint): Promise<Reversals>
}

/** `not_received`: it must be sent first. `too_late`: it has ended otherwise. */
export type Instructed = 'obeyed' | 'too_late' | 'not_received'

/**
 * A simulated rail, for which a tester sets how a transfer ends. That changes only what the
 * rail does: the payout changes when a worker polls the rail.
 */
export interface SimulatedRail extends Pick<PayoutRail, 'name' | 'send'> {
  instruct(instruction: {
    reference: string
    /** From src/payouts/requests/simulated-outcomes.ts, for the kind of the payout. */
    outcome: string
    attempt: LiveAttempt | undefined
  }): Promise<Instructed>
}

export type Bank = { code: string; name: string }

export interface BankDirectory {
  listBanks(): Promise<readonly Bank[]>
  resolveName(account: {
    bankCode: string
    accountNumber: string
  }): Promise<Outcome<{ bankName: string; accountName: string }>>
}
