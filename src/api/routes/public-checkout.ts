import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import type { PublicSession } from '../../checkout/find-public-sessions.js'
import type { Coin } from '../../money/assets.js'
import {
  publicCheckoutSession,
  writePublicSession,
} from '../../resources/public-checkout-session.js'
import { sessionSample } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { successText } from '../edge/envelope.js'
import { refusedAs } from '../edge/refusals-of.js'
import { type Route, route } from '../edge/route.js'
import { closed, inPath } from '../edge/schemas.js'

const path = '/public/checkout/:reference'
const base = { access: 'open', tag: 'Checkout' } as const
const params = inPath('reference', sessionSample)

/** What a payer's browser may ask, knowing nothing but a reference. */
export function publicCheckoutRoutes(rooms: ApiParts): Route[] {
  return [read(rooms), stream(rooms), simulate(rooms)]
}

const read = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'getPublicCheckout',
    summary: 'Read a checkout session as a payer',
    description: 'Needs no key: who knows the reference may read it, from any page.',
    params,
    answers: { 200: publicCheckoutSession },
    refusals: ['checkout_session_not_found'],
    async handle({ params: { reference }, now }) {
      const found = await findSession(rooms, reference)
      return successText(200, 'Checkout session', writePublicSession(now, found))
    },
  })

const stream = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/stream`,
    operation: 'streamPublicCheckout',
    summary: 'Hear when a checkout session changes',
    description:
      'Server-sent events: `changed` says that there is something new to read, and nothing else. A stream lasts 15 minutes at most; a session has five, an address (of IPv6, a /64) twenty, and beyond that comes 429. When the service has as many as it can, 503. Both say in `Retry-After` when to try again; meanwhile, read the session from time to time.',
    params,
    isStream: true,
    answers: {},
    refusals: ['checkout_session_not_found'],
    async handle({ params: { reference }, network }) {
      await findSession(rooms, reference)
      const body = rooms.streams.open({ reference, network })
      // Proxies that gather what they pass on would make news old.
      const headers = { 'x-accel-buffering': 'no' }
      return { status: 200, body, contentType: 'text/event-stream; charset=utf-8', headers }
    },
  })

const simulate = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/simulate`,
    operation: 'simulatePublicCheckout',
    summary: 'Pay a checkout session of test mode',
    description:
      'As a customer would, once: by bank transfer, or in coins if the session takes them, which count when they are final. In live mode there is no such operation.',
    params,
    body: Type.Optional(closed({ method: Type.Optional(method) })),
    answers: { 200: publicCheckoutSession },
    refusals: [
      'checkout_session_not_found',
      ...refusedAs('checkout_session_failed', 'no_payment_method', 'rail_unavailable'),
    ],
    async handle({ params: { reference }, body, now }) {
      const found = await findSession(rooms, reference)
      const wish = (body as Wish)?.method ?? 'bank_transfer'
      if (!canPay(rooms, found, wish)) throw noSession()
      await payOnce(rooms, found, { now, method: wish })
      const paid = await findSession(rooms, reference)
      const message = wish === 'crypto' ? 'Coins sent' : sayPaid(paid)
      return successText(200, message, writePublicSession(now, paid))
    },
  })

/** Money that comes too late does not pay a session by itself, however exact it is. */
function sayPaid({ account: { status } }: PublicSession): string {
  if (status === 'PAID') return 'Paid'
  const late = status === 'CANCELLED' ? 'the session was cancelled' : 'the time was up'
  return `The money came after ${late}, so nothing is paid by it; received says where it is`
}

const method = Type.Enum(['bank_transfer', 'crypto'], { examples: ['bank_transfer'] })

export type Method = 'bank_transfer' | 'crypto'
/** Nothing needs to be sent. */
type Wish = { method?: Method } | undefined

/** Only in test mode, and only where somebody plays the customer. */
export function canPay(
  { collections: { customers, coinCustomers } }: ApiParts,
  { mode }: PublicSession,
  by: Method,
): boolean {
  return mode === 'test' && Boolean(by === 'crypto' ? coinCustomers : customers)
}

type Paying = { now: Date; method: Method }

/** Named by the session: however often it is asked for, it is one payment by either way. */
export async function payOnce(rooms: ApiParts, found: PublicSession, by: Paying): Promise<void> {
  if (by.method === 'crypto') await sendCoinsOnce(rooms, found)
  else await transferOnce(rooms, found, by.now)
}

async function sendCoinsOnce(rooms: ApiParts, { wallet, session }: PublicSession): Promise<void> {
  const { coinCustomers, lookAtWallet } = rooms.collections
  if (!wallet) throw takesNoCoins()
  const { number: address, amount } = wallet
  const asset = wallet.asset as Coin
  const key = `checkout-${session.id.replaceAll('-', '')}`
  await coinCustomers!.deposit({ key, address, asset, amount: amount! }).catch(noAnswer)
  await lookAtWallet(wallet)
}

async function transferOnce(rooms: ApiParts, found: PublicSession, now: Date): Promise<void> {
  const { account, session, mode, clockOffsetMs } = found
  const { customers, takeNotice } = rooms.collections
  const id = `sbp_${session.id.replaceAll('-', '')}`
  const paidAt = new Date(now.getTime() + clockOffsetMs)
  await customers!.receivePayment({
    id,
    accountNumber: account.number,
    amount: account.amount!,
    paidAt,
    copies: 1,
    sender: { name: session.customerName },
  })
  await customers!.announceNow(id)
  await takeNotice({ rail: account.rail, mode, id })
}

async function findSession({ collections }: ApiParts, reference: string): Promise<PublicSession> {
  const found = await collections.findSession(reference)
  if (!found) throw noSession()
  return found
}

/** It may be there all the same; asked for again, it is there once. */
function noAnswer(error: Error): never {
  throw new Refusal('checkout_session_failed', {
    reason: 'rail_unavailable',
    message: `The embedded chain does not answer (${error.message}). Retry in a moment.`,
  })
}

function takesNoCoins(): Refusal {
  return new Refusal('checkout_session_failed', {
    reason: 'no_payment_method',
    message: 'This session cannot be paid in coins: it was created without `crypto`.',
  })
}

function noSession(): Refusal {
  return new Refusal('checkout_session_not_found', {
    message: 'There is no such checkout session. Ask the merchant for a new link.',
  })
}
