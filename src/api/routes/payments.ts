import Type from 'typebox'
import { fromReferenceOfAnyKind, prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { type AccountKind, accountKinds } from '../../collections/account.js'
import { getPayment, listPayments } from '../../collections/find-payments.js'
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

export function paymentRoutes(rooms: ApiParts): Route[] {
  return [list(rooms), read(rooms), returns(rooms), resolvePayment(rooms), refundOfPayment(rooms)]
}

const sources = Object.keys(accountKinds) as AccountKind[]

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'listPayments',
    summary: 'List payments',
    description: 'Newest first; by status, by source, or of one account.',
    query: closed({
      source: Type.Optional(oneOf(sources, 'Only those that came this way.')),
      accountReference: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: limits.names.length,
          description: 'What was paid into.',
          examples: [referenceSample(prefixes.virtualAccount)],
        }),
      ),
      status: Type.Optional(withStatus([...paymentStatuses])),
      ...pageQuery,
    }),
    answers: { 200: page(payment) },
    async handle({ environment, query }) {
      const { accountReference, cursor, limit = limits.http.defaultPageSize } = query
      const found = await listPayments(db, environment.id, {
        source: query.source as AccountKind | undefined,
        accountId: accountReference === undefined ? undefined : readAccount(accountReference),
        status: query.status as PaymentStatus | undefined,
        beforeId: cursor === undefined ? undefined : readPosition(prefixes.payment, cursor),
        limit: limit + 1,
      })
      const shown = found.slice(0, limit)
      const last = shown.at(-1)?.id
      const nextCursor = found.length > limit ? writePosition(prefixes.payment, last!) : null
      return success(200, 'Payments', { items: shown.map(showPayment), nextCursor })
    },
  })

/** A reference that names nothing has no payments: it need not be refused to say so. */
function readAccount(reference: string): string {
  return fromReferenceOfAnyKind(reference) ?? nobodys
}
const nobodys = '00000000-0000-0000-0000-000000000000'

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getPayment',
    summary: 'Read a payment',
    description: 'As it is now: how much of it is accepted, held, on its way back, returned.',
    params,
    answers: { 200: payment },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await getPayment(db, { environmentId: environment.id, reference })
      return success(200, 'Payment', showPayment(found))
    },
  })

const returns = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference/returns`,
    operation: 'listPaymentReturns',
    summary: 'List what went back of a payment',
    description: 'Every return and refund of it, newest first, and how far it has come.',
    params,
    query: closed(pageQuery),
    answers: { 200: page(paymentReturn) },
    refusals: ['not_found'],
    async handle({ environment, params: { reference }, query }) {
      const { cursor, limit = limits.http.defaultPageSize } = query
      const of = await getPayment(db, { environmentId: environment.id, reference })
      const found = await listReturns(db, of, {
        beforeId: cursor === undefined ? undefined : readPosition(prefixes.paymentReturn, cursor),
        limit: limit + 1,
      })
      const shown = found.slice(0, limit)
      const last = shown.at(-1)?.id
      const nextCursor = found.length > limit ? writePosition(prefixes.paymentReturn, last!) : null
      return success(200, 'Returns', { items: shown.map(showReturn), nextCursor })
    },
  })
