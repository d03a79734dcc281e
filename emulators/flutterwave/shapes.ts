import { hour } from '../clock.js'
import type {
  FlutterwaveAccount,
  FlutterwaveRefund,
  FlutterwaveTransaction,
  FlutterwaveTransfer,
} from './books.js'
import { milsToNaira, toNaira } from './naira.js'

const merchantId = 2_508_309

/** `POST` and `GET /virtual-account-numbers`. */
export function writeVirtualAccount(account: FlutterwaveAccount) {
  const isStatic = account.expiresMs === null
  return {
    response_code: '02',
    response_message: 'Transaction in progress',
    flw_ref: account.flwRef,
    order_ref: account.orderRef,
    account_number: account.number,
    frequency: isStatic ? 'N/A' : '1',
    bank_name: account.bankName,
    created_at: toZonelessText(account.createdMs),
    expiry_date: account.expiresMs === null ? 'N/A' : toZonelessText(account.expiresMs),
    note: `Please make a bank transfer to ${account.holder}`,
    // Text with two decimals, where the documentation has numbers.
    amount: account.payable === null ? null : toText(account.payable),
  }
}

/** `POST /charges?type=bank_transfer`, under `meta`. */
export function writeChargeAuthorization(account: FlutterwaveAccount) {
  return {
    authorization: {
      transfer_reference: account.flwRef,
      transfer_account: account.number,
      transfer_bank: account.bankName,
      account_expiration: account.expiresMs,
      transfer_note: `Please make a bank transfer to ${account.holder}`,
      transfer_amount: toText(account.payable ?? 0n),
      mode: 'banktransfer',
    },
  }
}

/** `GET /transactions/{id}/verify`. */
export function writeVerified(transaction: FlutterwaveTransaction) {
  return {
    ...writePaid(transaction),
    meta: writeOriginator(transaction),
    amount_settled: toNaira(transaction.charged - transaction.fee),
    customer: writeCustomer(transaction),
  }
}

/** A row of `GET /transactions`: ids are texts there, and the customer is flat. */
export function writeListed(transaction: FlutterwaveTransaction) {
  return {
    ...writePaid(transaction),
    id: String(transaction.id),
    amount_settled: toNaira(transaction.charged - transaction.fee),
    account: { nuban: transaction.senderNumber, bank: transaction.senderBank },
    customer_name: transaction.holder,
    customer_email: transaction.email,
    account_id: String(merchantId),
  }
}

export function writeChargeNotice(transaction: FlutterwaveTransaction) {
  return {
    event: 'charge.completed',
    data: { ...writePaid(transaction), customer: writeCustomer(transaction) },
    meta_data: writeOriginator(transaction),
    'event.type': 'BANK_TRANSFER_TRANSACTION',
  }
}

/** The body of accounts that were created before version 3. */
export function writeOlderChargeNotice(transaction: FlutterwaveTransaction) {
  const { id, name, email, created_at: createdAt } = writeCustomer(transaction)
  return {
    id: transaction.id,
    txRef: transaction.txRef,
    flwRef: transaction.flwRef,
    orderRef: transaction.flwRef,
    paymentPlan: null,
    createdAt: new Date(transaction.createdMs).toISOString(),
    amount: toNaira(transaction.amount),
    charged_amount: toNaira(transaction.charged),
    status: 'successful',
    IP: '::127.0.0.1',
    currency: 'NGN',
    appfee: toNaira(transaction.fee),
    merchantfee: 0,
    merchantbearsfee: 1,
    customer: { id, phone: null, fullName: name, customertoken: null, email, createdAt },
    entity: { account_number: transaction.senderNumber, first_name: name, last_name: 'NA' },
    'event.type': 'BANK_TRANSFER_TRANSACTION',
  }
}

/** `POST /transfers`, `GET /transfers/{id}` and rows of `GET /transfers`. */
export function writeTransfer(transfer: FlutterwaveTransfer, nowMs: number) {
  return {
    id: transfer.id,
    account_number: transfer.number,
    bank_code: transfer.bankCode,
    full_name: transfer.holder,
    created_at: new Date(transfer.createdMs).toISOString(),
    currency: 'NGN',
    debit_currency: 'NGN',
    amount: toNaira(transfer.amount),
    fee: milsToNaira(transfer.feeMils),
    // Made up: Flutterwave does not publish how it shows the duty.
    ...(transfer.stampDuty?.isShown && { stamp_duty: toNaira(transfer.stampDuty.debited) }),
    status: writeStatus(transfer, nowMs),
    reference: transfer.reference,
    meta: null,
    narration: transfer.narration,
    approver: null,
    complete_message: transfer.message,
    requires_approval: transfer.needsApproval ? 1 : 0,
    is_approved: transfer.needsApproval && transfer.state === 'pending' ? 0 : 1,
    bank_name: transfer.bankName,
  }
}

export function writeTransferNotice(transfer: FlutterwaveTransfer, nowMs: number) {
  const { full_name: fullname, ...rest } = writeTransfer(transfer, nowMs)
  return { event: 'transfer.completed', 'event.type': 'Transfer', data: { ...rest, fullname } }
}

const refundStatus = {
  // Flutterwave writes "completed" when the refund has only begun.
  pending: 'completed',
  success: 'completed-bank-transfer',
  failed: 'failed',
  reversed: 'failed',
}

/** `POST /transactions/{id}/refund`, `GET /refunds/{id}` and rows of `GET /refunds`. */
export function writeRefund(refund: FlutterwaveRefund) {
  return {
    id: refund.id,
    account_id: merchantId,
    tx_id: refund.transactionId,
    flw_ref: refund.flwRef,
    wallet_id: 74_639,
    amount_refunded: toNaira(refund.amount),
    status: refundStatus[refund.state],
    destination: 'payment_source',
    comments: refund.comments,
    meta: { source: 'availablebalance' },
    created_at: new Date(refund.createdMs).toISOString(),
  }
}

/** Flat, and without an `event`. */
export function writeRefundNotice(refund: FlutterwaveRefund) {
  return {
    id: refund.id,
    AmountRefunded: toNaira(refund.amount),
    status: refundStatus[refund.state],
    FlwRef: refund.flwRef,
    TransactionId: refund.transactionId,
  }
}

function writePaid(transaction: FlutterwaveTransaction) {
  return {
    id: transaction.id,
    tx_ref: transaction.txRef,
    flw_ref: transaction.flwRef,
    device_fingerprint: 'N/A',
    amount: toNaira(transaction.amount),
    currency: 'NGN',
    charged_amount: toNaira(transaction.charged),
    app_fee: toNaira(transaction.fee),
    merchant_fee: 0,
    processor_response: 'success',
    auth_model: 'AUTH',
    ip: '::127.0.0.1',
    narration: transaction.narration,
    status: 'successful',
    payment_type: 'bank_transfer',
    created_at: new Date(transaction.createdMs).toISOString(),
    account_id: merchantId,
  }
}

/** The sender's number is masked but for its ends. */
function writeOriginator({ senderNumber, senderName, senderBank }: FlutterwaveTransaction) {
  return {
    originatoraccountnumber: `${senderNumber.slice(0, 3)}*******${senderNumber.slice(-2)}`,
    originatorname: senderName,
    bankname: senderBank,
    originatoramount: 'N/A',
  }
}

function writeCustomer({ id, holder, email, createdMs }: FlutterwaveTransaction) {
  return {
    id: id - 1_000_000,
    name: holder,
    phone_number: 'N/A',
    email,
    created_at: new Date(createdMs).toISOString(),
  }
}

function writeStatus({ state, startsMs, needsApproval }: FlutterwaveTransfer, nowMs: number) {
  const ended = { success: 'SUCCESSFUL', failed: 'FAILED', reversed: 'REVERSED' }
  if (state !== 'pending') return ended[state]
  return needsApproval || nowMs < startsMs ? 'NEW' : 'PENDING'
}

/** West Africa Time without a zone, as in 2026-01-05 10:00:00. */
function toZonelessText(timeMs: number): string {
  return new Date(timeMs + hour).toISOString().slice(0, 19).replace('T', ' ')
}

function toText(kobo: bigint): string {
  return `${kobo / 100n}.${String(kobo % 100n).padStart(2, '0')}`
}
