import { toNuban } from '../bank-accounts.js'
import { minute } from '../clock.js'
import { takeFault } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { readNaira } from '../naira.js'
import { readPage, refuse, succeed, succeedWithPage } from './answers.js'
import type { AccountNumber, TemporaryAccount, Transaction } from './books.js'
import { asNumber } from './json.js'
import { missingTexts, readBody, textOf } from './request-body.js'
import type { MonnifyState } from './state.js'
import { readSpacedTime, toSpacedTime, toZonelessTime } from './times.js'

const amountMin = 20_00n
const checkoutMs = 40 * minute
/** About six months. */
const expiryMaxMs = 183 * 24 * 60 * minute

/** Invoices with an expiry of the caller's choice, and checkout accounts for forty minutes. */
export function temporaryAccountRoutes(state: MonnifyState): ProviderRoute[] {
  return [
    {
      method: 'POST',
      pattern: /^\/api\/v1\/invoice\/create$/,
      handle: (request) => createInvoice(state, request),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/invoice\/all$/,
      handle: ({ query }) =>
        succeedWithPage(
          state.books.temporaryAccounts
            .filter(({ kind, createdAtMs }) => kind === 'invoice' && state.isListed(createdAtMs))
            .reverse()
            .map((invoice) => writeInvoice(state, invoice)),
          readPage(query, { page: 'page', size: 'size' }),
        ),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/invoice\/([^/]+)\/details$/,
      handle: ({ params }) => {
        const invoice = findInvoice(state, params[0]!)
        return invoice ? succeed(writeInvoice(state, invoice)) : unknownInvoice()
      },
    },
    {
      method: 'DELETE',
      pattern: /^\/api\/v1\/invoice\/([^/]+)\/cancel$/,
      handle: ({ params }) => cancelInvoice(state, params[0]!),
    },
    {
      method: 'POST',
      pattern: /^\/api\/v1\/merchant\/transactions\/init-transaction$/,
      handle: (request) => startTransaction(state, request),
    },
    {
      method: 'POST',
      pattern: /^\/api\/v1\/merchant\/bank-transfer\/init-payment$/,
      handle: (request) => openCheckoutAccount(state, request),
    },
  ]
}

function createInvoice(state: MonnifyState, request: ProviderRequest): ProviderAnswer {
  const given = readBody(request.body)
  const names = [
    'currencyCode',
    'invoiceReference',
    'customerName',
    'customerEmail',
    'contractCode',
    'description',
    'expiryDate',
  ]
  const refusal = missingTexts(given, names) ?? refuseOffer(state, given)
  if (refusal) return refusal
  const expiresAtMs = readSpacedTime(textOf(given.expiryDate))
  if (expiresAtMs === undefined) return refuse(400, '99', 'Invalid invoice expiry date format')
  const nowMs = state.nowMs()
  if (expiresAtMs <= nowMs) return refuse(400, '99', 'Invalid invoice expiry date.')
  if (expiresAtMs > nowMs + expiryMaxMs)
    return refuse(400, '99', 'Invoice expiry date is after system limit.')
  const reference = textOf(given.invoiceReference)
  if (state.transactionByPaymentReference.has(reference))
    return refuse(422, '99', 'Invoice with this reference already exists.')

  const transaction = addPending(state, { type: 'INVOICE', reference }, given)
  const invoice = addAccount(state, transaction, { kind: 'invoice', expiresAtMs })
  if (takeFault(state.faults, 'lostOpenings')) return 'lost'
  return succeed(writeInvoice(state, invoice))
}

function startTransaction(state: MonnifyState, request: ProviderRequest): ProviderAnswer {
  const given = readBody(request.body)
  const names = ['customerEmail', 'paymentReference', 'currencyCode', 'contractCode']
  const refusal = missingTexts(given, names) ?? refuseOffer(state, given)
  if (refusal) return refusal
  const reference = textOf(given.paymentReference)
  if (state.transactionByPaymentReference.has(reference))
    return refuse(422, '99', 'Duplicate payment reference')
  const transaction = addPending(state, { type: 'API_NOTIFICATION', reference }, given)
  return succeed({
    transactionReference: transaction.reference,
    paymentReference: reference,
    merchantName: 'Emulated Merchant',
    apiKey: state.settings.apiKey,
    redirectUrl: null,
    enabledPaymentMethod: ['ACCOUNT_TRANSFER'],
    checkoutUrl: `https://sandbox.sdk.monnify.com/checkout/${transaction.reference}`,
  })
}

function openCheckoutAccount(state: MonnifyState, request: ProviderRequest): ProviderAnswer {
  const reference = textOf(readBody(request.body).transactionReference)
  const transaction = state.transactionByReference.get(reference)
  if (transaction?.product.type !== 'API_NOTIFICATION')
    return refuse(404, '99', 'Could not find transaction with the specified transaction reference')
  const nowMs = state.nowMs()
  const account =
    state.temporaryByTransaction.get(reference) ??
    addAccount(state, transaction, { kind: 'checkout', expiresAtMs: nowMs + checkoutMs })
  if (takeFault(state.faults, 'lostOpenings')) return 'lost'
  return succeed({
    accountNumber: account.accountNumber,
    accountName: account.description,
    bankName: account.bankName,
    bankCode: account.bankCode,
    accountDurationSeconds: checkoutMs / 1_000,
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

function refuseOffer(
  state: MonnifyState,
  given: Record<string, unknown>,
): ProviderAnswer | undefined {
  if (textOf(given.contractCode) !== state.settings.contractCode)
    return refuse(400, '99', 'Unknown Contract Code provided.')
  if (textOf(given.currencyCode) !== 'NGN')
    return refuse(400, '99', 'Unknown currency code supplied')
  const amount = readNaira(given.amount)
  if (amount === undefined || amount < amountMin)
    return refuse(400, '99', 'Amount must be greater than 20.')
  return undefined
}

/** An invoice has its transaction from the start; the reference is also the payment's. */
function addPending(
  state: MonnifyState,
  product: Transaction['product'],
  given: Record<string, unknown>,
): Transaction {
  const transaction: Transaction = {
    reference: state.newTransactionReference(),
    paymentReference: product.reference,
    product,
    receiver: undefined,
    expected: readNaira(given.amount)!,
    paid: 0n,
    status: 'PENDING',
    description: textOf(given.description) || textOf(given.paymentDescription) || 'Payment',
    customer: { name: textOf(given.customerName), email: textOf(given.customerEmail) },
    sources: [],
    createdAtMs: state.nowMs(),
    paidAtMs: undefined,
  }
  state.addTransaction(transaction)
  state.changed()
  return transaction
}

function addAccount(
  state: MonnifyState,
  transaction: Transaction,
  { kind, expiresAtMs }: Pick<TemporaryAccount, 'kind' | 'expiresAtMs'>,
): TemporaryAccount {
  const number = takeNumber(state)
  const account: TemporaryAccount = {
    bankCode: number.bankCode,
    bankName: number.bankName,
    accountNumber: number.accountNumber,
    kind,
    reference: transaction.paymentReference,
    transactionReference: transaction.reference,
    expected: transaction.expected,
    description: transaction.description,
    customer: transaction.customer,
    createdAtMs: state.nowMs(),
    expiresAtMs,
    isCancelled: false,
  }
  transaction.receiver = number
  state.addTemporary(account)
  state.changed()
  return account
}

/** How many of the oldest numbers are tried before a new one is made. */
const triesMax = 8

/** A number is given to another account once its account has expired. */
function takeNumber(state: MonnifyState): AccountNumber {
  const nowMs = state.nowMs()
  let tries = 0
  for (const { bankCode, bankName, accountNumber } of state.temporaryNumbers.values()) {
    const holder = state.accountByNumber.get(accountNumber) as TemporaryAccount
    if (holder.expiresAtMs <= nowMs) return { bankCode, bankName, accountNumber }
    tries += 1
    if (tries === triesMax) break
  }
  const serial = String(100_000_000 + state.temporaryNumbers.size + 1)
  const accountNumber = toNuban({ bankCode: '035', serial })
  const { accountBank } = state.faults
  if (accountBank !== null) return { bankCode: '', bankName: accountBank, accountNumber }
  return { bankCode: '035', bankName: 'Wema bank', accountNumber }
}

function findInvoice(state: MonnifyState, reference: string): TemporaryAccount | undefined {
  const found = state.temporaryByReference.get(reference)
  return found?.kind === 'invoice' ? found : undefined
}

function cancelInvoice(state: MonnifyState, reference: string): ProviderAnswer {
  const invoice = findInvoice(state, reference)
  if (!invoice) return unknownInvoice()
  const transaction = state.transactionByReference.get(invoice.transactionReference)!
  if (transaction.status !== 'PENDING' && transaction.status !== 'CANCELLED')
    return refuse(422, '99', 'Invoice can not be cancelled.')
  invoice.isCancelled = true
  transaction.status = 'CANCELLED'
  state.changed()
  return succeed(writeInvoice(state, invoice))
}

function unknownInvoice(): ProviderAnswer {
  return refuse(404, '99', 'Invoice with the specified reference does not exist.')
}

function writeInvoice(state: MonnifyState, invoice: TemporaryAccount) {
  return {
    amount: asNumber(invoice.expected, 0),
    invoiceReference: invoice.reference,
    invoiceStatus: invoiceStatus(state, invoice),
    description: invoice.description,
    contractCode: state.settings.contractCode,
    customerEmail: invoice.customer.email,
    customerName: invoice.customer.name,
    expiryDate: toSpacedTime(invoice.expiresAtMs),
    createdBy: state.settings.apiKey,
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

function invoiceStatus(state: MonnifyState, invoice: TemporaryAccount): string {
  const { status } = state.transactionByReference.get(invoice.transactionReference)!
  if (status !== 'PENDING') return status
  return state.nowMs() >= invoice.expiresAtMs ? 'EXPIRED' : 'PENDING'
}
