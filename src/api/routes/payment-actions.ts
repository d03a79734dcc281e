import Type from 'typebox'
import { prefixes } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { getPayment } from '../../collections/find-payments.js'
import type { Payment } from '../../collections/payment.js'
import {
  asPaymentAction,
  type PaymentRefund,
  prepareRefund,
  refundPayment,
  refuseUnpayable,
} from '../../collections/refund-payment.js'
import { acceptHeld, returnHeld } from '../../collections/resolve-payment.js'
import { destinationOf } from '../../collections/return-destination.js'
import { formatDecimal } from '../../money/amounts.js'
import { type Payout, returnKindOf } from '../../payouts/payout.js'
import type { BankDirectory, Destination, PayoutRail } from '../../payouts/ports.js'
import { payment, showPayment } from '../../resources/payment.js'
import { referenceSample } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { type KeyedChange, toLateCall, toRemembered } from '../edge/keyed-lane.js'
import { bankSays, chainSays, refusedAs } from '../edge/refusals-of.js'
import { amountIn, destinationIn, readAmount, readDestination } from '../edge/return-request.js'
import { type RouteRequest, route } from '../edge/route.js'
import { closed, inPath } from '../edge/schemas.js'

const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const
const path = '/v1/collections/payments/:reference'
const params = inPath('reference', referenceSample(prefixes.payment))

export const resolvePayment = (rooms: ApiParts) =>
  route({
    ...base,
    path: `${path}/resolve`,
    operation: 'resolvePayment',
    summary: 'Decide about held money',
    description:
      'Accept what is held of a payment, or send it back: to the sender, or to `destination`. Coins go back only to the wallet that you name.',
    params,
    body: closed({
      action: Type.Enum(['accept', 'return'], { type: 'string', examples: ['accept'] }),
      destination: Type.Optional(destinationIn),
    }),
    answers: { 200: payment },
    refusals: [
      'not_found',
      ...refusedAs('payment_action_failed', 'invalid_state', 'balance_limit', 'no_destination'),
      ...refusedAs('payment_action_failed', ...chainSays),
    ],
    async handle(ask) {
      const name = { environmentId: ask.environment.id, ...ask.params }
      const isAccepted = (ask.body.action as string) === 'accept'
      if (isAccepted && ask.body.destination) throw needless()
      const found = await getPayment(rooms.db, name)
      const wished = readDestination(ask.body.destination, found)
      const way = isAccepted
        ? undefined
        : await findWayBack(rooms, ask, { found, wished }).catch(toRemembered)
      return rooms.change(
        toLateCall(
          ask,
          (tx, now) => {
            if (way instanceof Refusal) throw way
            if (!way) return acceptHeld(tx, now, name)
            return returnHeld(tx, now, { ...name, destination: way })
          },
          (resolved) => success(200, 'Payment resolved', showPayment(resolved as Payment)),
        ),
      )
    },
  })

export const refundOfPayment = (rooms: ApiParts) =>
  route({
    ...base,
    path: `${path}/refund`,
    operation: 'refundPayment',
    summary: 'Refund a payment',
    description:
      'Sends accepted money back to whoever paid, or to `destination`: all of it, or `amount`. The fee is kept. Coins go back only to the wallet that you name.',
    params,
    body: Type.Optional(
      closed({ amount: Type.Optional(amountIn), destination: Type.Optional(destinationIn) }),
    ),
    answers: { 201: payment },
    example: { amountAccepted: 0, amountReturning: 1_250_000, status: 'RETURNING' },
    refusals: [
      ...(['not_found', 'insufficient_balance'] as const),
      ...refusedAs('payment_action_failed', 'invalid_state', 'amount_too_large', 'no_destination'),
      ...refusedAs('payment_action_failed', ...new Set([...bankSays, ...chainSays])),
    ],
    async handle(ask) {
      const name = { environmentId: ask.environment.id, ...ask.params }
      const found = await getPayment(rooms.db, name)
      const wish = {
        amount: readAmount(ask.body?.amount, found) ?? found.amountAccepted,
        wished: readDestination(ask.body?.destination, found),
      }
      const prepared = await prepare(rooms, ask, { found, ...wish }).catch(toRemembered)
      let payout: Payout | undefined
      const call = toLateCall<KeyedChange, unknown>(
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

type Asker = Pick<RouteRequest<unknown, unknown, unknown>, 'environment' | 'now'>

type Way = { found: Payment; wished: Destination | undefined }

/** Always a promise: a refusal on the way is remembered, wherever it is found. */
async function prepare(
  rooms: ApiParts,
  ask: Asker,
  { found, wished, amount }: Way & { amount: bigint },
): Promise<PaymentRefund> {
  await refuseUnpayable(rooms.db, found, amount)
  const rail = railOf(rooms, ask, found)
  const destination = await whereTo(rooms, ask, { found, wished })
  await inspectCoins(rooms, ask, { found, destination, amount })
  const { clockOffsetMs } = ask.environment
  return prepareRefund(rail, ask.now, found, { amount, destination, clockOffsetMs })
}

/** Of held money. What is not held is refused when it is locked; nobody needs to be asked. */
async function findWayBack(rooms: ApiParts, ask: Asker, way: Way): Promise<Destination> {
  const destination = await whereTo(rooms, ask, way)
  const { found } = way
  if (found.amountHeld > 0n)
    await inspectCoins(rooms, ask, { found, destination, amount: found.amountHeld })
  return destination
}

/**
 * The chain says what is wrong with a wallet before anything is promised. A bank is asked when the
 * money is sent: its way back is known, for the money came by it.
 */
async function inspectCoins(
  rooms: ApiParts,
  ask: Asker,
  { found, destination, amount }: { found: Payment; destination: Destination; amount: bigint },
): Promise<void> {
  const { asset } = found
  if (asset === 'NGN') return
  railOf(rooms, ask, found)
  const kind = returnKindOf(found)
  const requestedAmount = formatDecimal(amount, asset)
  const wish = { environment: ask.environment, kind, asset, amount, requestedAmount, destination }
  await rooms.ordering.quote(wish).catch((error: unknown) => {
    throw error instanceof Refusal ? asPaymentAction(error) : error
  })
}

/** Coins go back on the chain that they came by, and on no other. */
function railOf({ rails }: ApiParts, { environment }: Asker, found: Payment): PayoutRail {
  const rail = rails[environment.mode][returnKindOf(found)]
  if (rail && (found.asset === 'NGN' || rail.name === found.rail)) return rail
  throw new Refusal('payment_action_failed', {
    reason: 'rail_unavailable',
    message: `Nothing that could send this payment back is configured in ${environment.mode} mode.`,
  })
}

/** Where the merchant says, or else where it came from. */
async function whereTo(
  { collections, banks }: ApiParts,
  { environment }: Asker,
  { found, wished }: Way,
): Promise<Destination> {
  if (wished) return withBankName(wished, banks[environment.mode])
  if (found.asset !== 'NGN') throw noDestination(unknownOwner)
  const rail = collections.rails[environment.mode]
  const sender = rail && destinationOf({ id: found.railId, sender: found.sender }, rail)
  if (sender) return sender
  throw noDestination('The bank did not say who sent this payment.')
}

/** Merchants name a bank by its code; payers, who are told where their money goes, do not. */
async function withBankName(
  destination: Destination,
  directory: BankDirectory | undefined,
): Promise<Destination> {
  if (destination.kind !== 'bank_account' || !directory) return destination
  const banks = await directory.listBanks()
  const bankName = banks.find(({ code }) => code === destination.bankCode)?.name ?? ''
  return { ...destination, bankName }
}

const unknownOwner =
  'Coins do not go back by themselves: the wallet that sent them may be that of an exchange, ' +
  'which would not know whose they are.'

function noDestination(why: string): Refusal {
  return new Refusal('payment_action_failed', {
    reason: 'no_destination',
    message: `${why} Send destination: where it shall go.`,
  })
}

function needless(): Refusal {
  const issue = 'is for returns only'
  return new Refusal('validation_failed', {
    message: `destination ${issue}.`,
    details: [{ field: 'destination', issue }],
  })
}
