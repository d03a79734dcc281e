import { createHmac } from 'node:crypto'
import type { OutgoingNotice } from '../notice-outbox.js'
import type { Books, Customer, Refund, Transaction, Transfer } from './books.js'
import { integration, showCustomer, showTransaction, showTransfer, timeText } from './shapes.js'

/** Only INCORRECT_AMOUNT is published; the others are made up. */
export const rejections = {
  amount: { message: 'incorrect amount sent', message_type: 'INCORRECT_AMOUNT' },
  late: { message: 'account has expired', message_type: 'EXPIRED_ACCOUNT' },
  second: { message: 'account has already been paid', message_type: 'DUPLICATE_TRANSFER' },
} as const

export function chargeNotice(books: Books, row: Transaction, now: number): object {
  return { event: 'charge.success', data: showTransaction(books, row, { now, unset: 0 }) }
}

/** Has no reference, and amounts and ids as text. */
export function rejectionNotice(given: {
  transaction: Transaction
  customer: Customer
  amount: bigint
  why: keyof typeof rejections
}): object {
  const { transaction, customer, amount, why } = given
  const bank_transfer = {
    amount: String(amount),
    message: rejections[why].message,
    message_type: rejections[why].message_type,
    transaction_id: String(transaction.id),
  }
  const createdAt = timeText(customer.createdAt)
  return {
    event: 'bank.transfer.rejected',
    data: {
      bank_transfer,
      customer: {
        ...showCustomer(customer),
        domain: 'test',
        integration,
        createdAt,
        updatedAt: createdAt,
      },
    },
  }
}

export function transferNotice(books: Books, row: Transfer): object {
  const isSuccess = row.status === 'success'
  return {
    event: `transfer.${row.status}`,
    data: {
      ...showTransfer(books, row, isSuccess ? 'camel' : 'snake'),
      integration: { id: integration, is_live: true, business_name: 'Emulated Business' },
    },
  }
}

/** The amount is text, but a number if the refund failed or needs attention. */
export function refundNotice(books: Books, row: Refund): object {
  const transaction = books.transactions.find('id', row.transactionId)!
  const { firstName, lastName, email } = books.customers.find('id', transaction.customerId)!
  const isEarly = row.status === 'pending' || row.status === 'processing'
  const isText = isEarly || row.status === 'processed'
  const shared = {
    status: row.status,
    transaction_reference: transaction.reference,
    refund_reference: isEarly ? null : `TRF_${row.id.toString(36)}`,
    amount: isText ? String(row.amount) : Number(row.amount),
    currency: 'NGN',
    processor: 'instant-transfer',
    customer: { first_name: firstName, last_name: lastName, email },
    integration,
    domain: 'test',
  }
  const notes = {
    id: String(row.id),
    customer_note: row.customerNote,
    merchant_note: row.merchantNote,
  }
  const data = row.status === 'needs-attention' ? { ...shared, ...notes } : shared
  return { event: `refund.${row.status}`, data }
}

export function identificationNotice({ id, code, email }: Customer): object {
  return {
    event: 'customeridentification.success',
    data: {
      customer_id: String(id),
      customer_code: code,
      email,
      identification: { country: 'NG', type: 'bvn', value: '200*****677' },
    },
  }
}

/** The signature is over the exact bytes of the body. */
export function signNotice(notice: object, secretKey: string): OutgoingNotice {
  const body = JSON.stringify(notice)
  const signature = createHmac('sha512', secretKey).update(body).digest('hex')
  return { body, headers: { 'x-paystack-signature': signature } }
}
