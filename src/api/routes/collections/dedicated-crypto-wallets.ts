import Type from 'typebox'
import { dedicatedCryptoWallet } from '../../../collections/accounts/resource.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { metadataIn, readMetadata } from '../../parse/metadata.js'
import { chooseSplit, ownSplitsIn } from '../../parse/read-splits.js'
import { closed, networkInput } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { type Route, route } from '../../server/route.js'
import { requeryRoute, walletRequery } from './account-actions.js'
import { accountRoutes, createWallet, externalReferenceIn } from './accounts.js'

const path = '/v1/collections/dedicated-crypto-wallets'
const kind = 'dedicated_crypto_wallet'

export function dedicatedCryptoWalletRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    ...accountRoutes(api, {
      kind,
      path,
      resource: dedicatedCryptoWallet,
      named: 'externalReference',
      statuses: ['ACTIVE'],
      parameter: 'reference',
    }),
    requeryRoute(api, { kind, path, resource: dedicatedCryptoWallet }, walletRequery),
  ]
}

const create = (api: ApiParts) =>
  route({
    method: 'POST',
    path,
    access: 'secret',
    tag: 'Collections',
    stopsWhenSuspended: true,
    permission: 'collect.create',
    operation: 'createDedicatedCryptoWallet',
    summary: 'Create a dedicated crypto wallet',
    description:
      'Creates a permanent wallet address for a customer. Accepts any amount of USDC or USDT, any number of times.',
    body: closed({
      externalReference: externalReferenceIn,
      network: networkInput,
      metadata: Type.Optional(metadataIn),
      splits: ownSplitsIn,
    }),
    answers: { 201: dedicatedCryptoWallet },
    refusals: [
      ...withReasons(
        'dedicated_crypto_wallet_creation_failed',
        'duplicate_reference',
        'kyc_missing',
        'rail_unavailable',
      ),
      ...withReasons('forbidden', 'payouts_wait'),
    ],
    async handle(request) {
      const wallet = {
        kind,
        merchantReference: request.body.externalReference,
        metadata: readMetadata(request),
        expected: null,
        asset: null,
        requestedAmount: null,
        chosenSplit: await chooseSplit(api.db, request, { asset: null, expected: null }),
      } as const
      return createWallet(api, request, wallet, { message: 'Dedicated crypto wallet created' })
    },
  })
