import Type, { type Static } from 'typebox'
import { emailPattern, phonePattern } from '../../../base/contact-patterns.js'
import { prefixes } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { Secret } from '../../../base/secret.js'
import { referenceSample } from '../../../base/shapes.js'
import { dedicatedAccount } from '../../../collections/accounts/resource.js'
import type { AccountCustomer } from '../../../collections/ports.js'
import { dedicatedAccountRefusals, withReasons } from '../../openapi/refusals-of.js'
import { metadataIn, readMetadata } from '../../parse/metadata.js'
import { chooseSplit, ownSplitsIn } from '../../parse/read-splits.js'
import {
  closed,
  identityNumberPattern,
  inPath,
  nairaInput,
  plainText,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { type Route, route } from '../../server/route.js'
import { accountRoutes, createAccount, endAndClose, externalReferenceIn } from './accounts.js'

const path = '/v1/collections/dedicated-accounts'

export const identityNumber = (name: string) =>
  Type.Optional(
    Type.String({
      pattern: identityNumberPattern,
      description: `${name} of the customer, 11 digits. Passed on to the bank and not stored.`,
      examples: ['22222222226'],
    }),
  )

const customerIn = closed({
  name: Type.String({
    minLength: 1,
    maxLength: limits.names.length,
    pattern: plainText,
    description: 'First and last name.',
    examples: ['Ada Obi'],
  }),
  email: Type.String({
    maxLength: limits.names.length,
    pattern: emailPattern,
    examples: ['ada@example.com'],
  }),
  phone: Type.Optional(Type.String({ pattern: phonePattern, examples: ['+2348012345678'] })),
  bvn: identityNumber('Bank Verification Number'),
  nin: identityNumber('National Identification Number'),
})

/** Required by some live banks; the sandbox bank needs none of it. */
function readCustomer(sent: Static<typeof customerIn> | undefined): AccountCustomer | undefined {
  if (!sent) return undefined
  const { name, email, phone = null, bvn, nin } = sent
  return {
    name,
    email,
    phone,
    bvn: bvn === undefined ? null : new Secret(bvn),
    nin: nin === undefined ? null : new Secret(nin),
  }
}
const kind = 'dedicated_account'
const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const

export function dedicatedAccountRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    ...accountRoutes(api, {
      kind,
      path,
      resource: dedicatedAccount,
      named: 'externalReference',
      statuses: ['ACTIVE', 'INACTIVE'],
      defaultStatus: 'ACTIVE',
      parameter: 'accountReference',
    }),
    deactivate(api),
  ]
}

const create = (api: ApiParts) =>
  route({
    ...base,
    path,
    stopsWhenSuspended: true,
    permission: 'collect.create',
    operation: 'createDedicatedAccount',
    summary: 'Create a dedicated account',
    description:
      'Creates a permanent account number for a customer, an invoice or a subscription. Accepts any amount, any number of times. If a live bank needs more of the customer than you send, it gets your `dedicatedAccounts.defaultCustomer`, or what you stated in your KYC.',
    body: closed({
      externalReference: externalReferenceIn,
      currency: Type.Optional(nairaInput),
      customer: Type.Optional(customerIn),
      metadata: Type.Optional(metadataIn),
      splits: ownSplitsIn,
    }),
    answers: { 201: dedicatedAccount },
    refusals: [...dedicatedAccountRefusals, ...withReasons('forbidden', 'payouts_wait')],
    async handle(request) {
      const { externalReference: merchantReference } = request.body
      const metadata = readMetadata(request)
      const customer = readCustomer(request.body.customer)
      const chosenSplit = await chooseSplit(api.db, request, { asset: 'NGN', expected: null })
      const account = {
        kind,
        merchantReference,
        metadata,
        expected: null,
        customer,
        chosenSplit,
      } as const
      return createAccount(api, request, account, { message: 'Dedicated account created' })
    },
  })

const deactivate = (api: ApiParts) =>
  route({
    ...base,
    path: `${path}/:accountReference/deactivate`,
    permission: 'collect.create',
    operation: 'deactivateDedicatedAccount',
    summary: 'Deactivate a dedicated account',
    description:
      'Deactivates the account permanently. Payments that still arrive are held until you resolve them.',
    params: inPath('accountReference', referenceSample(prefixes.dedicatedAccount)),
    answers: { 200: dedicatedAccount },
    example: { status: 'INACTIVE' },
    refusals: ['not_found'],
    async handle(request) {
      const { accountReference: reference } = request.params
      const name = { environmentId: request.environment.id, kind, reference } as const
      return endAndClose(api, request, name, 'Dedicated account deactivated')
    },
  })
