import { hash } from 'node:crypto'
import { accountNameOf, toNuban } from '../bank-accounts.js'
import { second } from '../clock.js'
import { EmulatedProvider } from '../emulated-provider.js'
import type { EmulatedPayment, PaymentResult } from '../emulator.js'
import { stampDutyOn } from '../faults.js'
import { findBank } from './banks.js'
import type {
  FlutterwaveAccount,
  FlutterwaveBooks,
  FlutterwaveRefund,
  FlutterwaveTransaction,
  FlutterwaveTransfer,
} from './books.js'
import { collectionFee, transferFeeMils } from './naira.js'
import {
  writeChargeNotice,
  writeOlderChargeNotice,
  writeRefundNotice,
  writeTransferNotice,
} from './shapes.js'

export const webhookSecret = 'emulated-flutterwave-secret-hash'

const processingMs = 5 * second
const refundMs = 10 * second

export type Opening = Pick<FlutterwaveAccount, 'txRef' | 'email' | 'holder' | 'amount'> & {
  /** Null for a static account. */
  lifetimeMs: number | null
}

export type TransferOrder = Pick<
  FlutterwaveTransfer,
  'reference' | 'bankCode' | 'number' | 'amount' | 'narration'
>

/** What Flutterwave does, apart from HTTP: it opens accounts, moves money and sends notices. */
export class FlutterwaveBank extends EmulatedProvider<FlutterwaveBooks> {
  /** Whether the fee is added to what payers must transfer. A setting of the dashboard. */
  feesPaidBy: 'merchant' | 'payer' = 'merchant'
  noticeShape: 'current' | 'older' = 'current'

  /** Continues what an earlier run had begun. */
  resume(): void {
    for (const transfer of this.books.transfers.rows) this.#processLater(transfer)
    for (const refund of this.books.refunds.rows) this.#processRefundLater(refund)
  }

  /** A repeated reference opens another account: Flutterwave does not compare references. */
  openAccount({ txRef, email, holder, amount, lifetimeMs }: Opening): FlutterwaveAccount {
    const { nowMs, faults } = this
    const count = this.books.accounts.nextId
    const isCharged = amount !== null && this.feesPaidBy === 'payer'
    this.changed()
    return this.books.accounts.add({
      txRef,
      orderRef: `URF_${nowMs}_${count}35`,
      flwRef: `FLW-${digest(`account/${count}`)}`,
      number: lifetimeMs === null ? nubanOf('78', count) : this.#temporaryNumber(count),
      bankName: faults.accountBank ?? 'WEMA BANK',
      holder,
      email,
      amount,
      payable: isCharged ? amount + collectionFee(amount) : amount,
      createdMs: nowMs,
      expiresMs: lifetimeMs === null ? null : nowMs + lifetimeMs,
      isPaid: false,
      isActive: true,
    })
  }

  /** The number of the oldest account, if that has expired. */
  #temporaryNumber(count: number): string {
    const [oldest] = this.books.temporaryByNumber.values()
    const isFree = oldest && oldest.expiresMs! <= this.nowMs
    return isFree ? oldest.number : nubanOf('88', count)
  }

  /**
   * A temporary account takes one payment, of any amount, before it expires. Undefined: no account
   * has this number. A number that was given out again belongs to its newest account.
   */
  receive(payment: EmulatedPayment): PaymentResult | undefined {
    const account = this.books.accounts.find('number', payment.accountNumber)
    if (!account) return undefined
    const isTemporary = account.expiresMs !== null
    const isLate = isTemporary && this.nowMs >= account.expiresMs!
    this.changed()
    if (!account.isActive || isLate || (isTemporary && account.isPaid)) {
      this.books.rejections += 1
      return { id: `rejected-${this.books.rejections}`, result: 'rejected' }
    }
    account.isPaid = true
    const transaction = this.#addTransaction(account, payment)
    this.sendChargeNotice(transaction, payment)
    return { id: String(transaction.id), result: 'received' }
  }

  #addTransaction(account: FlutterwaveAccount, payment: EmulatedPayment): FlutterwaveTransaction {
    const { amount: charged } = payment
    const id = this.books.transactions.nextId
    const isExact = charged === account.payable && account.amount !== null
    const fee = collectionFee(isExact ? account.amount! : charged)
    const net = this.feesPaidBy === 'payer' ? charged - fee : charged
    const senderNumber = payment.senderAccountNumber ?? toNumber(`sender/${id}`)
    return this.books.transactions.add({
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
    })
  }

  addTransfer(order: TransferOrder): FlutterwaveTransfer {
    const { nowMs, speed, faults } = this
    const transfer = this.books.transfers.add({
      id: this.books.transfers.nextId,
      ...order,
      bankName: findBank(order.bankCode)!.name.toUpperCase(),
      holder: accountNameOf(order.number),
      feeMils: transferFeeMils(order.amount),
      stampDuty: stampDutyOn(order.amount, faults),
      createdMs: nowMs,
      startsMs: nowMs + processingMs / speed / 2,
      state: 'pending',
      message: '',
      needsApproval: faults.asksForOtp,
    })
    this.changed()
    this.#processLater(transfer)
    return transfer
  }

  #processLater(transfer: FlutterwaveTransfer): void {
    if (transfer.state === 'pending') this.later(processingMs, () => this.processTransfer(transfer))
  }

  /** What happens to a transfer without `settle`. */
  processTransfer(transfer: FlutterwaveTransfer): void {
    if (transfer.needsApproval || this.faults.arePayoutsHeld) return
    // References of Flutterwave's test mode that make a transfer fail.
    if (/_PMCK_ST_F(DU_\d+)?$/.test(transfer.reference))
      this.endTransfer(transfer, 'failed', 'Transfer failed. Please try again')
    else if (this.books.floatMils < costMils(transfer))
      this.endTransfer(transfer, 'failed', 'Insufficient funds in customer wallet')
    else this.endTransfer(transfer, 'success')
  }

  /** A successful transfer is debited with its fee. False if it has ended. */
  endTransfer(
    transfer: FlutterwaveTransfer,
    state: 'success' | 'failed',
    failure = 'Declined',
  ): boolean {
    if (transfer.state !== 'pending') return false
    transfer.state = state
    const isSuccess = state === 'success'
    transfer.message = isSuccess ? 'Transaction was successful' : `DISBURSE FAILED: ${failure}`
    if (isSuccess) this.books.floatMils -= costMils(transfer)
    this.changed()
    this.#send(writeTransferNotice(transfer, this.nowMs))
    return true
  }

  /** The amount comes back, the fee does not. Flutterwave sends no notice of a reversal. */
  reverseTransfer(transfer: FlutterwaveTransfer): void {
    transfer.state = 'reversed'
    transfer.message = 'Transfer reversed by the beneficiary bank'
    this.books.floatMils += transfer.amount * 10n
    this.changed()
  }

  addRefund(
    { id: transactionId, flwRef }: FlutterwaveTransaction,
    amount: bigint,
    comments: string,
  ): FlutterwaveRefund {
    const refund = this.books.refunds.add({
      id: this.books.refunds.nextId,
      transactionId,
      flwRef,
      amount,
      comments,
      createdMs: this.nowMs,
      state: 'pending',
    })
    this.changed()
    this.#processRefundLater(refund)
    return refund
  }

  #processRefundLater(refund: FlutterwaveRefund): void {
    if (refund.state === 'pending') this.later(refundMs, () => this.processRefund(refund))
  }

  processRefund(refund: FlutterwaveRefund): void {
    if (refund.state === 'pending' && !this.faults.arePayoutsHeld) this.endRefund(refund, 'success')
  }

  endRefund(refund: FlutterwaveRefund, state: 'success' | 'failed' | 'reversed'): void {
    if (state === 'success') this.books.floatMils -= refund.amount * 10n
    if (state === 'reversed') this.books.floatMils += refund.amount * 10n
    refund.state = state
    this.changed()
    this.#send(writeRefundNotice(refund))
  }

  sendChargeNotice(transaction: FlutterwaveTransaction, payment?: EmulatedPayment): void {
    const write = this.noticeShape === 'older' ? writeOlderChargeNotice : writeChargeNotice
    this.#send(write(transaction), payment)
  }

  /** The secret itself is the signature; it does not depend on the body. */
  #send(notice: object, payment?: EmulatedPayment): void {
    const signature = this.faults.forgesSignature ? 'forged' : webhookSecret
    const headers = { 'verif-hash': signature }
    this.send({ body: JSON.stringify(notice), headers }, payment)
  }
}

function costMils({ amount, feeMils, stampDuty }: FlutterwaveTransfer): bigint {
  return (amount + (stampDuty?.debited ?? 0n)) * 10n + feeMils
}

function nubanOf(start: string, count: number): string {
  return toNuban({ bankCode: '035', serial: start + String(count).padStart(7, '0') })
}

function toNumber(seed: string): string {
  return (BigInt(`0x${digest(seed).slice(0, 12)}`) % 10_000_000_000n).toString().padStart(10, '0')
}

function digest(text: string): string {
  return hash('sha256', `flutterwave/${text}`).slice(0, 32)
}
