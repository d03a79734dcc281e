import type { StampDuty } from '../faults.js'
import { Table } from '../table.js'

/** Times are milliseconds since 1970; amounts are kobo. */
export type Customer = {
  id: number
  code: string
  email: string
  firstName: string | null
  lastName: string | null
  phone: string | null
  isIdentified: boolean
  createdAt: number
}

export type Payer = {
  name: string
  accountNumber: string
  bankName: string | null
  narration: string | null
}

/**
 * A charge that waits for a transfer to a temporary account, or a transfer that arrived at a
 * dedicated account.
 */
export type Transaction = {
  id: number
  reference: string
  channel: 'bank_transfer' | 'dedicated_nuban'
  accountNumber: string
  customerId: number
  requestedAmount: bigint
  createdAt: number
  /** Null for a dedicated account. */
  expiresAt: number | null
  metadata: unknown
  /** Null until money arrived. */
  paid: Receipt | null
}

export type Receipt = {
  at: number
  amount: bigint
  fees: bigint
  payer: Payer
  /** Sum of refunds that have not failed. */
  refunding: bigint
  /** Sum of processed refunds. */
  refunded: bigint
}

export type DedicatedAccount = {
  id: number
  customerId: number
  bankSlug: string
  accountName: string
  accountNumber: string
  isAssigned: boolean
  createdAt: number
  updatedAt: number
  /** Time of the last requery. */
  requeriedAt: number | null
}

export type Recipient = {
  id: number
  code: string
  name: string
  accountNumber: string
  bankCode: string
  createdAt: number
}

export type TransferStatus = 'pending' | 'otp' | 'success' | 'failed' | 'reversed' | 'abandoned'

export type Transfer = {
  id: number
  code: string
  reference: string
  recipientId: number
  amount: bigint
  fee: bigint
  stampDuty?: StampDuty
  reason: string | null
  status: TransferStatus
  /** Why it failed, for `gateway_response`. */
  failure: string | null
  /** It stays pending until it is settled by hand. */
  isHeld: boolean
  createdAt: number
  updatedAt: number
  transferredAt: number | null
}

export type RefundStatus = 'pending' | 'processing' | 'needs-attention' | 'processed' | 'failed'

export type Refund = {
  id: number
  transactionId: number
  amount: bigint
  merchantNote: string
  customerNote: string
  status: RefundStatus
  isHeld: boolean
  createdAt: number
  updatedAt: number
}

/** One change of the float. */
export type FloatEntry = {
  id: number
  difference: bigint
  balance: bigint
  reason: string
  model: 'Transaction' | 'Transfer' | 'Refund' | 'Deposit'
  row: number
  createdAt: number
}

/** The provider's records. The first ids have the size of real ones. */
export class Books {
  secretKey = ''
  float: bigint
  readonly customers = new Table<Customer>(138_492_368)
  readonly transactions = new Table<Transaction>(3_104_021_987)
  readonly dedicated = new Table<DedicatedAccount>(987_654)
  readonly recipients = new Table<Recipient>(56_824_902)
  readonly transfers = new Table<Transfer>(860_703_114)
  readonly refunds = new Table<Refund>(3_018_284)
  readonly entries = new Table<FloatEntry>(149_411_613)
  /** The newest charge of each temporary account number, the longest open first. */
  readonly chargeByNumber = this.transactions.indexBy(({ channel, accountNumber }) =>
    channel === 'bank_transfer' ? accountNumber : undefined,
  )

  constructor(float: bigint) {
    this.float = float
  }
}
