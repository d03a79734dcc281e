import Type, { type Static, type TSchema } from 'typebox'
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
import { ownerProperties, showOwner } from '../../customers/owner.js'
import { toWire } from '../../money/amounts.js'
import { vatRates } from '../../money/vat.js'
import { claim } from '../../payouts/claims/resource.js'
import { refundSplit, showRefundSplit } from '../../subaccounts/shares/refund-splits.js'
import { share, showShare } from '../../subaccounts/shares/resource.js'
import type { Share } from '../../subaccounts/shares/share.js'
import { type AccountKind, accountKinds, accountReference, variances } from '../accounts/account.js'
import { refundNote, refundReason } from '../returns/resource.js'
import type { Refund } from '../returns/store-returns.js'
import type { ListedPayment } from './find-payments.js'
import { type Payment, paymentReference, paymentStatuses, paymentStatusOf } from './payment.js'

export const variance = Type.Enum([...variances], {
  description: 'How the payment differs from what was expected.',
  examples: ['NONE'],
})

export const paymentStatus = Type.Enum([...paymentStatuses], {
  description:
    '`HELD` while any part waits for your decision, else `RETURNING` while any part is on its way back, else `ACCEPTED` if you keep any part, else `RETURNED`.',
  examples: ['ACCEPTED'],
})

/** In the example, all of the money is accepted. */
export const amounts = <Amount extends TSchema>(
  amount: Amount,
  accepted: number | string,
  none: number | string,
) => ({
  amountAccepted: withExample(withDescription(amount, 'Credited to you, before fees.'), accepted),
  amountHeld: withExample(withDescription(amount, 'Waiting for your decision.'), none),
  amountReturning: withExample(withDescription(amount, 'On its way back to the payer.'), none),
  amountReturned: withExample(withDescription(amount, 'Returned to the payer.'), none),
})

const bankSender = Type.Object({ name: accountName, bankCode, accountNumber, bankName })

const walletSender = Type.Object({
  address: orNull(walletAddress, 'Null if the sending wallet cannot be determined.'),
})

export const payment = resource('Payment', {
  reference: reference(prefixes.payment, 'Identifies the payment.'),
  source: Type.Enum(Object.keys(accountKinds) as AccountKind[], {
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
  feeVat: withExample(
    withDescription(anyAmount, 'VAT that `fee` contains, at the rate when the payment arrived.'),
    0,
  ),
  currency: anyAsset,
  status: paymentStatus,
  variance,
  heldFor: Type.Optional(
    Type.Enum(['screening'], {
      'x-left-out': true,
      description:
        '`screening` if it is held because its sender is on a sanctions list, or could not be screened. Two members of your team decide about it. Left out otherwise.',
    }),
  ),
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
        splits: Type.Optional(
          Type.Array(refundSplit, {
            'x-left-out': true,
            description:
              'What sub-accounts gave to it. Left out if the payment was not split, and in events.',
          }),
        ),
      },
      {
        'x-left-out': true,
        description:
          'The latest refund that did not fail; in an event about a refund, that refund. Left out if there is none, and where a payment is part of another resource.',
      },
    ),
  ),
  shares: Type.Optional(
    Type.Array(share, {
      'x-left-out': true,
      description:
        'What sub-accounts got of it. Left out if it was not split, and where a payment is part of another resource.',
    }),
  ),
  claim: Type.Optional(
    Type.Object(claim.properties, {
      'x-left-out': true,
      description:
        'Only in the answer to a refund or return by claim: the claim with its link, which is shown once.',
    }),
  ),
  ...ownerProperties,
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

export function showListedPayment(payment: ListedPayment): Static<typeof listedPayment> {
  const { sessionReference, source, amountExpected } = payment
  const isBank = source === 'virtual_account' || source === 'dedicated_account'
  return {
    ...showPayment(payment),
    merchantReference: payment.merchantReference,
    checkoutSession:
      sessionReference === null
        ? null
        : {
            reference: sessionReference,
            description: payment.sessionDescription!,
            customer: { name: payment.customerName!, email: payment.customerEmail! },
          },
    amountExpected: amountExpected === null ? null : toWire(amountExpected, payment.asset),
    accountNumber: isBank ? payment.accountNumber : null,
    address: isBank ? null : payment.accountNumber,
  }
}

type PaymentJson = Static<typeof payment>

type PaymentWithRefund = Payment & {
  refund?: Refund | undefined
  shares?: Share[] | undefined
}

/** As read operations, its account and its events show it. */
export function showPayment(payment: PaymentWithRefund): PaymentJson {
  const { environmentId, id, asset, source, fee, refund, shares } = payment
  return {
    reference: paymentReference(payment),
    source,
    accountReference: accountReference({ kind: source, id: payment.accountId }),
    amount: toWire(payment.amount, asset),
    amountAccepted: toWire(payment.amountAccepted, asset),
    amountHeld: toWire(payment.amountHeld, asset),
    amountReturning: toWire(payment.amountReturning, asset),
    amountReturned: toWire(payment.amountReturned, asset),
    fee: toWire(fee, asset),
    feeVat: toWire(vatRates.vatOf({ environmentId, causeId: id, fee }), asset),
    currency: asset,
    status: paymentStatusOf(payment),
    variance: payment.variance,
    ...(payment.heldFor !== null && payment.amountHeld > 0n && { heldFor: payment.heldFor }),
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
      splits: refund.splits?.map(showRefundSplit),
    },
    shares: shares?.map(showShare),
    ...showOwner(payment),
  }
}
