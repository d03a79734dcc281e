import { toNuban } from '../bank-accounts.js'
import { day, minute, second } from '../clock.js'
import { takeFault } from '../faults.js'
import type { Fields } from '../fields.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoutes } from '../http-server.js'
import { refuse, refuseMissing, succeed, succeedWithPage } from './answers.js'
import type { MonnifyBank } from './bank.js'
import type { AccountNumber, TemporaryAccount, Transaction } from './books.js'
import { asNumber } from './json.js'
import { readSpacedTime, toSpacedTime, toZonelessTime } from './times.js'

const amountMin = 20_00n
const checkoutMs = 40 * minute
/** About six months. */
const expiryMaxMs = 183 * day

const unknownInvoice = refuse(404, '99', 'Invoice with the specified reference does not exist.')

/** Invoices with an expiry of the caller's choice, and checkout accounts for forty minutes. */
export function temporaryAccountRoutes(bank: MonnifyBank): ProviderRoutes {
  return {
    'POST /api/v1/invoice/create': (request) => createInvoice(bank, request),
    'GET /api/v1/invoice/all': ({ query }) => {
      const invoices = bank.books.temporaryAccounts.rows.filter(
        ({ kind, createdAtMs }) => kind === 'invoice' && bank.isListed(createdAtMs),
      )
      return succeedWithPage(query, invoices, (invoice) => writeInvoice(bank, invoice))
    },
    'GET /api/v1/invoice/:reference/details': ({ segment }) => {
      const invoice = findInvoice(bank, segment)
      return invoice ? succeed(writeInvoice(bank, invoice)) : unknownInvoice
    },
    'DELETE /api/v1/invoice/:reference/cancel': ({ segment }) => cancelInvoice(bank, segment),
    'POST /api/v1/merchant/transactions/init-transaction': (request) =>
      startTransaction(bank, request),
    'POST /api/v1/merchant/bank-transfer/init-payment': (request) =>
      openCheckoutAccount(bank, request),
  }
}

function createInvoice(bank: MonnifyBank, { fields }: ProviderRequest): ProviderAnswer {
  const names = [
    'currencyCode',
    'invoiceReference',
    'customerName',
    'customerEmail',
    'contractCode',
    'description',
    'expiryDate',
  ]
  const refusal = refuseMissing(fields, names) ?? refuseOffer(bank, fields)
  if (refusal) return refusal
  const expiresAtMs = readSpacedTime(fields.textOnly('expiryDate'))
  if (expiresAtMs === undefined) return refuse(400, '99', 'Invalid invoice expiry date format')
  const nowMs = bank.nowMs
  if (expiresAtMs <= nowMs) return refuse(400, '99', 'Invalid invoice expiry date.')
  if (expiresAtMs > nowMs + expiryMaxMs)
    return refuse(400, '99', 'Invoice expiry date is after system limit.')
  const reference = fields.textOnly('invoiceReference')
  if (bank.books.transactions.find('paymentReference', reference))
    return refuse(422, '99', 'Invoice with this reference already exists.')

  const transaction = addPending(bank, { type: 'INVOICE', reference }, fields)
  const invoice = addAccount(bank, transaction, { kind: 'invoice', expiresAtMs })
  if (takeFault(bank.faults, 'lostOpenings')) return 'lost'
  return succeed(writeInvoice(bank, invoice))
}

function startTransaction(bank: MonnifyBank, { fields }: ProviderRequest): ProviderAnswer {
  const names = ['customerEmail', 'paymentReference', 'currencyCode', 'contractCode']
  const refusal = refuseMissing(fields, names) ?? refuseOffer(bank, fields)
  if (refusal) return refusal
  const reference = fields.textOnly('paymentReference')
  if (bank.books.transactions.find('paymentReference', reference))
    return refuse(422, '99', 'Duplicate payment reference')
  const transaction = addPending(bank, { type: 'API_NOTIFICATION', reference }, fields)
  return succeed({
    transactionReference: transaction.reference,
    paymentReference: reference,
    merchantName: 'Emulated Merchant',
    apiKey: bank.settings.apiKey,
    redirectUrl: null,
    enabledPaymentMethod: ['ACCOUNT_TRANSFER'],
    checkoutUrl: `https://sandbox.sdk.monnify.com/checkout/${transaction.reference}`,
  })
}

function openCheckoutAccount(bank: MonnifyBank, { fields }: ProviderRequest): ProviderAnswer {
  const reference = fields.textOnly('transactionReference')
  const transaction = bank.books.transactions.find('reference', reference)
  if (transaction?.product.type !== 'API_NOTIFICATION')
    return refuse(404, '99', 'Could not find transaction with the specified transaction reference')
  const nowMs = bank.nowMs
  const account =
    bank.books.temporaryAccounts.find('transactionReference', reference) ??
    addAccount(bank, transaction, { kind: 'checkout', expiresAtMs: nowMs + checkoutMs })
  if (takeFault(bank.faults, 'lostOpenings')) return 'lost'
  return succeed({
    accountNumber: account.accountNumber,
    accountName: account.description,
    bankName: account.bankName,
    bankCode: account.bankCode,
    accountDurationSeconds: checkoutMs / second,
    ussdPayment: null,
    requestTime: `${toZonelessTime(nowMs)}.596774984`,
    expiresOn: toZonelessTime(account.expiresAtMs),
    transactionReference: reference,
    paymentReference: transaction.paymentReference,
    amount: asNumber(transaction.expected),
    fee: asNumber(0n),
    totalPayable: asNumber(transaction.expected),
    collectionChannel: 'API_NOTIFICATION',
  })
}

function refuseOffer(bank: MonnifyBank, fields: Fields): ProviderAnswer | undefined {
  if (fields.textOnly('contractCode') !== bank.settings.contractCode)
    return refuse(400, '99', 'Unknown Contract Code provided.')
  if (fields.textOnly('currencyCode') !== 'NGN')
    return refuse(400, '99', 'Unknown currency code supplied')
  const amount = fields.naira('amount')
  if (amount === undefined || amount < amountMin)
    return refuse(400, '99', 'Amount must be greater than 20.')
  return undefined
}

/** An invoice has its transaction from the start; the reference is also the payment's. */
function addPending(
  bank: MonnifyBank,
  product: Transaction['product'],
  fields: Fields,
): Transaction {
  bank.changed()
  return bank.books.transactions.add({
    reference: bank.newTransactionReference(),
    paymentReference: product.reference,
    product,
    receiver: undefined,
    expected: fields.naira('amount')!,
    paid: 0n,
    status: 'PENDING',
    description:
      fields.textOnly('description') || fields.textOnly('paymentDescription') || 'Payment',
    customer: { name: fields.textOnly('customerName'), email: fields.textOnly('customerEmail') },
    sources: [],
    createdAtMs: bank.nowMs,
    paidAtMs: undefined,
  })
}

function addAccount(
  bank: MonnifyBank,
  transaction: Transaction,
  { kind, expiresAtMs }: Pick<TemporaryAccount, 'kind' | 'expiresAtMs'>,
): TemporaryAccount {
  const number = takeNumber(bank)
  transaction.receiver = number
  bank.changed()
  return bank.books.temporaryAccounts.add({
    ...number,
    kind,
    reference: transaction.paymentReference,
    transactionReference: transaction.reference,
    expected: transaction.expected,
    description: transaction.description,
    customer: transaction.customer,
    createdAtMs: bank.nowMs,
    expiresAtMs,
    isCancelled: false,
  })
}

/** How many of the oldest numbers are tried before a new one is made. */
const triesMax = 8

/** A number is given to another account once its account has expired. */
function takeNumber({ books, nowMs, faults }: MonnifyBank): AccountNumber {
  const opened = books.temporaryByNumber.values()
  for (let tries = 0; tries < triesMax; tries += 1) {
    const oldest = opened.next().value
    if (oldest && oldest.expiresAtMs <= nowMs) return numberOf(oldest)
  }
  const serial = String(100_000_000 + books.temporaryByNumber.size + 1)
  const accountNumber = toNuban({ bankCode: '035', serial })
  const { accountBank } = faults
  if (accountBank !== null) return { bankCode: '', bankName: accountBank, accountNumber }
  return { bankCode: '035', bankName: 'Wema bank', accountNumber }
}

function numberOf({ bankCode, bankName, accountNumber }: AccountNumber): AccountNumber {
  return { bankCode, bankName, accountNumber }
}

function findInvoice(bank: MonnifyBank, reference: string): TemporaryAccount | undefined {
  const found = bank.books.temporaryAccounts.find('reference', reference)
  return found?.kind === 'invoice' ? found : undefined
}

function cancelInvoice(bank: MonnifyBank, reference: string): ProviderAnswer {
  const invoice = findInvoice(bank, reference)
  if (!invoice) return unknownInvoice
  const transaction = bank.books.transactions.find('reference', invoice.transactionReference)!
  if (transaction.status !== 'PENDING' && transaction.status !== 'CANCELLED')
    return refuse(422, '99', 'Invoice can not be cancelled.')
  invoice.isCancelled = true
  transaction.status = 'CANCELLED'
  bank.changed()
  return succeed(writeInvoice(bank, invoice))
}

function writeInvoice(bank: MonnifyBank, invoice: TemporaryAccount) {
  return {
    amount: asNumber(invoice.expected, 0),
    invoiceReference: invoice.reference,
    invoiceStatus: invoiceStatus(bank, invoice),
    description: invoice.description,
    contractCode: bank.settings.contractCode,
    customerEmail: invoice.customer.email,
    customerName: invoice.customer.name,
    expiryDate: toSpacedTime(invoice.expiresAtMs),
    createdBy: bank.settings.apiKey,
    createdOn: toSpacedTime(invoice.createdAtMs),
    checkoutUrl: `https://sandbox.sdk.monnify.com/checkout/${invoice.transactionReference}`,
    accountNumber: invoice.accountNumber,
    accountName: invoice.description,
    bankName: invoice.bankName,
    bankCode: invoice.bankCode,
    redirectUrl: null,
    transactionReference: invoice.transactionReference,
  }
}

function invoiceStatus(bank: MonnifyBank, invoice: TemporaryAccount): string {
  const { status } = bank.books.transactions.find('reference', invoice.transactionReference)!
  if (status !== 'PENDING') return status
  return bank.nowMs >= invoice.expiresAtMs ? 'EXPIRED' : 'PENDING'
}
