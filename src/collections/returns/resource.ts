import Type from 'typebox'
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
import type { Asset } from '../../money/assets.js'

export const refundReasons = ['duplicate', 'requested_by_customer', 'fraudulent', 'other'] as const

export type RefundReason = (typeof refundReasons)[number]

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
      '`PENDING`: it goes to another destination than the sender, and your approval rule requires a second person. `FAILED` and `REVERSED` mean that the money is back where it was before the return.',
    examples: ['SENT'],
  }),
  failureReason: notYet(Type.String(), 'Why the return failed; null otherwise.'),
  reason: orNull(refundReason, 'Why you refunded the payment; null if you did not say.'),
  note: orNull(refundNote, 'Your note about the refund; null without one. Payers do not see it.'),
  endedAt: notYet(time, 'When the return arrived, failed or was reversed.'),
  destination: Type.Union(
    [
      Type.Object({ bankCode, accountNumber, bankName, accountName }),
      Type.Object({ address: withDescription(walletAddress, 'Wallet address of the recipient.') }),
    ],
    { description: 'Bank account or wallet that the money goes to.' },
  ),
  createdAt: timestamp('When the return was requested.'),
  orderHash: Type.Optional(
    Type.String({
      'x-left-out': true,
      description: 'SHA-256 of what is approved; only of returns that need an approval.',
    }),
  ),
})

type PaymentReturnFields = {
  id: string
  takesFrom: 'available' | 'suspense'
  asset: Asset
  amount: bigint
  state: string
  failureReason: string | null
  reason: RefundReason | null
  note: string | null
  isPending: boolean
  orderHash: string | null
  endedAt: Date | null
  destination:
    | { kind: 'wallet'; address: string }
    | {
        kind: 'bank_account'
        bankCode: string
        accountNumber: string
        bankName: string
        accountName: string
      }
  createdAt: Date
}

export function showReturn(one: PaymentReturnFields) {
  return {
    reference: toReference(prefixes.paymentReturn, one.id),
    kind: one.takesFrom === 'available' ? 'refund' : 'return',
    amount: toWire(one.amount, one.asset),
    currency: one.asset,
    status: one.isPending ? 'PENDING' : one.state,
    failureReason: one.failureReason,
    reason: one.reason,
    note: one.note,
    endedAt: one.endedAt?.toISOString() ?? null,
    destination: showDestination(one.destination),
    createdAt: one.createdAt.toISOString(),
    orderHash: one.orderHash ?? undefined,
  }
}

function showDestination(destination: PaymentReturnFields['destination']) {
  if (destination.kind === 'wallet') return { address: destination.address }
  const { bankCode, accountNumber, bankName, accountName } = destination
  return { bankCode, accountNumber, bankName, accountName }
}
