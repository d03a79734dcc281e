import Type from 'typebox'
import { prefixes, toReference } from '../../../base/ids.js'
import { Refusal } from '../../../base/refusal.js'
import {
  anyAmount,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  timestamp,
} from '../../../base/shapes.js'
import { getPayment, type PaymentName } from '../../../collections/payments/find-payments.js'
import type { Payment } from '../../../collections/payments/payment.js'
import {
  closeRequest,
  listRequests,
  type PaymentRequest,
  requestDecision,
} from '../../../collections/payments/payment-requests.js'
import { toWire } from '../../../money/amounts.js'
import type { Asset } from '../../../money/assets.js'
import type { UserActor } from '../../../team/actor.js'
import { noteLimits } from '../../../team/limits.js'
import { amountIn, readReturnAmount } from '../../parse/return-request.js'
import { closed, inPath, lineOfText } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const path = '/v1/collections/payments/:reference/requests'
const params = inPath('reference', referenceSample(prefixes.payment))
const base = { access: 'user', tag: 'Collections' } as const

const paymentRequest = resource('PaymentRequest', {
  reference: reference(prefixes.paymentRequest, 'Identifies the request.'),
  action: text('refund', '`accept`, `return` or `refund`.'),
  amount: orNull(anyAmount, 'Of a refund; null for everything.'),
  note: text('The customer paid twice', 'Why.'),
  status: text('OPEN', '`OPEN`, `DONE` or `DECLINED`.'),
  requestedBy: text('Emeka Obi', 'Who asks.'),
  decidedBy: orNull(text('Ada Obi'), 'Who decided.'),
  createdAt: timestamp('When it was asked for.'),
})

/** For members who may not decide about payments: they ask a member who may. */
export function paymentRequestRoutes(api: ApiParts): Route[] {
  return [ask(api), list(api), decline(api)]
}

const ask = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    permission: 'payments.ask',
    operation: 'requestPaymentDecision',
    summary: 'Ask for a refund or a decision',
    description: 'A member who may decide carries it out by refunding or resolving the payment.',
    params,
    body: closed({
      action: Type.Enum(['accept', 'return', 'refund'], { type: 'string', examples: ['refund'] }),
      amount: Type.Optional(amountIn),
      note: lineOfText(noteLimits.refundLengthMax, {
        examples: ['The customer paid twice'],
      }),
    }),
    answers: { 201: paymentRequest },
    async handle(request) {
      const { action, note, amount } = request.body
      const payment = await getPayment(api.db, nameOf(request))
      if (amount !== undefined && action !== 'refund')
        throw new Refusal('validation_failed', {
          message: 'Only a refund has an amount.',
          details: [{ field: 'amount', issue: 'is for refunds only' }],
        })
      const { userId, name } = request.actor as UserActor
      return api.change(
        request,
        (tx, now) =>
          requestDecision(tx, now, nameOf(request), {
            action: action as PaymentRequest['action'],
            amount: readReturnAmount(amount, payment) ?? null,
            note,
            requestedBy: { id: userId, name },
          }),
        (asked) => success(201, 'Requested', show(asked, payment.asset)),
      )
    },
  })

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    permission: 'payments.see',
    operation: 'listPaymentRequests',
    summary: 'List requests about a payment',
    description: 'Newest first.',
    params,
    answers: { 200: Type.Object({ items: Type.Array(paymentRequest) }) },
    async handle(request) {
      const payment = await getPayment(db, nameOf(request))
      const requests = await listRequests(db, payment)
      return success(200, 'Requests', {
        items: requests.map((asked) => show(asked, payment.asset)),
      })
    },
  })

const decline = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/decline`,
    permission: 'payments.ask',
    operation: 'declinePaymentRequest',
    summary: 'Decline or withdraw a request',
    description: 'A member who may decide declines it; the member who asked may withdraw it.',
    params,
    answers: { 200: Type.Object({}) },
    async handle(request) {
      const payment = await getPayment(api.db, nameOf(request))
      await refuseOthers(api, payment, request.actor as UserActor)
      return api.change(
        request,
        async (tx, now) => {
          const { userId } = request.actor as UserActor
          const { environmentId, id: paymentId } = payment
          const closing = { environmentId, paymentId, userId, state: 'DECLINED' } as const
          if (!(await closeRequest(tx, now, closing))) throw noRequest()
        },
        () => success(200, 'Declined', {}),
      )
    },
  })

async function refuseOthers({ db }: ApiParts, payment: Payment, actor: UserActor): Promise<void> {
  if (actor.permissions.has('payments.decide')) return
  const [open] = (await listRequests(db, payment)).filter(({ state }) => state === 'OPEN')
  if (!open) throw noRequest()
  if (open.requestedBy.id === actor.userId) return
  throw new Refusal('forbidden', {
    reason: 'role',
    message: `${open.requestedBy.name} asked for it. Only they, or a member who may decide, can close it.`,
  })
}

function noRequest(): Refusal {
  return new Refusal('payment_action_failed', {
    reason: 'invalid_state',
    message: 'No open request for a decision about this payment exists.',
  })
}

type Named = Pick<RouteRequest<unknown, unknown, { reference: string }>, 'environment' | 'params'>

function nameOf({ environment, params: { reference } }: Named): PaymentName {
  return { environmentId: environment.id, reference }
}

function show(asked: PaymentRequest, asset: Asset) {
  return {
    reference: toReference(prefixes.paymentRequest, asked.id),
    action: asked.action,
    amount: asked.amount === null ? null : toWire(asked.amount, asset),
    note: asked.note,
    status: asked.state,
    requestedBy: asked.requestedBy.name,
    decidedBy: asked.decidedBy?.name ?? null,
    createdAt: asked.createdAt.toISOString(),
  }
}
