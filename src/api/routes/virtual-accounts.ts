import Type from 'typebox'
import { virtualAccount } from '../../resources/collection-account.js'
import type { ApiParts } from '../api-parts.js'
import { metadataIn, readMetadata } from '../edge/metadata.js'
import { refuseUnusualNaira } from '../edge/naira-limits.js'
import { expiryIn, readExpiry } from '../edge/read-expiry.js'
import { refusedAs } from '../edge/refusals-of.js'
import { type Route, route } from '../edge/route.js'
import { closed, koboInput, nairaInput } from '../edge/schemas.js'
import { cancelRoute, requeryRoute } from './account-actions.js'
import { accountRoutes, openAccount, referenceIn } from './accounts.js'

const path = '/v1/collections/virtual-accounts'
const kind = 'virtual_account'
const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const

const about = { kind, path, resource: virtualAccount } as const

export function virtualAccountRoutes(rooms: ApiParts): Route[] {
  return [
    create(rooms),
    ...accountRoutes(rooms, {
      ...about,
      named: 'merchantReference',
      parameter: 'reference',
      statuses: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'],
    }),
    cancelRoute(rooms, about),
    requeryRoute(rooms, about, {
      summary: 'Ask the bank for payments it did not announce',
      description: 'Use it when a customer says that they paid and you have heard nothing.',
    }),
  ]
}

const create = (rooms: ApiParts) =>
  route({
    ...base,
    path,
    operation: 'createVirtualAccount',
    summary: 'Create a virtual account',
    description:
      'An account number for one payment of one amount. Show it to your customer; when the money comes you hear of it by webhook. Without `expiresAt` it waits for 30 minutes.',
    body: closed({
      merchantReference: referenceIn,
      amount: koboInput,
      currency: Type.Optional(nairaInput),
      expiresAt: Type.Optional(expiryIn),
      metadata: Type.Optional(metadataIn),
    }),
    answers: { 201: virtualAccount },
    refusals: refusedAs(
      'virtual_account_creation_failed',
      ...(['kyc_missing', 'no_bank_account', 'account_refused', 'rail_unavailable'] as const),
    ),
    async handle(ask) {
      refuseUnusualNaira(rooms, ask)
      const { merchantReference, amount, expiresAt } = ask.body
      const expected = { amount: BigInt(amount), expiresAt: readExpiry(ask.now, expiresAt) }
      const wish = { kind, merchantReference, metadata: readMetadata(ask), expected } as const
      return openAccount(rooms, ask, wish, 'Virtual account created')
    },
  })
