import Type from 'typebox'
import { newId, prefixes, toReference } from '../../base/ids.js'
import {
  anyAmount,
  anyAsset,
  reference,
  resource,
  timestamp,
  withExample,
} from '../../base/shapes.js'
import type { Asset } from '../../money/assets.js'
import { withReasons } from '../openapi/refusals-of.js'
import { readStablecoinAmount } from '../parse/read-coins.js'
import { closed, decimalInput, koboInput, stablecoinInput } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { success } from '../server/envelope.js'
import { toCall } from '../server/keyed-lane.js'
import { route } from '../server/route.js'

const nairaAsset = Type.Literal('NGN', { examples: ['NGN'] })
const naira = Object.assign(closed({ asset: nairaAsset, amount: koboInput }), {
  title: 'NairaFunding',
})
const coins = Object.assign(closed({ asset: stablecoinInput, amount: decimalInput }), {
  title: 'CoinFunding',
})
const body = Type.Unsafe<{ asset: Asset; amount: number | string }>({
  type: 'object',
  required: ['asset', 'amount'],
  discriminator: { propertyName: 'asset' },
  oneOf: [naira, coins],
  examples: [{ asset: 'NGN', amount: 5_000_000 }],
})

const funding = resource('TestFunding', {
  reference: reference(prefixes.funding, 'Identifies the funding.'),
  asset: anyAsset,
  amount: withExample(anyAmount, 5_000_000),
  createdAt: timestamp('When the balance was funded.'),
})

export const fundBalance = (api: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/balances/fund',
    access: 'secret',
    isTestOnly: true,
    replaysAtCommit: true,
    permission: 'payouts.create',
    shows: ['balance'],
    operation: 'fundTestBalance',
    summary: 'Fund a test balance',
    description:
      'Adds money to the available balance. USDC and USDT are minted on the embedded chain, so they are not available if test mode uses an external chain.',
    tag: 'Test mode',
    body,
    answers: { 201: funding },
    refusals: withReasons('balance_funding_failed', 'balance_limit', 'not_simulated'),
    handle(request) {
      const { asset } = request.body
      const id = newId(request.now)
      const amount = readAmount(request.body)
      const answer = success(201, 'Balance funded', {
        reference: toReference(prefixes.funding, id),
        asset,
        amount: request.body.amount,
        createdAt: request.now.toISOString(),
      })
      const funding = {
        id,
        environmentId: request.environment.id,
        asset,
        amount,
        purpose: 'test_funding',
      } as const
      return api.fundBalance(toCall(request, funding, answer))
    },
  })

function readAmount({ asset, amount }: { asset: Asset; amount: number | string }): bigint {
  return typeof amount === 'number' ? BigInt(amount) : readStablecoinAmount(amount, asset)
}
