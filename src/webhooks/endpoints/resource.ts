import Type, { type Static } from 'typebox'
import { prefixes, toReference } from '../../base/ids.js'
import { flag, notYet, reference, resource, text, time, timestamp } from '../../base/shapes.js'
import type { WebhookEndpoint } from './endpoint.js'

export const webhookEndpoint = resource('WebhookEndpoint', {
  id: reference(prefixes.webhookEndpoint, 'Identifies the endpoint.'),
  url: text('https://example.com/webhooks', 'URL that events are sent to.'),
  events: Type.Array(Type.String(), {
    description: 'Event types or groups such as `payment.*` that are sent; `*` means all.',
    examples: [['payment.*']],
  }),
  description: text('Orders', 'Your own description.'),
  enabled: flag(true, 'Whether events are sent to it.'),
  disabledReason: notYet(
    Type.Enum(['merchant', 'gone', 'failing']),
    '`merchant`: you disabled it. `gone`: it answered 410. `failing`: every delivery failed for five days.',
  ),
  failingSince: notYet(time, 'When deliveries began to fail; null while they succeed.'),
  publicKey: text(
    'whpk_qn0QkTn7yYxHg1nS7ekN6YH8v1d3p5w2hLZsTzqXJ0c=',
    'Ed25519 public key that verifies `v1a` signatures.',
  ),
  createdAt: timestamp('When the endpoint was created.'),
})

/** The endpoint as read operations and events show it. */
export function showEndpoint(endpoint: WebhookEndpoint): Static<typeof webhookEndpoint> {
  return {
    id: toReference(prefixes.webhookEndpoint, endpoint.id),
    url: endpoint.url,
    events: endpoint.eventTypes ?? ['*'],
    description: endpoint.description,
    enabled: endpoint.isEnabled,
    disabledReason: endpoint.disabledReason,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    publicKey: endpoint.publicKey,
    createdAt: endpoint.createdAt.toISOString(),
  }
}
