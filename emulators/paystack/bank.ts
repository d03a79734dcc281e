import { hash } from 'node:crypto'
import { accountNameOf, toNuban } from '../bank-accounts.js'
import { hour, minute, second } from '../clock.js'
import { EmulatedProvider } from '../emulated-provider.js'
import type { EmulatedPayment, PaymentResult } from '../emulator.js'
import { stampDutyOn } from '../faults.js'
import { findMagicAccount } from '../magic-accounts.js'
import type {
  Books,
  Customer,
  DedicatedAccount,
  FloatEntry,
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

const expiryBoundsMs = { min: 15 * minute, max: 8 * hour }
const defaultExpiryMs = hour
const transferMs = 2 * second
const refundStepMs = 2 * second
const otpMs = 30 * minute

/** What Paystack does, apart from HTTP: it opens accounts, moves money and sends notices. */
export class PaystackBank extends EmulatedProvider<Books> {
  /** Continues what an earlier run had begun. */
  resume(): void {
    for (const transfer of this.books.transfers.rows) this.#process(transfer)
    for (const refund of this.books.refunds.rows) this.#processRefund(refund)
  }

  /** The customer with this email, who may be known already. */
  findOrCreateCustomer(
    given: Pick<Customer, 'email' | 'firstName' | 'lastName' | 'phone'>,
  ): Customer {
    const known = this.books.customers.find('email', given.email)
    if (known !== undefined) return known
    const id = this.books.customers.nextId
    this.changed()
    return this.books.customers.add({
      id,
      code: codeOf('CUS', id),
      ...given,
      isIdentified: false,
      createdAt: this.nowMs,
    })
  }

  /** The expiry is moved into the provider's bounds silently. */
  openTemporary(given: {
    email: string
    amount: bigint
    reference: string
    expiresAt: number | undefined
    metadata: unknown
  }): Transaction {
    const { email, amount, reference, metadata } = given
    const names = { firstName: null, lastName: null, phone: null }
    const customer = this.findOrCreateCustomer({ email, ...names })
    const now = this.nowMs
    const requested = given.expiresAt ?? now + defaultExpiryMs
    const id = this.books.transactions.nextId
    this.changed()
    return this.books.transactions.add({
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
  }

  /** The number that was opened first, if it has expired; otherwise a new one. */
  #temporaryNumber(now: number): string {
    const [oldest] = this.books.chargeByNumber.values()
    if (oldest !== undefined && oldest.expiresAt! <= now) return oldest.accountNumber
    const serial = String(126_000_000 + this.books.chargeByNumber.size)
    return toNuban({ bankCode: '001', serial })
  }

  /** The customer's account at this bank, which may be assigned already. */
  openDedicated(customer: Customer, bankSlug: string): DedicatedAccount {
    const known = this.books.dedicated.rows.find(
      (row) => row.customerId === customer.id && row.bankSlug === bankSlug && row.isAssigned,
    )
    if (known !== undefined) return known
    const now = this.nowMs
    const serial = String(993_000_000 + this.books.dedicated.rows.length)
    const name = [customer.firstName, customer.lastName].join(' ').trim()
    this.changed()
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
    account.updatedAt = this.nowMs
    this.changed()
  }

  /** Undefined: no account has this number. */
  receive(payment: EmulatedPayment): PaymentResult | undefined {
    const charge = this.books.chargeByNumber.get(payment.accountNumber)
    if (charge !== undefined) return this.#receiveTemporary(charge, payment)
    const account = this.books.dedicated.find('accountNumber', payment.accountNumber)
    if (account === undefined) return undefined
    if (!account.isAssigned) return { id: `closed-${account.id}`, result: 'rejected' }
    const id = this.books.transactions.nextId
    const transaction = this.books.transactions.add({
      id,
      reference: codeOf('T', id),
      channel: 'dedicated_nuban',
      accountNumber: account.accountNumber,
      customerId: account.customerId,
      requestedAmount: payment.amount,
      createdAt: this.nowMs,
      expiresAt: null,
      metadata: undefined,
      paid: null,
    })
    return this.#accept(transaction, payment, atMost(30_000n, payment.amount / 100n))
  }

  /** Wrong, late and second payments go back to the payer. */
  #receiveTemporary(charge: Transaction, payment: EmulatedPayment): PaymentResult {
    const why = judge(charge, payment.amount, this.nowMs)
    if (why === undefined) return this.#accept(charge, payment, temporaryFee(payment.amount))
    const customer = this.books.customers.find('id', charge.customerId)!
    const { amount } = payment
    this.notify(rejectionNotice({ transaction: charge, customer, amount, why }), payment)
    return { id: String(charge.id), result: 'rejected' }
  }

  #accept(transaction: Transaction, payment: EmulatedPayment, fees: bigint): PaymentResult {
    const { id, channel } = transaction
    const at = this.nowMs
    const isDedicated = channel === 'dedicated_nuban'
    const accountNumber = payment.senderAccountNumber ?? payerNumberOf(id)
    const name = payment.senderName ?? accountNameOf(accountNumber)
    transaction.paid = {
      at,
      amount: payment.amount,
      fees,
      payer: {
        name,
        accountNumber,
        bankName: isDedicated ? 'First City Monument Bank' : null,
        narration: payment.narration ?? (isDedicated ? `NIP: ${name} -${id}` : null),
      },
      refunding: 0n,
      refunded: 0n,
    }
    const difference = payment.amount - fees
    this.#changeFloat({ difference, reason: '', model: 'Transaction', row: id })
    this.notify(chargeNotice(this.books, transaction, at), payment)
    return { id: String(id), result: 'received' }
  }

  setFloat(kobo: bigint): void {
    const difference = kobo - this.books.float
    this.#changeFloat({ difference, reason: '', model: 'Deposit', row: 0 })
  }

  #changeFloat(change: Pick<FloatEntry, 'difference' | 'reason' | 'model' | 'row'>): void {
    this.books.float += change.difference
    this.books.entries.add({
      id: this.books.entries.nextId,
      ...change,
      balance: this.books.float,
      createdAt: this.nowMs,
    })
    this.changed()
  }

  /** Sends the notices of a dedicated account's payments again. */
  requery(account: DedicatedAccount): void {
    const now = this.nowMs
    account.requeriedAt = now
    for (const row of this.books.transactions.rows)
      if (row.accountNumber === account.accountNumber)
        this.notify(chargeNotice(this.books, row, now))
  }

  createRecipient(given: Pick<Recipient, 'name' | 'accountNumber' | 'bankCode'>): Recipient {
    const id = this.books.recipients.nextId
    this.changed()
    return this.books.recipients.add({
      id,
      code: codeOf('RCP', id),
      ...given,
      createdAt: this.nowMs,
    })
  }

  /** The float covers amount, fee and stamp duty. */
  transfer(
    recipient: Recipient,
    given: Pick<Transfer, 'amount' | 'fee' | 'reference' | 'reason'>,
  ): Transfer {
    const { nowMs, faults } = this
    const { amount, fee, reference, reason } = given
    const id = this.books.transfers.nextId
    const magic = findMagicAccount(recipient.accountNumber)
    const stampDuty = stampDutyOn(amount, faults)
    const transfer = this.books.transfers.add({
      id,
      code: codeOf('TRF', id),
      reference: reference === '' ? codeOf('ref', id).toLowerCase() : reference,
      recipientId: recipient.id,
      amount,
      fee,
      stampDuty,
      reason,
      status: faults.asksForOtp ? 'otp' : 'pending',
      failure: null,
      isHeld: faults.arePayoutsHeld || magic?.endsAfterMs === null,
      createdAt: nowMs,
      updatedAt: nowMs,
      transferredAt: null,
    })
    const difference = -(amount + fee + stampDuty.debited)
    this.#changeFloat({ difference, reason: reason ?? '', model: 'Transfer', row: id })
    this.#process(transfer)
    return transfer
  }

  /** Ends a transfer after its processing time. Magic account numbers fail or come back. */
  #process(transfer: Transfer): void {
    const { accountNumber } = this.books.recipients.find('id', transfer.recipientId)!
    const magic = findMagicAccount(accountNumber)
    const failure = magic?.failureReason ?? undefined
    const isWaiting = transfer.status === 'pending' && !transfer.isHeld
    if (transfer.status === 'otp') this.later(otpMs, () => this.endTransfer(transfer, 'abandoned'))
    if (isWaiting)
      this.later(magic?.endsAfterMs ?? transferMs, () => {
        this.endTransfer(transfer, failure === undefined ? 'success' : 'failed', failure)
        this.#process(transfer)
      })
    if (transfer.status === 'success' && magic?.reversesAfterMs != null)
      this.later(magic.reversesAfterMs, () => this.endTransfer(transfer, 'reversed'))
  }

  /** False if the transfer cannot change into this status. */
  endTransfer(transfer: Transfer, status: TransferStatus, failure?: string): boolean {
    const isOpen = transfer.status === 'pending' || transfer.status === 'otp'
    if (status === 'reversed' ? transfer.status !== 'success' : !isOpen) return false
    const { id, amount, fee, stampDuty } = transfer
    const now = this.nowMs
    transfer.status = status
    transfer.updatedAt = now
    transfer.failure = failure ?? null
    if (status === 'success') transfer.transferredAt = now
    else
      this.#changeFloat({
        difference: amount + fee + (stampDuty?.debited ?? 0n),
        reason: 'Reversal',
        model: 'Transfer',
        row: id,
      })
    this.changed()
    if (status !== 'abandoned') this.notify(transferNotice(this.books, transfer))
    return true
  }

  /** Two equal calls make two refunds. */
  refund(
    transaction: Transaction,
    given: Pick<Refund, 'amount' | 'merchantNote' | 'customerNote'>,
  ): Refund {
    const { amount, merchantNote } = given
    const { nowMs, faults } = this
    const id = this.books.refunds.nextId
    transaction.paid!.refunding += amount
    const refund = this.books.refunds.add({
      id,
      transactionId: transaction.id,
      ...given,
      status: 'pending',
      isHeld: faults.arePayoutsHeld,
      createdAt: nowMs,
      updatedAt: nowMs,
    })
    this.#changeFloat({ difference: -amount, reason: merchantNote, model: 'Refund', row: id })
    this.notify(refundNotice(this.books, refund))
    this.#processRefund(refund)
    return refund
  }

  #processRefund(refund: Refund): void {
    if (refund.isHeld) return
    if (refund.status === 'pending')
      this.later(refundStepMs, () => {
        this.changeRefund(refund, 'processing')
        this.#processRefund(refund)
      })
    if (refund.status === 'processing')
      this.later(refundStepMs, () => this.changeRefund(refund, 'processed'))
  }

  /** False if the refund has ended. */
  changeRefund(refund: Refund, status: RefundStatus): boolean {
    if (refund.status === 'processed' || refund.status === 'failed') return false
    if (refund.status === 'needs-attention' && status === 'processed') return false
    const { id, amount, merchantNote: reason } = refund
    refund.status = status
    refund.updatedAt = this.nowMs
    const { paid } = this.books.transactions.find('id', refund.transactionId)!
    if (status === 'processed') paid!.refunded += amount
    if (status === 'failed') {
      paid!.refunding -= amount
      this.#changeFloat({ difference: amount, reason, model: 'Refund', row: id })
    }
    this.changed()
    this.notify(refundNotice(this.books, refund))
    return true
  }

  /** The payer's bank account was given: the refund goes on. */
  retryRefund(refund: Refund): void {
    refund.isHeld = this.faults.arePayoutsHeld
    this.changeRefund(refund, 'processing')
    this.#processRefund(refund)
  }

  notify(notice: object, payment?: EmulatedPayment): void {
    const { secretKey } = this.books
    const key = this.faults.forgesSignature ? `${secretKey}-forged` : secretKey
    this.send(signNotice(notice, key), payment)
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
