import type { ProviderAnswer, ProviderRoutes } from '../http-server.js'
import { refuse, succeed, succeedWithPage } from './answers.js'
import type { MonnifyBank } from './bank.js'
import type { PaymentSource, Transaction } from './books.js'
import { asNumber, asText } from './json.js'
import { toFractionalTime, toListedTime, toSlashedTime } from './times.js'

export function transactionRoutes(bank: MonnifyBank): ProviderRoutes {
  const { transactions } = bank.books
  return {
    'GET /api/v2/transactions/:reference': ({ segment }) =>
      answerOne(bank, transactions.find('reference', segment)),
    'GET /api/v2/merchant/transactions/query': ({ query }) => {
      const reference = query.get('transactionReference')
      return answerOne(
        bank,
        reference === null
          ? transactions.find('paymentReference', query.get('paymentReference') ?? '')
          : transactions.find('reference', reference),
      )
    },
    'GET /api/v1/transactions/search': ({ query }) => search(bank, query),
  }
}

function answerOne(bank: MonnifyBank, transaction: Transaction | undefined): ProviderAnswer {
  if (transaction) return succeed(write(bank, transaction))
  const message = "There's no transaction matching supplied reference."
  return refuse(404, '99', `${message} Please confirm the supplied reference and try again.`)
}

/** The payer is masked; session and receiving account are only in the notice. */
function write(bank: MonnifyBank, transaction: Transaction) {
  const accountPayments = transaction.sources.map(writeMasked)
  return {
    transactionReference: transaction.reference,
    paymentReference: transaction.paymentReference,
    amountPaid: asText(transaction.paid),
    totalPayable: asText(transaction.expected),
    settlementAmount: transaction.paid > 0n ? asText(bank.settledOf(transaction)) : null,
    paidOn: paidOn(transaction),
    paymentStatus: transaction.status,
    paymentDescription: transaction.description,
    currency: 'NGN',
    paymentMethod: 'ACCOUNT_TRANSFER',
    product: transaction.product,
    cardDetails: null,
    accountDetails: accountPayments.at(-1) ?? null,
    accountPayments,
    customer: transaction.customer,
    metaData: {},
  }
}

/** The format depends on the product. */
function paidOn({ product, paidAtMs }: Transaction): string | null {
  if (paidAtMs === undefined) return null
  const isReserved = product.type === 'RESERVED_ACCOUNT'
  return isReserved ? toFractionalTime(paidAtMs) : toSlashedTime(paidAtMs, 2)
}

function writeMasked({ bankCode, amount, accountName, accountNumber }: PaymentSource) {
  return {
    bankCode,
    amountPaid: asText(amount),
    accountName,
    accountNumber: accountNumber && `******${accountNumber.slice(-4)}`,
  }
}

/**
 * From and to, in milliseconds, apply to the creation of a transaction: an invoice that is paid
 * hours later is listed by when it was made. `amount` is the requested amount.
 */
function search(bank: MonnifyBank, query: URLSearchParams): ProviderAnswer {
  const from = Number(query.get('from') ?? 0)
  const to = Number(query.get('to') ?? Number.MAX_SAFE_INTEGER)
  const wanted = query.get('paymentStatus')
  const rows = bank.books.transactions.rows.filter(
    ({ createdAtMs, paidAtMs, status }) =>
      createdAtMs >= from &&
      createdAtMs <= to &&
      (wanted === null || status === wanted) &&
      bank.isListed(paidAtMs ?? createdAtMs),
  )
  return succeedWithPage(query, rows, writeFound)
}

function writeFound(transaction: Transaction) {
  const { status, createdAtMs, paidAtMs } = transaction
  return {
    ...writeRow(transaction),
    createdOn: toListedTime(createdAtMs),
    ...(paidAtMs !== undefined && { completedOn: toListedTime(paidAtMs) }),
    completed: status === 'PAID' || status === 'OVERPAID',
    paymentMethodList: ['ACCOUNT_TRANSFER'],
    collectionChannel: transaction.product.type,
  }
}

/** What the lists of transactions have in common. */
export function writeRow(transaction: Transaction) {
  return {
    customerDTO: transaction.customer,
    paymentMethod: 'ACCOUNT_TRANSFER',
    amount: asNumber(transaction.expected),
    currencyCode: 'NGN',
    paymentDescription: transaction.description,
    paymentStatus: transaction.status,
    transactionReference: transaction.reference,
    paymentReference: transaction.paymentReference,
    merchantName: 'Emulated Merchant',
  }
}
