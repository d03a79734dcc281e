import Type from 'typebox'
import { outcomeUnknown, Refusal } from '../../../base/refusal.js'
import { sessionSample } from '../../../base/shapes.js'
import type { PublicSession } from '../../../checkout/find-public-sessions.js'
import { publicCheckoutSession, writePublicSession } from '../../../checkout/resource.js'
import type { Answer } from '../../../idempotency/answer.js'
import type { Coin } from '../../../money/assets.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { closed, inPath } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { successText } from '../../server/envelope.js'
import { type Route, route } from '../../server/route.js'

const path = '/public/checkout/:reference'
const base = { access: 'open', tag: 'Checkout' } as const
const params = inPath('reference', sessionSample)

/** Requests that a payer's browser may send. The session's reference is the only credential. */
export function publicCheckoutRoutes(api: ApiParts): Route[] {
  return [read(api), stream(api), simulate(api)]
}

const read = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'getPublicCheckout',
    summary: 'Retrieve a public checkout session',
    description: 'Needs no API key: anyone who knows the reference can read it, from any origin.',
    params,
    answers: { 200: publicCheckoutSession },
    refusals: ['checkout_session_not_found'],
    async handle({ params: { reference }, now }) {
      const publicSession = await getPublicSession(api, reference)
      return answerRead(now, publicSession)
    },
  })

/**
 * The last answer about a session. Concurrent requests share one read and get the same object;
 * those of the same millisecond also share the text.
 */
const lastAnswers = new WeakMap<PublicSession, { atMs: number; answer: Answer }>()

function answerRead(now: Date, publicSession: PublicSession): Answer {
  const last = lastAnswers.get(publicSession)
  if (last?.atMs === now.getTime()) return last.answer
  const answer = successText(200, 'Checkout session', writePublicSession(now, publicSession))
  lastAnswers.set(publicSession, { atMs: now.getTime(), answer })
  return answer
}

const stream = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/stream`,
    operation: 'streamPublicCheckout',
    summary: 'Stream changes of a checkout session',
    description:
      'Server-sent events. `changed` means that the session changed and should be read again; it carries no data. A stream lasts up to 15 minutes. Each session can have 5 streams and each address (for IPv6, each /64) 20; beyond that the response is 429, or 503 if the service has no capacity. Both send `Retry-After`; poll the session until then.',
    params,
    isStream: true,
    answers: {},
    refusals: ['checkout_session_not_found'],
    async handle({ params: { reference }, network }) {
      await getPublicSession(api, reference)
      const body = await api.streams.open({ reference, network })
      // Stops proxies from buffering events.
      const headers = { 'x-accel-buffering': 'no' }
      return { status: 200, body, contentType: 'text/event-stream; charset=utf-8', headers }
    },
  })

const simulate = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/simulate`,
    operation: 'simulatePublicCheckout',
    summary: 'Simulate a payment',
    description:
      'Pays a test-mode session once, as a customer would: by bank transfer, or in stablecoins if the session accepts them. Stablecoins are credited when the transfer is final. Not available in live mode.',
    params,
    body: Type.Optional(closed({ method: Type.Optional(methodIn) })),
    answers: { 200: publicCheckoutSession },
    refusals: [
      'checkout_session_not_found',
      ...withReasons('checkout_session_failed', 'no_payment_method'),
    ],
    async handle({ params: { reference }, body, now }) {
      const publicSession = await getPublicSession(api, reference)
      const method = (body as SimulateBody)?.method ?? defaultMethod(publicSession)
      if (!canSimulate(api, publicSession, method)) throw noSession()
      await simulatePaymentOnce(api, publicSession, { now, method })
      const paid = await getPublicSession(api, reference)
      const message = method === 'crypto' ? 'Stablecoins sent' : outcomeMessage(paid)
      return successText(200, message, writePublicSession(now, paid))
    },
  })

/** A late payment does not pay the session by itself, even if the amount is exact. */
function outcomeMessage({ account }: PublicSession): string {
  const { status } = account!
  if (status === 'PAID') return 'Paid'
  const ended = status === 'CANCELLED' ? 'was cancelled' : 'expired'
  return `The payment arrived after the session ${ended}. \`received\` shows where the money is`
}

const methodIn = Type.Enum(['bank_transfer', 'crypto'], {
  description:
    'Payment method. Defaults to `bank_transfer`, or to `crypto` if the session accepts nothing else.',
  examples: ['bank_transfer'],
})

type Method = 'bank_transfer' | 'crypto'

function defaultMethod({ account }: PublicSession): Method {
  return account ? 'bank_transfer' : 'crypto'
}

type SimulateBody = { method?: Method } | undefined

/** Whether a payer may be simulated: in test mode, if its bank or chain is. */
export function canSimulate(
  { collections: { sandboxPayers, localnetPayers } }: ApiParts,
  { mode }: PublicSession,
  method: Method,
): boolean {
  return mode === 'test' && Boolean(method === 'crypto' ? localnetPayers : sandboxPayers)
}

/** The session's id names the payment, so repeating the request pays once per method. */
export async function simulatePaymentOnce(
  api: ApiParts,
  publicSession: PublicSession,
  { now, method }: { now: Date; method: Method },
): Promise<void> {
  if (method === 'crypto') await depositOnce(api, publicSession)
  else await transferOnce(api, publicSession, now)
}

async function depositOnce(api: ApiParts, { wallet, session }: PublicSession): Promise<void> {
  const { localnetPayers, pollWalletSoon } = api.collections
  if (!wallet) throw acceptsNoCrypto()
  const { number: address, amount } = wallet
  const asset = wallet.asset as Coin
  const key = `checkout-${session.id.replaceAll('-', '')}`
  await localnetPayers!.deposit({ key, address, asset, amount: amount! }).catch(chainUnavailable)
  await pollWalletSoon(wallet)
}

async function transferOnce(api: ApiParts, publicSession: PublicSession, now: Date): Promise<void> {
  const { account, session, mode, clockOffsetMs } = publicSession
  const { sandboxPayers, judgeNotice } = api.collections
  if (!account) throw acceptsNoTransfers()
  const id = `sbp_${session.id.replaceAll('-', '')}`
  const paidAt = new Date(now.getTime() + clockOffsetMs)
  await sandboxPayers!.receivePayment({
    id,
    accountNumber: account.number,
    amount: account.amount!,
    paidAt,
    copies: 1,
    sender: { name: session.customerName },
  })
  await sandboxPayers!.sendNoticesNow(id)
  await judgeNotice({ rail: account.rail, mode, id })
}

async function getPublicSession(
  { collections }: ApiParts,
  reference: string,
): Promise<PublicSession> {
  const publicSession = await collections.findPublicSession(reference)
  if (!publicSession) throw noSession()
  return publicSession
}

/** The deposit may have landed all the same; a retry does not send it twice. */
function chainUnavailable(error: Error): never {
  throw outcomeUnknown(
    `The embedded chain is not responding (${error.message}). Retry in a moment: it pays once.`,
  )
}

function acceptsNoCrypto(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'no_payment_method',
    message: 'This session does not accept stablecoins: it was created without `crypto`.',
  })
}

function acceptsNoTransfers(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'no_payment_method',
    message: 'This session does not accept bank transfers: they were disabled in the settings.',
  })
}

function noSession(): Refusal {
  return new Refusal('checkout_session_not_found', {
    message: 'No checkout session with this reference exists. Ask the merchant for a new link.',
  })
}
