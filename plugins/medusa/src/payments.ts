import type { CheckoutSession, Manilla, Payment, WebhookHeaders } from 'manilla'
import { toNaira } from './amounts.js'

/**
 * What the payment provider does, without Medusa's classes: a payment session of Medusa is a
 * checkout session of Manilla. Money is captured when it arrives, and only Manilla's word counts.
 */

export type PaymentsOptions = {
  /** Verifies webhooks. */
  webhookSecret: string
  /** Where customers continue after paying on the hosted page; `reference` is added. */
  successUrl?: string | undefined
  cancelUrl?: string | undefined
  /** Also offers a stablecoin, at the current rate. */
  crypto?: { asset: 'USDC' | 'USDT'; network: 'SOLANA' } | undefined
}

/** Kept by Medusa with the payment session; the storefront can read it. */
export type SessionData = {
  /** Medusa's payment session. */
  session_id: string
  /** Manilla's checkout session. */
  reference: string
  /** Where the customer pays. */
  url: string
  /** In kobo. */
  amount: number
  status: CheckoutSession['status']
}

export type Status = 'requires_more' | 'captured' | 'canceled'

type Outcome = { status: Status; data: SessionData }

export type Order = {
  session: string
  kobo: number
  customer: { name: string; email: string }
  idempotencyKey: string
}

export type WebhookResult =
  | { action: 'captured' | 'canceled'; session: string; naira: string }
  | { action: 'not_supported' }

/** An expected "no", with the type of Medusa's error for it. */
export class Refused extends Error {
  readonly type: 'invalid_data' | 'not_allowed'

  constructor(type: Refused['type'], message: string) {
    super(message)
    this.type = type
  }
}

export class Payments {
  readonly #manilla: Manilla
  readonly #options: PaymentsOptions

  constructor(manilla: Manilla, options: PaymentsOptions) {
    this.#manilla = manilla
    this.#options = options
  }

  /** The same key creates the same session. */
  async create({ session, kobo, customer, idempotencyKey }: Order): Promise<Outcome> {
    const { successUrl, cancelUrl, crypto } = this.#options
    const input = {
      amount: kobo,
      currency: 'NGN' as const,
      description: 'Your order',
      customer,
      merchantReference: session,
      metadata: { medusaSession: session },
      successUrl,
      cancelUrl,
      crypto,
    }
    return outcomeOf(await this.#manilla.checkout.sessions.create(input, { idempotencyKey }))
  }

  /** Refuses a session that is not the one that was created for this payment session. */
  async read(data: SessionData): Promise<Outcome> {
    return outcomeOf(await this.#get(data))
  }

  /**
   * A session that was paid meanwhile is never given up: the money has arrived, and the cart can
   * still be completed.
   */
  async cancel(data: SessionData): Promise<Outcome> {
    const { sessions } = this.#manilla.checkout
    const before = await this.#get(data)
    if (before.status === 'pending') await sessions.cancel(before.reference).catch(() => {})
    // Read again also after a failure: the session may have been paid or ended at that moment.
    const outcome = outcomeOf(await this.#get(data))
    if (outcome.status === 'canceled') return outcome
    if (outcome.status === 'requires_more')
      throw new Error(`The checkout session ${data.reference} could not be cancelled. Try again.`)
    const advice = 'Complete the cart, or refund the payment.'
    throw new Refused('not_allowed', `This payment has been made. ${advice}`)
  }

  /** Returns money to the account that paid. The same key refunds once. */
  async refund(data: SessionData, { kobo, idempotencyKey }: RefundOrder): Promise<Outcome> {
    const session = await this.#get(data)
    const payment = refundable(session, kobo)
    await this.#manilla.payments.refund(payment.reference, { amount: kobo }, { idempotencyKey })
    return outcomeOf(session)
  }

  /** What a webhook means for Medusa. Throws if Manilla has not signed it. */
  async hear(body: string | Uint8Array, headers: WebhookHeaders): Promise<WebhookResult> {
    const { webhookSecret } = this.#options
    const event = await this.#manilla.webhooks.verify(body, headers, webhookSecret)
    switch (event.type) {
      case 'checkout.session.paid':
      case 'checkout.session.expired':
      case 'checkout.session.cancelled': {
        // Other programs of the merchant have sessions too.
        const session = medusaSessionOf(event.data)
        if (session === undefined) return { action: 'not_supported' }
        const action = event.type === 'checkout.session.paid' ? 'captured' : 'canceled'
        return { action, session, naira: toNaira(event.data.amount) }
      }
    }
    return { action: 'not_supported' }
  }

  async #get({ reference, session_id, amount }: SessionData): Promise<CheckoutSession> {
    const session = await this.#manilla.checkout.sessions.get(reference)
    const isOurs = medusaSessionOf(session) === session_id && session.amount === amount
    if (isOurs && session.currency === 'NGN') return session
    throw new Refused('not_allowed', `${reference} is not the checkout session of ${session_id}.`)
  }
}

export type RefundOrder = { kobo: number; idempotencyKey: string }

function outcomeOf(session: CheckoutSession): Outcome {
  const { reference, url, amount, status } = session
  const data = { session_id: medusaSessionOf(session)!, reference, url, amount, status }
  return { status: statusOf(status), data }
}

/** Ended sessions can still be paid: a late payment is reported by the webhook. */
function statusOf(status: CheckoutSession['status']): Status {
  if (status === 'paid') return 'captured'
  return status === 'pending' ? 'requires_more' : 'canceled'
}

function medusaSessionOf({ metadata }: CheckoutSession): string | undefined {
  const session = metadata?.medusaSession
  return typeof session === 'string' ? session : undefined
}

/** A session is usually paid by one payment; an accepted second one can be refunded, too. */
function refundable({ payments }: CheckoutSession, kobo: number): Payment {
  const found = payments.find(
    ({ currency, amountAccepted }) => currency === 'NGN' && Number(amountAccepted) >= kobo,
  )
  if (found) return found
  const isInCoins = payments.some(({ currency }) => currency !== 'NGN')
  const message = isInCoins
    ? 'This payment was made in a stablecoin. Refund it in Manilla, to a wallet.'
    : `No payment of this session is of ${toNaira(kobo)} naira or more. Refund at most what was paid.`
  throw new Refused('not_allowed', message)
}
