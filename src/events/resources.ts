import Type, { type TSchema } from 'typebox'
import {
  decimal,
  kobo,
  metadata,
  naira,
  network,
  orNull,
  resource,
  stablecoin,
  text,
  time,
} from './shapes.js'

/**
 * The shapes of everything a merchant sees: verify operations answer them and events carry them, so
 * they are written once.
 */

const variance = Type.Enum(['NONE', 'UNDERPAID', 'OVERPAID', 'LATE', 'DUPLICATE'], {
  description: 'The latest payment that did not match.',
})

const amounts = (amount: TSchema) => ({
  amountAccepted: amount,
  amountHeld: amount,
  amountReturning: amount,
  amountReturned: amount,
})

const anyAmount = Type.Union([Type.Integer(), Type.String()], {
  description: 'NGN: an integer of kobo. USDC and USDT: a decimal string.',
})

const atBank = { bankCode: text('058'), accountNumber: text('0123456789') }
const bankSender = Type.Object({ name: text('ADA OBI'), ...atBank, bankName: text('GTBank') })

const address = text('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk')
/** Null where nobody can tell which wallet it was. */
const walletSender = Type.Object({ address: orNull(address) })

export const payment = resource('Payment', {
  reference: text('pay_01hx…'),
  source: Type.Enum([
    'virtual_account',
    'dedicated_account',
    'crypto_wallet',
    'dedicated_crypto_wallet',
  ]),
  accountReference: text('va_01hx…'),
  amount: anyAmount,
  ...amounts(anyAmount),
  fee: anyAmount,
  currency: Type.Enum(['NGN', 'USDC', 'USDT']),
  status: Type.Enum(['HELD', 'RETURNING', 'ACCEPTED', 'RETURNED']),
  variance,
  sender: Type.Union([bankSender, walletSender]),
  sessionId: orNull(Type.String()),
  narration: orNull(Type.String()),
  receivedAt: time,
  createdAt: time,
})

const latestPayments = Type.Array(payment, { description: 'The latest fifty, newest first.' })

/** Money of a payment that goes back. */
export const paymentReturn = resource('PaymentReturn', {
  reference: text('rf_01hx…'),
  kind: Type.Enum(['return', 'refund'], {
    description: 'A return is of money that was never accepted.',
  }),
  amount: anyAmount,
  currency: Type.Enum(['NGN', 'USDC', 'USDT']),
  status: Type.Enum(['WAITING', 'SENT', 'RETURNED', 'FAILED', 'REVERSED'], {
    description: 'FAILED and REVERSED: the money is where it was before.',
  }),
  failureReason: orNull(Type.String()),
  endedAt: orNull(time),
  destination: Type.Union([
    Type.Object({ ...atBank, bankName: Type.String(), accountName: Type.String() }),
    Type.Object({ address }),
  ]),
  createdAt: time,
})

export const virtualAccount = resource('VirtualAccount', {
  reference: text('va_01hx…'),
  merchantReference: text('order-1001'),
  accountNumber: text('0000014572'),
  accountName: text('Ada Stores'),
  bankCode: text('999'),
  bankName: text('Sandbox Bank'),
  amount: kobo,
  currency: naira,
  status: Type.Enum(['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED']),
  variance,
  amountReceived: kobo,
  ...amounts(kobo),
  payments: latestPayments,
  metadata,
  expiresAt: time,
  createdAt: time,
  paidAt: orNull(time),
})

export const dedicatedAccount = resource('DedicatedAccount', {
  externalReference: text('customer-77'),
  accountReference: text('da_01hx…'),
  accountNumber: text('0000000223'),
  accountName: text('Ada Stores'),
  bankCode: text('999'),
  bankName: text('Sandbox Bank'),
  status: Type.Enum(['ACTIVE', 'INACTIVE']),
  metadata,
  createdAt: time,
})

/** What a credit adds to the account it came to. */
const withPayment = { payment }

export const creditedAccount = resource('CreditedAccount', {
  ...dedicatedAccount.properties,
  ...withPayment,
})

const paymentMethod = Type.Object({
  code: text('bank_transfer'),
  label: text('Bank transfer'),
  enabled: Type.Boolean(),
  available: Type.Boolean(),
  status: text('available'),
})

const knownToPayers = {
  reference: text('cs_01hx…'),
  merchant: Type.Object({ id: text('mer_01hx…'), displayName: text('Ada Stores') }),
  amount: kobo,
  currency: naira,
  description: text('Two loaves of agege bread'),
  customer: Type.Object({ name: text('Ada Obi'), email: text('ada@example.com') }),
  paymentMethods: Type.Array(paymentMethod),
  status: Type.Enum(['pending', 'paid', 'expired', 'cancelled']),
  expiresAt: time,
}

/** What a session costs in coins, where the merchant has set it. */
const price = { asset: stablecoin, network, amount: decimal }

export const checkoutSession = resource('CheckoutSession', {
  ...knownToPayers,
  merchantReference: Type.Optional(text('order-1001')),
  url: text('https://pay.example.com/checkout/cs_01hx…'),
  virtualAccount: text('va_01hx…'),
  crypto: Type.Optional(Type.Object(price)),
  cryptoWallet: Type.Optional(text('cw_01hx…')),
  successUrl: orNull(Type.String()),
  cancelUrl: orNull(Type.String()),
  metadata,
  createdAt: time,
})

const maskedAccount = Type.Object({ bankName: text('GTBank'), accountNumber: text('******6789') })

/** What everyone who knows the reference may see of a session. */
export const publicCheckoutSession = resource('PublicCheckoutSession', {
  ...knownToPayers,
  bankTransfer: Type.Optional(
    Type.Object({
      ...{ accountNumber: text('0000014572'), accountName: text('Ada Stores') },
      ...{ bankName: text('Sandbox Bank'), bankCode: text('999'), amount: kobo },
    }),
  ),
  crypto: Type.Optional(Type.Object({ address, ...price })),
  amountReceived: kobo,
  amountAccepted: kobo,
  cryptoAmounts: Type.Optional(
    Type.Object(
      { asset: stablecoin, amount: decimal, amountReceived: decimal, amountAccepted: decimal },
      { description: 'What was asked for in coins, what came, and what the merchant has of it.' },
    ),
  ),
  received: Type.Array(
    Type.Object({
      amount: anyAmount,
      currency: Type.Enum(['NGN', 'USDC', 'USDT']),
      ...amounts(anyAmount),
      status: Type.Enum(['HELD', 'RETURNING', 'ACCEPTED', 'RETURNED']),
      variance,
      sentBackTo: orNull(maskedAccount),
      receivedAt: time,
    }),
    { description: 'What came, newest first, and where that money is now.' },
  ),
  moreReceived: Type.Boolean({ description: 'More came: `received` has the fifty that matter.' }),
  serverTime: time,
  cancelUrl: orNull(Type.String()),
  successUrl: Type.Optional(orNull(Type.String())),
})

const otherDeposits = Type.Optional(
  Type.Array(
    Type.Object({
      asset: Type.String({ description: 'USDC, USDT, or the address of another mint.' }),
      units: Type.String({
        description: 'In the smallest unit of the token.',
        examples: ['5000000'],
      }),
      signature: Type.String(),
      receivedAt: time,
    }),
    {
      description:
        'What came and is not for this wallet: kept there, and not credited. Shown where one wallet is read, not in lists and events.',
    },
  ),
)

export const cryptoWallet = resource('CryptoWallet', {
  reference: text('cw_01hx…'),
  merchantReference: text('order-1001'),
  address: text('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'),
  asset: stablecoin,
  network,
  amount: decimal,
  status: Type.Enum(['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED']),
  variance,
  amountReceived: decimal,
  ...amounts(decimal),
  payments: latestPayments,
  otherDeposits,
  metadata,
  expiresAt: time,
  createdAt: time,
  paidAt: orNull(time),
})

export const dedicatedCryptoWallet = resource('DedicatedCryptoWallet', {
  externalReference: text('customer-77'),
  reference: text('dw_01hx…'),
  address: text('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'),
  assets: Type.Array(stablecoin),
  network,
  status: Type.Enum(['ACTIVE']),
  otherDeposits,
  metadata,
  createdAt: time,
})

export const creditedWallet = resource('CreditedCryptoWallet', {
  ...dedicatedCryptoWallet.properties,
  ...withPayment,
})

export const lowBalance = resource('LowBalance', {
  asset: Type.Enum(['NGN', 'USDC', 'USDT']),
  available: anyAmount,
  threshold: anyAmount,
})

/** A place where a merchant hears of events. */
export const webhookEndpoint = resource('WebhookEndpoint', {
  id: text('we_01hx…'),
  url: text('https://example.com/webhooks'),
  events: Type.Array(Type.String(), { examples: [['payment.*']] }),
  description: Type.String(),
  enabled: Type.Boolean(),
  disabledReason: orNull(Type.Enum(['merchant', 'gone', 'failing'])),
  failingSince: orNull(time),
  publicKey: Type.String({ description: 'Ed25519, for the `v1a` signature.' }),
  createdAt: time,
})
