import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import {
  anyAmount,
  anyAsset,
  notYet,
  orNull,
  reference,
  resource,
  text,
  timestamp,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import { netOf, type Share, shareReference, shareStatuses } from './share.js'

const amount = (example: number, description: string) =>
  withExample(withDescription(anyAmount, description), example)

export const share = resource('Share', {
  reference: reference(prefixes.share, 'Identifies the share.'),
  payment: reference(prefixes.payment, 'The payment that was split.'),
  subaccount: reference(prefixes.subaccount, 'The sub-account that got it.'),
  asset: anyAsset,
  amount: amount(156_250, 'What the line of the split gives.'),
  fee: amount(0, 'The part of the fee that the sub-account bears.'),
  net: amount(156_250, 'Credited: `amount` less `fee`.'),
  takenBack: amount(0, 'Taken back by refunds, of `amount`.'),
  status: Type.Enum([...shareStatuses], {
    description: '`PENDING`: credited when it is released. `POSTED`: credited.',
    examples: ['POSTED'],
  }),
  releaseAt: notYet(timestamp('When it is released; null if it was credited at once.')),
  releasedAt: notYet(timestamp('When it was released.')),
  createdAt: timestamp('When the payment was split.'),
})

/** The split of what was accepted of a payment. */
export const postedSplit = resource('PostedSplit', {
  payment: reference(prefixes.payment, 'The payment.'),
  accountReference: reference(prefixes.virtualAccount, 'The account or wallet that received it.'),
  asset: anyAsset,
  amount: amount(1_250_000, 'What was accepted of the payment and split.'),
  fee: amount(12_500, 'The fee on it.'),
  feeBearer: text('merchant', 'Who bears the fee.'),
  rule: orNull(reference(prefixes.splitRule), 'The split rule; null if the account has its own.'),
  version: orNull(Type.Integer({ examples: [1] }), 'The version of the rule.'),
  shares: Type.Array(share, { description: 'What sub-accounts got.' }),
  merchant: Type.Object(
    {
      amount: amount(1_093_750, 'What the lines left.'),
      fee: amount(12_500, 'The part of the fee that you bear.'),
      net: amount(1_081_250, 'What you keep.'),
    },
    { description: 'Your part.' },
  ),
  createdAt: timestamp('When it was split.'),
})

export function showShare(shown: Share): Static<typeof share> {
  const { asset } = shown
  return {
    reference: shareReference(shown),
    payment: toReference(prefixes.payment, shown.paymentId),
    subaccount: toReference(prefixes.subaccount, shown.subaccountId),
    asset,
    amount: toWire(shown.amount, asset),
    fee: toWire(shown.fee, asset),
    net: toWire(netOf(shown), asset),
    takenBack: toWire(shown.takenBack, asset),
    status: shown.status,
    releaseAt: shown.releaseAt && toIsoText(shown.releaseAt),
    releasedAt: shown.releasedAt && toIsoText(shown.releasedAt),
    createdAt: toIsoText(shown.createdAt),
  }
}
