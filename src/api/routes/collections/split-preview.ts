import Type from 'typebox'
import { invalidField } from '../../../base/refusal.js'
import { anyAsset, withDescription, withExample } from '../../../base/shapes.js'
import type { AccountKind } from '../../../collections/accounts/account.js'
import { collectionFeeOf, readTerms } from '../../../collections/accounts/environment-terms.js'
import type { Asset } from '../../../money/assets.js'
import { previewSplit } from '../../../subaccounts/splits/preview-split.js'
import { splitPreview } from '../../../subaccounts/splits/resource.js'
import { readPrice } from '../../parse/read-coins.js'
import { linesIn, readSplits, splitsIn } from '../../parse/read-splits.js'
import { closed, decimalInput, koboInput } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

const kinds = [
  'virtual_account',
  'dedicated_account',
  'crypto_wallet',
  'dedicated_crypto_wallet',
] as const satisfies AccountKind[]

export const previewSplits = ({ db }: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/splits/preview',
    access: 'secret',
    tag: 'Splits',
    isRead: true,
    permission: 'subaccounts.see',
    operation: 'previewSplit',
    summary: 'Preview a split',
    description:
      'Returns what each line and you would get of a payment of this amount, with the fee that you would pay for it. Payments are split by the same computation. Nothing is saved.',
    body: withExample(
      closed({
        amount: Type.Union([koboInput, decimalInput], {
          description:
            'The amount to split. An integer in kobo for NGN; a decimal string for coins.',
          examples: [1_250_000],
        }),
        asset: withDescription(anyAsset, 'The asset of the payment.'),
        accountKind: Type.Optional(
          Type.Enum([...kinds], {
            description:
              'What is paid into, which decides the fee: by default `virtual_account` for NGN and `crypto_wallet` for coins.',
            examples: ['virtual_account'],
          }),
        ),
        splits: splitsIn,
      }),
      {
        amount: 1_250_000,
        asset: 'NGN',
        splits: { lines: (linesIn as { examples?: unknown[] }).examples![0] },
      },
    ),
    answers: { 200: splitPreview },
    async handle({ environment, now, body }) {
      const { asset, splits } = body
      const environmentId = environment.id
      const amount = readAmount(body.amount, asset)
      const kind = readKind(body.accountKind, asset)
      const [{ split }, terms] = await Promise.all([
        readSplits(db, splits, { environmentId, now, asset, expected: { amount, kind } }),
        readTerms(db, [{ environmentId, kind }]),
      ])
      const fee = collectionFeeOf(terms.of({ environmentId }), kind, amount)
      const shown = previewSplit(split, { asset, accepted: amount, fee, paidAt: now })
      return success(200, 'Split preview', shown)
    },
  })

function readAmount(amount: number | string, asset: Asset): bigint {
  if (asset === 'NGN') {
    if (typeof amount !== 'number') throw invalidField('amount', 'must be an integer in kobo')
    return BigInt(amount)
  }
  if (typeof amount !== 'string')
    throw invalidField('amount', `must be a decimal string of ${asset}, such as "25.50"`)
  return readPrice(amount, asset)
}

function readKind(sent: AccountKind | undefined, asset: Asset): AccountKind {
  const isNaira = asset === 'NGN'
  const kind = sent ?? (isNaira ? 'virtual_account' : 'crypto_wallet')
  const isBank = kind === 'virtual_account' || kind === 'dedicated_account'
  if (isBank === isNaira) return kind
  const allowed = isNaira
    ? 'virtual_account or dedicated_account'
    : 'crypto_wallet or dedicated_crypto_wallet'
  throw invalidField('accountKind', `must be ${allowed} for ${asset}`)
}
