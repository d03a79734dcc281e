import Type from 'typebox'
import { prefixes, toReference } from '../base/ids.js'
import { toWire } from '../money/amounts.js'
import type { Coin } from '../money/assets.js'
import type { AccountFields } from './collection-account.js'
import {
  decimal,
  expiry,
  flag,
  kobo,
  metadata,
  naira,
  network,
  orNull,
  reference,
  resource,
  sessionSample,
  stablecoin,
  text,
  timestamp,
  withDescription,
  withMetadata,
} from './shapes.js'

const paymentMethod = Type.Object({
  code: text('bank_transfer', '`bank_transfer`, `card` or `crypto`.'),
  label: text('Bank transfer', 'Display name.'),
  enabled: flag(true, 'Whether the merchant has enabled the method.'),
  available: flag(true, 'Whether the session can be paid with it now.'),
  status: text('available', '`available`, `unavailable` or `coming_soon`.'),
})

export const sessionStatuses = ['pending', 'paid', 'expired', 'cancelled'] as const

export type SessionStatus = (typeof sessionStatuses)[number]

/** Fields that the merchant and the payer both see. */
export const sharedSessionProperties = {
  reference: text(
    sessionSample,
    'Identifies the session. Anyone who knows it can read the public session.',
  ),
  merchant: Type.Object({
    id: reference(prefixes.merchant, 'Identifies the merchant.'),
    displayName: text('Ada Stores', 'Name shown to payers.'),
  }),
  amount: withDescription(kobo, 'Amount to pay, in kobo.'),
  currency: naira,
  description: text('Two loaves of agege bread', 'What the customer pays for.'),
  customer: Type.Object({
    name: text('Ada Obi', 'Name of the customer.'),
    email: text('ada@example.com', 'Email address of the customer.'),
  }),
  paymentMethods: Type.Array(paymentMethod, { description: 'Payment methods of the session.' }),
  status: Type.Enum([...sessionStatuses], {
    description:
      '`pending` until the session is `paid`, `expired` or `cancelled`. An expired or cancelled session becomes `paid` if you accept a late payment.',
    examples: ['pending'],
  }),
  expiresAt: expiry,
}

export const cryptoPriceProperties = {
  asset: stablecoin,
  network,
  amount: withDescription(decimal, 'Price in this stablecoin, as the merchant wrote it.'),
}

export const checkoutSession = resource('CheckoutSession', {
  ...sharedSessionProperties,
  merchantReference: Type.Optional(
    text('order-1001', 'Your own reference, such as an order number, if you sent one.'),
  ),
  url: text(
    `https://pay.example.com/checkout/${sessionSample}`,
    'URL of the hosted page. Send your customer there.',
  ),
  virtualAccount: reference(
    prefixes.virtualAccount,
    'The virtual account that collects bank transfers for the session.',
  ),
  crypto: Type.Optional(
    Type.Object(cryptoPriceProperties, { description: 'Price in a stablecoin, if you set one.' }),
  ),
  cryptoWallet: Type.Optional(
    reference(prefixes.cryptoWallet, 'The wallet that collects stablecoins for the session.'),
  ),
  successUrl: orNull(
    text('https://shop.example/thanks', 'Where the customer continues after paying.'),
  ),
  cancelUrl: orNull(
    text('https://shop.example/basket', 'Where the customer goes to leave without paying.'),
  ),
  metadata,
  createdAt: timestamp('When the session was created.'),
})

/** What the JSON of a session is made from: the fields of `FoundSession` that it shows. */
export type SessionFields = {
  session: {
    reference: string
    description: string
    customerName: string
    customerEmail: string
    merchantReference: string | null
    url: string
    successUrl: string | null
    cancelUrl: string | null
    metadata: string
    createdAt: Date
  }
  account: AccountFields
  wallet: AccountFields | null
  merchantId: string
  checkout: { displayName: string }
  paymentMethods: { bankTransfer: boolean; crypto: boolean }
}

type AccountStatuses = { account: { status: string }; wallet: { status: string } | null }

const statusOfAccount: Record<string, SessionStatus> = {
  ACTIVE: 'pending',
  PAID: 'paid',
  EXPIRED: 'expired',
  CANCELLED: 'cancelled',
}

/**
 * A session is paid once its virtual account or its wallet is, even if the merchant accepted a late
 * payment; a payment into one closes the other. Otherwise it has the status of its virtual account.
 * The column `status` of checkout_sessions repeats this, so that lists can filter by it.
 */
export function sessionStatus({ account, wallet }: AccountStatuses): SessionStatus {
  return wallet?.status === 'PAID' ? 'paid' : statusOfAccount[account.status]!
}

/** JSON text, as the merchant's operations return it and events carry it. */
export function showSession(found: SessionFields): string {
  const { session, account, wallet } = found
  const fields = {
    ...sharedSessionFields(found),
    merchantReference: session.merchantReference ?? undefined,
    url: session.url,
    virtualAccount: toReference(prefixes.virtualAccount, account.id),
    crypto: wallet ? showCryptoPrice(wallet) : undefined,
    cryptoWallet: wallet ? toReference(prefixes.cryptoWallet, wallet.id) : undefined,
    successUrl: session.successUrl,
    cancelUrl: session.cancelUrl,
    createdAt: session.createdAt.toISOString(),
  }
  return withMetadata(fields, session.metadata)
}

export function sharedSessionFields(found: SessionFields) {
  const { session, account, merchantId, checkout } = found
  return {
    reference: session.reference,
    merchant: {
      id: toReference(prefixes.merchant, merchantId),
      displayName: checkout.displayName,
    },
    amount: toWire(account.amount!, 'NGN'),
    currency: 'NGN',
    description: session.description,
    customer: { name: session.customerName, email: session.customerEmail },
    paymentMethods: showPaymentMethods(found),
    status: sessionStatus(found),
    expiresAt: account.expiresAt!.toISOString(),
  }
}

export function showCryptoPrice({ requestedAmount, asset }: AccountFields) {
  return { asset: asset as Coin, network: 'SOLANA', amount: requestedAmount! }
}

/** Only while the session is pending: payers must not see where to send money afterwards. */
export function acceptsCrypto({ account, wallet }: AccountStatuses): boolean {
  return account.status === 'ACTIVE' && wallet?.status === 'ACTIVE'
}

/** A session keeps the accounts it was created with, even if a method is disabled later. */
function showPaymentMethods(found: SessionFields) {
  const { account, wallet, paymentMethods } = found
  const isBankAvailable = account.status === 'ACTIVE'
  const methods = [
    {
      code: 'bank_transfer',
      label: 'Bank transfer',
      enabled: paymentMethods.bankTransfer,
      available: isBankAvailable,
      status: isBankAvailable ? 'available' : 'unavailable',
    },
    {
      code: 'card',
      label: 'Card',
      enabled: false,
      available: false,
      status: 'coming_soon',
    },
  ]
  if (!paymentMethods.crypto && !wallet) return methods
  const isCryptoAvailable = acceptsCrypto(found)
  methods.push({
    code: 'crypto',
    label: wallet?.asset ?? 'USDC or USDT',
    enabled: paymentMethods.crypto,
    available: isCryptoAvailable,
    status: isCryptoAvailable ? 'available' : 'unavailable',
  })
  return methods
}
