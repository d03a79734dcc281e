import type { Clock } from './clock.js'
import type { Faults } from './faults.js'

export type Provider = 'paystack' | 'monnify' | 'flutterwave'

export type EmulatorOptions = {
  clock: Clock
  /** 0 picks a free port. Emulators listen on loopback only. */
  port?: number
  /** Where notices are sent; also settable later. Undefined: none are sent. */
  noticeUrl?: string
  /** File in which the emulator keeps its books between starts. Undefined: in memory only. */
  file?: string
  /** Money that payouts are made from, in kobo. */
  float?: bigint
  /** Divides every waiting time of the provider (retries, processing), so that tests are short. */
  speed?: number
}

/** A transfer by a payer into an account of the provider. Missing fields are made up. */
export type EmulatedPayment = {
  accountNumber: string
  /** In kobo. */
  amount: bigint
  senderName?: string
  senderAccountNumber?: string
  narration?: string
  /** No notice is sent: the payment is found only by listing. */
  isSilent?: boolean
  /** How many times the notice is sent. */
  copies?: number
}

/** `received`: in the merchant's books at the provider. `rejected`: sent back to the payer. */
export type PaymentResult = { id: string; result: 'received' | 'rejected' }

export type PayoutState = 'pending' | 'success' | 'failed' | 'reversed'

/** What the provider's own books say, to compare with ours. Amounts are in kobo. */
export type EmulatorBooks = {
  payments: { id: string; accountNumber: string; reference: string; amount: bigint }[]
  payouts: { reference: string; accountNumber: string; amount: bigint; state: PayoutState }[]
  /** `note` carries our reference. */
  refunds: { note: string; paymentId: string; amount: bigint; state: PayoutState }[]
  float: bigint
}

/**
 * A payment provider as an HTTP server, with its published routes, shapes, signatures and quirks.
 * The methods do what its bank, payers and support staff would do; tests and the commands of test
 * mode call them.
 */
export interface Emulator {
  readonly provider: Provider
  /** Base URL of the API. */
  readonly url: string
  /** Variables that connect a rail to it, without the mode, such as PAYSTACK_SECRET_KEY. */
  readonly variables: Record<string, string>
  readonly faults: Faults
  sendNoticesTo(url: string): void
  /** Undefined: no account has this number. */
  pay(payment: EmulatedPayment): Promise<PaymentResult | undefined>
  /** Ends a pending payout or refund. False if it is unknown or has ended. */
  settle(reference: string, state: 'success' | 'failed'): boolean
  /** The receiving bank returns a successful payout. */
  reverse(reference: string): boolean
  setFloat(kobo: bigint): void
  /** Resolves once no notice is due or on its way. */
  drainNotices(): Promise<void>
  books(): EmulatorBooks
  close(): Promise<void>
}
