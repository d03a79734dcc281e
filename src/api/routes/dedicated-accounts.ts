import Type from 'typebox'
import { prefixes } from '../../base/ids.js'
import { dedicatedAccount } from '../../resources/collection-account.js'
import { referenceSample } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { metadataIn, readMetadata } from '../edge/metadata.js'
import { refusedAs } from '../edge/refusals-of.js'
import { type Route, route } from '../edge/route.js'
import { closed, inPath } from '../edge/schemas.js'
import { accountRoutes, endAndClose, openAccount, referenceIn } from './accounts.js'

const path = '/v1/collections/dedicated-accounts'
const kind = 'dedicated_account'
const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const

export function dedicatedAccountRoutes(rooms: ApiParts): Route[] {
  return [
    create(rooms),
    ...accountRoutes(rooms, {
      kind,
      path,
      resource: dedicatedAccount,
      named: 'externalReference',
      statuses: ['ACTIVE', 'INACTIVE'],
      listed: 'ACTIVE',
      parameter: 'accountReference',
    }),
    deactivate(rooms),
  ]
}

const create = (rooms: ApiParts) =>
  route({
    ...base,
    path,
    operation: 'createDedicatedAccount',
    summary: 'Create a dedicated account',
    description:
      'A permanent account number for a customer, an invoice or a subscription. Any amount may come, any number of times.',
    body: closed({ externalReference: referenceIn, metadata: Type.Optional(metadataIn) }),
    answers: { 201: dedicatedAccount },
    refusals: refusedAs(
      'dedicated_account_creation_failed',
      ...(['duplicate_reference', 'kyc_missing', 'no_bank_account'] as const),
      ...(['account_refused', 'rail_unavailable'] as const),
    ),
    async handle(ask) {
      const { externalReference: merchantReference } = ask.body
      const metadata = readMetadata(ask)
      const wish = { kind, merchantReference, metadata, expected: null } as const
      return openAccount(rooms, ask, wish, 'Dedicated account created')
    },
  })

const deactivate = (rooms: ApiParts) =>
  route({
    ...base,
    path: `${path}/:accountReference/deactivate`,
    operation: 'deactivateDedicatedAccount',
    summary: 'Deactivate a dedicated account',
    description: 'For good. What comes all the same is held until you resolve it.',
    params: inPath('accountReference', referenceSample(prefixes.dedicatedAccount)),
    answers: { 200: dedicatedAccount },
    example: { status: 'INACTIVE' },
    refusals: ['not_found'],
    async handle(ask) {
      const { accountReference: reference } = ask.params
      const name = { environmentId: ask.environment.id, kind, reference } as const
      return endAndClose(rooms, ask, name, 'Dedicated account deactivated')
    },
  })
