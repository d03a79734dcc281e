import Type, { type Static } from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import { anyAsset, referenceSample, withDescription } from '../../../base/shapes.js'
import {
  type AccountKind,
  accountKinds,
  type Variance,
  variances,
} from '../../../collections/accounts/account.js'
import {
  countPayments,
  type PaymentFilter,
  readAccountReference,
} from '../../../collections/payments/filter-payments.js'
import {
  createPaymentReader,
  getPayment,
  listPayments,
} from '../../../collections/payments/find-payments.js'
import { type PaymentStatus, paymentStatuses } from '../../../collections/payments/payment.js'
import {
  listedPayment,
  payment,
  showListedPayment,
  showPayment,
} from '../../../collections/payments/resource.js'
import { listReturns } from '../../../collections/returns/find-returns.js'
import { paymentReturn, showReturn } from '../../../collections/returns/resource.js'
import { isPublicTerm } from '../../../postgres/lists/search-terms.js'
import { type Actor, hidesPayers } from '../../../team/actor.js'
import { countByStatus, readAmountRange, readTimeRange } from '../../parse/read-filters.js'
import {
  amountFilters,
  closed,
  countsOf,
  inPath,
  oneOf,
  page,
  pageQuery,
  searchText,
  timeFilters,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { answerList } from '../../server/answer-list.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { readPosition, writePosition } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { type Route, route } from '../../server/route.js'
import { refundOfPayment, resolvePayment } from './payment-actions.js'

const path = '/v1/collections/payments'
const base = { access: 'secret', tag: 'Collections' } as const
const params = inPath('reference', referenceSample(prefixes.payment))

export function paymentRoutes(api: ApiParts): Route[] {
  return [
    list(api),
    counts(api),
    read(api),
    returns(api),
    resolvePayment(api),
    refundOfPayment(api),
  ]
}

const sources = Object.keys(accountKinds) as AccountKind[]

const filters = {
  source: Type.Optional(oneOf(sources, 'Only payments into this kind of account.')),
  accountReference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      description: 'Only payments into the account or wallet with this reference.',
      examples: [referenceSample(prefixes.virtualAccount)],
    }),
  ),
  variance: Type.Optional(
    oneOf([...variances], 'Only payments that differ in this way from what was expected.'),
  ),
  currency: Type.Optional(withDescription(anyAsset, 'Only payments in this currency.')),
  ...amountFilters,
  sender: searchText(
    'Only payments from this payer: words of the name or their beginnings, an account number, or a wallet address.',
    'chuka',
  ),
  merchantReference: searchText(
    'Only payments for this reference of yours: of an account, a wallet or a checkout session.',
    'order-1001',
  ),
  q: searchText(
    "Searches references, your own references, account numbers, the bank's session id and the payer's name.",
    'chuka',
  ),
  ...timeFilters,
}

const listQuery = closed({
  ...filters,
  status: Type.Optional(withStatus([...paymentStatuses])),
  ...pageQuery,
})

function toFilter(
  query: Static<ReturnType<typeof closed<typeof filters>>>,
  actor: Actor,
): PaymentFilter {
  const { accountReference, sender } = query
  const isHidden = hidesPayers(actor)
  if (isHidden && sender !== undefined && !isPublicTerm(sender)) throw refusePayerFilter()
  return {
    source: query.source as AccountKind | undefined,
    accountId: accountReference === undefined ? undefined : readAccountReference(accountReference),
    variance: query.variance as Variance | undefined,
    sender,
    merchantReference: query.merchantReference,
    text: query.q,
    hidesPayers: isHidden,
    ...readAmountRange(query),
    ...readTimeRange(query),
  }
}

/** An empty list would say that the payer never paid. */
function refusePayerFilter(): Refusal {
  return new Refusal('forbidden', {
    reason: 'role',
    message:
      'Your role does not show payers, so you cannot filter by them. Use a wallet address, a reference, an amount or a date. Payers are shown to: owner, admin, finance, support.',
  })
}

const columns = csvColumns(
  'reference',
  'createdAt',
  'receivedAt',
  'status',
  'variance',
  'source',
  'merchantReference',
  'currency',
  inBothUnits('amount'),
  inBothUnits('amountAccepted'),
  inBothUnits('amountHeld'),
  inBothUnits('amountReturning'),
  inBothUnits('amountReturned'),
  inBothUnits('fee'),
  'sender.name',
  'sender.accountNumber',
  'sender.bankName',
  'sender.address',
  'narration',
  'sessionId',
  'accountReference',
  'accountNumber',
  'address',
  'checkoutSession.reference',
  'checkoutSession.description',
  'checkoutSession.customer.name',
  'checkoutSession.customer.email',
  inBothUnits('amountExpected'),
  'refund.reason',
  'refund.note',
)

const list = ({ openPage }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    permission: 'payments.see',
    operation: 'listPayments',
    summary: 'List payments',
    description:
      'Returns payments, newest first. Filters combine: find a payment by payer, order, amount or date. A page of a rare combination may be short or empty and still have a `nextCursor`. Send `Accept: text/csv` to export all of them.',
    query: listQuery,
    answers: { 200: page(listedPayment) },
    hasCsv: true,
    handle(request) {
      const { environment, query } = request
      const filter = {
        ...toFilter(query, request.actor),
        status: query.status as PaymentStatus | undefined,
      }
      return answerList(request, {
        title: 'Payments',
        columns,
        async readPage({ cursor: sent, limit }) {
          const { db, cursor, toNext } = openPage(sent)
          const beforeId = cursor === undefined ? undefined : readPosition(prefixes.payment, cursor)
          const page = await listPayments(db, environment.id, filter, { beforeId, limit })
          const { payments, next } = page
          return {
            items: payments.map((one) => toJson(showListedPayment(one))),
            nextCursor: toNext(next === undefined ? null : writePosition(prefixes.payment, next)),
          }
        },
      })
    },
  })

const counts = ({ openPage }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/counts`,
    permission: 'payments.see',
    operation: 'countPayments',
    summary: 'Count payments',
    description: 'Returns how many payments match the filters, by status.',
    query: closed(filters),
    answers: { 200: countsOf(paymentStatuses) },
    isHeavy: true,
    async handle({ environment, query, actor }) {
      const { db } = openPage(undefined)
      const filter = toFilter(query, actor)
      const counted = await countByStatus(paymentStatuses, (status) =>
        countPayments(db, environment.id, { ...filter, status }),
      )
      return success(200, 'Payment counts', counted)
    },
  })

const read = ({ db }: ApiParts) => {
  const readPayment = createPaymentReader(db)
  return route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    permission: 'payments.see',
    operation: 'getPayment',
    summary: 'Retrieve a payment',
    description:
      'Returns the current state: how much is accepted, held, on its way back and returned.',
    params,
    answers: { 200: payment },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await readPayment({ environmentId: environment.id, reference })
      return success(200, 'Payment', showPayment(found))
    },
  })
}

const returns = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference/returns`,
    permission: 'payments.see',
    operation: 'listPaymentReturns',
    summary: 'List returns of a payment',
    description: 'Returns every return and refund of the payment with its status, newest first.',
    params,
    query: closed(pageQuery),
    answers: { 200: page(paymentReturn) },
    refusals: ['not_found'],
    async handle({ environment, params: { reference }, query }) {
      const { cursor, limit = limits.http.pageSizeDefault } = query
      const payment = await getPayment(db, { environmentId: environment.id, reference })
      const found = await listReturns(db, payment, {
        beforeId: cursor === undefined ? undefined : readPosition(prefixes.paymentReturn, cursor),
        limit: limit + 1,
      })
      const shown = found.slice(0, limit)
      const last = shown.at(-1)?.id
      const nextCursor = found.length > limit ? writePosition(prefixes.paymentReturn, last!) : null
      return success(200, 'Returns', { items: shown.map(showReturn), nextCursor })
    },
  })
