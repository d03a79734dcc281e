import { Table } from './table.js'

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
  readonly customers = new Table<Customer>(138_492_368, ({ email }) => email)
  readonly transactions = new Table<Transaction>(3_104_021_987, ({ reference }) => reference)
  readonly dedicated = new Table<DedicatedAccount>(987_654, ({ accountNumber }) => accountNumber)
  readonly recipients = new Table<Recipient>(56_824_902, recipientKey)
  readonly transfers = new Table<Transfer>(860_703_114, ({ reference }) => reference)
  readonly refunds = new Table<Refund>(3_018_284, ({ merchantNote }) => merchantNote)
  readonly entries = new Table<FloatEntry>(149_411_613, ({ id }) => String(id))
  /** The newest charge of each temporary account number, the longest open first. */
  readonly temporary = new Map<string, Transaction>()

  constructor(float: bigint) {
    this.float = float
  }

  /** Records rows of an earlier run. */
  restore(saved: SavedBooks): void {
    this.secretKey = saved.secretKey
    this.float = saved.float
    for (const row of saved.customers) this.customers.add(row)
    for (const row of saved.transactions) this.transactions.add(row)
    for (const row of saved.dedicated) this.dedicated.add(row)
    for (const row of saved.recipients) this.recipients.add(row)
    for (const row of saved.transfers) this.transfers.add(row)
    for (const row of saved.refunds) this.refunds.add(row)
    for (const row of saved.entries) this.entries.add(row)
    for (const row of saved.transactions) if (row.channel === 'bank_transfer') this.occupy(row)
  }

  save(): SavedBooks {
    return {
      secretKey: this.secretKey,
      float: this.float,
      customers: this.customers.rows,
      transactions: this.transactions.rows,
      dedicated: this.dedicated.rows,
      recipients: this.recipients.rows,
      transfers: this.transfers.rows,
      refunds: this.refunds.rows,
      entries: this.entries.rows,
    }
  }

  /** The charge is now the one that owns its account number. */
  occupy(charge: Transaction): void {
    this.temporary.delete(charge.accountNumber)
    this.temporary.set(charge.accountNumber, charge)
  }

  changeFloat(entry: Omit<FloatEntry, 'id' | 'balance'>): void {
    this.float += entry.difference
    const { difference, reason, model, row, createdAt } = entry
    this.entries.add({
      id: this.entries.nextId,
      difference,
      balance: this.float,
      reason,
      model,
      row,
      createdAt,
    })
  }
}

export type SavedBooks = {
  secretKey: string
  float: bigint
  customers: Customer[]
  transactions: Transaction[]
  dedicated: DedicatedAccount[]
  recipients: Recipient[]
  transfers: Transfer[]
  refunds: Refund[]
  entries: FloatEntry[]
}

export function recipientKey(recipient: { accountNumber: string; bankCode: string }): string {
  return `${recipient.bankCode}/${recipient.accountNumber}`
}
