import Type from 'typebox'
import { virtualAccount } from '../../../collections/accounts/resource.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { metadataIn, readMetadata } from '../../parse/metadata.js'
import { checkNairaLimits } from '../../parse/naira-limits.js'
import { expiryIn, readExpiry } from '../../parse/read-expiry.js'
import { chooseSplit, ownSplitsIn } from '../../parse/read-splits.js'
import { closed, koboInput, nairaInput } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { type Route, route } from '../../server/route.js'
import { cancelRoute, requeryRoute } from './account-actions.js'
import { accountRoutes, createAccount, referenceIn } from './accounts.js'

const path = '/v1/collections/virtual-accounts'
const kind = 'virtual_account'
const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const

const about = { kind, path, resource: virtualAccount } as const

export function virtualAccountRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    ...accountRoutes(api, {
      ...about,
      named: 'merchantReference',
      parameter: 'reference',
      statuses: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'],
    }),
    cancelRoute(api, about),
    requeryRoute(api, about, {
      summary: 'Fetch missed payments from the bank',
      description:
        'Queries the bank for payments that it did not report. Use it when a customer has paid and you received no webhook.',
    }),
  ]
}

const create = (api: ApiParts) =>
  route({
    ...base,
    path,
    stopsWhenSuspended: true,
    permission: 'collect.create',
    operation: 'createVirtualAccount',
    summary: 'Create a virtual account',
    description:
      'Creates an account number for one payment of one amount. Show it to your customer; a webhook notifies you when the payment arrives. Expires after 30 minutes unless you send `expiresAt`.',
    body: closed({
      merchantReference: referenceIn,
      amount: koboInput,
      currency: Type.Optional(nairaInput),
      expiresAt: Type.Optional(expiryIn),
      metadata: Type.Optional(metadataIn),
      splits: ownSplitsIn,
    }),
    answers: { 201: virtualAccount },
    refusals: [
      ...withReasons(
        'virtual_account_creation_failed',
        'kyc_missing',
        'no_bank_account',
        'account_refused',
        'rail_unavailable',
      ),
      ...withReasons('forbidden', 'payouts_wait'),
    ],
    async handle(request) {
      checkNairaLimits(api, request)
      const { merchantReference, amount, expiresAt } = request.body
      const expected = { amount: BigInt(amount), expiresAt: readExpiry(request.now, expiresAt) }
      const account = {
        kind,
        merchantReference,
        metadata: readMetadata(request),
        expected,
        chosenSplit: await chooseSplit(api.db, request, {
          asset: 'NGN',
          expected: { amount: expected.amount, kind },
        }),
      } as const
      return createAccount(api, request, account, { message: 'Virtual account created' })
    },
  })
