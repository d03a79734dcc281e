import type { AccountNumber, Disbursement, PaymentSource, Refund, Transaction } from './books.js'
import { asNumber, asText } from './json.js'
import { toFractionalTime, toSlashedTime } from './times.js'

/** A sender is one object in a list, one object alone, or an empty object if unknown. */
function sourceInformation(transaction: Transaction): unknown {
  const written = transaction.sources.map(writeSource)
  if (transaction.sources.every(({ accountNumber }) => accountNumber === undefined)) return {}
  const isAlone = written.length === 1 && Number(transaction.reference.slice(-6)) % 4 === 3
  return isAlone ? written[0] : written
}

function writeSource(source: PaymentSource) {
  return {
    bankCode: source.bankCode,
    amountPaid: asNumber(source.amount, 0),
    accountName: source.accountName,
    sessionId: source.sessionId,
    accountNumber: source.accountNumber,
  }
}

export function paymentEvent(transaction: Transaction, settled: bigint) {
  return {
    product: {
      reference: transaction.product.reference,
      type: transaction.product.type,
    },
    transactionReference: transaction.reference,
    paymentReference: transaction.paymentReference,
    paidOn: toFractionalTime(transaction.paidAtMs!),
    paymentDescription: transaction.description,
    metaData: {},
    paymentSourceInformation: sourceInformation(transaction),
    destinationAccountInformation: transaction.receiver ?? {},
    amountPaid: asNumber(transaction.paid, 0),
    totalPayable: asNumber(transaction.expected, 0),
    cardDetails: {},
    paymentMethod: 'ACCOUNT_TRANSFER',
    currency: 'NGN',
    settlementAmount: asText(settled),
    paymentStatus: transaction.status,
    customer: transaction.customer,
  }
}

export function rejectionEvent(
  transaction: Transaction,
  source: PaymentSource,
  receiver: AccountNumber,
) {
  return {
    product: transaction.product,
    amount: asNumber(transaction.expected, 0),
    paymentSourceInformation: writeSource(source),
    transactionReference: transaction.reference,
    created_on: toFractionalTime(transaction.createdAtMs),
    paymentReference: transaction.paymentReference,
    paymentRejectionInformation: {
      bankCode: receiver.bankCode,
      destinationAccountNumber: receiver.accountNumber,
      bankName: receiver.bankName,
      rejectionReason: 'UNDER_PAYMENT',
      expectedAmount: asNumber(transaction.expected, 0),
    },
    paymentDescription: transaction.description,
    customer: transaction.customer,
  }
}

export function disbursementEvent(payout: Disbursement, completedAtMs: number) {
  return {
    transactionReference: payout.transactionReference,
    reference: payout.reference,
    narration: payout.narration,
    currency: 'NGN',
    amount: asNumber(payout.amount, 0),
    status: payout.status,
    fee: asNumber(payout.fee, 0),
    destinationAccountNumber: payout.accountNumber,
    destinationAccountName: payout.accountName,
    destinationBankCode: payout.bankCode,
    sessionId: payout.status === 'FAILED' ? null : payout.sessionId,
    createdOn: toSlashedTime(payout.createdAtMs, 1),
    completedOn: toSlashedTime(completedAtMs, 1),
  }
}

export function refundEvent(refund: Refund) {
  return {
    merchantReason: refund.reason,
    transactionReference: refund.transactionReference,
    completedOn: toSlashedTime(refund.completedAtMs!, 1),
    refundStatus: refund.status,
    customerNote: refund.note,
    createdOn: toSlashedTime(refund.createdAtMs, 1),
    refundReference: refund.reference,
    refundAmount: asNumber(refund.amount),
  }
}
