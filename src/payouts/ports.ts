import type { EnvironmentId } from '../base/environment.js'
import type { Outcome } from '../base/refusal.js'
import type { FeeOperation } from '../merchants/fee-schedules.js'
import type { Asset } from '../money/assets.js'

/** Where a payout goes, as the merchant names it and the rail completes it. */
export type Destination =
  | { kind: 'wallet'; address: string }
  | {
      kind: 'bank_account'
      bankCode: string
      accountNumber: string
      bankName: string
      accountName: string
      narration: string | null
      /** The payment, as the bank names it, that goes back to whoever sent it. */
      refundOf?: string
    }

export type Target = { asset: Asset; amount: bigint; destination: Destination }

/** What a rail found out about a target: its full name, and what it costs beyond the base fee. */
export type Inspected = { destination: Destination; extraFees: FeeOperation[] }

/** What is to be carried; the reference is ours, is unique for ever, and goes along with it. */
export type PayoutInstruction = Target & { reference: string }

/** Fixed before it is sent, and safe to send again. */
export type Prepared = {
  /** What names this attempt at the rail: a signature, or our reference. */
  token: string
  /** The very bytes that leave. */
  wire: Buffer
  /** The last block in which it can land; null where nothing ends by itself. */
  validUntil: bigint | null
}

/** An attempt as it was read back from its committed row. */
export type LiveAttempt = Prepared & {
  environmentId: EnvironmentId
  payoutId: string
  number: number
  reference: string
  asset: Asset
  /** How often it has been looked at, this time included. */
  looks: number
  createdAt: Date
  /** Caps `validUntil`, once a rail has said by which block it must have expired. */
  expiresBy?: bigint | null
}

/**
 * What a rail can say of an attempt. Only `landed`, `failed` and `gone` are conclusions, and a rail
 * says them only when nothing that happens later can make them untrue.
 */
export type Finding = FoundState & {
  /** Hosts of endpoints that contradict each other about it. */
  disputedBy?: string[]
}

type FoundState =
  /** Known to the rail, or nothing can be told at the moment: look again later. */
  | { state: 'pending'; expiresBy?: bigint }
  /** Not known, and it may still land: the same bytes may be sent again. */
  | { state: 'unseen'; expiresBy?: bigint }
  | { state: 'landed' }
  /** For certain nothing moved, and nothing will. `reason` is a word for programs. */
  | { state: 'failed'; reason: string }
  /** It can never land any more: another attempt may be prepared. */
  | { state: 'gone' }

/**
 * Carries money out of the house. Its name holds the network, so that an attempt is never looked
 * for, or sent, on another one than it was prepared for.
 */
export interface PayoutRail {
  readonly name: string
  /** Refuses what can be known not to work, before anything is promised. Nothing leaves. */
  inspect(targets: Target[]): Promise<Outcome<Inspected>[]>
  /** Fixes what would be sent. Nothing leaves. Refuses what the rail would refuse for certain. */
  prepare(carriages: PayoutInstruction[]): Promise<Outcome<Prepared>[]>
  /** Sends, or sends again, what was committed before. No answer or error concludes anything. */
  send(attempts: LiveAttempt[]): Promise<void>
  check(attempts: LiveAttempt[]): Promise<Finding[]>
}

/** What the endpoints of a chain say of an attempt, for an operator who has to decide. */
export type Examined = {
  token: string
  finding: Finding
  /** The block that a majority of them has finalized; undefined: too few answer. */
  height: bigint | undefined
  /** The last block in which it can land. */
  validUntil: bigint
  /** Whether a majority says that no block to come can take it. */
  isExpired: boolean
  /** Hosts of those that know it, whatever the others say. */
  knownBy: string[]
}

/** A chain, where an attempt that was not taken in time never is. */
export interface ExpiringRail extends PayoutRail {
  examine(attempt: LiveAttempt): Promise<Examined>
}

/** Reversals after the cursor, oldest first; 0 is before the first. References are ours. */
export type Reversed = { cursor: bigint; references: string[] }

/** A bank may send money back after it said that it arrived. */
export interface ReversingRail extends PayoutRail {
  findReversed(after: bigint): Promise<Reversed>
}

/** `not_received`: it must be sent first. `too_late`: it has ended, and not so. */
export type Instructed = 'obeyed' | 'too_late' | 'not_received'

/**
 * A rail of test mode, which a tester can tell how a transfer is to end. It changes what the rail
 * does and nothing else: whoever waits for the transfer finds out by asking, as ever.
 */
export interface SimulatedRail extends Pick<PayoutRail, 'name' | 'send'> {
  instruct(order: {
    reference: string
    /** One that src/payouts/simulated-outcomes.ts has for this kind of payout. */
    outcome: string
    attempt: LiveAttempt | undefined
  }): Promise<Instructed>
}

export type Bank = { code: string; name: string }

/** Who can be paid by bank. */
export interface BankDirectory {
  listBanks(): Promise<readonly Bank[]>
  resolveName(account: {
    bankCode: string
    accountNumber: string
  }): Promise<Outcome<{ bankName: string; accountName: string }>>
}
