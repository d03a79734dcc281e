import Type from 'typebox'
import { cryptoWallet } from '../../../collections/accounts/resource.js'
import type { Coin } from '../../../money/assets.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { metadataIn, readMetadata } from '../../parse/metadata.js'
import { readPrice } from '../../parse/read-coins.js'
import { expiryIn, readExpiry } from '../../parse/read-expiry.js'
import { chooseSplit, ownSplitsIn } from '../../parse/read-splits.js'
import { closed, decimalInput, networkInput, stablecoinInput } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { type Route, route } from '../../server/route.js'
import { cancelRoute, requeryRoute, walletRequery } from './account-actions.js'
import { accountRoutes, createWallet, referenceIn } from './accounts.js'

const path = '/v1/collections/crypto-wallets'
const kind = 'crypto_wallet'
const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const

const about = { kind, path, resource: cryptoWallet } as const

export function cryptoWalletRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    ...accountRoutes(api, {
      ...about,
      named: 'merchantReference',
      parameter: 'reference',
      statuses: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'],
    }),
    cancelRoute(api, about),
    requeryRoute(api, about, walletRequery),
  ]
}

const create = (api: ApiParts) =>
  route({
    ...base,
    path,
    stopsWhenSuspended: true,
    permission: 'collect.create',
    operation: 'createCryptoWallet',
    summary: 'Create a crypto wallet',
    description:
      'Creates a wallet address for one payment of one amount of one stablecoin. A webhook notifies you when the payment is final on the chain. Expires after 30 minutes unless you send `expiresAt`.',
    body: closed({
      merchantReference: referenceIn,
      asset: stablecoinInput,
      network: networkInput,
      amount: decimalInput,
      expiresAt: Type.Optional(expiryIn),
      metadata: Type.Optional(metadataIn),
      splits: ownSplitsIn,
    }),
    answers: { 201: cryptoWallet },
    refusals: [
      ...withReasons('crypto_wallet_creation_failed', 'kyc_missing', 'rail_unavailable'),
      ...withReasons('forbidden', 'payouts_wait'),
    ],
    async handle(request) {
      const { merchantReference, amount: requestedAmount, expiresAt } = request.body
      const asset = request.body.asset as Coin
      const amount = readPrice(requestedAmount, asset)
      const expected = { amount, expiresAt: readExpiry(request.now, expiresAt) }
      const metadata = readMetadata(request)
      const wallet = {
        kind,
        merchantReference,
        metadata,
        expected,
        asset,
        requestedAmount,
        chosenSplit: await chooseSplit(api.db, request, { asset, expected: { amount, kind } }),
      } as const
      return createWallet(api, request, wallet, { message: 'Crypto wallet created' })
    },
  })
