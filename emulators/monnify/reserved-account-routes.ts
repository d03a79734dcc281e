import { toNuban } from '../bank-accounts.js'
import { takeFault } from '../faults.js'
import type { Fields } from '../fields.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoutes } from '../http-server.js'
import { refuse, refuseMissing, succeed, succeedWithPage } from './answers.js'
import type { MonnifyBank } from './bank.js'
import type { AccountNumber, ReservedAccount, Transaction } from './books.js'
import { asNumber } from './json.js'
import { toFractionalTime, toOffsetTime } from './times.js'
import { writeRow } from './transaction-routes.js'

const reservingBanks = [
  { bankCode: '035', bankName: 'Wema bank', serialStart: 200_000_000 },
  { bankCode: '232', bankName: 'Sterling bank', serialStart: 300_000_000 },
]

/** Banks cut account names. */
const nameLengthMax = 30

const unknownAccount = refuse(404, '99', 'Cannot find reserved account')

export function reservedAccountRoutes(bank: MonnifyBank): ProviderRoutes {
  const { reservedAccounts } = bank.books
  return {
    'POST /api/v2/bank-transfer/reserved-accounts': (request) => reserve(bank, request),
    'GET /api/v1/bank-transfer/reserved-accounts/transactions': ({ query }) => {
      const account = reservedAccounts.find('reference', query.get('accountReference') ?? '')
      if (!account) return unknownAccount
      const paid = paidInto(bank, account).filter(({ paidAtMs }) => bank.isListed(paidAtMs!))
      return succeedWithPage(query, paid, writePaid)
    },
    'GET /api/v2/bank-transfer/reserved-accounts/:reference': ({ segment }) => {
      const account = reservedAccounts.find('reference', segment)
      if (!account || account.isDeleted) return unknownAccount
      const transactionCount = paidInto(bank, account).length
      return succeed({ ...write(bank, account), transactionCount })
    },
    'DELETE /api/v1/bank-transfer/reserved-accounts/reference/:reference': ({ segment }) => {
      const account = reservedAccounts.find('reference', segment)
      if (!account || account.isDeleted) return unknownAccount
      account.isDeleted = true
      bank.changed()
      return succeed(write(bank, account))
    },
  }
}

function reserve(bank: MonnifyBank, { fields }: ProviderRequest): ProviderAnswer {
  const names = ['accountReference', 'accountName', 'currencyCode', 'contractCode', 'customerEmail']
  const refusal = refuseMissing(fields, names) ?? refuseReservation(bank, fields)
  if (refusal) return refusal
  const reference = fields.textOnly('accountReference')
  if (bank.books.reservedAccounts.find('reference', reference))
    return refuse(422, '99', 'You can not reserve two accounts with the same reference.')

  const given = fields.raw('preferredBanks')
  const preferred = Array.isArray(given) ? given : []
  const banks = reservingBanks.filter(
    ({ bankCode }) => fields.raw('getAllAvailableBanks') === true || preferred.includes(bankCode),
  )
  if (banks.length === 0)
    return refuse(400, '99', 'We do not support virtual accounts from banks with code XXX.')
  const number = bank.books.nextNumber()
  const account: ReservedAccount = {
    reference,
    name: fields.textOnly('accountName').slice(0, nameLengthMax),
    customer: {
      name: fields.textOnly('customerName') || fields.textOnly('accountName'),
      email: fields.textOnly('customerEmail'),
    },
    numbers: banks.map(({ bankCode, bankName, serialStart }): AccountNumber => {
      const serial = String(serialStart + number)
      const accountNumber = toNuban({ bankCode, serial })
      const { accountBank } = bank.faults
      if (accountBank !== null) return { bankCode: '', bankName: accountBank, accountNumber }
      return { bankCode, bankName, accountNumber }
    }),
    createdAtMs: bank.nowMs,
    isDeleted: false,
  }
  bank.books.reservedAccounts.add(account)
  bank.changed()
  if (takeFault(bank.faults, 'lostOpenings')) return 'lost'
  return succeed(write(bank, account))
}

function refuseReservation(bank: MonnifyBank, fields: Fields): ProviderAnswer | undefined {
  if (fields.textOnly('contractCode') !== bank.settings.contractCode)
    return refuse(400, '99', 'Invalid contract code supplied.')
  if (typeof fields.raw('getAllAvailableBanks') !== 'boolean')
    return refuse(400, '99', 'getAllAvailableBanks must not be null')
  const identity = fields.textOnly('bvn') || fields.textOnly('nin')
  if (identity === '' && bank.settings.needsIdentity)
    return refuse(400, '99', 'BVN or NIN is required to reserve an account.')
  if (identity !== '' && !/^\d{11}$/.test(identity))
    return refuse(400, '99', 'BVN is invalid. Must be 11 digits')
  return undefined
}

function paidInto({ books }: MonnifyBank, account: ReservedAccount): Transaction[] {
  return books.transactions.rows.filter(
    ({ product }) => product.type === 'RESERVED_ACCOUNT' && product.reference === account.reference,
  )
}

/** Without the sender and `paidOn`. */
function writePaid(transaction: Transaction) {
  return {
    ...writeRow(transaction),
    createdOn: toOffsetTime(transaction.createdAtMs),
    completedOn: toOffsetTime(transaction.paidAtMs!),
    providerAmount: asNumber(0n),
    amountPaid: asNumber(transaction.paid),
    flagged: false,
    fee: asNumber(0n),
    completed: true,
  }
}

function write(bank: MonnifyBank, account: ReservedAccount) {
  return {
    contractCode: bank.settings.contractCode,
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
