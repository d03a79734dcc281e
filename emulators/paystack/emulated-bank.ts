import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountNameOf, toNuban } from '../bank-accounts.js'
import { type Clock, hour, minute, second } from '../clock.js'
import type { EmulatedPayment, PaymentResult } from '../emulator.js'
import type { Faults } from '../faults.js'
import { findMagicAccount } from '../magic-accounts.js'
import type { NoticeOutbox } from '../notice-outbox.js'
import type {
  Books,
  Customer,
  DedicatedAccount,
  Recipient,
  Refund,
  RefundStatus,
  Transaction,
  Transfer,
  TransferStatus,
} from './books.js'
import {
  chargeNotice,
  refundNotice,
  rejectionNotice,
  type rejections,
  signNotice,
  transferNotice,
} from './notices.js'

export const expiryBoundsMs = { min: 15 * minute, max: 8 * hour }
const defaultExpiryMs = hour
const transferMs = 2 * second
const refundStepMs = 2 * second
const otpMs = 30 * minute
/** How long an early notice holds the answer back at most. */
const earlyNoticeMs = 2 * second

export type BankParts = {
  books: Books
  clock: Clock
  faults: Faults
  outbox: NoticeOutbox
  speed: number
  /** Called after every change of the books. */
  changed: () => void
}

/** What the provider does, apart from HTTP: it moves money, and sends notices of that. */
export class EmulatedBank {
  readonly books: Books
  readonly #clock: Clock
  readonly #faults: Faults
  readonly #outbox: NoticeOutbox
  readonly #speed: number
  readonly #changed: () => void
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(parts: BankParts) {
    this.books = parts.books
    this.#clock = parts.clock
    this.#faults = parts.faults
    this.#outbox = parts.outbox
    this.#speed = parts.speed
    this.#changed = parts.changed
  }

  now(): number {
    return this.#clock.now().getTime()
  }

  /** Continues what an earlier run had begun. */
  resume(): void {
    for (const transfer of this.books.transfers.rows) this.#process(transfer)
    for (const refund of this.books.refunds.rows) this.#processRefund(refund)
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  /** The customer with this email, who may be known already. */
  findOrCreateCustomer(given: Omit<Customer, 'id' | 'code' | 'isIdentified' | 'createdAt'>) {
    const known = this.books.customers.byKey(given.email)
    if (known !== undefined) return known
    const id = this.books.customers.nextId
    const customer = {
      id,
      code: codeOf('CUS', id),
      email: given.email,
      firstName: given.firstName,
      lastName: given.lastName,
      phone: given.phone,
      isIdentified: false,
      createdAt: this.now(),
    }
    this.#changed()
    return this.books.customers.add(customer)
  }

  /** The expiry is moved into the provider's bounds silently. */
  openTemporary(given: {
    email: string
    amount: bigint
    reference: string
    expiresAt: number | undefined
    metadata: unknown
  }): Transaction {
    const { email, amount, reference, expiresAt, metadata } = given
    const customer = this.findOrCreateCustomer({
      email,
      firstName: null,
      lastName: null,
      phone: null,
    })
    const now = this.now()
    const requested = expiresAt ?? now + defaultExpiryMs
    const id = this.books.transactions.nextId
    const charge = this.books.transactions.add({
      id,
      reference: reference === '' ? codeOf('T', id) : reference,
      channel: 'bank_transfer',
      accountNumber: this.#temporaryNumber(now),
      customerId: customer.id,
      requestedAmount: amount,
      createdAt: now,
      expiresAt: Math.min(Math.max(requested, now + expiryBoundsMs.min), now + expiryBoundsMs.max),
      metadata,
      paid: null,
    })
    this.books.occupy(charge)
    this.#changed()
    return charge
  }

  /** The number that was opened first, if it has expired; otherwise a new one. */
  #temporaryNumber(now: number): string {
    const [oldest] = this.books.temporary.values()
    if (oldest !== undefined && oldest.expiresAt! <= now) return oldest.accountNumber
    const serial = String(126_000_000 + this.books.temporary.size)
    return toNuban({ bankCode: '001', serial })
  }

  /** The customer's account at this bank, which may be assigned already. */
  openDedicated(customer: Customer, bankSlug: string): DedicatedAccount {
    const known = this.books.dedicated.rows.find(
      (row) => row.customerId === customer.id && row.bankSlug === bankSlug && row.isAssigned,
    )
    if (known !== undefined) return known
    const now = this.now()
    const serial = String(993_000_000 + this.books.dedicated.rows.length)
    const name = [customer.firstName, customer.lastName].join(' ').trim()
    this.#changed()
    return this.books.dedicated.add({
      id: this.books.dedicated.nextId,
      customerId: customer.id,
      bankSlug,
      accountName: `EMULATED BUSINESS / ${name}`.toUpperCase(),
      accountNumber: toNuban({ bankCode: '035', serial }),
      isAssigned: true,
      createdAt: now,
      updatedAt: now,
      requeriedAt: null,
    })
  }

  closeDedicated(account: DedicatedAccount): void {
    account.isAssigned = false
    account.updatedAt = this.now()
    this.#changed()
  }

  /** Undefined: no account has this number. */
  receive(payment: EmulatedPayment): PaymentResult | undefined {
    const charge = this.books.temporary.get(payment.accountNumber)
    if (charge !== undefined) return this.#receiveTemporary(charge, payment)
    const account = this.books.dedicated.byKey(payment.accountNumber)
    if (account === undefined) return undefined
    if (!account.isAssigned) return { id: `closed-${account.id}`, result: 'rejected' }
    const id = this.books.transactions.nextId
    const now = this.now()
    const transaction = this.books.transactions.add({
      id,
      reference: codeOf('T', id),
      channel: 'dedicated_nuban',
      accountNumber: account.accountNumber,
      customerId: account.customerId,
      requestedAmount: payment.amount,
      createdAt: now,
      expiresAt: null,
      metadata: undefined,
      paid: null,
    })
    const fees = atMost(30_000n, payment.amount / 100n)
    return this.#accept(transaction, payment, fees)
  }

  /** Wrong, late and second payments go back to the payer. */
  #receiveTemporary(charge: Transaction, payment: EmulatedPayment): PaymentResult {
    const why = judge(charge, payment.amount, this.now())
    if (why === undefined) return this.#accept(charge, payment, temporaryFee(payment.amount))
    const customer = this.books.customers.byId(charge.customerId)!
    const { amount } = payment
    if (!payment.isSilent)
      this.notify(rejectionNotice({ transaction: charge, customer, amount, why }), payment.copies)
    return { id: String(charge.id), result: 'rejected' }
  }

  #accept(transaction: Transaction, payment: EmulatedPayment, fees: bigint): PaymentResult {
    const at = this.now()
    const isDedicated = transaction.channel === 'dedicated_nuban'
    const accountNumber = payment.senderAccountNumber ?? payerNumberOf(transaction.id)
    const name = payment.senderName ?? accountNameOf(accountNumber)
    transaction.paid = {
      at,
      amount: payment.amount,
      fees,
      payer: {
        name,
        accountNumber,
        bankName: isDedicated ? 'First City Monument Bank' : null,
        narration: payment.narration ?? (isDedicated ? `NIP: ${name} -${transaction.id}` : null),
      },
      refunding: 0n,
      refunded: 0n,
    }
    this.books.changeFloat({
      difference: payment.amount - fees,
      reason: '',
      model: 'Transaction',
      row: transaction.id,
      createdAt: at,
    })
    this.#changed()
    if (!payment.isSilent) this.notify(chargeNotice(this.books, transaction, at), payment.copies)
    return { id: String(transaction.id), result: 'received' }
  }

  /** Sends the notices of a dedicated account's payments again. */
  requery(account: DedicatedAccount): void {
    const now = this.now()
    account.requeriedAt = now
    for (const row of this.books.transactions.rows)
      if (row.accountNumber === account.accountNumber)
        this.notify(chargeNotice(this.books, row, now))
  }

  createRecipient(given: { name: string; accountNumber: string; bankCode: string }): Recipient {
    const id = this.books.recipients.nextId
    this.#changed()
    return this.books.recipients.add({
      id,
      code: codeOf('RCP', id),
      name: given.name,
      accountNumber: given.accountNumber,
      bankCode: given.bankCode,
      createdAt: this.now(),
    })
  }

  /** The float covers amount and fee. */
  transfer(given: {
    recipient: Recipient
    amount: bigint
    fee: bigint
    reference: string
    reason: string | null
  }): Transfer {
    const { recipient, amount, fee, reference, reason } = given
    const id = this.books.transfers.nextId
    const createdAt = this.now()
    const magic = findMagicAccount(recipient.accountNumber)
    const transfer = this.books.transfers.add({
      id,
      code: codeOf('TRF', id),
      reference: reference === '' ? codeOf('ref', id).toLowerCase() : reference,
      recipientId: recipient.id,
      amount,
      fee,
      reason,
      status: this.#faults.asksForOtp ? 'otp' : 'pending',
      failure: null,
      isHeld: this.#faults.arePayoutsHeld || magic?.endsAfterMs === null,
      createdAt,
      updatedAt: createdAt,
      transferredAt: null,
    })
    this.books.changeFloat({
      difference: -(amount + fee),
      reason: reason ?? '',
      model: 'Transfer',
      row: id,
      createdAt,
    })
    this.#changed()
    this.#process(transfer)
    return transfer
  }

  /** Ends a transfer after its processing time. Magic account numbers fail or come back. */
  #process(transfer: Transfer): void {
    const { accountNumber } = this.books.recipients.byId(transfer.recipientId)!
    const magic = findMagicAccount(accountNumber)
    const failure = magic?.failureReason ?? undefined
    const reversesAfterMs = magic?.reversesAfterMs ?? undefined
    const isWaiting = transfer.status === 'pending' && !transfer.isHeld
    if (transfer.status === 'otp') this.#later(otpMs, () => this.endTransfer(transfer, 'abandoned'))
    if (isWaiting)
      this.#later(magic?.endsAfterMs ?? transferMs, () => {
        this.endTransfer(transfer, failure === undefined ? 'success' : 'failed', failure)
        this.#process(transfer)
      })
    if (transfer.status === 'success' && reversesAfterMs !== undefined)
      this.#later(reversesAfterMs, () => this.endTransfer(transfer, 'reversed'))
  }

  /** False if the transfer cannot change into this status. */
  endTransfer(transfer: Transfer, status: TransferStatus, failure?: string): boolean {
    const isOpen = transfer.status === 'pending' || transfer.status === 'otp'
    if (status === 'reversed' ? transfer.status !== 'success' : !isOpen) return false
    const now = this.now()
    transfer.status = status
    transfer.updatedAt = now
    transfer.failure = failure ?? null
    if (status === 'success') transfer.transferredAt = now
    else this.#giveBack(transfer)
    this.#changed()
    if (status !== 'abandoned') this.notify(transferNotice(this.books, transfer))
    return true
  }

  #giveBack({ id, amount, fee, updatedAt }: Transfer): void {
    this.books.changeFloat({
      difference: amount + fee,
      reason: 'Reversal',
      model: 'Transfer',
      row: id,
      createdAt: updatedAt,
    })
  }

  /** Two equal calls make two refunds. */
  refund(given: {
    transaction: Transaction
    amount: bigint
    merchantNote: string
    customerNote: string
  }): Refund {
    const { transaction, amount, merchantNote, customerNote } = given
    const id = this.books.refunds.nextId
    const createdAt = this.now()
    transaction.paid!.refunding += amount
    const refund = this.books.refunds.add({
      id,
      transactionId: transaction.id,
      amount,
      merchantNote,
      customerNote,
      status: 'pending',
      isHeld: this.#faults.arePayoutsHeld,
      createdAt,
      updatedAt: createdAt,
    })
    this.books.changeFloat({
      difference: -amount,
      reason: merchantNote,
      model: 'Refund',
      row: id,
      createdAt,
    })
    this.#changed()
    this.notify(refundNotice(this.books, refund))
    this.#processRefund(refund)
    return refund
  }

  #processRefund(refund: Refund): void {
    if (refund.isHeld) return
    if (refund.status === 'pending')
      this.#later(refundStepMs, () => {
        this.changeRefund(refund, 'processing')
        this.#processRefund(refund)
      })
    if (refund.status === 'processing')
      this.#later(refundStepMs, () => this.changeRefund(refund, 'processed'))
  }

  /** False if the refund has ended. */
  changeRefund(refund: Refund, status: RefundStatus): boolean {
    if (refund.status === 'processed' || refund.status === 'failed') return false
    if (refund.status === 'needs-attention' && status === 'processed') return false
    refund.status = status
    refund.updatedAt = this.now()
    const { paid } = this.books.transactions.byId(refund.transactionId)!
    if (status === 'processed') paid!.refunded += refund.amount
    if (status === 'failed') {
      paid!.refunding -= refund.amount
      this.books.changeFloat({
        difference: refund.amount,
        reason: refund.merchantNote,
        model: 'Refund',
        row: refund.id,
        createdAt: refund.updatedAt,
      })
    }
    this.#changed()
    this.notify(refundNotice(this.books, refund))
    return true
  }

  /** The payer's bank account was given: the refund goes on. */
  retryRefund(refund: Refund): void {
    refund.isHeld = this.#faults.arePayoutsHeld
    this.changeRefund(refund, 'processing')
    this.#processRefund(refund)
  }

  notify(notice: object, copies?: number): void {
    const { secretKey } = this.books
    const key = this.#faults.forgesSignature ? `${secretKey}-forged` : secretKey
    this.#outbox.add(signNotice(notice, key), { copies })
  }

  /** With early notices, carries the payout or refund out before the call is answered. */
  async notifyEarly(row: { transfer: Transfer } | { refund: Refund }): Promise<void> {
    if (this.#faults.notices !== 'early') return
    if ('transfer' in row) {
      if (row.transfer.isHeld || !this.endTransfer(row.transfer, 'success')) return
    } else if (row.refund.isHeld || !this.changeRefund(row.refund, 'processed')) return
    const patience = new AbortController()
    const { signal } = patience
    const patienceEnds = sleep(earlyNoticeMs, undefined, { signal }).catch(() => {})
    await Promise.race([this.#outbox.drain(), patienceEnds])
    patience.abort()
  }

  #later(durationMs: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      act()
    }, durationMs / this.#speed)
    timer.unref()
    this.#timers.add(timer)
  }
}

function judge(
  { paid, expiresAt, requestedAmount }: Transaction,
  amount: bigint,
  now: number,
): keyof typeof rejections | undefined {
  if (paid !== null) return 'second'
  if (now >= expiresAt!) return 'late'
  return amount === requestedAmount ? undefined : 'amount'
}

/** 1.5 % and ₦100, waived below ₦2,500, at most ₦2,000. */
function temporaryFee(amount: bigint): bigint {
  const share = (amount * 15n) / 1_000n
  return atMost(200_000n, amount < 250_000n ? share : share + 10_000n)
}

/** ₦10, ₦25 or ₦50. */
export function transferFee(amount: bigint): bigint {
  if (amount <= 500_000n) return 1_000n
  return amount <= 5_000_000n ? 2_500n : 5_000n
}

function atMost(max: bigint, value: bigint): bigint {
  return value < max ? value : max
}

function payerNumberOf(transactionId: number): string {
  return toNuban({
    bankCode: '214',
    serial: String(transactionId % 1_000_000_000).padStart(9, '0'),
  })
}

/** A made-up code, always the same for an id. */
function codeOf(prefix: string, id: number): string {
  const digits = BigInt(`0x${hash('sha256', `${prefix}/${id}`).slice(0, 20)}`)
  return prefix === 'T' ? `T${digits}`.slice(0, 16) : `${prefix}_${digits.toString(36)}`
}
