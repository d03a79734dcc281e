import Type, { type Static } from 'typebox'
import { fromReferenceOfAnyKind, prefixes, unusedId } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import { anyAsset, referenceSample, withDescription } from '../../../base/shapes.js'
import { findReceiptedPayment } from '../../../checkout/find-receipted-payment.js'
import {
  type AccountKind,
  accountKinds,
  type Variance,
  variances,
} from '../../../collections/accounts/account.js'
import { createPaymentReader, getPayment } from '../../../collections/payments/find-payments.js'
import { type PaymentStatus, paymentStatuses } from '../../../collections/payments/payment.js'
import { type PaymentFilter, paymentList } from '../../../collections/payments/payment-list.js'
import {
  listedPayment,
  payment,
  showListedPayment,
  showPayment,
} from '../../../collections/payments/resource.js'
import { listReturns } from '../../../collections/returns/find-returns.js'
import { paymentReturn, showReturn } from '../../../collections/returns/resource.js'
import { getSettings } from '../../../merchants/settings/settings.js'
import { countRows } from '../../../postgres/lists/find-ids.js'
import { isPublicTerm } from '../../../postgres/lists/search-terms.js'
import { type Actor, hidesPayers } from '../../../team/actor.js'
import { answerPdf } from '../../documents/answer-pdf.js'
import { drawReceipt } from '../../documents/draw-receipt.js'
import { withReasons } from '../../openapi/refusals-of.js'
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
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
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
    receipt(api),
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

function toFilter(
  query: Static<ReturnType<typeof closed<typeof filters>>>,
  actor: Actor,
): PaymentFilter {
  const { accountReference, sender } = query
  const isHidden = hidesPayers(actor)
  if (isHidden && sender !== undefined && !isPublicTerm(sender)) throw refusePayerFilter()
  return {
    source: query.source as AccountKind | undefined,
    accountId:
      accountReference === undefined
        ? undefined
        : (fromReferenceOfAnyKind(accountReference) ?? unusedId),
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
  inBothUnits('feeVat'),
)

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path,
    permission: 'payments.see',
    operation: 'listPayments',
    summary: 'List payments',
    description:
      'Returns payments, newest first. Filters combine: find a payment by payer, order, amount or date. A page of a rare combination may be short or empty and still have a `nextCursor`. Send `Accept: text/csv` to export all of them.',
    title: 'Payments',
    filters: { ...filters, status: Type.Optional(withStatus([...paymentStatuses])) },
    item: listedPayment,
    columns,
    cursor: cursorOf(prefixes.payment),
    toFilter: ({ query, actor }) => ({
      ...toFilter(query, actor),
      status: query.status as PaymentStatus | undefined,
    }),
    rows: paymentList,
    show: (payment) => toJson(showListedPayment(payment)),
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
        countRows(db, paymentList, {
          environmentId: environment.id,
          filter: { ...filter, status },
        }),
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

const receipt = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference/receipt`,
    permission: 'payments.see',
    isPdf: true,
    isHeavy: true,
    operation: 'getPaymentReceipt',
    summary: 'Retrieve the receipt of a payment',
    description:
      "Returns a PDF file for the payer, with your logo and colour: what you accepted, when, for what, and what you refunded since. The sender's account is masked.",
    params,
    answers: {},
    refusals: ['not_found', ...withReasons('payment_action_failed', 'invalid_state')],
    async handle({ environment, actor, params: { reference } }) {
      const name = { environmentId: environment.id, reference }
      const { payment, received, invoices } = await findReceiptedPayment(db, name)
      const { checkout } = await getSettings(db, environment)
      const isHidden = hidesPayers(actor)
      const pdf = await drawReceipt({
        receipted: {
          received: [isHidden ? { ...received, sentFrom: null } : received],
          customerName: (!isHidden && checkout.showCustomer && payment.customerName) || '',
          paidTo: checkout.displayName,
          paidFor: payment.sessionDescription ?? invoices.join(', '),
          session: payment.sessionReference,
        },
        checkout,
        language: 'en',
        isTest: environment.mode === 'test',
      })
      if (pdf) return answerPdf(pdf, reference)
      throw new Refusal('payment_action_failed', {
        reason: 'invalid_state',
        message: `Nothing of ${reference} was accepted, so it has no receipt.`,
      })
    },
  })

const cursorOfReturns = cursorOf(prefixes.paymentReturn)

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
      const returns = await listReturns(db, payment, {
        beforeId: cursor === undefined ? undefined : cursorOfReturns.read(cursor),
        limit: limit + 1,
      })
      const shown = returns.slice(0, limit)
      const last = shown.at(-1)?.id
      const nextCursor = returns.length > limit ? cursorOfReturns.write(last!) : null
      return success(200, 'Returns', { items: shown.map(showReturn), nextCursor })
    },
  })
