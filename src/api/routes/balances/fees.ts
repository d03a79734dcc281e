import Type from 'typebox'
import {
  anyAmount,
  orNull,
  resource,
  text,
  withDescription,
  withExample,
} from '../../../base/shapes.js'
import {
  type FeeOperation,
  feeOperationNames,
  feeOperations,
  getFeeSchedules,
  type VersionedFee,
} from '../../../merchants/settings/fee-schedules.js'
import { toWire } from '../../../money/amounts.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

const rate = {
  flat: withExample(withDescription(anyAmount, 'Fixed part.'), 0),
  basisPoints: Type.Integer({
    description: 'Part of the amount, in hundredths of a percent.',
    examples: [100],
  }),
}

const fee = resource('Fee', {
  operation: Type.Enum(feeOperationNames, {
    description: 'What is charged.',
    examples: ['virtual_account'],
  }),
  description: text('Payment into a virtual account'),
  currency: Type.Enum(['NGN', 'USDC'], {
    description: 'Currency of the amounts. `USDC` applies to USDT in the same way.',
    examples: ['NGN'],
  }),
  version: Type.Integer({
    description: 'Grows with every change; 0 is the default fee.',
    examples: [0],
  }),
  ...rate,
  floor: withExample(withDescription(anyAmount, 'Smallest fee.'), 0),
  cap: withExample(orNull(anyAmount, 'Largest fee; null if there is none.'), 200_000),
  tiers: Type.Array(
    Type.Object({
      upTo: withExample(withDescription(anyAmount, 'Applies to amounts up to this one.'), 500_000),
      ...rate,
    }),
    {
      description: 'The first tier that covers the amount replaces `flat` and `basisPoints`.',
      examples: [[]],
    },
  ),
})

export const fees = ({ db }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/fees',
    access: 'secret',
    permission: 'settings.see',
    operation: 'getFees',
    summary: 'Retrieve fees',
    description:
      'Returns the current fee of every operation: `flat` plus `basisPoints` of the amount, at least `floor` and at most `cap`.',
    tag: 'Settings',
    answers: { 200: Type.Object({ fees: Type.Array(fee) }) },
    async handle({ environment }) {
      const names = feeOperationNames.map((operation) => ({
        environmentId: environment.id,
        operation,
      }))
      const schedules = await getFeeSchedules(db, names)
      const shown = schedules.map((schedule, index) => show(names[index]!.operation, schedule))
      return success(200, 'Fees', { fees: shown })
    },
  })

const descriptions: Record<FeeOperation, string> = {
  virtual_account: 'Payment into a virtual account',
  dedicated_account: 'Payment into a dedicated account',
  bank_payout: 'Bank transfer to a recipient, and settlement',
  crypto_payout: 'Stablecoin transfer to a recipient',
  crypto_account_creation:
    'First transfer to a wallet without an account for the coin, in addition',
  crypto_deposit: 'Payment in a stablecoin',
  conversion_from_naira: 'Conversion of naira to a stablecoin',
  conversion_from_coins: 'Conversion of a stablecoin to naira',
}

function show(operation: FeeOperation, { version, ...schedule }: VersionedFee) {
  const { unit } = feeOperations[operation]
  const { flat, basisPoints, floor, cap, tiers } = schedule
  return {
    operation,
    description: descriptions[operation],
    currency: unit,
    version,
    flat: toWire(flat, unit),
    basisPoints,
    floor: toWire(floor, unit),
    cap: cap === null ? null : toWire(cap, unit),
    tiers: tiers.map((tier) => ({
      upTo: toWire(tier.upTo, unit),
      flat: toWire(tier.flat, unit),
      basisPoints: tier.basisPoints,
    })),
  }
}
