import type { Static } from 'typebox'
import { after, day, toIsoText } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { formatUnits, toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { type ComputedShare, computeSplit, type SplitLine } from './compute-split.js'
import { showFeeBearer, type splitPreview } from './resource.js'
import type { ReleasedLine, Split } from './split.js'

type PreviewedPayment = { asset: Asset; accepted: bigint; fee: bigint; paidAt: Date }

/** What a split would make of a payment. */
export function previewSplit(
  split: Split,
  { asset, accepted, fee, paidAt }: PreviewedPayment,
): Static<typeof splitPreview> {
  const { rule, feeBearer, lines } = split
  const computed = computeSplit({ lines, feeBearer, accepted, fee })
  const last = lines.at(-1)!
  const hasRemainder = last.flat === null && last.basisPoints === null
  return {
    asset,
    amount: toWire(accepted, asset),
    fee: toWire(fee, asset),
    feeBearer: showFeeBearer(feeBearer),
    rule: rule && toReference(prefixes.splitRule, rule.id),
    version: rule ? rule.version : null,
    lines: lines.map((line, index) => {
      const share = computed.lines[index]!
      const releaseAt = releaseTimeOf(line, paidAt)
      return {
        subaccount: toReference(prefixes.subaccount, line.subaccountId),
        ...showShare(share, asset),
        roundedOff: formatUnits(roundedOffOf(line, share, accepted), 4),
        releaseAt: releaseAt && toIsoText(releaseAt),
      }
    }),
    merchant: showShare(computed.merchant, asset),
    roundingTo: hasRemainder ? toReference(prefixes.subaccount, last.subaccountId) : 'merchant',
  }
}

function showShare({ amount, fee, net }: ComputedShare, asset: Asset) {
  return { amount: toWire(amount, asset), fee: toWire(fee, asset), net: toWire(net, asset) }
}

/** In ten-thousandths of the smallest unit. A share that a bound decides is not rounded. */
function roundedOffOf(
  { basisPoints }: SplitLine,
  { amount }: ComputedShare,
  accepted: bigint,
): bigint {
  if (basisPoints === null) return 0n
  const exact = accepted * BigInt(basisPoints)
  return amount === exact / 10_000n ? exact % 10_000n : 0n
}

/** When the share of a line is released. Null: at once. */
export function releaseTimeOf(
  { releaseAt, releaseAfterDays }: Pick<ReleasedLine, 'releaseAt' | 'releaseAfterDays'>,
  paidAt: Date,
): Date | null {
  if (releaseAfterDays !== null) return after(paidAt, releaseAfterDays * day)
  return releaseAt !== null && releaseAt > paidAt ? releaseAt : null
}
