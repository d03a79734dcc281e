import { strict as assert } from 'node:assert'
import Type from 'typebox'
import { toIsoText } from '../../../base/clock.js'
import { prefixes, toReference } from '../../../base/ids.js'
import { flag, orNull, reference, resource, text, timestamp } from '../../../base/shapes.js'
import { keyPermissions } from '../../../merchants/keys/key-permissions.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

const answer = resource('ApiKey', {
  id: reference(prefixes.apiKey, 'Identifies the key.'),
  name: text('Shop backend', 'Its name.'),
  kind: Type.Enum(['secret', 'public'], { description: 'What it is for.', examples: ['secret'] }),
  mode: Type.Enum(['test', 'live'], { description: 'Its mode.', examples: ['test'] }),
  permissions: orNull(
    Type.Array(Type.Enum([...keyPermissions], { examples: ['payments.see'] })),
    'What a restricted key may do. Null: everything, or what public keys may do.',
  ),
  subaccount: orNull(
    reference(prefixes.subaccount, ''),
    'The sub-account that it reads, and nothing else. Null: it is bound to none.',
  ),
  payoutsWaitForApproval: flag(false, 'Whether every payout made with it waits for a member.'),
  expiresAt: orNull(timestamp(''), 'When it stops working; null: when it is revoked.'),
})

export const ownApiKey = () =>
  route({
    method: 'GET',
    path: '/v1/api-key',
    access: 'key_only',
    operation: 'getApiKey',
    summary: 'Retrieve your API key',
    description:
      'Returns what the key of the request may do, not the key itself. Every key may call it, also a restricted one.',
    tag: 'Settings',
    answers: { 200: answer },
    async handle({ apiKey }) {
      assert(apiKey, 'only the holder of a key calls it')
      const { id, name, kind, environment, permissions, subaccountId, payoutsWait } = apiKey
      return success(200, 'API key', {
        id: toReference(prefixes.apiKey, id),
        name,
        kind,
        mode: environment.mode,
        permissions: permissions && [...permissions],
        subaccount: subaccountId && toReference(prefixes.subaccount, subaccountId),
        payoutsWaitForApproval: payoutsWait,
        expiresAt: apiKey.expiresAt && toIsoText(apiKey.expiresAt),
      })
    },
  })
