import Type from 'typebox'
import { prefixes, toReference } from '../base/ids.js'
import { toWire } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import {
  accountName,
  accountNumber,
  anyAmount,
  anyAsset,
  bankCode,
  bankName,
  notYet,
  reference,
  resource,
  time,
  timestamp,
  walletAddress,
  withDescription,
} from './shapes.js'

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
