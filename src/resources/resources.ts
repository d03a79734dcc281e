import Type, { type TSchema } from 'typebox'
import { prefixes } from '../base/ids.js'
import {
  walletAddress as address,
  decimal,
  expiry,
  kobo,
  metadata,
  naira,
  network,
  notYet,
  orNull,
  reference,
  resource,
  showing,
  signature,
  stablecoin,
  text,
  time,
  truth,
} from './shapes.js'

/**
 * The shapes of everything a merchant sees: verify operations answer them and events carry them, so
 * they are written once.
 */

export const variance = Type.Enum(['NONE', 'UNDERPAID', 'OVERPAID', 'LATE', 'DUPLICATE'], {
  description: 'The latest payment that did not match.',
  examples: ['NONE'],
})

/** Where the money is; in the example, all of it is accepted. */
export const amounts = (amount: TSchema, accepted: number | string, none: number | string) => ({
  amountAccepted: showing(amount, accepted),
  amountHeld: showing(amount, none),
  amountReturning: showing(amount, none),
  amountReturned: showing(amount, none),
})

export const anyAmount = Type.Union([Type.Integer(), Type.String()], {
  description: 'NGN: an integer of kobo. USDC and USDT: a decimal string.',
  examples: [1_250_000],
})
export const anyCurrency = Type.Enum(['NGN', 'USDC', 'USDT'], { examples: ['NGN'] })
export const paymentStatus = Type.Enum(['HELD', 'RETURNING', 'ACCEPTED', 'RETURNED'], {
  examples: ['ACCEPTED'],
})

const atBank = { bankCode: text('058'), accountNumber: text('0123456789') }
const bankSender = Type.Object({ name: text('ADA OBI'), ...atBank, bankName: text('GTBank') })

/** Null where nobody can tell which wallet it was. */
const walletSender = Type.Object({ address: orNull(address) })

export const payment = resource('Payment', {
  reference: reference(prefixes.payment),
  source: Type.Enum(
    ['virtual_account', 'dedicated_account', 'crypto_wallet', 'dedicated_crypto_wallet'],
    { examples: ['virtual_account'] },
  ),
  accountReference: reference(prefixes.virtualAccount),
  amount: anyAmount,
  ...amounts(anyAmount, 1_250_000, 0),
  fee: showing(anyAmount, 12_500),
  currency: anyCurrency,
  status: paymentStatus,
  variance,
  sender: Type.Union([bankSender, walletSender]),
  sessionId: orNull(text('999999260105090000000000014572')),
  narration: orNull(text('Two loaves of agege bread')),
  receivedAt: time,
  createdAt: time,
})

const latestPayments = Type.Array(payment, {
  description: 'The latest fifty, newest first.',
  examples: [[]],
})

/** Money of a payment that goes back. */
export const paymentReturn = resource('PaymentReturn', {
  reference: reference(prefixes.paymentReturn),
  kind: Type.Enum(['return', 'refund'], {
    description: 'A return is of money that was never accepted.',
    examples: ['refund'],
  }),
  amount: anyAmount,
  currency: anyCurrency,
  status: Type.Enum(['WAITING', 'SENT', 'RETURNED', 'FAILED', 'REVERSED'], {
    description: 'FAILED and REVERSED: the money is where it was before.',
    examples: ['SENT'],
  }),
  failureReason: notYet(Type.String()),
  endedAt: notYet(time),
  destination: Type.Union([
    Type.Object({ ...atBank, bankName: text('GTBank'), accountName: text('ADA OBI') }),
    Type.Object({ address }),
  ]),
  createdAt: time,
})

const waitingStatus = Type.Enum(['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'], {
  examples: ['ACTIVE'],
})

export const virtualAccount = resource('VirtualAccount', {
  reference: reference(prefixes.virtualAccount),
  merchantReference: text('order-1001'),
  accountNumber: text('0000014572'),
  accountName: text('Ada Stores'),
  bankCode: text('999'),
  bankName: text('Sandbox Bank'),
  amount: kobo,
  currency: naira,
  status: waitingStatus,
  variance,
  amountReceived: showing(kobo, 0),
  ...amounts(kobo, 0, 0),
  payments: latestPayments,
  metadata,
  expiresAt: expiry,
  createdAt: time,
  paidAt: notYet(time),
})

export const dedicatedAccount = resource('DedicatedAccount', {
  externalReference: text('customer-77'),
  accountReference: reference(prefixes.dedicatedAccount),
  accountNumber: text('0000000223'),
  accountName: text('Ada Stores'),
  bankCode: text('999'),
  bankName: text('Sandbox Bank'),
  status: Type.Enum(['ACTIVE', 'INACTIVE'], { examples: ['ACTIVE'] }),
  metadata,
  createdAt: time,
})

/** What a credit adds to the account it came to. */
const withPayment = { payment }

export const creditedAccount = resource('CreditedAccount', {
  ...dedicatedAccount.properties,
  ...withPayment,
})

const otherDeposits = Type.Optional(
  Type.Array(
    Type.Object({
      asset: Type.String({
        description: 'USDC, USDT, or the address of another mint.',
        examples: ['USDT'],
      }),
      units: Type.String({
        description: 'In the smallest unit of the token.',
        examples: ['5000000'],
      }),
      signature,
      receivedAt: time,
    }),
    {
      description:
        'What came and is not for this wallet: kept there, and not credited. Shown where one wallet is read, not in lists and events.',
      examples: [[]],
    },
  ),
)

export const cryptoWallet = resource('CryptoWallet', {
  reference: reference(prefixes.cryptoWallet),
  merchantReference: text('order-1001'),
  address: address,
  asset: stablecoin,
  network,
  amount: decimal,
  status: waitingStatus,
  variance,
  amountReceived: showing(decimal, '0'),
  ...amounts(decimal, '0', '0'),
  payments: latestPayments,
  otherDeposits,
  metadata,
  expiresAt: expiry,
  createdAt: time,
  paidAt: notYet(time),
})

export const dedicatedCryptoWallet = resource('DedicatedCryptoWallet', {
  externalReference: text('customer-77'),
  reference: reference(prefixes.dedicatedCryptoWallet),
  address: address,
  assets: Type.Array(stablecoin, { examples: [['USDC', 'USDT']] }),
  network,
  status: Type.Enum(['ACTIVE'], { examples: ['ACTIVE'] }),
  otherDeposits,
  metadata,
  createdAt: time,
})

export const creditedWallet = resource('CreditedCryptoWallet', {
  ...dedicatedCryptoWallet.properties,
  ...withPayment,
})

export const lowBalance = resource('LowBalance', {
  asset: anyCurrency,
  available: showing(anyAmount, 90_000),
  threshold: showing(anyAmount, 100_000),
})

/** A place where a merchant hears of events. */
export const webhookEndpoint = resource('WebhookEndpoint', {
  id: reference(prefixes.webhookEndpoint),
  url: text('https://example.com/webhooks'),
  events: Type.Array(Type.String(), { examples: [['payment.*']] }),
  description: text('Orders'),
  enabled: truth(true),
  disabledReason: notYet(Type.Enum(['merchant', 'gone', 'failing'])),
  failingSince: notYet(time),
  publicKey: Type.String({
    description: 'Ed25519, for the `v1a` signature.',
    examples: ['whpk_qn0QkTn7yYxHg1nS7ekN6YH8v1d3p5w2hLZsTzqXJ0c='],
  }),
  createdAt: time,
})
