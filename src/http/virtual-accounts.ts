import Type from 'typebox'
import { type Found, getAccount } from '../collections/find-accounts.js'
import { virtualAccount } from '../events/resources.js'
import { accountRoutes, endAndClose, openAccount, referenceIn, show } from './accounts.js'
import { successText } from './envelope.js'
import { toLateCall } from './keyed-lane.js'
import { metadataIn, readMetadata } from './metadata.js'
import { refuseUnusualNaira } from './naira-limits.js'
import { readExpiry } from './read-expiry.js'
import type { Rooms } from './rooms.js'
import { type Route, route } from './route.js'
import { closed, kobo } from './schemas.js'

const path = '/v1/collections/virtual-accounts'
const kind = 'virtual_account'
const base = { access: 'secret', tag: 'Collections', method: 'POST' } as const
const params = Type.Object({ reference: Type.String() })

export function virtualAccountRoutes(rooms: Rooms): Route[] {
  return [
    create(rooms),
    ...accountRoutes(rooms, {
      ...{ kind, path, resource: virtualAccount, named: 'merchantReference' },
      ...{ statuses: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'], parameter: 'reference' },
    }),
    cancel(rooms),
    requery(rooms),
  ]
}

const create = (rooms: Rooms) =>
  route({
    ...base,
    path,
    operation: 'createVirtualAccount',
    summary: 'Create a virtual account',
    description:
      'An account number for one payment of one amount. Show it to your customer; when the money comes you hear of it by webhook. Without `expiresAt` it waits for 30 minutes.',
    body: closed({
      merchantReference: referenceIn,
      amount: kobo,
      currency: Type.Optional(Type.Enum(['NGN'])),
      expiresAt: Type.Optional(
        Type.String({
          description: 'ISO 8601; at most 24 hours ahead.',
          examples: ['2026-01-05T09:30:00Z'],
        }),
      ),
      metadata: Type.Optional(metadataIn),
    }),
    answers: { 201: virtualAccount },
    codes: ['virtual_account_creation_failed', 'forbidden'],
    async handle(ask) {
      refuseUnusualNaira(rooms, ask)
      const { merchantReference, amount, expiresAt } = ask.body
      const expected = { amount: BigInt(amount), expiresAt: readExpiry(ask.now, expiresAt) }
      const wish = { kind, merchantReference, metadata: readMetadata(ask), expected } as const
      return openAccount(rooms, ask, wish, 'Virtual account created')
    },
  })

const cancel = (rooms: Rooms) =>
  route({
    ...base,
    path: `${path}/:reference/cancel`,
    operation: 'cancelVirtualAccount',
    summary: 'Cancel a virtual account',
    description: 'You want no money here any more. What comes all the same counts as late.',
    params,
    answers: { 200: virtualAccount },
    codes: ['not_found', 'account_action_failed'],
    async handle(ask) {
      const name = { environmentId: ask.environment.id, kind, ...ask.params } as const
      return endAndClose(rooms, ask, name, 'Virtual account cancelled')
    },
  })

const requery = (rooms: Rooms) =>
  route({
    ...base,
    path: `${path}/:reference/requery`,
    operation: 'requeryVirtualAccount',
    summary: 'Ask the bank for payments it did not announce',
    description: 'Use it when a customer says that they paid and you have heard nothing.',
    params,
    answers: { 200: virtualAccount },
    codes: ['not_found', 'account_action_failed'],
    async handle(ask) {
      const name = { environmentId: ask.environment.id, kind, ...ask.params } as const
      const { account } = await getAccount(rooms.db, name)
      await rooms.collections.requery(account, ask.environment.mode)
      return rooms.change(
        toLateCall(
          ask,
          (tx) => getAccount(tx, name),
          (found) => successText(200, 'Virtual account', show(found as Found)),
        ),
      )
    },
  })
