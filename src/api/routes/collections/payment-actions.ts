import Type, { type Static } from 'typebox'
import type { RealTime } from '../../../base/clock.js'
import { prefixes } from '../../../base/ids.js'
import { toJson, withField } from '../../../base/json-text.js'
import { Refusal, returnRefusal } from '../../../base/refusal.js'
import { referenceSample } from '../../../base/shapes.js'
import { getPayment } from '../../../collections/payments/find-payments.js'
import type { Payment } from '../../../collections/payments/payment.js'
import { closeRequest } from '../../../collections/payments/payment-requests.js'
import {
  acceptHeld,
  type DecideScreened,
  heldForScreening,
  notHeld,
  returnHeld,
} from '../../../collections/payments/resolve-payment.js'
import { payment as paymentSchema, showPayment } from '../../../collections/payments/resource.js'
import {
  asPaymentAction,
  type PreparedReturn,
  prepareReturn,
  prepareReturnByClaim,
  type ReturnedPayment,
  refundPayment,
  refuseUnaffordableRefund,
  returnElsewhere,
  throwAsReturn,
} from '../../../collections/returns/refund-payment.js'
import { destinationOf } from '../../../collections/returns/return-destination.js'
import type { RefundReason } from '../../../collections/returns/store-returns.js'
import {
  auditScreening,
  decidedByMembers,
  screenPayment,
} from '../../../collections/screening/decide-screened.js'
import type { Answer, KeyedAnswer } from '../../../idempotency/answer.js'
import { formatDecimal } from '../../../money/amounts.js'
import { mailClaimLink } from '../../../payouts/claims/claim-mails.js'
import { newClaimToken } from '../../../payouts/claims/create-claim.js'
import { showClaim } from '../../../payouts/claims/resource.js'
import { findWait, type RuleRequest } from '../../../payouts/controls/find-wait.js'
import { markScreeningHold } from '../../../payouts/controls/screen-destination.js'
import { sayWait } from '../../../payouts/controls/wait.js'
import { returnKindOf } from '../../../payouts/payout.js'
import type { BankDirectory, Destination, PayoutRail } from '../../../payouts/ports.js'
import { findSavedRecipient } from '../../../payouts/recipients/choose-recipient.js'
import { isRailPaused, railPaused } from '../../../payouts/requests/paused-rails.js'
import type { Tx } from '../../../postgres/transactions/tx.js'
import type { NamedTakeBack } from '../../../subaccounts/shares/named-take-back.js'
import { creatorOf } from '../../auth/creator-of.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import {
  bankRefusalReasons,
  chainRefusalReasons,
  recipientReasons,
  withReasons,
} from '../../openapi/refusals-of.js'
import { checkNairaField } from '../../parse/naira-limits.js'
import {
  amountIn,
  byClaimIn,
  destinationIn,
  readReturnAmount,
  readReturnByClaim,
  readReturnDestination,
  readTakeBacks,
  refundWhy,
  type SentClaimTerms,
  takeBacksIn,
} from '../../parse/return-request.js'
import { closed, inPath } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { commitAndSend } from '../../pipeline/commit-and-send.js'
import { commitRefusal } from '../../pipeline/create-resource.js'
import { missingKey } from '../../server/add-route.js'
import { success, successText } from '../../server/envelope.js'
import type { KeyedRequest } from '../../server/keyed-lane.js'
import { type RouteRequest, route } from '../../server/route.js'
import { writeLink } from '../payouts/claims.js'

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
    ...byClaimIn,
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
      'Accepts the held amount of a payment, or returns it to the sender, to `destination`, or by claim to where the payer says. Stablecoins are returned only to a wallet that you or the payer name. A payment that is held for screening is decided in the console, at the request of another member.',
    params,
    body: resolution,
    answers: { 200: paymentSchema },
    refusals: [
      'not_found',
      ...withReasons(
        'payment_action_failed',
        'invalid_state',
        'balance_limit',
        'no_destination',
        'screening',
        'shared_access',
      ),
      ...withReasons(
        'payment_action_failed',
        ...new Set([...bankRefusalReasons, ...chainRefusalReasons]),
        ...recipientReasons,
        'velocity_limit',
      ),
    ],
    async handle(request) {
      const name = { environmentId: request.environment.id, ...request.params }
      const { body, now } = request
      const payment = await getPayment(api.db, name)
      const terms = body.action === 'return' ? readReturnByClaim(body, now) : undefined
      if (terms) {
        const { amountHeld: amount } = payment
        if (amount === 0n) return commitRefusal(api, request, notHeld(payment))
        const wanted = { payment, amount, takesFrom: 'suspense', terms } as const
        return returnByClaim(api, request, wanted, (tx, realNow, prepared) =>
          returnElsewhere(tx, realNow, { name, prepared }),
        )
      }
      const requested = readReturnDestination(
        body.action === 'return' ? body.destination : undefined,
        payment,
      )
      const screened = await prepareScreened(api, request, { payment, action: body.action })
      if (body.action === 'return') {
        // Also while nothing is held: it may be held again at the commit, when a return that waits
        // is rejected. Without the rule, the money would leave to any destination then.
        const rule = ruleFor(api, request, { payment, requested, amount: payment.amountHeld })
        if (rule && payment.amountHeld === 0n) return commitRefusal(api, request, notHeld(payment))
        if (rule) return returnToOther(api, request, { payment, requested, rule, screened })
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
            ? await returnHeld(tx, now, { ...name, destination }, screened?.decideIn(tx))
            : await acceptHeld(tx, now, name, screened?.decideIn(tx))
          screened?.audit(tx, now)
          await closeAnswered(tx, now, request, payment)
          return resolved
        },
        (resolved) => success(200, 'Payment resolved', showPayment(resolved)),
      )
    },
  })

type ResolveRequest = KeyedRequest &
  Caller &
  Pick<RouteRequest<unknown, unknown, unknown>, 'requestId' | 'address'> & {
    params: { reference: string }
  }

type ScreenedDecision = {
  decideIn: (tx: Tx) => DecideScreened
  /** Once it is decided: a refusal leaves no line. */
  audit: (tx: Tx, now: RealTime) => void
}

/**
 * Screens the sender of a payment that is held for screening again, and says how two members decide
 * about it. Undefined for other payments. An API key has no second member.
 */
async function prepareScreened(
  api: ApiParts,
  { environment, actor, now: at, requestId, address }: ResolveRequest,
  { payment, action }: { payment: Payment; action: 'accept' | 'return' },
): Promise<ScreenedDecision | undefined> {
  if (payment.heldFor === null) return undefined
  const verdict = await screenPayment(api.screening, payment, environment.mode)
  return {
    decideIn: (tx) => async (locked) => {
      if (actor.kind !== 'user') throw heldForScreening(locked)
      return decidedByMembers(tx, { action, decider: actor, verdict, at })(locked)
    },
    audit(tx, now) {
      if (actor.kind !== 'user') return
      auditScreening(tx, now, {
        actor,
        action,
        merchantId: environment.merchantId,
        environmentId: environment.id,
        payment,
        verdict,
        requestId,
        address,
      })
    },
  }
}

/** Held money that goes elsewhere than back to its sender is a payout like a refund. */
async function returnToOther(
  api: ApiParts,
  request: ResolveRequest,
  {
    payment,
    requested,
    rule,
    screened,
  }: ReturnRequest & { rule: RuleRequest; screened: ScreenedDecision | undefined },
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
    async (tx, now) => {
      const returned = await returnElsewhere(tx, now, { name, prepared }, screened?.decideIn(tx))
      screened?.audit(tx, now)
      return returned
    },
    ({ payment: returned, status, approval }) =>
      success(
        200,
        status === 'SUBMITTED' ? 'Payment resolved' : `Return ${sayWait(approval)}`,
        showPayment(returned),
      ),
  )
}

type ByClaim = Omit<PayoutOfPayment, 'requested'> & { terms: SentClaimTerms }

/**
 * The payer says on the page of a claim where the money goes. The approval rule applies when they
 * do, as if the caller had made the payout.
 */
async function returnByClaim(
  api: ApiParts,
  request: KeyedRequest & Caller & Pick<RouteRequest<unknown, unknown, unknown>, 'permissions'>,
  { payment, amount, takesFrom, why, splits = null, terms: { secretWord, ...terms } }: ByClaim,
  apply: (tx: Tx, now: RealTime, prepared: PreparedReturn) => Promise<ReturnedPayment>,
): Promise<KeyedAnswer> {
  const { environment, now } = request
  if (!request.permissions.has('payouts.create')) throw refuseUnseen(request, 'payouts.create')
  // Without a key, a repeat could not get the link again.
  if (!request.key) throw missingKey()
  const token = newClaimToken()
  const prepare = async () => {
    railOf(api, request, payment)
    if (takesFrom === 'available') await refuseUnaffordableRefund(api.db, payment, amount)
    if (payment.asset === 'NGN') checkNairaField(api, environment, 'amount', amount)
    const word = secretWord === null ? null : await api.passwords.hash(secretWord)
    return prepareReturnByClaim(now, payment, {
      amount,
      takesFrom,
      ...(why && { why }),
      splits,
      terms: {
        ...terms,
        word,
        merchantReference: null,
        metadata: toJson({}),
        ...creatorOf(request),
      },
      token,
    })
  }
  const prepared = await prepare().catch(returnRefusal)
  if (prepared instanceof Refusal) return commitRefusal(api, request, prepared)
  const { claim } = prepared.carrier
  const link = await writeLink(api, environment, token)
  return commitReturn(
    api,
    request,
    { payment, prepared },
    async (tx, realNow) => {
      const returned = await apply(tx, realNow, prepared).catch((error: unknown) => {
        const isClaim = error instanceof Refusal && error.code === 'claim_failed'
        throw isClaim ? asPaymentAction(error) : error
      })
      mailClaimLink(tx, realNow, { ...link, claim })
      return returned
    },
    ({ payment: returned }) => ({
      ...successText(
        takesFrom === 'available' ? 201 : 200,
        'Waits for the payer',
        withField(showPayment(returned), 'claim', showClaim(claim, link.url)),
      ),
      holdsSecret: true,
    }),
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
    payoutOf: ({ status }) =>
      status === 'SUBMITTED' && 'payout' in prepared.carrier ? prepared.carrier.signed : null,
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
      'Returns accepted money to the sender, to `destination`, or by claim to where the payer says: all of it, or `amount`. The fee is kept. If the payment was split, sub-accounts give back their shares in proportion, or what `splits` names. Stablecoins are returned only to a wallet that you or the payer name.',
    params,
    body: Type.Optional(
      Type.Object(
        {
          amount: Type.Optional(amountIn),
          destination: Type.Optional(destinationIn),
          ...byClaimIn,
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
        'balance_limit',
      ),
      ...withReasons(
        'payment_action_failed',
        ...new Set([...bankRefusalReasons, ...chainRefusalReasons]),
        ...recipientReasons,
        'velocity_limit',
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
      const why = { reason: reason ?? null, note: note ?? null }
      const refund = (tx: Tx, now: RealTime, prepared: PreparedReturn) =>
        refundPayment(tx, now, { name, refund: prepared }).catch((error: unknown) => {
          throw seesSellers ? error : withoutSellers(error)
        })
      const terms = readReturnByClaim(request.body ?? {}, request.now)
      if (terms) {
        const wanted = { payment, amount, takesFrom: 'available', splits, why, terms } as const
        return returnByClaim(api, request, wanted, refund)
      }
      const prepared = await prepare(api, request, {
        payment,
        requested,
        amount,
        takesFrom: 'available',
        splits,
        why,
      }).catch(returnRefusal)
      if (prepared instanceof Refusal) return commitRefusal(api, request, prepared)
      return commitReturn(
        api,
        request,
        { payment, prepared },
        (tx, now) => refund(tx, now, prepared),
        ({ payment: refunded, status, approval }) =>
          success(
            201,
            status === 'SUBMITTED' ? 'Refund submitted' : `Refund ${sayWait(approval)}`,
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
  'environment' | 'now' | 'actor' | 'keyId' | 'apiKey'
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
  const code = 'payment_action_failed'
  if (rule) await findSavedRecipient(api.db, caller.environment, destination, code)
  const mustWait = rule !== null && (await findWait(api.db, rule).catch(throwAsReturn)) !== null
  return prepareReturn(rail, caller.now, payment, {
    amount,
    takesFrom,
    destination,
    ...(why && { why }),
    splits,
    clockOffsetMs,
    rule,
    creator: creatorOf(caller),
    screen:
      api.screening &&
      ((payout) => markScreeningHold(api.screening!, payout, caller.environment.mode)),
    mustWait,
  })
}

/**
 * Money that goes to another destination than its sender follows the approval rule and its
 * controls, if there are any. That is decided when it is committed. With a key whose payouts wait,
 * money that goes back to its sender waits, too.
 */
function ruleFor(
  { rails }: ApiParts,
  { environment, now, actor, keyId, apiKey }: Caller,
  { payment, requested, amount }: ReturnRequest & { amount: bigint },
): RuleRequest | null {
  const request = {
    environmentId: environment.id,
    asset: payment.asset,
    amount,
    ...creatorOf({ keyId, actor }),
    at: now,
  }
  const ofSender = apiKey?.payoutsWait ? request : null
  if (!requested) return ofSender
  const { railId: id, sender } = payment
  const bank = rails.banksByName.get(payment.rail)
  const senderAccount = payment.asset === 'NGN' ? destinationOf({ id, sender }, bank) : undefined
  const isSender =
    requested.kind === 'bank_account' &&
    requested.accountNumber === senderAccount?.accountNumber &&
    requested.bankCode === senderAccount.bankCode
  if (isSender) return ofSender
  return { ...request, controlled: { destination: requested } }
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
