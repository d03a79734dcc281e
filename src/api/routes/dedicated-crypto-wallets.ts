import Type from 'typebox'
import { dedicatedCryptoWallet } from '../../resources/collection-account.js'
import type { ApiParts } from '../api-parts.js'
import { metadataIn, readMetadata } from '../edge/metadata.js'
import { refusedAs } from '../edge/refusals-of.js'
import { type Route, route } from '../edge/route.js'
import { closed, networkInput } from '../edge/schemas.js'
import { lookAgain, requeryRoute } from './account-actions.js'
import { accountRoutes, openWallet, referenceIn } from './accounts.js'

const path = '/v1/collections/dedicated-crypto-wallets'
const kind = 'dedicated_crypto_wallet'

export function dedicatedCryptoWalletRoutes(rooms: ApiParts): Route[] {
  return [
    create(rooms),
    ...accountRoutes(rooms, {
      kind,
      path,
      resource: dedicatedCryptoWallet,
      named: 'externalReference',
      statuses: ['ACTIVE'],
      parameter: 'reference',
    }),
    requeryRoute(rooms, { kind, path, resource: dedicatedCryptoWallet }, lookAgain),
  ]
}

const create = (rooms: ApiParts) =>
  route({
    method: 'POST',
    path,
    access: 'secret',
    tag: 'Collections',
    operation: 'createDedicatedCryptoWallet',
    summary: 'Create a dedicated crypto wallet',
    description:
      'A permanent address for a customer. Any amount of USDC or USDT may come, any number of times.',
    body: closed({
      externalReference: referenceIn,
      network: networkInput,
      metadata: Type.Optional(metadataIn),
    }),
    answers: { 201: dedicatedCryptoWallet },
    refusals: refusedAs(
      'dedicated_crypto_wallet_creation_failed',
      ...(['duplicate_reference', 'kyc_missing', 'rail_unavailable'] as const),
    ),
    async handle(ask) {
      const { externalReference: merchantReference } = ask.body
      const metadata = readMetadata(ask)
      const any = { expected: null, asset: null, requestedAmount: null }
      const wish = { kind, merchantReference, metadata, ...any } as const
      return openWallet(rooms, ask, wish, 'Dedicated crypto wallet created')
    },
  })
