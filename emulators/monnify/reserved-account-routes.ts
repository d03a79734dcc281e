import { toNuban } from '../bank-accounts.js'
import { takeFault } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { readPage, refuse, succeed, succeedWithPage } from './answers.js'
import type { AccountNumber, ReservedAccount, Transaction } from './books.js'
import { asNumber } from './json.js'
import { missingTexts, readBody, textOf } from './request-body.js'
import type { MonnifyState } from './state.js'
import { toFractionalTime, toOffsetTime } from './times.js'

const reservingBanks = [
  { bankCode: '035', bankName: 'Wema bank', serialStart: 200_000_000 },
  { bankCode: '232', bankName: 'Sterling bank', serialStart: 300_000_000 },
]

/** Banks cut account names. */
const nameLengthMax = 30

export function reservedAccountRoutes(state: MonnifyState): ProviderRoute[] {
  return [
    {
      method: 'POST',
      pattern: /^\/api\/v2\/bank-transfer\/reserved-accounts$/,
      handle: (request) => reserve(state, request),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/bank-transfer\/reserved-accounts\/transactions$/,
      handle: ({ query }) => listTransactions(state, query),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v2\/bank-transfer\/reserved-accounts\/([^/]+)$/,
      handle: ({ params }) => {
        const account = state.reservedByReference.get(params[0]!)
        if (!account || account.isDeleted) return unknownAccount()
        return succeed({ ...write(state, account), transactionCount: countOf(state, account) })
      },
    },
    {
      method: 'DELETE',
      pattern: /^\/api\/v1\/bank-transfer\/reserved-accounts\/reference\/([^/]+)$/,
      handle: ({ params }) => {
        const account = state.reservedByReference.get(params[0]!)
        if (!account || account.isDeleted) return unknownAccount()
        account.isDeleted = true
        state.changed()
        return succeed(write(state, account))
      },
    },
  ]
}

function reserve(state: MonnifyState, request: ProviderRequest): ProviderAnswer {
  const given = readBody(request.body)
  const names = ['accountReference', 'accountName', 'currencyCode', 'contractCode', 'customerEmail']
  const refusal = missingTexts(given, names) ?? refuseReservation(state, given)
  if (refusal) return refusal
  const reference = textOf(given.accountReference)
  if (state.reservedByReference.has(reference))
    return refuse(422, '99', 'You can not reserve two accounts with the same reference.')

  const preferred = Array.isArray(given.preferredBanks) ? given.preferredBanks : []
  const banks = reservingBanks.filter(
    ({ bankCode }) => given.getAllAvailableBanks === true || preferred.includes(bankCode),
  )
  if (banks.length === 0)
    return refuse(400, '99', 'We do not support virtual accounts from banks with code XXX.')
  const number = state.nextNumber()
  const account: ReservedAccount = {
    reference,
    name: textOf(given.accountName).slice(0, nameLengthMax),
    customer: {
      name: textOf(given.customerName) || textOf(given.accountName),
      email: textOf(given.customerEmail),
    },
    numbers: banks.map((bank): AccountNumber => {
      const serial = String(bank.serialStart + number)
      const accountNumber = toNuban({ bankCode: bank.bankCode, serial })
      const { accountBank } = state.faults
      if (accountBank !== null) return { bankCode: '', bankName: accountBank, accountNumber }
      return { bankCode: bank.bankCode, bankName: bank.bankName, accountNumber }
    }),
    createdAtMs: state.nowMs(),
    isDeleted: false,
  }
  state.addReserved(account)
  state.changed()
  if (takeFault(state.faults, 'lostOpenings')) return 'lost'
  return succeed(write(state, account))
}

function refuseReservation(
  state: MonnifyState,
  given: Record<string, unknown>,
): ProviderAnswer | undefined {
  if (textOf(given.contractCode) !== state.settings.contractCode)
    return refuse(400, '99', 'Invalid contract code supplied.')
  if (typeof given.getAllAvailableBanks !== 'boolean')
    return refuse(400, '99', 'getAllAvailableBanks must not be null')
  const identity = textOf(given.bvn) || textOf(given.nin)
  if (identity === '' && state.settings.needsIdentity)
    return refuse(400, '99', 'BVN or NIN is required to reserve an account.')
  if (identity !== '' && !/^\d{11}$/.test(identity))
    return refuse(400, '99', 'BVN is invalid. Must be 11 digits')
  return undefined
}

function unknownAccount(): ProviderAnswer {
  return refuse(404, '99', 'Cannot find reserved account')
}

function paidInto(state: MonnifyState, account: ReservedAccount): Transaction[] {
  return state.books.transactions.filter(
    ({ product }) => product.type === 'RESERVED_ACCOUNT' && product.reference === account.reference,
  )
}

function countOf(state: MonnifyState, account: ReservedAccount): number {
  return paidInto(state, account).length
}

/** Rows have neither the sender nor `paidOn`. */
function listTransactions(state: MonnifyState, query: URLSearchParams): ProviderAnswer {
  const account = state.reservedByReference.get(query.get('accountReference') ?? '')
  if (!account) return unknownAccount()
  const rows = paidInto(state, account)
    .filter(({ paidAtMs }) => state.isListed(paidAtMs!))
    .reverse()
    .map((transaction) => ({
      customerDTO: transaction.customer,
      providerAmount: asNumber(0n),
      paymentMethod: 'ACCOUNT_TRANSFER',
      createdOn: toOffsetTime(transaction.createdAtMs),
      amount: asNumber(transaction.expected),
      amountPaid: asNumber(transaction.paid),
      completedOn: toOffsetTime(transaction.paidAtMs!),
      flagged: false,
      fee: asNumber(0n),
      currencyCode: 'NGN',
      paymentDescription: transaction.description,
      paymentStatus: transaction.status,
      transactionReference: transaction.reference,
      paymentReference: transaction.paymentReference,
      merchantName: 'Emulated Merchant',
      completed: true,
    }))
  return succeedWithPage(rows, readPage(query, { page: 'page', size: 'size' }))
}

function write(state: MonnifyState, account: ReservedAccount) {
  return {
    contractCode: state.settings.contractCode,
    accountReference: account.reference,
    accountName: account.name,
    currencyCode: 'NGN',
    customerEmail: account.customer.email,
    customerName: account.customer.name,
    accounts: account.numbers.map(({ bankCode, bankName, accountNumber }) => ({
      bankCode,
      bankName,
      accountNumber,
      accountName: account.name,
    })),
    collectionChannel: 'RESERVED_ACCOUNT',
    reservationReference: `17ERLN8RZCZ${account.numbers[0]!.accountNumber}`,
    reservedAccountType: 'GENERAL',
    status: account.isDeleted ? 'INACTIVE' : 'ACTIVE',
    createdOn: `${toFractionalTime(account.createdAtMs)}864338`,
    incomeSplitConfig: [],
    restrictPaymentSource: false,
  }
}
