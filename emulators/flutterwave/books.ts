import type { PayoutState } from '../emulator.js'
import type { StampDuty } from '../faults.js'
import { Table } from '../table.js'

/** Amounts are in kobo, times in milliseconds since 1970. */
export type FlutterwaveAccount = {
  /** The merchant's reference; several accounts may share one. */
  txRef: string
  orderRef: string
  flwRef: string
  number: string
  bankName: string
  /** Shown to payers. */
  holder: string
  email: string
  /** Requested amount, before fees; null for a static account. */
  amount: bigint | null
  /** What a payer must transfer: with the fee, if payers bear it. */
  payable: bigint | null
  createdMs: number
  /** Null for a static account. */
  expiresMs: number | null
  isPaid: boolean
  isActive: boolean
}

export type FlutterwaveTransaction = {
  id: number
  txRef: string
  flwRef: string
  accountNumber: string
  email: string
  holder: string
  amount: bigint
  /** What the payer transferred. */
  charged: bigint
  fee: bigint
  createdMs: number
  senderName: string
  senderNumber: string
  senderBank: string
  narration: string
}

export type FlutterwaveTransfer = {
  id: number
  reference: string
  bankCode: string
  bankName: string
  number: string
  holder: string
  amount: bigint
  /** In thousandths of a naira: half kobo exist, as in 26.875. */
  feeMils: bigint
  stampDuty?: StampDuty
  narration: string
  createdMs: number
  /** When it becomes PENDING, as shown by the API; before that it is NEW. */
  startsMs: number
  state: PayoutState
  message: string
  needsApproval: boolean
}

export type FlutterwaveRefund = {
  id: number
  transactionId: number
  flwRef: string
  amount: bigint
  comments: string
  createdMs: number
  state: PayoutState
}

/** Ids are above 2^31, so that a reader with 32-bit ids fails here already. */
export class FlutterwaveBooks {
  readonly accounts = new Table<FlutterwaveAccount>()
  readonly transactions = new Table<FlutterwaveTransaction>(4_300_000_001)
  readonly transfers = new Table<FlutterwaveTransfer>(2_900_000_001)
  readonly refunds = new Table<FlutterwaveRefund>(2_200_000_001)
  /** Payments that were sent back to their payers. */
  rejections = 0
  /** Available balance, in thousandths of a naira. */
  floatMils: bigint
  readonly temporaryByNumber = this.accounts.indexBy(({ number, expiresMs }) =>
    expiresMs === null ? undefined : number,
  )
  /** Flutterwave's filter ignores upper and lower case. */
  readonly transfersLike = this.transfers.groupBy(({ reference }) => reference.toLowerCase())

  constructor(floatKobo: bigint) {
    this.floatMils = floatKobo * 10n
  }
}
