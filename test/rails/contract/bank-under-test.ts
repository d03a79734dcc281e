import type { EmulatedPayment, EmulatorBooks, PaymentResult } from '../../../emulators/emulator.js'
import type { Faults } from '../../../emulators/faults.js'
import type { Clock } from '../../../src/base/clock.js'
import type { Mode } from '../../../src/base/environment.js'
import type { Logger } from '../../../src/base/log.js'
import type { BankRail, PaymentVariance } from '../../../src/collections/ports.js'
import type { Database } from '../../../src/postgres/database.js'
import type { BankInstruction } from '../../../src/rails/bank/driver.js'

/** What a scenario needs of a bank. */
export const abilities = [
  'loses openings',
  'reuses numbers',
  'reports wrong amounts',
  'hints',
  'payout notices',
  'is remote',
  'tells unknown accounts',
  'loses answers',
  'hides payouts',
  'asks for a password',
  'refuses callers',
  'has a float',
  'doubles refunds',
  'codes with letters',
  'has keys',
] as const
export type Ability = (typeof abilities)[number]

/** `held`: the bank reports no end of the payout until `settle`. */
export type RecipientKind = 'ordinary' | 'held' | 'unknown'

/** A bank and what happens at it, the same for all banks. References are ours. */
export interface BankUnderTest {
  readonly provider: string
  readonly mode: Mode
  readonly rail: BankRail
  /** The same provider in the other mode, with other keys. */
  readonly otherRail: BankRail | undefined
  /** Payments that it sends back with a notice to us. */
  readonly announcesBounce: (variance: PaymentVariance) => boolean
  /** Abilities that this bank does not have, and why. */
  readonly lacks: Partial<Record<Ability, string>>
  /** Without effect for a bank that lacks the ability. */
  readonly faults: Faults
  sendNoticesTo(url: string): void
  pay(payment: EmulatedPayment): Promise<PaymentResult | undefined>
  recipient(kind: RecipientKind): { bankCode: string; accountNumber: string }
  settle(reference: string, state: 'success' | 'failed'): Promise<boolean>
  reverse(reference: string): Promise<boolean>
  /** Keys and secrets. */
  readonly secrets: readonly string[]
  setFloat(kobo: bigint): void
  /** Sends a refund as a person at the bank's dashboard might, without asking whether it exists. */
  refundAgain(order: BankInstruction): Promise<void>
  /** The headers with which the bank would send this body. */
  sign(body: string): Record<string, string>
  /** Resolves once no notice is due or on its way. */
  drainNotices(): Promise<void>
  books(): Promise<EmulatorBooks>
  close(): Promise<void>
}

export type BankTools = { db: Database; clock: Clock; logger: Logger }
