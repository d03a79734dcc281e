import Type, { type TSchema } from 'typebox'
import { prefixes, toReference } from '../../base/ids.js'
import {
  accountName,
  accountNumber,
  anyAmount,
  anyAsset,
  bankCode,
  bankName,
  notYet,
  orNull,
  reference,
  resource,
  sessionSample,
  text,
  timestamp,
  walletAddress,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { type RefundReason, refundNote, refundReason } from '../returns/resource.js'

export const variances = ['NONE', 'UNDERPAID', 'OVERPAID', 'LATE', 'DUPLICATE'] as const

export const variance = Type.Enum([...variances], {
  description: 'How the payment differs from what was expected.',
  examples: ['NONE'],
})

export const paymentStatuses = ['HELD', 'RETURNING', 'ACCEPTED', 'RETURNED'] as const

export type PaymentStatus = (typeof paymentStatuses)[number]

export const paymentStatus = Type.Enum([...paymentStatuses], {
  description:
    '`HELD` while any part waits for your decision, else `RETURNING` while any part is on its way back, else `ACCEPTED` if you keep any part, else `RETURNED`.',
  examples: ['ACCEPTED'],
})

/** In the example, all of the money is accepted. */
export const amounts = (amount: TSchema, accepted: number | string, none: number | string) => ({
  amountAccepted: withExample(withDescription(amount, 'Credited to you, before fees.'), accepted),
  amountHeld: withExample(withDescription(amount, 'Waiting for your decision.'), none),
  amountReturning: withExample(withDescription(amount, 'On its way back to the payer.'), none),
  amountReturned: withExample(withDescription(amount, 'Returned to the payer.'), none),
})

const bankSender = Type.Object({ name: accountName, bankCode, accountNumber, bankName })

const walletSender = Type.Object({
  address: orNull(walletAddress, 'Null if the sending wallet cannot be determined.'),
})

/** The kinds of collection account that receive payments, and the prefix of their references. */
export const accountPrefixes = {
  virtual_account: prefixes.virtualAccount,
  dedicated_account: prefixes.dedicatedAccount,
  crypto_wallet: prefixes.cryptoWallet,
  dedicated_crypto_wallet: prefixes.dedicatedCryptoWallet,
} as const

export const payment = resource('Payment', {
  reference: reference(prefixes.payment, 'Identifies the payment.'),
  source: Type.Enum(Object.keys(accountPrefixes), {
    description: 'Kind of account or wallet that received the payment.',
    examples: ['virtual_account'],
  }),
  accountReference: reference(
    prefixes.virtualAccount,
    'The account or wallet that received the payment.',
  ),
  amount: withDescription(
    anyAmount,
    'Amount received: an integer in kobo for NGN, a decimal string for USDC and USDT.',
  ),
  ...amounts(anyAmount, 1_250_000, 0),
  fee: withExample(
    withDescription(anyAmount, 'Fee charged on the accepted amount. Refunds do not return it.'),
    12_500,
  ),
  currency: anyAsset,
  status: paymentStatus,
  variance,
  sender: Type.Union([bankSender, walletSender], { description: 'Who paid.' }),
  sessionId: orNull(
    text(
      '999999260105090000000000014572',
      'Identifies the transfer between the banks (NIP session), if the provider reports it. Of a deposit, the signature of its transaction.',
    ),
  ),
  narration: orNull(text('Two loaves of agege bread', 'Text that the payer wrote.')),
  receivedAt: timestamp('When the bank or chain received the money.'),
  createdAt: timestamp('When the payment was recorded.'),
  refund: Type.Optional(
    Type.Object(
      {
        reference: reference(prefixes.paymentReturn, 'Identifies the refund.'),
        amount: withDescription(anyAmount, 'How much was refunded.'),
        reason: orNull(refundReason),
        note: orNull(refundNote),
      },
      {
        'x-left-out': true,
        description:
          'The latest refund that did not fail; in an event about a refund, that refund. Left out if there is none, and where a payment is part of another resource.',
      },
    ),
  ),
})

/** A payment as lists show it, with what it was for. */
export const listedPayment = resource('ListedPayment', {
  ...payment.properties,
  merchantReference: orNull(
    text('order-1001', 'Your own reference of the account, wallet or checkout session.'),
  ),
  checkoutSession: orNull(
    Type.Object({
      reference: text(sessionSample, 'Identifies the checkout session.'),
      description: text('Two loaves of agege bread', 'What the customer pays for.'),
      customer: Type.Object({
        name: text('Ada Obi', 'Name of the customer.'),
        email: text('ada@example.com', 'E-mail address of the customer.'),
      }),
    }),
    'Null if the payment did not come through a checkout session.',
  ),
  amountExpected: orNull(
    withExample(anyAmount, 1_250_000),
    'What was asked for; null if the account or wallet takes any amount.',
  ),
  accountNumber: notYet(accountNumber, 'Account number that received it; null for a wallet.'),
  address: notYet(walletAddress, 'Wallet that received it; null for a bank account.'),
})

export type PaymentContext = {
  /** Of the account, or the address of the wallet. */
  accountNumber: string
  /** What the account or wallet asks for; null: any amount. */
  amountExpected: bigint | null
  merchantReference: string | null
  sessionReference: string | null
  sessionDescription: string | null
  customerName: string | null
  customerEmail: string | null
}

export function showListedPayment(payment: PaymentFields & PaymentContext) {
  const { sessionReference, source, amountExpected } = payment
  const isBank = source === 'virtual_account' || source === 'dedicated_account'
  return {
    ...showPayment(payment),
    merchantReference: payment.merchantReference,
    checkoutSession: sessionReference && {
      reference: sessionReference,
      description: payment.sessionDescription,
      customer: { name: payment.customerName, email: payment.customerEmail },
    },
    amountExpected: amountExpected === null ? null : toWire(amountExpected, payment.asset),
    accountNumber: isBank ? payment.accountNumber : null,
    address: isBank ? null : payment.accountNumber,
  }
}

/** Every unit of a payment is in exactly one of these. */
export type AmountFields = {
  amountAccepted: bigint
  amountHeld: bigint
  amountReturning: bigint
  amountReturned: bigint
}

export type PaymentFields = AmountFields & {
  id: string
  source: keyof typeof accountPrefixes
  accountId: string
  asset: Asset
  amount: bigint
  fee: bigint
  variance: (typeof variances)[number]
  sender: object
  bankSessionId: string | null
  narration: string | null
  receivedAt: Date
  createdAt: Date
  refund?: RefundFields | undefined
}

export type RefundFields = {
  id: string
  amount: bigint
  reason: RefundReason | null
  note: string | null
}

/** The database computes the same for `payments.status`. */
export function paymentStatusOf(payment: AmountFields): PaymentStatus {
  if (payment.amountHeld > 0n) return 'HELD'
  if (payment.amountReturning > 0n) return 'RETURNING'
  return payment.amountAccepted > 0n ? 'ACCEPTED' : 'RETURNED'
}

/** As read operations, its account and its events show it. */
export function showPayment(payment: PaymentFields) {
  const { asset, source, refund } = payment
  return {
    reference: toReference(prefixes.payment, payment.id),
    source,
    accountReference: toReference(accountPrefixes[source], payment.accountId),
    amount: toWire(payment.amount, asset),
    amountAccepted: toWire(payment.amountAccepted, asset),
    amountHeld: toWire(payment.amountHeld, asset),
    amountReturning: toWire(payment.amountReturning, asset),
    amountReturned: toWire(payment.amountReturned, asset),
    fee: toWire(payment.fee, asset),
    currency: asset,
    status: paymentStatusOf(payment),
    variance: payment.variance,
    sender: payment.sender,
    sessionId: payment.bankSessionId,
    narration: payment.narration,
    receivedAt: payment.receivedAt.toISOString(),
    createdAt: payment.createdAt.toISOString(),
    refund: refund && {
      reference: toReference(prefixes.paymentReturn, refund.id),
      amount: toWire(refund.amount, asset),
      reason: refund.reason,
      note: refund.note,
    },
  }
}
