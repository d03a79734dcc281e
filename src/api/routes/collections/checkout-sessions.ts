import Type from 'typebox'
import { emailPattern } from '../../../base/contact-patterns.js'
import { prefixes } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import { referenceSample, sessionSample, withDescription } from '../../../base/shapes.js'
import { accountReference } from '../../../collections/accounts/account.js'
import { endAccount } from '../../../collections/accounts/end-accounts.js'
import {
  createSessionReader,
  type FoundSession,
  getSession,
} from '../../../collections/sessions/find-sessions.js'
import { checkoutSession, showSession } from '../../../collections/sessions/resource.js'
import { type SessionStatus, sessionStatuses } from '../../../collections/sessions/session.js'
import { sessionList } from '../../../collections/sessions/session-list.js'
import { visible } from '../../../merchants/settings/settings-document.js'
import type { Coin } from '../../../money/assets.js'
import { hidesPayers } from '../../../team/actor.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { metadataIn, readMetadata } from '../../parse/metadata.js'
import { checkNairaLimits } from '../../parse/naira-limits.js'
import { readPrice } from '../../parse/read-coins.js'
import { expiryIn, readExpiry } from '../../parse/read-expiry.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { chooseSplit, ownSplitsIn } from '../../parse/read-splits.js'
import { readWebUrl, webUrlPattern } from '../../parse/read-web-url.js'
import {
  closed,
  decimalInput,
  inPath,
  koboInput,
  nairaInput,
  networkInput,
  searchText,
  stablecoinInput,
  timeFilters,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { createResource } from '../../pipeline/create-resource.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'
import { referenceIn, retryKeyOf } from './accounts.js'

const path = '/v1/checkout/sessions'
const base = { access: 'secret', tag: 'Checkout' } as const
const params = inPath('reference', sessionSample)

export function checkoutSessionRoutes(api: ApiParts): Route[] {
  return [create(api), list(api), read(api), cancel(api)]
}

const text = (length: number, example: string) =>
  Type.String({ minLength: 1, maxLength: length, ...visible, examples: [example] })

const webUrl = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.checkout.urlLengthMax,
      pattern: webUrlPattern,
      description,
      examples: ['https://shop.example/thanks'],
    }),
  )

const priceIn = Type.Object(
  {
    asset: stablecoinInput,
    network: networkInput,
    amount: Type.Optional(
      withDescription(
        decimalInput,
        'Your price. Without it, the session is priced at the current rate: the smallest amount, in steps of 0.01, that is worth `amount` at the rate `buy` of `GET /v1/rates`. The price is fixed until the session expires.',
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Lets the customer pay in a stablecoin instead. Needs `paymentMethods.crypto` in the settings. If `paymentMethods.bankTransfer` is disabled there, the session can only be paid this way.',
  },
)

const create = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    stopsWhenSuspended: true,
    permission: 'collect.create',
    operation: 'createCheckoutSession',
    summary: 'Create a checkout session',
    description:
      'Creates a hosted page for one payment of one amount. Send your customer to its `url`. Expires after 30 minutes unless you send `expiresAt`.',
    body: closed({
      amount: koboInput,
      currency: Type.Optional(nairaInput),
      description: text(limits.checkout.descriptionLengthMax, 'Two loaves of agege bread'),
      customer: closed({
        name: text(limits.names.length, 'Ada Obi'),
        email: Type.String({
          maxLength: limits.checkout.emailLengthMax,
          pattern: emailPattern,
          examples: ['ada@example.com'],
        }),
      }),
      merchantReference: Type.Optional(referenceIn),
      expiresAt: Type.Optional(expiryIn),
      crypto: Type.Optional(priceIn),
      successUrl: webUrl(
        'Where the customer continues after paying. `reference` is added to the query.',
      ),
      cancelUrl: webUrl('Where the customer goes back to. `reference` is added to the query.'),
      metadata: Type.Optional(metadataIn),
      splits: ownSplitsIn,
    }),
    answers: { 201: checkoutSession },
    refusals: [
      ...withReasons(
        'checkout_session_failed',
        'kyc_missing',
        'no_bank_account',
        'account_refused',
        'rail_unavailable',
        'no_payment_method',
        'rate_unavailable',
      ),
      ...withReasons('forbidden', 'payouts_wait'),
    ],
    async handle(request) {
      checkNairaLimits(api, request)
      const { environment, now, body } = request
      const chosenSplit = await chooseSplit(api.db, request, {
        asset: 'NGN',
        expected: { amount: BigInt(body.amount), kind: 'virtual_account' },
      })
      const prepared = await api.collections.prepareSession(now, {
        chosenSplit,
        environment,
        retryKey: retryKeyOf(request),
        baseUrl: api.baseUrl(),
        metadata: readMetadata(request),
        description: body.description,
        merchantReference: body.merchantReference ?? null,
        customerName: body.customer.name,
        customerEmail: body.customer.email,
        successUrl: readWebUrl('successUrl', body.successUrl),
        cancelUrl: readWebUrl('cancelUrl', body.cancelUrl),
        paymentLinkId: null,
        expected: { amount: BigInt(body.amount), expiresAt: readExpiry(now, body.expiresAt) },
        crypto: body.crypto ? readCrypto(body.crypto) : null,
      })
      return createResource(api, request, prepared, {
        message: 'Checkout session created',
        commit: api.commitAccount,
      })
    },
  })

function readCrypto({ asset, amount }: { asset: string; amount?: string }) {
  const coin = asset as Coin
  if (amount === undefined) return { asset: coin, price: null }
  const price = { amount: readPrice(amount, coin, 'crypto.amount'), requestedAmount: amount }
  return { asset: coin, price }
}

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path,
    permission: 'payments.see',
    operation: 'listCheckoutSessions',
    summary: 'List checkout sessions',
    description:
      'Returns checkout sessions, newest first. Filters combine. Send `Accept: text/csv` to export all of them.',
    title: 'Checkout sessions',
    filters: {
      merchantReference: Type.Optional(referenceIn),
      status: Type.Optional(withStatus([...sessionStatuses])),
      paymentLink: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Reference of the payment link through which payers made them.',
          examples: [referenceSample(prefixes.paymentLink)],
        }),
      ),
      q: searchText(
        "Searches references, your own references, account numbers, and the customer's name and e-mail address.",
        'ada',
      ),
      ...timeFilters,
    },
    item: checkoutSession,
    columns,
    cursor: cursorOf(prefixes.position),
    toFilter: ({ query, actor }) => ({
      merchantReference: query.merchantReference,
      status: query.status as SessionStatus | undefined,
      paymentLink: query.paymentLink,
      text: query.q,
      hidesPayers: hidesPayers(actor),
      ...readTimeRange(query),
    }),
    rows: sessionList,
    show: (session, { now }) => showSession(now, session),
  })

const columns = csvColumns(
  'reference',
  'merchantReference',
  'createdAt',
  'status',
  'currency',
  inBothUnits('amount'),
  'description',
  'customer.name',
  'customer.email',
  'openedAt',
  'expiresAt',
  'payments',
  'url',
  'metadata',
  'paymentLink',
)

const read = ({ db }: ApiParts) => {
  const readSession = createSessionReader(db)
  return route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    permission: 'payments.see',
    operation: 'getCheckoutSession',
    summary: 'Retrieve a checkout session',
    description: 'Returns the current state.',
    params,
    answers: { 200: checkoutSession },
    refusals: ['not_found'],
    async handle({ environment, params: { reference }, now }) {
      const session = await readSession({ environmentId: environment.id, reference })
      return successText(200, 'Checkout session', showSession(now, session))
    },
  })
}

const cancel = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:reference/cancel`,
    permission: 'collect.create',
    operation: 'cancelCheckoutSession',
    summary: 'Cancel a checkout session',
    description:
      'Ends the session; its page shows that it was cancelled. A payment that still arrives counts as late.',
    params,
    answers: { 200: checkoutSession },
    example: { status: 'cancelled' },
    refusals: ['not_found', ...withReasons('checkout_session_failed', 'invalid_state')],
    async handle(request) {
      const { environment, params, now: serverTime } = request
      const name = { environmentId: environment.id, reference: params.reference }
      const { account: virtualAccount, wallet } = await getSession(api.db, name)
      const account = (virtualAccount ?? wallet)!
      let isEnded = false
      const answered = await api.change(
        request,
        async (tx, now) => {
          // A run that was rolled back has ended nothing.
          isEnded = false
          const { environmentId, kind } = account
          const own = { environmentId, kind, reference: accountReference(account) }
          const { counterpart } = await endAccount(tx, now, own).catch(asHasEnded)
          // The session was paid in coins, which ended its bank account.
          if (counterpart?.status === 'PAID') throw hasEnded()
          isEnded = true
          return getSession(tx, name)
        },
        (session) =>
          successText(200, 'Session cancelled', showSession(serverTime, session as FoundSession)),
      )
      if (isEnded) api.collections.closeAccount(account)
      return answered
    },
  })

function asHasEnded(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'account_action_failed') throw error
  throw hasEnded()
}

function hasEnded(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'invalid_state',
    message: 'Only a pending session can be cancelled; this one has ended.',
  })
}
