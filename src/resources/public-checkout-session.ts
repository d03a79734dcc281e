import Type from 'typebox'
import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { formatDecimal, toWire } from '../money/amounts.js'
import type { Coin } from '../money/assets.js'
import {
  acceptsCrypto,
  cryptoPriceProperties,
  type SessionFields,
  sharedSessionFields,
  sharedSessionProperties,
  showCryptoPrice,
} from './checkout-session.js'
import type { AccountFields } from './collection-account.js'
import { amounts, type PaymentFields, paymentStatus, paymentStatusOf, variance } from './payment.js'
import {
  anyAmount,
  anyAsset,
  decimal,
  flag,
  kobo,
  orNull,
  resource,
  stablecoin,
  text,
  timestamp,
  walletAddress,
  withDescription,
  withExample,
} from './shapes.js'

const maskedAccount = Type.Object({
  bankName: text('GTBank', 'Name of the bank.'),
  accountNumber: text('******6789', 'Account number with all but the last four digits hidden.'),
})

const { paymentsShownMax } = limits.checkout
/** Bank transfer and crypto: a session has at most one collection account for each. */
const methods = 2

/** What anyone who knows the reference may see. */
export const publicCheckoutSession = resource('PublicCheckoutSession', {
  ...sharedSessionProperties,
  bankTransfer: Type.Optional(
    Type.Object(
      {
        accountNumber: text('0000014572', 'Account number to pay into.'),
        accountName: text('Ada Stores', 'Name on the account.'),
        bankName: text('Sandbox Bank', 'Name of the bank.'),
        bankCode: text('999', 'Code of the bank.'),
        amount: withDescription(kobo, 'Amount to transfer, in kobo.'),
      },
      { description: 'How to pay by bank transfer. Only present while the session is pending.' },
    ),
  ),
  crypto: Type.Optional(
    Type.Object(
      {
        address: withDescription(walletAddress, 'Wallet address to pay into.'),
        ...cryptoPriceProperties,
      },
      { description: 'How to pay in a stablecoin. Only present while the session accepts it.' },
    ),
  ),
  amountReceived: withExample(withDescription(kobo, 'Naira received, in kobo.'), 0),
  amountAccepted: withExample(withDescription(kobo, 'Naira the merchant accepted, in kobo.'), 0),
  cryptoAmounts: Type.Optional(
    Type.Object(
      {
        asset: stablecoin,
        amount: withDescription(decimal, 'Amount to pay.'),
        amountReceived: withExample(withDescription(decimal, 'Amount received.'), '0'),
        amountAccepted: withExample(withDescription(decimal, 'Amount the merchant accepted.'), '0'),
      },
      { description: 'Stablecoin amounts, if the session has a price in one.' },
    ),
  ),
  received: Type.Array(
    Type.Object({
      amount: anyAmount,
      currency: anyAsset,
      ...amounts(anyAmount, 1_250_000, 0),
      status: paymentStatus,
      variance,
      sentBackTo: orNull(maskedAccount, 'Bank account that the money is returned to, if any.'),
      receivedAt: timestamp('When the bank or chain received the money.'),
    }),
    {
      description: 'Payments into the session, newest first.',
      maxItems: methods * paymentsShownMax,
      examples: [[]],
    },
  ),
  moreReceived: flag(
    false,
    `Whether more payments arrived than \`received\` lists: per payment method up to ${paymentsShownMax}, the newest one and the largest that were not returned.`,
  ),
  serverTime: timestamp('Current time of the environment, to count down to `expiresAt`.'),
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

/** What the public JSON is made from. */
export type PublicSessionFields = SessionFields & {
  clockOffsetMs: number
  /** Newest first. */
  payments: PaymentFields[]
  hasMore: boolean
  /** Where money is returned to, by payment id. */
  sentBackTo: Map<
    string,
    { kind: 'wallet' } | { kind: 'bank_account'; bankName: string; accountNumber: string }
  >
}

export function showPublicSession(now: Date, found: PublicSessionFields): PublicSessionJson {
  return { ...showTimeless(found), serverTime: showTime(now, found) }
}

/** Concurrent requests share one read and get the same object, so its text is made once. */
const timelessTexts = new WeakMap<PublicSessionFields, string>()

/** `showPublicSession` as JSON text. */
export function writePublicSession(now: Date, found: PublicSessionFields): string {
  const text = timelessTexts.get(found) ?? JSON.stringify(showTimeless(found)).slice(0, -1)
  timelessTexts.set(found, text)
  return `${text},"serverTime":"${showTime(now, found)}"}`
}

function showTime(now: Date, { clockOffsetMs }: PublicSessionFields): string {
  return after(now, clockOffsetMs).toISOString()
}

/** The fields of `publicCheckoutSession`. */
export type PublicSessionJson = ReturnType<typeof sharedSessionFields> & {
  bankTransfer?: ReturnType<typeof showBankTransfer> | undefined
  crypto?: ReturnType<typeof showCrypto> | undefined
  amountReceived: number | string
  amountAccepted: number | string
  cryptoAmounts?: ReturnType<typeof showCryptoAmounts> | undefined
  received: ReturnType<typeof showReceived>[]
  moreReceived: boolean
  serverTime: string
  cancelUrl: string | null
  successUrl?: string | null | undefined
}

function showTimeless(found: PublicSessionFields): Omit<PublicSessionJson, 'serverTime'> {
  const { session, account, wallet } = found
  const shared = sharedSessionFields(found)
  const { status } = shared
  return {
    ...shared,
    bankTransfer: status === 'pending' ? showBankTransfer(account) : undefined,
    crypto: wallet && acceptsCrypto(found) ? showCrypto(wallet) : undefined,
    amountReceived: toWire(account.amountReceived, 'NGN'),
    amountAccepted: toWire(account.amountAccepted, 'NGN'),
    cryptoAmounts: wallet ? showCryptoAmounts(wallet) : undefined,
    received: found.payments.map((payment) => showReceived(payment, found.sentBackTo)),
    moreReceived: found.hasMore,
    cancelUrl: withReference(session.cancelUrl, session.reference),
    successUrl:
      status === 'paid' ? withReference(session.successUrl, session.reference) : undefined,
  }
}

function showBankTransfer(account: AccountFields) {
  return {
    accountNumber: account.number,
    accountName: account.accountName,
    bankName: account.bankName,
    bankCode: account.bankCode,
    amount: toWire(account.amount!, 'NGN'),
  }
}

function showCrypto(wallet: AccountFields) {
  const { asset, network, amount } = showCryptoPrice(wallet)
  return { address: wallet.number, asset, network, amount }
}

function showCryptoAmounts(wallet: AccountFields) {
  const asset = wallet.asset as Coin
  return {
    asset,
    amount: formatDecimal(wallet.amount!, asset),
    amountReceived: formatDecimal(wallet.amountReceived, asset),
    amountAccepted: formatDecimal(wallet.amountAccepted, asset),
  }
}

/** Without sender and fee, which only concern the merchant. */
function showReceived(payment: PaymentFields, sentBackTo: PublicSessionFields['sentBackTo']) {
  const { asset } = payment
  return {
    amount: toWire(payment.amount, asset),
    currency: asset,
    amountAccepted: toWire(payment.amountAccepted, asset),
    amountHeld: toWire(payment.amountHeld, asset),
    amountReturning: toWire(payment.amountReturning, asset),
    amountReturned: toWire(payment.amountReturned, asset),
    status: paymentStatusOf(payment),
    variance: payment.variance,
    sentBackTo: showDestination(payment, sentBackTo),
    receivedAt: payment.receivedAt.toISOString(),
  }
}

/** The last four digits are enough for the account's owner, and useless to anyone else. */
function showDestination({ id }: PaymentFields, sentBackTo: PublicSessionFields['sentBackTo']) {
  const destination = sentBackTo.get(id)
  if (destination?.kind !== 'bank_account') return null
  const { bankName, accountNumber } = destination
  return { bankName, accountNumber: accountNumber.slice(-4).padStart(10, '*') }
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
