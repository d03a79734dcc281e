import type { StampDuty } from '../faults.js'
import { Table } from '../table.js'

/** Amounts are in kobo, times in milliseconds since 1970. */
export type Customer = { name: string; email: string }
export type AccountNumber = { bankCode: string; bankName: string; accountNumber: string }

/** An invoice, or the account of a checkout transaction. */
export type TemporaryAccount = AccountNumber & {
  kind: 'invoice' | 'checkout'
  reference: string
  transactionReference: string
  expected: bigint
  description: string
  customer: Customer
  createdAtMs: number
  expiresAtMs: number
  isCancelled: boolean
}

export type ReservedAccount = {
  reference: string
  name: string
  customer: Customer
  numbers: AccountNumber[]
  createdAtMs: number
  isDeleted: boolean
}

export type TransactionStatus = 'PENDING' | 'PAID' | 'OVERPAID' | 'PARTIALLY_PAID' | 'CANCELLED'

/** `accountNumber` is undefined if the bank does not report the sender. */
export type PaymentSource = {
  bankCode: string
  accountName: string
  accountNumber: string | undefined
  sessionId: string
  amount: bigint
}

export type Transaction = {
  reference: string
  paymentReference: string
  product: { type: 'INVOICE' | 'API_NOTIFICATION' | 'RESERVED_ACCOUNT'; reference: string }
  /** Undefined until an account is requested for the transaction. */
  receiver: AccountNumber | undefined
  expected: bigint
  paid: bigint
  status: TransactionStatus
  description: string
  customer: Customer
  sources: PaymentSource[]
  createdAtMs: number
  paidAtMs: number | undefined
}

export type DisbursementStatus =
  | 'PENDING'
  | 'PENDING_AUTHORIZATION'
  | 'SUCCESS'
  | 'FAILED'
  | 'REVERSED'

export type Disbursement = {
  reference: string
  transactionReference: string
  amount: bigint
  fee: bigint
  stampDuty?: StampDuty
  narration: string
  bankCode: string
  bankName: string
  accountNumber: string
  accountName: string
  sessionId: string
  status: DisbursementStatus
  createdAtMs: number
  completedAtMs: number | undefined
}

export type Refund = {
  reference: string
  transactionReference: string
  amount: bigint
  reason: string
  note: string
  status: 'PENDING' | 'COMPLETED' | 'FAILED'
  createdAtMs: number
  completedAtMs: number | undefined
}

export class MonnifyBooks {
  /** Counts everything that gets a number, so that no made-up value repeats. */
  lastNumber = 0
  float: bigint
  readonly temporaryAccounts = new Table<TemporaryAccount>()
  readonly reservedAccounts = new Table<ReservedAccount>()
  readonly transactions = new Table<Transaction>()
  readonly disbursements = new Table<Disbursement>()
  readonly refunds = new Table<Refund>()
  /** The account that has or had the number last; the one opened longest ago comes first. */
  readonly temporaryByNumber = this.temporaryAccounts.indexBy(({ accountNumber }) => accountNumber)

  constructor(float: bigint) {
    this.float = float
  }

  nextNumber(): number {
    this.lastNumber += 1
    return this.lastNumber
  }
}
