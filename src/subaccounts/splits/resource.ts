import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import {
  anyAmount,
  anyAsset,
  flag,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  time,
  timestamp,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { formatPercent } from '../../money/percent.js'
import type { FeeBearer } from './compute-split.js'
import type { ReleasedLine, Split } from './split.js'
import type { VersionedRule } from './store-splits.js'

export const feeBearer = text(
  'merchant',
  'Who bears the fee: `merchant`, `subaccounts` or `all` in proportion, or the sub-account with this reference.',
)

const line = Type.Object({
  subaccount: reference(prefixes.subaccount, 'The sub-account that gets the share.'),
  flat: withExample(orNull(anyAmount, 'The share, if it is a fixed amount.'), null),
  percent: withExample(
    orNull(text('12.5'), 'The share, if it is a percentage of the accepted amount.'),
    '12.5',
  ),
  remainder: flag(false, 'Whether the share is all that the other lines leave.'),
  min: withExample(orNull(anyAmount, 'Smallest share; null if there is none.'), 10_000),
  max: withExample(orNull(anyAmount, 'Largest share; null if there is none.'), null),
  releaseAt: notYet(time, 'The share stays pending until then.'),
  releaseAfterDays: withExample(
    orNull(Type.Integer(), 'The share stays pending for so many days after the payment.'),
    7,
  ),
})

export const splitRule = resource('SplitRule', {
  reference: reference(prefixes.splitRule, 'Send it as `splits.rule`.'),
  name: text('Marketplace', 'Your name for the rule.'),
  asset: orNull(
    anyAsset,
    'The asset of its amounts; null if it has none, and can be used for any asset.',
  ),
  version: Type.Integer({
    description: 'Grows with every change. Accounts keep the version that they were created with.',
    examples: [1],
  }),
  feeBearer,
  lines: Type.Array(line, { description: 'Applied in this order.' }),
  createdAt: timestamp('When the rule was created.'),
  versionCreatedAt: timestamp('When this version was created.'),
})

/** The split of an account, wallet or checkout session. */
export const ownSplit = Type.Optional(
  Type.Object(
    {
      rule: orNull(reference(prefixes.splitRule), 'The rule; null if the lines are its own.'),
      version: orNull(
        Type.Integer({ examples: [1] }),
        'The version of the rule that it keeps; null without a rule.',
      ),
      feeBearer,
      lines: Type.Array(line, { description: 'Applied in this order.' }),
    },
    {
      'x-left-out': true,
      description: 'What sub-accounts get of each payment. Left out if payments are not split.',
    },
  ),
)

export function showOwnSplit(split: Split): Static<typeof ownSplit> {
  const { rule, asset, feeBearer, lines } = split
  return {
    rule: rule && toReference(prefixes.splitRule, rule.id),
    version: rule?.version ?? null,
    feeBearer: showFeeBearer(feeBearer),
    lines: lines.map((line) => showLine(line, asset)),
  }
}

export function showSplitRule(rule: VersionedRule): Static<typeof splitRule> {
  const { id, name, asset, split, createdAt } = rule
  return {
    reference: toReference(prefixes.splitRule, id),
    name,
    asset,
    version: split.rule!.version,
    feeBearer: showFeeBearer(split.feeBearer),
    lines: split.lines.map((line) => showLine(line, asset)),
    createdAt: toIsoText(createdAt),
    versionCreatedAt: toIsoText(split.createdAt),
  }
}

export function showFeeBearer(bearer: FeeBearer): string {
  return typeof bearer === 'object' ? toReference(prefixes.subaccount, bearer.subaccountId) : bearer
}

function showLine(line: ReleasedLine, asset: Asset | null): Static<typeof splitRule>['lines'][0] {
  const { subaccountId, flat, basisPoints, min, max, releaseAt, releaseAfterDays } = line
  // Lines have amounts only if the split has an asset.
  const show = (amount: bigint | null) => (amount === null ? null : toWire(amount, asset!))
  return {
    subaccount: toReference(prefixes.subaccount, subaccountId),
    flat: show(flat),
    percent: basisPoints === null ? null : formatPercent(basisPoints),
    remainder: flat === null && basisPoints === null,
    min: show(min),
    max: show(max),
    releaseAt: releaseAt && toIsoText(releaseAt),
    releaseAfterDays,
  }
}

const share = {
  amount: withExample(withDescription(anyAmount, 'The share, with its part of the fee.'), 156_250),
  fee: withExample(withDescription(anyAmount, 'The part of the fee that it bears.'), 0),
  net: withExample(withDescription(anyAmount, 'What is credited.'), 156_250),
}

export const splitPreview = resource('SplitPreview', {
  asset: anyAsset,
  amount: withDescription(anyAmount, 'The amount that is divided, with the fee.'),
  fee: withExample(withDescription(anyAmount, 'The fee of the payment.'), 12_500),
  feeBearer,
  rule: orNull(reference(prefixes.splitRule), 'The rule that was used; null if there was none.'),
  version: orNull(Type.Integer({ examples: [1] }), 'The version of the rule.'),
  lines: Type.Array(
    Type.Object({
      subaccount: reference(prefixes.subaccount, 'The sub-account that gets the share.'),
      ...share,
      roundedOff: text(
        '0',
        'What rounding down took from the share, as a fraction of the smallest unit: at most 0.9999.',
      ),
      releaseAt: notYet(time, 'When the share would be released, if it were paid now.'),
    }),
    { description: 'What each line gets.' },
  ),
  merchant: Type.Object(
    {
      amount: withExample(share.amount, 1_093_750),
      fee: withExample(share.fee, 12_500),
      net: withExample(share.net, 1_081_250),
    },
    { description: 'What you get: all that the lines leave.' },
  ),
  roundingTo: text(
    'merchant',
    `Who gets what was rounded off: \`merchant\`, or the sub-account of the remainder, such as ${referenceSample(prefixes.subaccount)}.`,
  ),
})
