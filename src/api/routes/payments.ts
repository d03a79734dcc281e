import Type from 'typebox'
import { fromReferenceOfAnyKind, prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { type AccountKind, accountKinds } from '../../collections/account.js'
import { createPaymentReader, getPayment, listPayments } from '../../collections/find-payments.js'
import { listReturns } from '../../collections/find-returns.js'
import {
  type PaymentStatus,
  payment,
  paymentStatuses,
  showPayment,
} from '../../resources/payment.js'
import { paymentReturn, showReturn } from '../../resources/payment-return.js'
import { referenceSample } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { readPosition, writePosition } from '../edge/cursor.js'
import { success } from '../edge/envelope.js'
import { type Route, route } from '../edge/route.js'
import { closed, inPath, oneOf, page, pageQuery, withStatus } from '../edge/schemas.js'
import { refundOfPayment, resolvePayment } from './payment-actions.js'

const path = '/v1/collections/payments'
const base = { access: 'secret', tag: 'Collections' } as const
const params = inPath('reference', referenceSample(prefixes.payment))

export function paymentRoutes(api: ApiParts): Route[] {
  return [list(api), read(api), returns(api), resolvePayment(api), refundOfPayment(api)]
}

const sources = Object.keys(accountKinds) as AccountKind[]

const list = ({ openPage }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'listPayments',
    summary: 'List payments',
    description: 'Returns payments, newest first. Filter by status, source or account.',
    query: closed({
      source: Type.Optional(oneOf(sources, 'Only payments into this kind of account.')),
      accountReference: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: limits.names.length,
          description: 'Only payments into the account or wallet with this reference.',
          examples: [referenceSample(prefixes.virtualAccount)],
        }),
      ),
      status: Type.Optional(withStatus([...paymentStatuses])),
      ...pageQuery,
    }),
    answers: { 200: page(payment) },
    async handle({ environment, query }) {
      const { accountReference, limit = limits.http.pageSizeDefault } = query
      const { db, cursor, toNext } = openPage(query.cursor)
      const found = await listPayments(db, environment.id, {
        source: query.source as AccountKind | undefined,
        accountId: accountReference === undefined ? undefined : readAccount(accountReference),
        status: query.status as PaymentStatus | undefined,
        beforeId: cursor === undefined ? undefined : readPosition(prefixes.payment, cursor),
        limit: limit + 1,
      })
      const shown = found.slice(0, limit)
      const last = shown.at(-1)?.id
      const nextCursor = toNext(
        found.length > limit ? writePosition(prefixes.payment, last!) : null,
      )
      return success(200, 'Payments', { items: shown.map(showPayment), nextCursor })
    },
  })

/** An unknown reference gets an id that no row has: the list is empty, not an error. */
function readAccount(reference: string): string {
  return fromReferenceOfAnyKind(reference) ?? '00000000-0000-0000-0000-000000000000'
}

const read = ({ db }: ApiParts) => {
  const readPayment = createPaymentReader(db)
  return route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
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
