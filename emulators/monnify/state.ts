import { type Bank, nigerianBanks } from '../banks.js'
import type { Clock } from '../clock.js'
import type { Faults } from '../faults.js'
import type { NoticeOutbox } from '../notice-outbox.js'
import type {
  AccountNumber,
  Disbursement,
  MonnifyBooks,
  Refund,
  ReservedAccount,
  TemporaryAccount,
  Transaction,
} from './books.js'
import { toDigits } from './times.js'

/** Some codes of real banks are not numbers. */
export const monnifyBanks: readonly Bank[] = [
  ...nigerianBanks,
  { code: '035A', name: 'ALAT by WEMA' },
  { code: '305', name: 'OPAY 2' },
]

export type MonnifySettings = {
  apiKey: string
  secretKey: string
  contractCode: string
  sourceAccount: string
  /** The sandbox sends notices unsigned, and balances as text. */
  isSandbox: boolean
  /** Reserved accounts need a BVN or NIN, as in live mode. */
  needsIdentity: boolean
  /** Set by Monnify per contract; otherwise too little money is kept as PARTIALLY_PAID. */
  rejectsUnderpayment: boolean
  /** Kobo per payout. */
  payoutFee: bigint
  speed: number
}

/** The books with indexes, and the surroundings that every part of the emulator needs. */
export class MonnifyState {
  readonly temporaryByReference = new Map<string, TemporaryAccount>()
  readonly temporaryByTransaction = new Map<string, TemporaryAccount>()
  readonly reservedByReference = new Map<string, ReservedAccount>()
  /** Numbers of temporary accounts; the one given longest ago comes first. */
  readonly temporaryNumbers = new Map<string, AccountNumber>()
  /** The account that has the number now, or had it last. */
  readonly accountByNumber = new Map<string, TemporaryAccount | ReservedAccount>()
  readonly transactionByReference = new Map<string, Transaction>()
  readonly transactionByPaymentReference = new Map<string, Transaction>()
  readonly disbursementByReference = new Map<string, Disbursement>()
  readonly refundByReference = new Map<string, Refund>()
  /** When a payout of this amount to this account was last accepted. */
  readonly lastPayoutMs = new Map<string, number>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(
    readonly books: MonnifyBooks,
    readonly settings: MonnifySettings,
    readonly surroundings: {
      clock: Clock
      faults: Faults
      outbox: NoticeOutbox
      onChange: () => void
    },
  ) {
    for (const account of books.temporaryAccounts) this.indexTemporary(account)
    for (const account of books.reservedAccounts) this.indexReserved(account)
    for (const transaction of books.transactions) this.indexTransaction(transaction)
    for (const payout of books.disbursements)
      this.disbursementByReference.set(payout.reference, payout)
    for (const refund of books.refunds) this.refundByReference.set(refund.reference, refund)
  }

  get faults(): Faults {
    return this.surroundings.faults
  }

  nowMs(): number {
    return this.surroundings.clock.now().getTime()
  }

  changed(): void {
    this.surroundings.onChange()
  }

  nextNumber(): number {
    this.books.lastNumber += 1
    return this.books.lastNumber
  }

  /** Such as MNFY|04|20211117112842|000170. */
  newTransactionReference(): string {
    const serial = String(this.nextNumber()).padStart(6, '0')
    return `MNFY|04|${toDigits(this.nowMs())}|${serial}`
  }

  addTemporary(account: TemporaryAccount): void {
    this.books.temporaryAccounts.push(account)
    this.indexTemporary(account)
  }

  indexTemporary(account: TemporaryAccount): void {
    this.temporaryByReference.set(account.reference, account)
    this.temporaryByTransaction.set(account.transactionReference, account)
    this.accountByNumber.set(account.accountNumber, account)
    this.temporaryNumbers.delete(account.accountNumber)
    this.temporaryNumbers.set(account.accountNumber, account)
  }

  addReserved(account: ReservedAccount): void {
    this.books.reservedAccounts.push(account)
    this.indexReserved(account)
  }

  indexReserved(account: ReservedAccount): void {
    this.reservedByReference.set(account.reference, account)
    for (const { accountNumber } of account.numbers)
      this.accountByNumber.set(accountNumber, account)
  }

  addTransaction(transaction: Transaction): void {
    this.books.transactions.push(transaction)
    this.indexTransaction(transaction)
  }

  indexTransaction(transaction: Transaction): void {
    this.transactionByReference.set(transaction.reference, transaction)
    this.transactionByPaymentReference.set(transaction.paymentReference, transaction)
  }

  /** Whether a row recorded at this time shows in lists yet. */
  isListed(recordedAtMs: number): boolean {
    return recordedAtMs + this.faults.listDelayMs <= this.nowMs()
  }

  /** Runs after the provider's waiting time, divided by the speed. */
  later(waitMs: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, waitMs / this.settings.speed)
    this.#timers.add(timer)
  }

  stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }
}

export function bankNameOf(code: string): string | undefined {
  return monnifyBanks.find((bank) => bank.code === code)?.name
}
