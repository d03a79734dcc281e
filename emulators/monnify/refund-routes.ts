import { takeFault } from '../faults.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { readNaira } from '../naira.js'
import { readPage, refuse, succeed, succeedWithPage } from './answers.js'
import type { Refund, Transaction } from './books.js'
import { asNumber } from './json.js'
import { processRefund } from './processing.js'
import { missingTexts, readBody, textOf } from './request-body.js'
import type { MonnifyState } from './state.js'
import { toSlashedTime } from './times.js'

const amountMin = 100_00n
const reasonLengthMax = 64
const noteLengthMax = 16

export function refundRoutes(state: MonnifyState): ProviderRoute[] {
  return [
    {
      method: 'POST',
      pattern: /^\/api\/v1\/refunds\/initiate-refund$/,
      handle: (request) => refund(state, request),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/refunds\/([^/]+)$/,
      handle: ({ params }) => {
        const found = state.refundByReference.get(params[0]!)
        if (found) return succeed(write(state, found))
        const code = state.faults.missingCode ?? 'R7'
        return refuse(404, code, 'No refund was initiated with the supplied refund reference.')
      },
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/refunds$/,
      handle: ({ query }) =>
        succeedWithPage(
          state.books.refunds
            .filter(({ createdAtMs }) => state.isListed(createdAtMs))
            .reverse()
            .map((found) => write(state, found)),
          readPage(query, { page: 'page', size: 'size' }),
        ),
    },
  ]
}

function refund(state: MonnifyState, request: ProviderRequest): ProviderAnswer {
  const given = readBody(request.body)
  const names = ['transactionReference', 'refundReference', 'refundReason', 'customerNote']
  const refusal = missingTexts(given, names) ?? refuseRefund(state, given)
  if (refusal) return refusal
  const made: Refund = {
    reference: textOf(given.refundReference),
    transactionReference: textOf(given.transactionReference),
    amount: readNaira(given.refundAmount)!,
    reason: textOf(given.refundReason),
    note: textOf(given.customerNote),
    status: 'PENDING',
    createdAtMs: state.nowMs(),
    completedAtMs: undefined,
  }
  state.books.float -= made.amount
  state.books.refunds.push(made)
  state.refundByReference.set(made.reference, made)
  state.changed()
  processRefund(state, made)
  if (takeFault(state.faults, 'lostAnswers')) return 'lost'
  return succeed(write(state, made))
}

function refuseRefund(
  state: MonnifyState,
  given: Record<string, unknown>,
): ProviderAnswer | undefined {
  if (state.refundByReference.has(textOf(given.refundReference)))
    return refuse(422, 'R9', 'The refund reference already exists for this merchant.')
  const transaction = state.transactionByReference.get(textOf(given.transactionReference))
  if (!transaction || transaction.paid === 0n)
    return refuse(404, 'R1', 'Transaction with the specified reference does not exist.')
  const isTooLong =
    textOf(given.refundReason).length > reasonLengthMax ||
    textOf(given.customerNote).length > noteLengthMax
  if (isTooLong) return refuse(400, 'R8', 'A supplied value exceeded its character limit.')
  const amount = readNaira(given.refundAmount)
  if (amount === undefined || amount < amountMin)
    return refuse(400, 'R4', 'Refund amount is below the minimum refundable amount.')
  return refuseAmount(state, transaction, amount) ?? refuseReceiver(transaction, given)
}

function refuseAmount(
  state: MonnifyState,
  transaction: Transaction,
  amount: bigint,
): ProviderAnswer | undefined {
  if (amount > transaction.paid)
    return refuse(422, 'R3', 'Refund amount is above the transaction amount.')
  const refunded = state.books.refunds
    .filter((made) => made.transactionReference === transaction.reference)
    .filter(({ status }) => status !== 'FAILED')
    .reduce((sum, made) => sum + made.amount, 0n)
  if (refunded + amount > transaction.paid)
    return refuse(422, 'R12', 'Total refunds on this transaction equal the transaction amount.')
  if (amount > state.books.float)
    return refuse(422, 'R5', 'Merchant has insufficient funds to process the refund.')
  return undefined
}

function refuseReceiver(
  transaction: Transaction,
  given: Record<string, unknown>,
): ProviderAnswer | undefined {
  const isNamed = textOf(given.destinationAccountNumber) && textOf(given.destinationAccountBankCode)
  const isKnown = transaction.sources.some(({ accountNumber }) => accountNumber !== undefined)
  if (isNamed || isKnown) return undefined
  return refuse(422, 'R6', 'Customer account details are invalid or missing.')
}

function write(state: MonnifyState, made: Refund) {
  const { paid } = state.transactionByReference.get(made.transactionReference)!
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
