import Type from 'typebox'
import { newId, prefixes, toReference } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import {
  anyAmount,
  anyAsset,
  reference,
  resource,
  time,
  withExample,
} from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { toCall } from '../edge/keyed-lane.js'
import { readCoins } from '../edge/read-coins.js'
import { refusedAs } from '../edge/refusals-of.js'
import { route } from '../edge/route.js'
import { closed, decimalInput, koboInput, stablecoinInput } from '../edge/schemas.js'

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
  reference: reference(prefixes.funding),
  asset: anyAsset,
  amount: withExample(anyAmount, 5_000_000),
  createdAt: time,
})

export const fundBalance = (rooms: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/balances/fund',
    access: 'secret',
    isTestOnly: true,
    operation: 'fundTestBalance',
    summary: 'Fund a test balance',
    description:
      'Adds money to the available balance, in test mode only. USDC and USDT are minted on the embedded chain; with an external test chain they are refused, and NGN is not.',
    tag: 'Test mode',
    body,
    answers: { 201: funding },
    refusals: refusedAs('balance_funding_failed', 'balance_limit', 'not_simulated'),
    handle(ask) {
      const { asset } = ask.body
      const id = newId(ask.now)
      const amount = readAmount(ask.body)
      const answer = success(201, 'Balance funded', {
        reference: toReference(prefixes.funding, id),
        asset,
        amount: ask.body.amount,
        createdAt: ask.now.toISOString(),
      })
      const order = { id, environmentId: ask.environment.id, asset, amount } as const
      return rooms.fundBalance(toCall(ask, { ...order, purpose: 'test_funding' }, answer))
    },
  })

function readAmount({ asset, amount }: { asset: Asset; amount: number | string }): bigint {
  return typeof amount === 'number' ? BigInt(amount) : readCoins(amount, asset)
}
