import { hash } from 'node:crypto'
import { accountNameOf, toNuban } from '../bank-accounts.js'
import type { Clock } from '../clock.js'
import type { EmulatedPayment } from '../emulator.js'
import { collectionFee, transferFeeMils } from './naira.js'
import type {
  FlutterwaveAccount,
  FlutterwaveRecords,
  FlutterwaveRefund,
  FlutterwaveTransaction,
  FlutterwaveTransfer,
} from './records.js'

/** Above 2^31, so that a reader with 32-bit ids fails here already. */
const firstId = { transaction: 4_300_000_001, transfer: 2_900_000_001, refund: 2_200_000_001 }

export const insufficientFunds = 'DISBURSE FAILED: Insufficient funds in customer wallet'

export function noRecords(floatKobo: bigint): FlutterwaveRecords {
  return {
    accounts: [],
    transactions: [],
    transfers: [],
    refunds: [],
    rejections: 0,
    floatMils: floatKobo * 10n,
  }
}

/** Accounts, payments, transfers and refunds of one Flutterwave merchant, with their indexes. */
export class FlutterwaveBooks {
  readonly records: FlutterwaveRecords
  /** Whether the fee is added to what payers must transfer. A setting of the dashboard. */
  feesPaidBy: 'merchant' | 'payer' = 'merchant'
  readonly #clock: Clock
  readonly #byNumber = new Map<string, FlutterwaveAccount>()
  readonly #byOrderRef = new Map<string, FlutterwaveAccount>()
  readonly #temporary: FlutterwaveAccount[] = []
  readonly #transactions = new Map<number, FlutterwaveTransaction>()
  readonly #newestByTxRef = new Map<string, FlutterwaveTransaction>()
  readonly #transfers = new Map<number, FlutterwaveTransfer>()
  readonly #transfersByReference = new Map<string, FlutterwaveTransfer[]>()

  constructor(clock: Clock, records: FlutterwaveRecords) {
    this.#clock = clock
    this.records = records
    for (const account of records.accounts) this.#indexAccount(account)
    for (const transaction of records.transactions) this.#indexTransaction(transaction)
    for (const transfer of records.transfers) this.#indexTransfer(transfer)
  }

  get nowMs(): number {
    return this.#clock.now().getTime()
  }

  /** A repeated reference opens another account: Flutterwave does not compare references. */
  openAccount(opening: {
    txRef: string
    email: string
    holder: string
    amount: bigint | null
    lifetimeMs: number | null
    bankName?: string
  }): FlutterwaveAccount {
    const { amount, lifetimeMs } = opening
    const count = this.records.accounts.length + 1
    const isCharged = amount !== null && this.feesPaidBy === 'payer'
    const account: FlutterwaveAccount = {
      txRef: opening.txRef,
      orderRef: `URF_${this.nowMs}_${count}35`,
      flwRef: `FLW-${digest(`account/${count}`)}`,
      number: lifetimeMs === null ? staticNumber(count) : this.#temporaryNumber(count),
      bankName: opening.bankName ?? 'WEMA BANK',
      holder: opening.holder,
      email: opening.email,
      amount,
      payable: isCharged ? amount + collectionFee(amount) : amount,
      createdMs: this.nowMs,
      expiresMs: lifetimeMs === null ? null : this.nowMs + lifetimeMs,
      isPaid: false,
      isActive: true,
    }
    this.records.accounts.push(account)
    this.#indexAccount(account)
    return account
  }

  findAccount(orderRef: string): FlutterwaveAccount | undefined {
    return this.#byOrderRef.get(orderRef)
  }

  /**
   * A temporary account takes one payment, of any amount, before it expires. Undefined: no account
   * has this number. A number that was given out again belongs to its newest account.
   */
  receive(payment: EmulatedPayment): FlutterwaveTransaction | 'rejected' | undefined {
    const account = this.#byNumber.get(payment.accountNumber)
    if (!account) return undefined
    const isTemporary = account.expiresMs !== null
    const isLate = isTemporary && this.nowMs >= account.expiresMs!
    if (!account.isActive || isLate || (isTemporary && account.isPaid)) {
      this.records.rejections += 1
      return 'rejected'
    }
    account.isPaid = true
    const transaction = this.#toTransaction(account, payment)
    this.records.transactions.push(transaction)
    this.#indexTransaction(transaction)
    return transaction
  }

  findTransaction(id: number): FlutterwaveTransaction | undefined {
    return this.#transactions.get(id)
  }

  findNewestOf(txRef: string): FlutterwaveTransaction | undefined {
    return this.#newestByTxRef.get(txRef)
  }

  addTransfer(given: {
    reference: string
    bankCode: string
    bankName: string
    number: string
    amount: bigint
    narration: string
    startsMs: number
    needsApproval: boolean
  }): FlutterwaveTransfer {
    const transfer: FlutterwaveTransfer = {
      id: firstId.transfer + this.records.transfers.length,
      reference: given.reference,
      bankCode: given.bankCode,
      bankName: given.bankName,
      number: given.number,
      holder: accountNameOf(given.number),
      amount: given.amount,
      feeMils: transferFeeMils(given.amount),
      narration: given.narration,
      createdMs: this.nowMs,
      startsMs: given.startsMs,
      state: 'pending',
      message: '',
      needsApproval: given.needsApproval,
    }
    this.records.transfers.push(transfer)
    this.#indexTransfer(transfer)
    return transfer
  }

  findTransfer(id: number): FlutterwaveTransfer | undefined {
    return this.#transfers.get(id)
  }

  getTransfer(reference: string): FlutterwaveTransfer | undefined {
    return this.findTransfersLike(reference).find((one) => one.reference === reference)
  }

  /** Ignores upper and lower case, as Flutterwave's filter does. */
  findTransfersLike(reference: string): FlutterwaveTransfer[] {
    return this.#transfersByReference.get(reference.toLowerCase()) ?? []
  }

  addRefund(transaction: FlutterwaveTransaction, amount: bigint, comments: string) {
    const refund: FlutterwaveRefund = {
      id: firstId.refund + this.records.refunds.length,
      transactionId: transaction.id,
      flwRef: transaction.flwRef,
      amount,
      comments,
      createdMs: this.nowMs,
      state: 'pending',
    }
    this.records.refunds.push(refund)
    return refund
  }

  /** What can still be refunded of a payment. */
  refundable(transaction: FlutterwaveTransaction): bigint {
    const refunds = this.records.refunds.filter(
      ({ transactionId, state }) =>
        transactionId === transaction.id && (state === 'pending' || state === 'success'),
    )
    return refunds.reduce((rest, { amount }) => rest - amount, transaction.charged)
  }

  findRefund(id: number): FlutterwaveRefund | undefined {
    return this.records.refunds[id - firstId.refund]
  }

  findRefundsOf(comments: string): FlutterwaveRefund[] {
    return this.records.refunds.filter((refund) => refund.comments === comments)
  }

  /** Ends a pending transfer. A successful one is debited with its fee. */
  endTransfer(transfer: FlutterwaveTransfer, state: 'success' | 'failed', message: string): void {
    transfer.state = state
    transfer.message = message
    if (state === 'success') this.records.floatMils -= costMils(transfer)
  }

  isCovered(transfer: FlutterwaveTransfer): boolean {
    return this.records.floatMils >= costMils(transfer)
  }

  /** The amount comes back, the fee does not. */
  reverseTransfer(transfer: FlutterwaveTransfer): void {
    transfer.state = 'reversed'
    transfer.message = 'Transfer reversed by the beneficiary bank'
    this.records.floatMils += transfer.amount * 10n
  }

  endRefund(refund: FlutterwaveRefund, state: 'success' | 'failed' | 'reversed'): void {
    if (state === 'success') this.records.floatMils -= refund.amount * 10n
    if (refund.state === 'success' && state === 'reversed')
      this.records.floatMils += refund.amount * 10n
    refund.state = state
  }

  #toTransaction(account: FlutterwaveAccount, payment: EmulatedPayment): FlutterwaveTransaction {
    const { amount: charged } = payment
    const id = firstId.transaction + this.records.transactions.length
    const isExact = charged === account.payable && account.amount !== null
    const fee = isExact ? collectionFee(account.amount!) : collectionFee(charged)
    const net = this.feesPaidBy === 'payer' ? charged - fee : charged
    const senderNumber = payment.senderAccountNumber ?? toNumber(`sender/${id}`)
    return {
      id,
      txRef: account.txRef,
      flwRef: digest(`transaction/${id}`),
      accountNumber: account.number,
      email: account.email,
      holder: account.holder,
      amount: isExact ? account.amount! : net,
      charged,
      fee,
      createdMs: this.nowMs,
      senderName: payment.senderName ?? accountNameOf(senderNumber),
      senderNumber,
      senderBank: 'Access Bank',
      narration: payment.narration ?? `Transfer to ${account.holder}`,
    }
  }

  /** The number of the oldest account, if that has expired. */
  #temporaryNumber(count: number): string {
    const oldest = this.#temporary[0]
    if (oldest && oldest.expiresMs! <= this.nowMs) {
      this.#temporary.shift()
      return oldest.number
    }
    return toNuban({ bankCode: '035', serial: `88${String(count).padStart(7, '0')}` })
  }

  #indexAccount(account: FlutterwaveAccount): void {
    const before = this.#byNumber.get(account.number)
    this.#byNumber.set(account.number, account)
    this.#byOrderRef.set(account.orderRef, account)
    if (account.expiresMs === null) return
    // While records are read, a number that was given out again is still in the queue.
    if (before && this.#temporary[0] === before) this.#temporary.shift()
    this.#temporary.push(account)
  }

  #indexTransaction(transaction: FlutterwaveTransaction): void {
    this.#transactions.set(transaction.id, transaction)
    this.#newestByTxRef.set(transaction.txRef, transaction)
  }

  #indexTransfer(transfer: FlutterwaveTransfer): void {
    const key = transfer.reference.toLowerCase()
    this.#transfers.set(transfer.id, transfer)
    this.#transfersByReference.set(key, [...(this.#transfersByReference.get(key) ?? []), transfer])
  }
}

function costMils({ amount, feeMils }: FlutterwaveTransfer): bigint {
  return amount * 10n + feeMils
}

function staticNumber(count: number): string {
  return toNuban({ bankCode: '035', serial: `78${String(count).padStart(7, '0')}` })
}

function toNumber(seed: string): string {
  return (BigInt(`0x${digest(seed).slice(0, 12)}`) % 10_000_000_000n).toString().padStart(10, '0')
}

function digest(text: string): string {
  return hash('sha256', `flutterwave/${text}`).slice(0, 32)
}
