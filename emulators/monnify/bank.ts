import { createHmac } from 'node:crypto'
import { accountNameOf, sessionIdOf, toNuban } from '../bank-accounts.js'
import { type Bank, nigerianBanks } from '../banks.js'
import { second } from '../clock.js'
import { EmulatedProvider } from '../emulated-provider.js'
import type { EmulatedPayment, EmulatorOptions, PaymentResult } from '../emulator.js'
import type {
  Disbursement,
  MonnifyBooks,
  PaymentSource,
  Refund,
  ReservedAccount,
  TemporaryAccount,
  Transaction,
} from './books.js'
import { toJson } from './json.js'
import { disbursementEvent, paymentEvent, refundEvent, rejectionEvent } from './notices.js'
import { toDigits } from './times.js'

/** Some codes of real banks are not numbers. */
export const monnifyBanks: readonly Bank[] = [
  ...nigerianBanks,
  { code: '035A', name: 'ALAT by WEMA' },
  { code: '305', name: 'OPAY 2' },
]
const sendingBanks = nigerianBanks.filter(({ code }) => code.length === 3)

const payoutMs = 5 * second
const refundMs = 10 * second

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
  /** Kobo per payment, which Monnify settles less. */
  collectionFee: bigint
}

type Opened = {
  books: MonnifyBooks
  settings: MonnifySettings
  retryPausesMs: number[]
}

/** What Monnify does, apart from HTTP: it receives and sends money, with notices. */
export class MonnifyBank extends EmulatedProvider<MonnifyBooks> {
  readonly settings: MonnifySettings

  constructor(options: EmulatorOptions, { books, settings, retryPausesMs }: Opened) {
    super(options, books, retryPausesMs)
    this.settings = settings
  }

  /** Continues what an earlier run had begun. */
  resume(): void {
    for (const payout of this.books.disbursements.rows) this.#processPayout(payout)
    for (const refund of this.books.refunds.rows) this.#processRefund(refund)
  }

  /** Such as MNFY|04|20211117112842|000170. */
  newTransactionReference(): string {
    const serial = String(this.books.nextNumber()).padStart(6, '0')
    return `MNFY|04|${toDigits(this.nowMs)}|${serial}`
  }

  /** A payer sends money to an account number. Undefined: no account ever had it. */
  receive(payment: EmulatedPayment): PaymentResult | undefined {
    const temporary = this.books.temporaryByNumber.get(payment.accountNumber)
    if (temporary) return this.#payTemporary(temporary, payment, this.#sourceOf(payment))
    const reserved = this.books.reservedAccounts.rows.find(({ numbers }) =>
      numbers.some(({ accountNumber }) => accountNumber === payment.accountNumber),
    )
    return reserved && this.#payReserved(reserved, payment, this.#sourceOf(payment))
  }

  #payReserved(
    account: ReservedAccount,
    payment: EmulatedPayment,
    source: PaymentSource,
  ): PaymentResult {
    const reference = this.newTransactionReference()
    if (account.isDeleted) return { id: reference, result: 'rejected' }
    const { accountNumber, amount, narration } = payment
    const transaction = this.books.transactions.add({
      reference,
      paymentReference: reference,
      product: { type: 'RESERVED_ACCOUNT', reference: account.reference },
      receiver: account.numbers.find((number) => number.accountNumber === accountNumber),
      expected: amount,
      paid: amount,
      status: 'PAID',
      description: narration ?? account.name.slice(0, 3),
      customer: account.customer,
      sources: [source],
      createdAtMs: this.nowMs,
      paidAtMs: this.nowMs,
    })
    return this.#announce(transaction, payment)
  }

  /** Late and second payments are bounced by the bank without a notice. */
  #payTemporary(
    account: TemporaryAccount,
    payment: EmulatedPayment,
    source: PaymentSource,
  ): PaymentResult {
    const transaction = this.books.transactions.find('reference', account.transactionReference)!
    const isOpen = transaction.status === 'PENDING' || transaction.status === 'PARTIALLY_PAID'
    const isLate = account.isCancelled || this.nowMs >= account.expiresAtMs
    const paid = transaction.paid + payment.amount
    const isTooLittle = paid < transaction.expected && this.settings.rejectsUnderpayment
    if (isOpen && !isLate && isTooLittle) {
      const event = rejectionEvent(transaction, source, transaction.receiver!)
      this.#sendNotice('REJECTED_PAYMENT', event, payment)
    }
    if (!isOpen || isLate || isTooLittle) return { id: transaction.reference, result: 'rejected' }
    transaction.paid = paid
    transaction.sources.push(source)
    transaction.paidAtMs = this.nowMs
    transaction.status = statusOf(transaction)
    return this.#announce(transaction, payment)
  }

  #announce(transaction: Transaction, payment: EmulatedPayment): PaymentResult {
    this.changed()
    this.#sendNotice(
      'SUCCESSFUL_TRANSACTION',
      paymentEvent(transaction, this.settledOf(transaction)),
      payment,
    )
    return { id: transaction.reference, result: 'received' }
  }

  /** What Monnify pays to its customer: the payment less its fee. */
  settledOf({ paid }: Transaction): bigint {
    const { collectionFee } = this.settings
    return paid > collectionFee ? paid - collectionFee : 0n
  }

  /** Every third sender has no bank code; an empty account number makes the sender unknown. */
  #sourceOf({ amount, senderName, senderAccountNumber }: EmulatedPayment): PaymentSource {
    const number = this.books.nextNumber()
    const bank = sendingBanks[number % sendingBanks.length]!
    const serial = String(number % 1_000_000_000).padStart(9, '0')
    const accountNumber = senderAccountNumber ?? toNuban({ bankCode: bank.code, serial })
    return {
      bankCode: number % 3 === 0 ? '' : bank.code,
      accountName: senderName ?? accountNameOf(accountNumber),
      accountNumber: accountNumber === '' ? undefined : accountNumber,
      sessionId: sessionIdOf(`monnify/${number}`, this.nowMs, bank.code),
      amount,
    }
  }

  addPayout(payout: Disbursement): void {
    this.books.float -= costOf(payout)
    this.books.disbursements.add(payout)
    this.changed()
    this.#processPayout(payout)
  }

  /** Ends by itself after a while, unless payouts are held at that time. */
  #processPayout(payout: Disbursement): void {
    if (payout.status === 'PENDING') this.later(payoutMs, () => this.processPayout(payout))
  }

  processPayout(payout: Disbursement): void {
    if (payout.status === 'PENDING' && !this.faults.arePayoutsHeld)
      this.endPayout(payout, 'SUCCESS')
  }

  endPayout(payout: Disbursement, status: 'SUCCESS' | 'FAILED'): boolean {
    if (payout.status !== 'PENDING' && payout.status !== 'PENDING_AUTHORIZATION') return false
    payout.status = status
    payout.completedAtMs = this.nowMs
    if (status === 'FAILED') this.books.float += costOf(payout)
    this.changed()
    const eventType = status === 'SUCCESS' ? 'SUCCESSFUL_DISBURSEMENT' : 'FAILED_DISBURSEMENT'
    this.#sendNotice(eventType, disbursementEvent(payout, this.nowMs))
    return true
  }

  /** The amount comes back; the fee of the transfer does not. */
  reversePayout(payout: Disbursement): boolean {
    if (payout.status !== 'SUCCESS') return false
    payout.status = 'REVERSED'
    this.books.float += payout.amount
    this.changed()
    this.#sendNotice('REVERSED_DISBURSEMENT', disbursementEvent(payout, this.nowMs))
    return true
  }

  addRefund(refund: Refund): void {
    this.books.float -= refund.amount
    this.books.refunds.add(refund)
    this.changed()
    this.#processRefund(refund)
  }

  #processRefund(refund: Refund): void {
    if (refund.status !== 'PENDING') return
    this.later(refundMs, () => {
      if (!this.faults.arePayoutsHeld) this.endRefund(refund, 'COMPLETED')
    })
  }

  endRefund(refund: Refund, status: 'COMPLETED' | 'FAILED'): boolean {
    if (refund.status !== 'PENDING') return false
    refund.status = status
    refund.completedAtMs = this.nowMs
    if (status === 'FAILED') this.books.float += refund.amount
    this.changed()
    const eventType = status === 'COMPLETED' ? 'SUCCESSFUL_REFUND' : 'FAILED_REFUND'
    this.#sendNotice(eventType, refundEvent(refund))
    return true
  }

  #sendNotice(eventType: string, eventData: object, payment?: EmulatedPayment): void {
    const { isSandbox, secretKey } = this.settings
    const body = toJson({ eventType, eventData })
    const key = this.faults.forgesSignature ? `not ${secretKey}` : secretKey
    const signature = createHmac('sha512', key).update(body).digest('hex')
    this.send({ body, headers: isSandbox ? {} : { 'monnify-signature': signature } }, payment)
  }
}

function statusOf({ paid, expected }: Transaction): Transaction['status'] {
  if (paid < expected) return 'PARTIALLY_PAID'
  return paid > expected ? 'OVERPAID' : 'PAID'
}

export function bankNameOf(code: string): string | undefined {
  return monnifyBanks.find((bank) => bank.code === code)?.name
}

/** An account that exists, or undefined. No bank has the number 0000000000. */
export function holderOf(bankCode: string, accountNumber: string): string | undefined {
  if (bankNameOf(bankCode) === undefined) return undefined
  if (!/^\d{10}$/.test(accountNumber) || accountNumber === '0000000000') return undefined
  return accountNameOf(accountNumber)
}

function costOf({ amount, fee, stampDuty }: Disbursement): bigint {
  return amount + fee + (stampDuty?.debited ?? 0n)
}
