import Type from 'typebox'
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
} from './resources.js'

/** The shapes of money that leaves, as in resources.ts. */
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
