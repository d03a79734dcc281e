import Type, { type Static } from 'typebox'
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
  text,
  time,
  timestamp,
  walletAddress,
  withDescription,
} from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import type { Destination } from '../../payouts/ports.js'
import { refundSplit, showRefundSplit } from '../../subaccounts/shares/refund-splits.js'
import type { FoundReturn } from './find-returns.js'
import { refundReasons } from './store-returns.js'

/** Why a payment was refunded, as the merchant said. */
export const refundReason = Type.Enum([...refundReasons], {
  type: 'string',
  description: 'Why you refund the payment.',
  examples: ['requested_by_customer'],
})

export const refundNote = text('Two loaves instead of one', 'What your team should know about it.')

export const paymentReturn = resource('PaymentReturn', {
  reference: reference(prefixes.paymentReturn, 'Identifies the return.'),
  kind: Type.Enum(['return', 'refund'], {
    description: '`return`: money that was never accepted. `refund`: money that was.',
    examples: ['refund'],
  }),
  amount: anyAmount,
  currency: anyAsset,
  status: Type.Enum(['PENDING', 'WAITING', 'SENT', 'RETURNED', 'FAILED', 'REVERSED'], {
    description:
      '`PENDING`: a member must approve it, because it goes to another destination than the sender and your approval rule requires it, or because the payouts of its API key wait. `SENT`: it is on its way or, with a `claim`, waits for the payer. `FAILED` and `REVERSED` mean that the money is back where it was before the return.',
    examples: ['SENT'],
  }),
  failureReason: notYet(
    Type.String(),
    'Why the return failed; null otherwise. `claim_expired` and `claim_cancelled`: the payer did not claim it.',
  ),
  reason: orNull(refundReason, 'Why you refunded the payment; null if you did not say.'),
  note: orNull(refundNote, 'Your note about the refund; null without one. Payers do not see it.'),
  endedAt: notYet(time, 'When the return arrived, failed or was reversed.'),
  destination: orNull(
    Type.Union([
      Type.Object({ bankCode, accountNumber, bankName, accountName }),
      Type.Object({ address: withDescription(walletAddress, 'Wallet address of the recipient.') }),
    ]),
    'Bank account or wallet that the money goes to; null while the payer has not claimed it.',
  ),
  claim: notYet(
    reference(prefixes.claim, 'Identifies the claim.'),
    'The claim by which the payer says where the money goes; null for other returns.',
  ),
  splits: Type.Optional(
    Type.Array(refundSplit, {
      'x-left-out': true,
      description:
        'What sub-accounts give to the refund; you gave the rest. Left out if the payment was not split.',
    }),
  ),
  createdAt: timestamp('When the return was requested.'),
  orderHash: Type.Optional(
    Type.String({
      'x-left-out': true,
      description: 'SHA-256 of what is approved; only of returns that need an approval.',
    }),
  ),
})

export function showReturn(found: FoundReturn): Static<typeof paymentReturn> {
  return {
    reference: toReference(prefixes.paymentReturn, found.id),
    kind: found.takesFrom === 'available' ? 'refund' : 'return',
    amount: toWire(found.amount, found.asset),
    currency: found.asset,
    status: found.isPending ? 'PENDING' : found.state,
    failureReason: found.failureReason,
    reason: found.reason,
    note: found.note,
    endedAt: found.endedAt?.toISOString() ?? null,
    destination: found.destination && showDestination(found.destination),
    claim: found.claimId && toReference(prefixes.claim, found.claimId),
    splits: found.splits?.map(showRefundSplit),
    createdAt: found.createdAt.toISOString(),
    orderHash: found.orderHash ?? undefined,
  }
}

function showDestination(destination: Destination) {
  if (destination.kind === 'wallet') return { address: destination.address }
  const { bankCode, accountNumber, bankName, accountName } = destination
  return { bankCode, accountNumber, bankName, accountName }
}
