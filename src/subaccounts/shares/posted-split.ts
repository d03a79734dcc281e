import type { Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { toJson } from '../../base/json-text.js'
import type { NewEvent } from '../../events/emit.js'
import { toWire } from '../../money/amounts.js'
import { showFeeBearer } from '../splits/resource.js'
import type { Split } from '../splits/split.js'
import { type postedSplit, showShare } from './resource.js'
import type { Share } from './share.js'
import type { AcceptedPart } from './share-payment.js'

/** What was split of a payment, as the event shows it. */
export function toPostedEvent(
  split: Split,
  part: AcceptedPart,
  shares: Share[],
  accountReference: string,
): NewEvent {
  const [first] = shares
  const { environmentId } = part
  return {
    environmentId,
    type: 'split.posted',
    resourceId: first!.id,
    causeId: first!.id,
    sequence: 1,
    data: toJson(showPostedSplit(split, part, shares, accountReference)),
  }
}

function showPostedSplit(
  { rule, feeBearer }: Split,
  { asset, accepted, fee, paymentId, now }: AcceptedPart,
  shares: Share[],
  accountReference: string,
): Static<typeof postedSplit> {
  const given = shares.reduce((sum, { amount }) => sum + amount, 0n)
  const borne = shares.reduce((sum, share) => sum + share.fee, 0n)
  return {
    payment: toReference(prefixes.payment, paymentId),
    accountReference,
    asset,
    amount: toWire(accepted, asset),
    fee: toWire(fee, asset),
    feeBearer: showFeeBearer(feeBearer),
    rule: rule && toReference(prefixes.splitRule, rule.id),
    version: rule ? rule.version : null,
    shares: shares.map(showShare),
    merchant: {
      amount: toWire(accepted - given, asset),
      fee: toWire(fee - borne, asset),
      net: toWire(accepted - given - (fee - borne), asset),
    },
    createdAt: toIsoText(now),
  }
}
