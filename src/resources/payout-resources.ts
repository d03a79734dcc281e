import Type from 'typebox'
import { prefixes } from '../base/ids.js'
import {
  decimal,
  described,
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
  walletAddress,
} from './shapes.js'

/** Money that leaves, as in resources.ts. */

const failureReason = Type.String({
  description: 'A word for programs; docs/reference/payouts.md explains them.',
})

export const cryptoTransfer = resource('CryptoTransfer', {
  reference: reference(prefixes.cryptoTransfer),
  merchantReference: Type.Optional(text('payout-9')),
  asset: stablecoin,
  network,
  amount: decimal,
  fee: showing(decimal, '0.5'),
  totalDebit: showing(decimal, '26'),
  destinationAddress: walletAddress,
  status: Type.Enum(['SUBMITTED', 'CONFIRMED', 'FAILED'], { examples: ['SUBMITTED'] }),
  transactionSignature: described(signature, 'Of the latest attempt.'),
  failureReason: notYet(failureReason),
  metadata,
  submittedAt: time,
  confirmedAt: notYet(time),
  failedAt: notYet(time),
  createdAt: time,
  attempts: Type.Array(
    Type.Object({
      signature,
      submittedAt: time,
      state: Type.Enum(['LIVE', 'LANDED', 'FAILED', 'DEAD'], { examples: ['LIVE'] }),
    }),
  ),
})

export const bankTransfer = resource('BankTransfer', {
  reference: reference(prefixes.bankTransfer),
  merchantReference: Type.Optional(text('payout-9')),
  amount: kobo,
  fee: showing(kobo, 2_500),
  totalDebit: showing(kobo, 1_252_500),
  currency: naira,
  bankCode: text('058'),
  bankName: text('GTBank'),
  accountNumber: text('0123456789'),
  accountName: text('ADA OBI'),
  narration: orNull(text('Salary of January')),
  status: Type.Enum(['SUBMITTED', 'COMPLETED', 'FAILED', 'REVERSED'], {
    examples: ['SUBMITTED'],
  }),
  sessionId: orNull(text('999999260105090000000000012345')),
  reviewRequired: truth(false, 'Nobody could say for three days what became of it.'),
  failureReason: notYet(failureReason),
  metadata,
  submittedAt: time,
  completedAt: notYet(time),
  failedAt: notYet(time),
  reversedAt: notYet(time),
  createdAt: time,
})
