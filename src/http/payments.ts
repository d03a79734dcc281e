import Type, { type Static } from 'typebox'
import { type AccountKind, accountKinds } from '../collections/account.js'
import { getPayment, listPayments } from '../collections/find-payments.js'
import { listReturns, showReturn } from '../collections/find-returns.js'
import type { Payment, PaymentStatus } from '../collections/payment.js'
import {
  prepareRefund,
  type Refund,
  refundPayment,
  refuseUnpayable,
} from '../collections/refund-payment.js'
import { acceptHeld, returnHeld } from '../collections/resolve-payment.js'
import type { BankDestination } from '../collections/return-destination.js'
import { destinationOf } from '../collections/return-destination.js'
import { showPayment } from '../collections/show-payment.js'
import { payment, paymentReturn } from '../events/resources.js'
import { fromReferenceOfAnyKind, prefixes } from '../ids.js'
import { limits } from '../limits.js'
import type { Payout } from '../payouts/payout.js'
import { Refusal } from '../refusal.js'
import { readPosition, writePosition } from './cursor.js'
import { success } from './envelope.js'
import { type Change, toLateCall, toRemembered } from './keyed-lane.js'
import type { Rooms } from './rooms.js'
import { type Ask, type Route, route } from './route.js'
import { closed, kobo, page, pageQuery, plainText } from './schemas.js'

const path = '/v1/collections/payments'
const base = { access: 'secret', tag: 'Collections' } as const
const params = Type.Object({ reference: Type.String() })

export function paymentRoutes(rooms: Rooms): Route[] {
  return [list(rooms), read(rooms), returns(rooms), resolve(rooms), refund(rooms)]
}

const statuses: PaymentStatus[] = ['HELD', 'RETURNING', 'ACCEPTED', 'RETURNED']
const sources = Object.keys(accountKinds) as AccountKind[]

const list = ({ db }: Rooms) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'listPayments',
    summary: 'List payments',
    description: 'Newest first; by status, by source, or of one account.',
    query: closed({
      source: Type.Optional(Type.Enum(sources, { type: 'string' })),
      accountReference: Type.Optional(
        Type.String({ minLength: 1, maxLength: limits.names.length }),
      ),
      status: Type.Optional(Type.Enum(statuses, { type: 'string' })),
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

const read = ({ db }: Rooms) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getPayment',
    summary: 'Read a payment',
    description: 'As it is now: how much of it is accepted, held, on its way back, returned.',
    params,
    answers: { 200: payment },
    codes: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await getPayment(db, { environmentId: environment.id, reference })
      return success(200, 'Payment', showPayment(found))
    },
  })

const returns = ({ db }: Rooms) =>
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
    codes: ['not_found'],
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
      return success(200, 'Returns', { items: shown.map((one) => showReturn(one, of)), nextCursor })
    },
  })

const destination = closed({
  bankCode: Type.String({ pattern: '^\\d{3,9}$', examples: ['058'] }),
  accountNumber: Type.String({ pattern: '^\\d{10}$', examples: ['0123456789'] }),
  accountName: Type.Optional(
    Type.String({ minLength: 1, maxLength: limits.names.length, pattern: plainText }),
  ),
})

const resolve = (rooms: Rooms) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:reference/resolve`,
    operation: 'resolvePayment',
    summary: 'Decide about held money',
    description:
      'Accept what is held of a payment, or send it back: to the sender, or to `destination`.',
    params,
    body: closed({
      action: Type.Enum(['accept', 'return'], { type: 'string', examples: ['accept'] }),
      destination: Type.Optional(destination),
    }),
    answers: { 200: payment },
    codes: ['not_found', 'payment_action_failed'],
    async handle(ask) {
      const name = { environmentId: ask.environment.id, ...ask.params }
      const isAccepted = (ask.body.action as string) === 'accept'
      if (isAccepted && ask.body.destination) throw needless()
      const found = await getPayment(rooms.db, name)
      return rooms.change(
        toLateCall(
          ask,
          (tx, now) =>
            isAccepted
              ? acceptHeld(tx, now, name)
              : returnHeld(tx, now, { ...name, destination: whereTo(rooms, ask, found) }),
          (resolved) => success(200, 'Payment resolved', showPayment(resolved as Payment)),
        ),
      )
    },
  })

const refund = (rooms: Rooms) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:reference/refund`,
    operation: 'refundPayment',
    summary: 'Refund a payment',
    description:
      'Sends accepted money back to whoever paid, or to `destination`: all of it, or `amount`. The fee is kept.',
    params,
    body: Type.Optional(
      closed({ amount: Type.Optional(kobo), destination: Type.Optional(destination) }),
    ),
    answers: { 201: payment },
    codes: ['not_found', 'insufficient_balance', 'payment_action_failed'],
    async handle(ask) {
      const name = { environmentId: ask.environment.id, ...ask.params }
      const found = await getPayment(rooms.db, name)
      const prepared = await prepare(rooms, { ...ask, body: ask.body ?? {} }, found).catch(
        toRemembered,
      )
      let payout: Payout | undefined
      const call = toLateCall<Change, unknown>(
        ask,
        async (tx, now) => {
          if (prepared instanceof Refusal) throw prepared
          const refunded = await refundPayment(tx, now, { name, refund: prepared })
          payout = refunded.payout
          return refunded.payment
        },
        (refunded) => success(201, 'Refund submitted', showPayment(refunded as Payment)),
      )
      // The key lives as long as the payout; that of a refund that was refused, as any other.
      const answered = await rooms.change({ ...call, forgetAt: null })
      if (payout) rooms.sendPayout(payout)
      return answered
    },
  })

type Refunding = Ask<
  { amount?: number; destination?: Static<typeof destination> },
  unknown,
  unknown
>

/** Always a promise: a refusal on the way is remembered, wherever it is found. */
async function prepare(rooms: Rooms, ask: Refunding, found: Payment): Promise<Refund> {
  const amount = BigInt(ask.body.amount ?? found.amountAccepted)
  await refuseUnpayable(rooms.db, found, amount)
  const rail = rooms.rails[ask.environment.mode].bank_return
  if (!rail) throw unavailable(ask)
  return prepareRefund(rail, ask.now, found, {
    amount,
    destination: whereTo(rooms, ask, found),
    clockOffsetMs: ask.environment.clockOffsetMs,
  })
}

/** Where the merchant says, or else where it came from. */
function whereTo(
  { collections }: Rooms,
  { environment, body }: Pick<Refunding, 'environment' | 'body'>,
  found: Payment,
): BankDestination {
  if (body.destination) {
    const { accountName = '', ...account } = body.destination
    return { kind: 'bank_account', ...account, accountName, bankName: '', narration: null }
  }
  const rail = collections.rails[environment.mode]
  const sender = rail && destinationOf({ id: found.railId, sender: found.sender }, rail)
  if (sender) return sender
  throw new Refusal('payment_action_failed', {
    reason: 'no_destination',
    message: 'The bank did not say who sent this payment. Send destination: where it shall go.',
  })
}

function needless(): Refusal {
  const issue = 'is for returns only'
  return new Refusal('validation_failed', {
    message: `destination ${issue}.`,
    details: [{ field: 'destination', issue }],
  })
}

function unavailable({ environment }: Pick<Refunding, 'environment'>): Refusal {
  return new Refusal('payment_action_failed', {
    reason: 'rail_unavailable',
    message: `No bank is configured to send money back in ${environment.mode} mode.`,
  })
}
