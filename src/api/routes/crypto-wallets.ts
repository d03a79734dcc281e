import Type from 'typebox'
import type { Coin } from '../../money/assets.js'
import { cryptoWallet } from '../../resources/collection-account.js'
import type { ApiParts } from '../api-parts.js'
import { metadataIn, readMetadata } from '../edge/metadata.js'
import { readPrice } from '../edge/read-coins.js'
import { expiryIn, readExpiry } from '../edge/read-expiry.js'
import { refusedAs } from '../edge/refusals-of.js'
import { type Route, route } from '../edge/route.js'
import { closed, decimalInput, networkInput, stablecoinInput } from '../edge/schemas.js'
import { cancelRoute, lookAgain, requeryRoute } from './account-actions.js'
import { accountRoutes, openWallet, referenceIn } from './accounts.js'

const path = '/v1/collections/crypto-wallets'
const kind = 'crypto_wallet'
const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const

const about = { kind, path, resource: cryptoWallet } as const

export function cryptoWalletRoutes(rooms: ApiParts): Route[] {
  return [
    create(rooms),
    ...accountRoutes(rooms, {
      ...about,
      named: 'merchantReference',
      parameter: 'reference',
      statuses: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'],
    }),
    cancelRoute(rooms, about),
    requeryRoute(rooms, about, lookAgain),
  ]
}

const create = (rooms: ApiParts) =>
  route({
    ...base,
    path,
    operation: 'createCryptoWallet',
    summary: 'Create a crypto wallet',
    description:
      'An address for one payment of one amount of one coin. When it is final on the chain you hear of it by webhook. Without `expiresAt` it waits for 30 minutes.',
    body: closed({
      merchantReference: referenceIn,
      asset: stablecoinInput,
      network: networkInput,
      amount: decimalInput,
      expiresAt: Type.Optional(expiryIn),
      metadata: Type.Optional(metadataIn),
    }),
    answers: { 201: cryptoWallet },
    refusals: refusedAs('crypto_wallet_creation_failed', 'kyc_missing', 'rail_unavailable'),
    async handle(ask) {
      const { merchantReference, expiresAt } = ask.body
      const asset = ask.body.asset as Coin
      const amount = readPrice(ask.body.amount, asset)
      const expected = { amount, expiresAt: readExpiry(ask.now, expiresAt) }
      const metadata = readMetadata(ask)
      const asked = { expected, asset, requestedAmount: ask.body.amount }
      const wish = { kind, merchantReference, metadata, ...asked } as const
      return openWallet(rooms, ask, wish, 'Crypto wallet created')
    },
  })
