import Type, { type Static } from 'typebox'
import { prefixes } from '../../base/ids.js'
import { invalidField } from '../../base/refusal.js'
import { anyAsset, referenceSample, withDescription } from '../../base/shapes.js'
import type { Asset } from '../../money/assets.js'
import { parseRate } from '../../money/rates.js'
import { closed } from './schemas.js'

/** Pays a transfer from the balance of another asset, converted in the same transaction. */
export const fundFromIn = Object.assign(
  closed({
    asset: withDescription(
      anyAsset,
      'The asset to pay from. Either it or the asset of the transfer must be NGN.',
    ),
    quote: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'Reference of a quote from `asset` to the asset of the transfer. The whole quote is converted; if it gives less than the transfer needs, your balance covers the rest. Send either this or `maxRate`.',
        examples: [referenceSample(prefixes.conversionQuote)],
      }),
    ),
    maxRate: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 20,
        description:
          'The worst rate that you accept, in naira per coin, without the fee of the conversion: the most that you pay for a coin or, if coins pay for a bank transfer, the least that you get for one. Amount and fee of the transfer are converted at the current rate, even if you already have the asset.',
        examples: ['1650'],
      }),
    ),
  }),
  {
    description:
      'Pays amount and fee from the balance of another asset. Conversion and transfer commit together, or neither happens. If the transfer fails later, you keep the asset that was bought.',
  },
)

/** Prices a transfer as if the conversion had been made. */
export const quotedFundFromIn = Object.assign(
  closed({ asset: withDescription(anyAsset, 'The asset to pay from.') }),
  {
    description:
      'Send this if you will send `fundFrom` with the transfer. In test mode, the treasury then gets the coins that the conversion needs.',
  },
)

export type FundFrom = {
  asset: Asset
  price: { quote: string } | { limit: bigint }
}

export function readFundFrom(
  sent: Static<typeof fundFromIn> | undefined,
  asset: Asset,
): FundFrom | undefined {
  if (!sent) return undefined
  if ((sent.asset === 'NGN') === (asset === 'NGN'))
    throw invalidField('fundFrom.asset', `must be ${asset === 'NGN' ? 'USDC or USDT' : 'NGN'}`)
  if ((sent.quote === undefined) === (sent.maxRate === undefined))
    throw invalidField('fundFrom', 'must have either `quote` or `maxRate`')
  if (sent.quote !== undefined) return { asset: sent.asset, price: { quote: sent.quote } }
  const limit = parseRate(sent.maxRate!)
  if (limit === undefined)
    throw invalidField('fundFrom.maxRate', 'must be a decimal in naira per coin, such as "1650"')
  return { asset: sent.asset, price: { limit } }
}
