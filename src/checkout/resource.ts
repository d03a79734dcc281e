import Type, { type Static } from 'typebox'
import { toEnvironmentTime } from '../base/clock.js'
import { prefixes } from '../base/ids.js'
import { type JsonText, joinObjects, toJson } from '../base/json-text.js'
import { limits } from '../base/limits.js'
import {
  anyAmount,
  anyAsset,
  flag,
  orNull,
  reference,
  resource,
  text,
  timestamp,
  withDescription,
  withExample,
} from '../base/shapes.js'
import { type Payment, paymentReference, paymentStatusOf } from '../collections/payments/payment.js'
import { amounts, paymentStatus, variance } from '../collections/payments/resource.js'
import type { ReturnSummary } from '../collections/returns/store-returns.js'
import {
  acceptsCrypto,
  type Customer,
  cryptoProperties,
  customerOf,
  customerShape,
  methodsMax,
  paymentProperties,
  sharedSessionFields,
  sharedSessionProperties,
  showAmounts,
  showCrypto,
} from '../collections/sessions/resource.js'
import { toWire } from '../money/amounts.js'
import type { PublicSession } from './find-public-sessions.js'

const maskedAccount = Type.Object({
  bankName: text('GTBank', 'Name of the bank.'),
  accountNumber: text('******6789', 'Account number with all but the last four digits hidden.'),
})

const maskedWallet = Type.Object({
  address: text('9xQe…7hFw', 'The first and last four characters of the wallet address.'),
})

const { paymentsShownMax } = limits.checkout

/** What anyone who knows the reference may see. */
export const publicCheckoutSession = resource('PublicCheckoutSession', {
  ...sharedSessionProperties,
  customer: customerShape(
    'Who the merchant asked to pay. Both fields are empty if the merchant has set `checkout.showCustomer` to false.',
  ),
  ...paymentProperties,
  crypto: Type.Optional(
    Type.Object(cryptoProperties, {
      description: 'How to pay in a stablecoin. Only present while the session accepts it.',
    }),
  ),
  received: Type.Array(
    Type.Object({
      reference: reference(prefixes.payment, 'Identifies the payment, for a receipt.'),
      amount: anyAmount,
      currency: anyAsset,
      ...amounts(anyAmount, 1_250_000, 0),
      amountRefunded: withExample(
        withDescription(
          anyAmount,
          'Part of `amountReturning` and `amountReturned` that the merchant had accepted before.',
        ),
        0,
      ),
      status: paymentStatus,
      variance,
      sentFrom: orNull(
        Type.Union([maskedAccount, maskedWallet]),
        'Who paid, masked; null if not known.',
      ),
      sentBackTo: orNull(maskedAccount, 'Bank account that the money is returned to, if any.'),
      receivedAt: timestamp('When the bank or chain received the money.'),
    }),
    {
      description: 'Payments into the session, newest first.',
      maxItems: methodsMax * paymentsShownMax,
      examples: [[]],
    },
  ),
  moreReceived: flag(
    false,
    `Whether more payments arrived than \`received\` lists: per payment method up to ${paymentsShownMax}, the newest one and the largest that were not returned.`,
  ),
  cancelUrl: orNull(
    text(
      'https://shop.example/basket',
      'Where the customer goes to leave without paying, with `reference` added.',
    ),
  ),
  successUrl: Type.Optional(
    withExample(
      orNull(
        Type.String({
          description: 'Where the customer continues after paying, with `reference` added.',
        }),
        'Only present once the session is paid.',
      ),
      'https://shop.example/thanks',
    ),
  ),
})

export type PublicSessionJson = Static<typeof publicCheckoutSession>

export type ReceivedJson = PublicSessionJson['received'][number]

export function showPublicSession(now: Date, publicSession: PublicSession): PublicSessionJson {
  return { ...showTimeless(publicSession), serverTime: showTime(now, publicSession) }
}

/** Concurrent requests share one read and get the same object, so its text is made once. */
const timelessTexts = new WeakMap<PublicSession, JsonText>()

/** `showPublicSession` as JSON text. */
export function writePublicSession(now: Date, publicSession: PublicSession): JsonText {
  const text = timelessTexts.get(publicSession) ?? toJson(showTimeless(publicSession))
  timelessTexts.set(publicSession, text)
  return joinObjects(text, toJson({ serverTime: showTime(now, publicSession) }))
}

function showTime(now: Date, { clockOffsetMs }: PublicSession): string {
  return toEnvironmentTime(now, clockOffsetMs).toISOString()
}

function showTimeless(publicSession: PublicSession): Omit<PublicSessionJson, 'serverTime'> {
  const { session, wallet, payments, returns } = publicSession
  const shared = sharedSessionFields(publicSession, showCustomer(publicSession))
  const amounts = showAmounts(publicSession)
  // Field by field: object spreads are slow.
  return {
    reference: shared.reference,
    merchant: shared.merchant,
    amount: shared.amount,
    currency: shared.currency,
    description: shared.description,
    customer: shared.customer,
    paymentMethods: shared.paymentMethods,
    status: shared.status,
    expiresAt: shared.expiresAt,
    bankTransfer: amounts.bankTransfer,
    amountReceived: amounts.amountReceived,
    amountAccepted: amounts.amountAccepted,
    cryptoAmounts: amounts.cryptoAmounts,
    crypto: wallet && acceptsCrypto(publicSession) ? showCrypto(wallet, session) : undefined,
    received: payments.map((payment) => showReceived(payment, returns.get(payment.id))),
    moreReceived: publicSession.hasMore,
    cancelUrl: withReference(session.cancelUrl, session.reference),
    successUrl:
      shared.status === 'paid' ? withReference(session.successUrl, session.reference) : undefined,
  }
}

/** Every holder of the link reads this; a merchant can hide it. */
function showCustomer(publicSession: PublicSession): Customer {
  return publicSession.checkout.showCustomer ? customerOf(publicSession) : { name: '', email: '' }
}

/** Leaves out the sender's name and the fee, which only concern the merchant. */
export function showReceived(payment: Payment, returns: ReturnSummary | undefined): ReceivedJson {
  const { asset } = payment
  return {
    reference: paymentReference(payment),
    amount: toWire(payment.amount, asset),
    currency: asset,
    amountAccepted: toWire(payment.amountAccepted, asset),
    amountHeld: toWire(payment.amountHeld, asset),
    amountReturning: toWire(payment.amountReturning, asset),
    amountReturned: toWire(payment.amountReturned, asset),
    amountRefunded: toWire(refundedOf(payment, returns), asset),
    status: paymentStatusOf(payment),
    variance: payment.variance,
    sentFrom: showSender(payment.sender as Partial<Sender>),
    sentBackTo: showDestination(returns),
    receivedAt: payment.receivedAt.toISOString(),
  }
}

/** Returns are read after their payment: a refund made in between is not part of its amounts. */
function refundedOf(
  { amountReturning, amountReturned }: Payment,
  returns: ReturnSummary | undefined,
): bigint {
  const { amountRefunded = 0n } = returns ?? {}
  const sentBack = amountReturning + amountReturned
  return amountRefunded < sentBack ? amountRefunded : sentBack
}

type Sender = { accountNumber: string; bankName: string; address: string | null }

/** Enough for the payer to recognize, and too little for anyone else. */
function showSender({ accountNumber, bankName = '', address }: Partial<Sender>) {
  if (address) return { address: `${address.slice(0, 4)}…${address.slice(-4)}` }
  return accountNumber ? { bankName, accountNumber: mask(accountNumber) } : null
}

function mask(accountNumber: string): string {
  return accountNumber.slice(-4).padStart(10, '*')
}

/** The last four digits are enough for the account's owner, and useless to anyone else. */
function showDestination(returns: ReturnSummary | undefined) {
  if (returns?.destination?.kind !== 'bank_account') return null
  const { bankName, accountNumber } = returns.destination
  return { bankName, accountNumber: mask(accountNumber) }
}

/**
 * Adds the session's reference to a merchant's URL. Keeps the rest byte for byte, because the URL
 * may be signed or parsed strictly.
 */
export function withReference(url: string | null, reference: string): string | null {
  if (url === null) return null
  const [, address = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(url)!
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return `${address}${separator}reference=${reference}${fragment}`
}
