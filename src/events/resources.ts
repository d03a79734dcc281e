import Type, { type TSchema } from 'typebox'
import { resource } from './resource.js'

/**
 * The shapes of everything a merchant sees: verify operations answer them and events carry them, so
 * they are written once.
 */
export const time = Type.String({
  description: 'ISO 8601, UTC, with milliseconds.',
  examples: ['2026-01-05T09:00:00.000Z'],
})

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const text = (...examples: string[]) => Type.String({ examples })
const kobo = Type.Integer({ description: 'Naira in kobo.', examples: [1_250_000] })
const decimal = Type.String({ description: 'A decimal amount.', examples: ['25.50'] })
const stablecoin = Type.Enum(['USDC', 'USDT'], { examples: ['USDC'] })
const network = Type.Literal('SOLANA')
const naira = Type.Literal('NGN')
const metadata = Type.Object({}, { additionalProperties: true, description: 'As you sent it.' })
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
  payments: Type.Array(payment),
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

export const checkoutSession = resource('CheckoutSession', {
  ...knownToPayers,
  merchantReference: Type.Optional(text('order-1001')),
  url: text('https://pay.example.com/checkout/cs_01hx…'),
  virtualAccount: text('va_01hx…'),
  successUrl: orNull(Type.String()),
  cancelUrl: orNull(Type.String()),
  metadata,
  createdAt: time,
})

/** What everyone who knows the reference may see of a session. */
export const publicCheckoutSession = resource('PublicCheckoutSession', {
  ...knownToPayers,
  bankTransfer: Type.Optional(
    Type.Object({
      accountNumber: text('0000014572'),
      accountName: text('Ada Stores'),
      bankName: text('Sandbox Bank'),
      bankCode: text('999'),
      amount: kobo,
    }),
  ),
  amountReceived: kobo,
  amountAccepted: kobo,
  received: Type.Array(
    Type.Object({
      amount: kobo,
      ...amounts(kobo),
      status: Type.Enum(['HELD', 'RETURNING', 'ACCEPTED', 'RETURNED']),
      variance,
      sentBackTo: orNull(
        Type.Object({ bankName: text('GTBank'), accountNumber: text('******6789') }),
      ),
      receivedAt: time,
    }),
    {
      description: 'What came, newest first and the last ten at most, and where that money is now.',
    },
  ),
  serverTime: time,
  cancelUrl: orNull(Type.String()),
  successUrl: Type.Optional(orNull(Type.String())),
})

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
  payments: Type.Array(payment),
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
  status: Type.Enum(['ACTIVE', 'INACTIVE']),
  metadata,
  createdAt: time,
})

export const creditedWallet = resource('CreditedCryptoWallet', {
  ...dedicatedCryptoWallet.properties,
  ...withPayment,
})

const failureReason = Type.String({
  description: 'A word for programs; docs/reference/payouts.md explains them.',
})

export const cryptoTransfer = resource('CryptoTransfer', {
  reference: text('ct_01hx…'),
  merchantReference: Type.Optional(text('payout-9')),
  asset: stablecoin,
  network,
  amount: decimal,
  fee: decimal,
  totalDebit: decimal,
  destinationAddress: text('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'),
  status: Type.Enum(['SUBMITTED', 'CONFIRMED', 'FAILED']),
  transactionSignature: Type.String({ description: 'Of the latest attempt.' }),
  failureReason: orNull(failureReason),
  metadata,
  submittedAt: time,
  confirmedAt: orNull(time),
  failedAt: orNull(time),
  createdAt: time,
  attempts: Type.Array(
    Type.Object({
      signature: Type.String(),
      submittedAt: time,
      state: Type.Enum(['LIVE', 'LANDED', 'FAILED', 'DEAD']),
    }),
  ),
})

export const bankTransfer = resource('BankTransfer', {
  reference: text('bt_01hx…'),
  merchantReference: Type.Optional(text('payout-9')),
  amount: kobo,
  fee: kobo,
  totalDebit: kobo,
  currency: naira,
  bankCode: text('058'),
  bankName: text('GTBank'),
  accountNumber: text('0123456789'),
  accountName: text('ADA OBI'),
  narration: orNull(Type.String()),
  status: Type.Enum(['SUBMITTED', 'COMPLETED', 'FAILED', 'REVERSED']),
  sessionId: orNull(Type.String()),
  reviewRequired: Type.Boolean({
    description: 'Nobody could say for three days what became of it.',
  }),
  failureReason: orNull(failureReason),
  metadata,
  submittedAt: time,
  completedAt: orNull(time),
  failedAt: orNull(time),
  reversedAt: orNull(time),
  createdAt: time,
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
