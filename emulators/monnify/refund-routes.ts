import { takeFault } from '../faults.js'
import type { Fields } from '../fields.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoutes } from '../http-server.js'
import { refuse, refuseMissing, succeed, succeedWithPage } from './answers.js'
import type { MonnifyBank } from './bank.js'
import type { Refund, Transaction } from './books.js'
import { asNumber } from './json.js'
import { toSlashedTime } from './times.js'

const amountMin = 100_00n
const reasonLengthMax = 64
const noteLengthMax = 16

export function refundRoutes(bank: MonnifyBank): ProviderRoutes {
  return {
    'POST /api/v1/refunds/initiate-refund': (request) => refund(bank, request),
    'GET /api/v1/refunds/:reference': ({ segment }) => {
      const found = bank.books.refunds.find('reference', segment)
      if (found) return succeed(write(bank, found))
      const code = bank.faults.missingCode ?? 'R7'
      return refuse(404, code, 'No refund was initiated with the supplied refund reference.')
    },
    'GET /api/v1/refunds': ({ query }) => {
      const rows = bank.books.refunds.rows.filter(({ createdAtMs }) => bank.isListed(createdAtMs))
      return succeedWithPage(query, rows, (found) => write(bank, found))
    },
  }
}

function refund(bank: MonnifyBank, { fields }: ProviderRequest): ProviderAnswer {
  const names = ['transactionReference', 'refundReference', 'refundReason', 'customerNote']
  const refusal = refuseMissing(fields, names) ?? refuseRefund(bank, fields)
  if (refusal) return refusal
  const made: Refund = {
    reference: fields.textOnly('refundReference'),
    transactionReference: fields.textOnly('transactionReference'),
    amount: fields.naira('refundAmount')!,
    reason: fields.textOnly('refundReason'),
    note: fields.textOnly('customerNote'),
    status: 'PENDING',
    createdAtMs: bank.nowMs,
    completedAtMs: undefined,
  }
  bank.addRefund(made)
  return takeFault(bank.faults, 'lostAnswers') ? 'lost' : succeed(write(bank, made))
}

function refuseRefund(bank: MonnifyBank, fields: Fields): ProviderAnswer | undefined {
  if (bank.books.refunds.find('reference', fields.textOnly('refundReference')))
    return refuse(422, 'R9', 'The refund reference already exists for this merchant.')
  const transaction = bank.books.transactions.find(
    'reference',
    fields.textOnly('transactionReference'),
  )
  if (!transaction || transaction.paid === 0n)
    return refuse(404, 'R1', 'Transaction with the specified reference does not exist.')
  const isTooLong =
    fields.textOnly('refundReason').length > reasonLengthMax ||
    fields.textOnly('customerNote').length > noteLengthMax
  if (isTooLong) return refuse(400, 'R8', 'A supplied value exceeded its character limit.')
  const amount = fields.naira('refundAmount')
  if (amount === undefined || amount < amountMin)
    return refuse(400, 'R4', 'Refund amount is below the minimum refundable amount.')
  return refuseAmount(bank, transaction, amount) ?? refuseReceiver(transaction, fields)
}

function refuseAmount(
  bank: MonnifyBank,
  transaction: Transaction,
  amount: bigint,
): ProviderAnswer | undefined {
  if (amount > transaction.paid)
    return refuse(422, 'R3', 'Refund amount is above the transaction amount.')
  const refunded = bank.books.refunds
    .findAll('transactionReference', transaction.reference)
    .filter(({ status }) => status !== 'FAILED')
    .reduce((sum, made) => sum + made.amount, 0n)
  if (refunded + amount > transaction.paid)
    return refuse(422, 'R12', 'Total refunds on this transaction equal the transaction amount.')
  if (amount > bank.books.float)
    return refuse(422, 'R5', 'Merchant has insufficient funds to process the refund.')
  return undefined
}

function refuseReceiver(transaction: Transaction, fields: Fields): ProviderAnswer | undefined {
  const isNamed =
    fields.textOnly('destinationAccountNumber') && fields.textOnly('destinationAccountBankCode')
  const isKnown = transaction.sources.some(({ accountNumber }) => accountNumber !== undefined)
  if (isNamed || isKnown) return undefined
  return refuse(422, 'R6', 'Customer account details are invalid or missing.')
}

function write(bank: MonnifyBank, made: Refund) {
  const { paid } = bank.books.transactions.find('reference', made.transactionReference)!
  return {
    refundReference: made.reference,
    transactionReference: made.transactionReference,
    refundReason: made.reason,
    customerNote: made.note,
    refundAmount: asNumber(made.amount),
    refundType: made.amount === paid ? 'FULL_REFUND' : 'PARTIAL_REFUND',
    refundStatus: made.status,
    refundStrategy: 'MERCHANT_WALLET',
    comment:
      made.status === 'PENDING'
        ? 'Transaction refund is in progress.'
        : 'Transaction refund has ended.',
    createdOn: toSlashedTime(made.createdAtMs, 2),
    completedOn: made.completedAtMs === undefined ? '' : toSlashedTime(made.completedAtMs, 2),
  }
}
