import Type, { type Static } from 'typebox'
import type { RealTime } from '../../../base/clock.js'
import { prefixes } from '../../../base/ids.js'
import { Refusal, returnRefusal } from '../../../base/refusal.js'
import { referenceSample } from '../../../base/shapes.js'
import { getPayment } from '../../../collections/payments/find-payments.js'
import type { Payment } from '../../../collections/payments/payment.js'
import { closeRequest } from '../../../collections/payments/payment-requests.js'
import { acceptHeld, notHeld, returnHeld } from '../../../collections/payments/resolve-payment.js'
import { payment as paymentSchema, showPayment } from '../../../collections/payments/resource.js'
import {
  asPaymentAction,
  type PreparedReturn,
  prepareReturn,
  type ReturnedPayment,
  refundPayment,
  refuseUnaffordableRefund,
  returnElsewhere,
} from '../../../collections/returns/refund-payment.js'
import { destinationOf } from '../../../collections/returns/return-destination.js'
import type { RefundReason } from '../../../collections/returns/store-returns.js'
import type { Answer, KeyedAnswer } from '../../../idempotency/answer.js'
import { formatDecimal } from '../../../money/amounts.js'
import { returnKindOf } from '../../../payouts/payout.js'
import type { BankDirectory, Destination, PayoutRail } from '../../../payouts/ports.js'
import { mustWait, type RuleRequest } from '../../../payouts/requests/create-under-rule.js'
import { isRailPaused, railPaused } from '../../../payouts/requests/paused-rails.js'
import type { Tx } from '../../../postgres/transactions/tx.js'
import type { NamedTakeBack } from '../../../subaccounts/shares/named-take-back.js'
import { creatorOf } from '../../auth/creator-of.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { bankRefusalReasons, chainRefusalReasons, withReasons } from '../../openapi/refusals-of.js'
import {
  amountIn,
  destinationIn,
  readReturnAmount,
  readReturnDestination,
  readTakeBacks,
  refundWhy,
  takeBacksIn,
} from '../../parse/return-request.js'
import { closed, inPath } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { commitAndSend } from '../../pipeline/commit-and-send.js'
import { commitRefusal } from '../../pipeline/create-resource.js'
import { success } from '../../server/envelope.js'
import type { KeyedRequest } from '../../server/keyed-lane.js'
import { type RouteRequest, route } from '../../server/route.js'

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
    stepUp: 'live',
    operation: 'resolvePayment',
    summary: 'Resolve a held payment',
    description:
      'Accepts the held amount of a payment, or returns it to the sender or to `destination`. Stablecoins are returned only to a wallet that you name.',
    params,
    body: resolution,
    answers: { 200: paymentSchema },
    refusals: [
      'not_found',
      ...withReasons('payment_action_failed', 'invalid_state', 'balance_limit', 'no_destination'),
      ...withReasons(
        'payment_action_failed',
        ...new Set([...bankRefusalReasons, ...chainRefusalReasons]),
      ),
    ],
    async handle(request) {
      const name = { environmentId: request.environment.id, ...request.params }
      const { body } = request
      const payment = await getPayment(api.db, name)
      const requested = readReturnDestination(
        body.action === 'return' ? body.destination : undefined,
        payment,
      )
      if (body.action === 'return') {
        // Also while nothing is held: it may be held again at the commit, when a return that waits
        // is rejected. Without the rule, the money would leave to any destination then.
        const rule = ruleFor(api, request, { payment, requested, amount: payment.amountHeld })
        if (rule && payment.amountHeld === 0n) return commitRefusal(api, request, notHeld(payment))
        if (rule) return returnToOther(api, request, { payment, requested, rule })
      }
      const destination =
        body.action === 'accept'
          ? undefined
          : await findDestination(api, request, { payment, requested }).catch(returnRefusal)
      if (destination instanceof Refusal) return commitRefusal(api, request, destination)
      return api.change(
        request,
        async (tx, now) => {
          const resolved = destination
            ? await returnHeld(tx, now, { ...name, destination })
            : await acceptHeld(tx, now, name)
          await closeAnswered(tx, now, request, payment)
          return resolved
        },
        (resolved) => success(200, 'Payment resolved', showPayment(resolved)),
      )
    },
  })

type ResolveRequest = KeyedRequest & Caller & { params: { reference: string } }

/** Held money that goes elsewhere than back to its sender is a payout like a refund. */
async function returnToOther(
  api: ApiParts,
  request: ResolveRequest,
  { payment, requested, rule }: ReturnRequest & { rule: RuleRequest },
): Promise<KeyedAnswer> {
  const name = { environmentId: request.environment.id, ...request.params }
  const prepared = await prepare(api, request, {
    payment,
    requested,
    amount: rule.amount,
    takesFrom: 'suspense',
  }).catch(returnRefusal)
  if (prepared instanceof Refusal) return commitRefusal(api, request, prepared)
  return commitReturn(
    api,
    request,
    { payment, prepared },
    (tx, now) => returnElsewhere(tx, now, { name, prepared }),
    ({ payment: returned, status }) =>
      success(
        200,
        status === 'SUBMITTED' ? 'Payment resolved' : 'Return waits for approval',
        showPayment(returned),
      ),
  )
}

/** Commits the payout of a payment's money, and sends it unless it waits for approval. */
async function commitReturn(
  api: ApiParts,
  request: KeyedRequest & Caller,
  { payment, prepared }: { payment: Payment; prepared: PreparedReturn },
  apply: (tx: Tx, now: RealTime) => Promise<ReturnedPayment>,
  toAnswer: (returned: ReturnedPayment) => Answer,
): Promise<KeyedAnswer> {
  return commitAndSend(api, request, {
    async commit(tx, now) {
      const returned = await apply(tx, now)
      await closeAnswered(tx, now, request, payment)
      return returned
    },
    toAnswer,
    payoutOf: ({ status }) => (status === 'SUBMITTED' ? prepared.signed : null),
  })
}

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
      'Returns accepted money to the sender or to `destination`: all of it, or `amount`. The fee is kept. If the payment was split, sub-accounts give back their shares in proportion, or what `splits` names. Stablecoins are returned only to a wallet that you name.',
    params,
    body: Type.Optional(
      Type.Object(
        {
          amount: Type.Optional(amountIn),
          destination: Type.Optional(destinationIn),
          splits: takeBacksIn,
          ...refundWhy,
        },
        {
          additionalProperties: false,
          examples: [{ amount: 1_250_000, reason: 'requested_by_customer' }],
        },
      ),
    ),
    answers: { 201: paymentSchema },
    example: { amountAccepted: 0, amountReturning: 1_250_000, status: 'RETURNING' },
    refusals: [
      'not_found',
      'insufficient_balance',
      ...withReasons(
        'payment_action_failed',
        'invalid_state',
        'amount_too_large',
        'no_destination',
        'subaccount_not_covered',
      ),
      ...withReasons(
        'payment_action_failed',
        ...new Set([...bankRefusalReasons, ...chainRefusalReasons]),
      ),
    ],
    async handle(request) {
      const name = { environmentId: request.environment.id, ...request.params }
      const payment = await getPayment(api.db, name)
      const { reason, note } = request.body ?? {}
      const amount = readReturnAmount(request.body?.amount, payment) ?? payment.amountAccepted
      const requested = readReturnDestination(request.body?.destination, payment)
      const seesSellers = request.permissions.has('subaccounts.see')
      if (request.body?.splits !== undefined && !seesSellers)
        throw refuseUnseen(request, 'subaccounts.see')
      const splits = await readTakeBacks(api.db, request.body?.splits, payment)
      const prepared = await prepare(api, request, {
        payment,
        requested,
        amount,
        takesFrom: 'available',
        splits,
        why: { reason: reason ?? null, note: note ?? null },
      }).catch(returnRefusal)
      if (prepared instanceof Refusal) return commitRefusal(api, request, prepared)
      return commitReturn(
        api,
        request,
        { payment, prepared },
        (tx, now) =>
          refundPayment(tx, now, { name, refund: prepared }).catch((error: unknown) => {
            throw seesSellers ? error : withoutSellers(error)
          }),
        ({ payment: refunded, status }) =>
          success(
            201,
            status === 'SUBMITTED' ? 'Refund submitted' : 'Refund waits for approval',
            showPayment(refunded),
          ),
      )
    },
  })

/** What a seller has is not shown to those who may not see sub-accounts. */
function withoutSellers(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.reason !== 'subaccount_not_covered') return error
  return new Refusal('payment_action_failed', {
    reason: 'subaccount_not_covered',
    message:
      'A sub-account does not have its part of this refund. Your settings require that sub-accounts cover refunds.',
  })
}

type Caller = Pick<
  RouteRequest<unknown, unknown, unknown>,
  'environment' | 'now' | 'actor' | 'keyId'
>

/** A decision answers the request of the member who asked for it. */
async function closeAnswered(
  tx: Tx,
  now: RealTime,
  { actor }: Pick<Caller, 'actor'>,
  { environmentId, id: paymentId }: Payment,
): Promise<void> {
  if (actor.kind !== 'user') return
  await closeRequest(tx, now, { environmentId, paymentId, userId: actor.userId, state: 'DONE' })
}

type ReturnRequest = { payment: Payment; requested: Destination | undefined }

type PayoutOfPayment = ReturnRequest & {
  amount: bigint
  takesFrom: 'available' | 'suspense'
  why?: { reason: RefundReason | null; note: string | null }
  splits?: NamedTakeBack[] | null
}

async function prepare(
  api: ApiParts,
  caller: Caller,
  { payment, requested, amount, takesFrom, why, splits = null }: PayoutOfPayment,
): Promise<PreparedReturn> {
  if (takesFrom === 'available') await refuseUnaffordableRefund(api.db, payment, amount)
  const rail = railOf(api, caller, payment)
  if (await isRailPaused(api.db, rail.name)) throw railPaused('payment_action_failed')
  const destination = await findDestination(api, caller, { payment, requested })
  await inspectWallet(api, caller, { payment, destination, amount })
  const { clockOffsetMs } = caller.environment
  const rule = ruleFor(api, caller, { payment, requested, amount })
  return prepareReturn(rail, caller.now, payment, {
    amount,
    takesFrom,
    destination,
    ...(why && { why }),
    splits,
    clockOffsetMs,
    rule,
    mustWait: rule !== null && (await mustWait(api.db, rule)),
  })
}

/**
 * Money that goes to another destination than its sender follows the approval rule, if there is
 * one. That is decided when it is committed.
 */
function ruleFor(
  { rails }: ApiParts,
  { environment, now, actor, keyId }: Caller,
  { payment, requested, amount }: ReturnRequest & { amount: bigint },
): RuleRequest | null {
  if (!requested) return null
  const { railId: id, sender } = payment
  const bank = rails.banksByName.get(payment.rail)
  const senderAccount = payment.asset === 'NGN' ? destinationOf({ id, sender }, bank) : undefined
  const isSender =
    requested.kind === 'bank_account' &&
    requested.accountNumber === senderAccount?.accountNumber &&
    requested.bankCode === senderAccount.bankCode
  if (isSender) return null
  return {
    environmentId: environment.id,
    asset: payment.asset,
    amount,
    ...creatorOf({ keyId, actor }),
    at: now,
  }
}

/**
 * Refuses a wallet that the chain would refuse, before anything is promised. Banks are asked when
 * the money is sent: it came from that account, so the account exists.
 */
async function inspectWallet(
  api: ApiParts,
  caller: Caller,
  { payment, destination, amount }: { payment: Payment; destination: Destination; amount: bigint },
): Promise<void> {
  const { asset } = payment
  if (asset === 'NGN') return
  railOf(api, caller, payment)
  const request = {
    environment: caller.environment,
    kind: returnKindOf(payment),
    asset,
    amount,
    requestedAmount: formatDecimal(amount, asset),
    destination,
  }
  await api.payoutPreparation.checkPayable(caller.now, request).catch((error: unknown) => {
    throw error instanceof Refusal ? asPaymentAction(error) : error
  })
}

/** Money goes back only through the bank or chain that it came from. */
function railOf({ rails }: ApiParts, { environment }: Caller, payment: Payment): PayoutRail {
  const rail = rails.named(payment.rail)
  if (rail) return rail
  throw new Refusal('payment_action_failed', {
    reason: 'rail_unavailable',
    message: `Returns of this kind are not configured in ${environment.mode} mode. Ask the operator to configure them.`,
  })
}

/** The destination that the merchant named, or else the sender. */
async function findDestination(
  { rails }: ApiParts,
  { environment }: Caller,
  { payment, requested }: ReturnRequest,
): Promise<Destination> {
  if (requested) return withBankName(requested, rails.payoutBankOf(environment))
  if (payment.asset !== 'NGN') throw noDestination(unknownOwner)
  const { railId: id, sender } = payment
  const destination = destinationOf({ id, sender }, rails.banksByName.get(payment.rail))
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
