import Type, { type Static } from 'typebox'
import { after } from '../../base/clock.js'
import { newId, prefixes } from '../../base/ids.js'
import { Refusal, returnRefusal } from '../../base/refusal.js'
import { getPayment } from '../../collections/find-payments.js'
import type { Payment } from '../../collections/payment.js'
import { closeRequest } from '../../collections/payment-requests.js'
import { inspectReturns } from '../../collections/prepare-returns.js'
import {
  asPaymentAction,
  type PaymentRefund,
  prepareRefund,
  type RefundedPayment,
  refundPayment,
  refuseUnaffordableRefund,
} from '../../collections/refund-payment.js'
import { acceptHeld, returnHeld } from '../../collections/resolve-payment.js'
import { destinationOf } from '../../collections/return-destination.js'
import { formatDecimal } from '../../money/amounts.js'
import { mustWait, type RuleRequest } from '../../payouts/create-under-rule.js'
import { isRailPaused, railPaused } from '../../payouts/paused-rails.js'
import { type Payout, returnKindOf } from '../../payouts/payout.js'
import type { BankDirectory, Destination, PayoutRail } from '../../payouts/ports.js'
import type { Tx } from '../../postgres/tx.js'
import { payment, showPayment } from '../../resources/payment.js'
import { referenceSample } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { commitRefusal } from '../create-resource.js'
import { success } from '../edge/envelope.js'
import { type KeyedChange, toCallWithLateAnswer } from '../edge/keyed-lane.js'
import { bankRefusalReasons, chainRefusalReasons, withReasons } from '../edge/refusals-of.js'
import { amountIn, destinationIn, readAmount, readDestination } from '../edge/return-request.js'
import { type RouteRequest, route } from '../edge/route.js'
import { closed, inPath } from '../edge/schemas.js'

const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const
const path = '/v1/collections/payments/:reference'
const params = inPath('reference', referenceSample(prefixes.payment))

const acceptance = Object.assign(
  closed({ action: Type.Literal('accept', { examples: ['accept'] }) }),
  { title: 'HeldPaymentAcceptance' },
)
const heldReturn = Object.assign(
  closed({
    action: Type.Literal('return', { examples: ['return'] }),
    destination: Type.Optional(destinationIn),
  }),
  { title: 'HeldPaymentReturn' },
)
const resolution = Type.Unsafe<Static<typeof acceptance> | Static<typeof heldReturn>>({
  type: 'object',
  required: ['action'],
  discriminator: { propertyName: 'action' },
  oneOf: [acceptance, heldReturn],
  examples: [{ action: 'accept' }],
})

export const resolvePayment = (api: ApiParts) =>
  route({
    ...base,
    path: `${path}/resolve`,
    stopsWhenSuspended: true,
    permission: 'payments.decide',
    operation: 'resolvePayment',
    summary: 'Resolve a held payment',
    description:
      'Accepts the held amount of a payment, or returns it to the sender or to `destination`. Stablecoins are returned only to a wallet that you name.',
    params,
    body: resolution,
    answers: { 200: payment },
    refusals: [
      'not_found',
      ...withReasons('payment_action_failed', 'invalid_state', 'balance_limit', 'no_destination'),
      ...withReasons('payment_action_failed', ...chainRefusalReasons),
    ],
    async handle(request) {
      const name = { environmentId: request.environment.id, ...request.params }
      const { body } = request
      const isAccepted = body.action === 'accept'
      const found = await getPayment(api.db, name)
      const requested = readDestination(
        body.action === 'return' ? body.destination : undefined,
        found,
      )
      const destination = isAccepted
        ? undefined
        : await prepareReturn(api, request, { found, requested }).catch(returnRefusal)
      if (destination instanceof Refusal) return commitRefusal(api, request, destination)
      const pending = await preparePending(api, request, { found, requested, destination }).catch(
        returnRefusal,
      )
      if (pending instanceof Refusal) return commitRefusal(api, request, pending)
      return api.change(
        toCallWithLateAnswer(
          request,
          async (tx, now) => {
            const resolved = destination
              ? await returnHeld(tx, now, { ...name, destination, pending })
              : await acceptHeld(tx, now, name)
            await closeAnswered(tx, now, request, found)
            return resolved
          },
          (resolved) =>
            success(
              200,
              pending ? 'Return waits for approval' : 'Payment resolved',
              showPayment(resolved as Payment),
            ),
        ),
      )
    },
  })

export const refundOfPayment = (api: ApiParts) =>
  route({
    ...base,
    path: `${path}/refund`,
    stopsWhenSuspended: true,
    permission: 'payments.decide',
    stepUp: 'live',
    operation: 'refundPayment',
    summary: 'Refund a payment',
    description:
      'Returns accepted money to the sender or to `destination`: all of it, or `amount`. The fee is kept. Stablecoins are returned only to a wallet that you name.',
    params,
    body: Type.Optional(
      Type.Object(
        { amount: Type.Optional(amountIn), destination: Type.Optional(destinationIn) },
        { additionalProperties: false, examples: [{ amount: 1_250_000 }] },
      ),
    ),
    answers: { 201: payment },
    example: { amountAccepted: 0, amountReturning: 1_250_000, status: 'RETURNING' },
    refusals: [
      'not_found',
      'insufficient_balance',
      ...withReasons(
        'payment_action_failed',
        'invalid_state',
        'amount_too_large',
        'no_destination',
      ),
      ...withReasons(
        'payment_action_failed',
        ...new Set([...bankRefusalReasons, ...chainRefusalReasons]),
      ),
    ],
    async handle(request) {
      const name = { environmentId: request.environment.id, ...request.params }
      const found = await getPayment(api.db, name)
      const amount = readAmount(request.body?.amount, found) ?? found.amountAccepted
      const requested = readDestination(request.body?.destination, found)
      const prepared = await prepare(api, request, { found, requested, amount }).catch(
        returnRefusal,
      )
      if (prepared instanceof Refusal) return commitRefusal(api, request, prepared)
      let isSubmitted = false
      const call = toCallWithLateAnswer<KeyedChange, unknown>(
        request,
        async (tx, now) => {
          const refunded = await refundPayment(tx, now, { name, refund: prepared })
          await closeAnswered(tx, now, request, found)
          return refunded
        },
        (outcome) => {
          const { payment: refunded, status } = outcome as RefundedPayment
          isSubmitted = status === 'SUBMITTED'
          const message = isSubmitted ? 'Refund submitted' : 'Refund waits for approval'
          return success(201, message, showPayment(refunded))
        },
      )
      // A key that paid is kept as long as the payout: a repeat must never pay twice.
      call.expiresAt = null
      const answered = await api.change(call)
      if (answered.status === 201 && !answered.isReplayed && isSubmitted && prepared.signed)
        api.sendPayout(prepared.signed)
      return answered
    },
  })

type Caller = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'environment' | 'now' | 'actor' | 'keyId'
>

/** A decision answers the request of the person who asked for it. */
async function closeAnswered(
  tx: Tx,
  now: Date,
  { actor }: Pick<Caller, 'actor'>,
  { environmentId, id: paymentId }: Payment,
): Promise<void> {
  if (actor.kind !== 'user') return
  await closeRequest(tx, now, { environmentId, paymentId, userId: actor.userId, state: 'DONE' })
}

type ReturnRequest = { found: Payment; requested: Destination | undefined }

async function prepare(
  api: ApiParts,
  caller: Caller,
  { found, requested, amount }: ReturnRequest & { amount: bigint },
): Promise<PaymentRefund> {
  await refuseUnaffordableRefund(api.db, found, amount)
  const rail = railOf(api, caller, found)
  if (await isRailPaused(api.db, rail.name)) throw railPaused('payment_action_failed')
  const destination = await findDestination(api, caller, { found, requested })
  await inspectWallet(api, caller, { found, destination, amount })
  const { clockOffsetMs } = caller.environment
  const rule = ruleFor(api, caller, { found, requested, amount })
  return prepareRefund(rail, caller.now, found, {
    amount,
    destination,
    clockOffsetMs,
    rule,
    mustWait: rule !== null && (await mustWait(api.db, rule)),
  })
}

/** Money that goes to another destination than its sender follows the approval rule. */
function ruleFor(
  { collections }: ApiParts,
  { environment, now, actor, keyId }: Caller,
  { found, requested, amount }: ReturnRequest & { amount: bigint },
): RuleRequest | null {
  const createdByUser = actor.kind === 'user' ? actor.userId : null
  if (!requested || (createdByUser === null && !environment.keysNeedApproval)) return null
  const { railId: id, sender } = found
  const bank = collections.findBank(environment.mode, { name: found.rail })
  const ofSender = found.asset === 'NGN' ? destinationOf({ id, sender }, bank) : undefined
  const isSender =
    requested.kind === 'bank_account' &&
    requested.accountNumber === ofSender?.accountNumber &&
    requested.bankCode === ofSender.bankCode
  if (isSender) return null
  return {
    environmentId: environment.id,
    asset: found.asset,
    amount,
    createdByKey: keyId,
    createdByUser,
    at: now,
  }
}

/** The payout of a held payment that goes elsewhere and must wait; undefined: it need not. */
async function preparePending(
  api: ApiParts,
  caller: Caller,
  { found, requested, destination }: ReturnRequest & { destination: Destination | undefined },
): Promise<Payout | undefined> {
  const amount = found.amountHeld
  const rule = ruleFor(api, caller, { found, requested, amount })
  if (!destination || amount === 0n || !rule || !(await mustWait(api.db, rule))) return undefined
  const { environmentId, asset, id: paymentId } = found
  const { clockOffsetMs } = caller.environment
  const rail = railOf(api, caller, found)
  const [payout] = await inspectReturns(rail, after(caller.now, -clockOffsetMs), [
    {
      environmentId,
      id: newId(caller.now),
      paymentId,
      rail: rail.name,
      asset,
      amount,
      takesFrom: 'suspense',
      destination,
      createdAt: caller.now,
      clockOffsetMs,
    },
  ])
  if (payout instanceof Refusal) throw asPaymentAction(payout)
  const { createdByKey, createdByUser } = rule
  return { ...payout!, createdByKey, createdByUser }
}

/** Where held money goes back to. If nothing is held, the transaction refuses it. */
async function prepareReturn(
  api: ApiParts,
  caller: Caller,
  { found, requested }: ReturnRequest,
): Promise<Destination> {
  const destination = await findDestination(api, caller, { found, requested })
  if (found.amountHeld > 0n)
    await inspectWallet(api, caller, { found, destination, amount: found.amountHeld })
  return destination
}

/**
 * Refuses a wallet that the chain would refuse, before anything is promised. Banks are asked when
 * the money is sent: it came from that account, so the account exists.
 */
async function inspectWallet(
  api: ApiParts,
  caller: Caller,
  { found, destination, amount }: { found: Payment; destination: Destination; amount: bigint },
): Promise<void> {
  const { asset } = found
  if (asset === 'NGN') return
  railOf(api, caller, found)
  const request = {
    environment: caller.environment,
    kind: returnKindOf(found),
    asset,
    amount,
    requestedAmount: formatDecimal(amount, asset),
    destination,
  }
  await api.payoutPreparation.quote(request).catch((error: unknown) => {
    throw error instanceof Refusal ? asPaymentAction(error) : error
  })
}

/** Money goes back only through the bank or chain that it came from. */
function railOf(
  { rails, allBanks }: ApiParts,
  { environment }: Caller,
  found: Payment,
): PayoutRail {
  const { mode } = environment
  const candidates = [rails[mode][returnKindOf(found)], ...allBanks[mode].values()]
  const rail = candidates.find((one) => one?.name === found.rail)
  if (rail) return rail
  throw new Refusal('payment_action_failed', {
    reason: 'rail_unavailable',
    message: `Returns of this kind are not configured in ${environment.mode} mode. Ask the operator to configure them.`,
  })
}

/** The destination that the merchant named, or else the sender. */
async function findDestination(
  { collections, banks }: ApiParts,
  { environment }: Caller,
  { found, requested }: ReturnRequest,
): Promise<Destination> {
  if (requested) return withBankName(requested, banks[environment.mode])
  if (found.asset !== 'NGN') throw noDestination(unknownOwner)
  const { railId: id, sender } = found
  const destination = destinationOf(
    { id, sender },
    collections.findBank(environment.mode, { name: found.rail }),
  )
  if (destination) return destination
  throw noDestination('The bank did not report who sent this payment.')
}

/** Merchants name a bank by its code; payers are shown its name. */
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
  'Coins are not returned to the sending wallet: it may belong to an exchange, ' +
  'which may be unable to credit the customer.'

function noDestination(why: string): Refusal {
  return new Refusal('payment_action_failed', {
    reason: 'no_destination',
    message: `${why} Send a destination.`,
    details: [{ field: 'destination', issue: 'is required' }],
  })
}
