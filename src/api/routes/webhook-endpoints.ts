import Type, { type Static } from 'typebox'
import { hour } from '../../base/clock.js'
import { prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { filters } from '../../events/filter.js'
import { flag, reference, referenceSample, resource, time } from '../../resources/shapes.js'
import { showEndpoint, webhookEndpoint } from '../../resources/webhook-endpoint.js'
import {
  type CreatedEndpoint,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  rotateSecret,
} from '../../webhooks/change-endpoints.js'
import {
  getEnabledEndpoint,
  getEndpoint,
  listEndpoints,
  lockEnabledEndpoint,
} from '../../webhooks/endpoint.js'
import { readUrl } from '../../webhooks/read-url.js'
import { recover, sendTest } from '../../webhooks/redeliver.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { toLateCall } from '../edge/keyed-lane.js'
import { pageOf } from '../edge/page-of.js'
import { readTime } from '../edge/read-time.js'
import { refusedAs } from '../edge/refusals-of.js'
import { type Route, type RouteRequest, route } from '../edge/route.js'
import { closed, inPath, page, pageQuery, plainText } from '../edge/schemas.js'

const withSecret = resource('WebhookEndpointWithSecret', {
  ...webhookEndpoint.properties,
  secret: Type.String({
    description: 'Shown once. For the `v1` signature.',
    examples: ['whsec_kXo2Zg0yWc3lVb4bq1a0m8Jt6Yp5Rr9e'],
  }),
})

const url = Type.String({
  minLength: 1,
  maxLength: limits.webhooks.urlLength,
  examples: ['https://shop.example/webhooks'],
})
const events = Type.Array(Type.Enum(filters, { type: 'string' }), {
  minItems: 1,
  maxItems: limits.webhooks.filters,
  uniqueItems: true,
  description: 'Types or groups such as `payment.*`; `*` for everything.',
  examples: [['payment.*']],
})
const description = Type.String({
  maxLength: limits.names.length,
  pattern: plainText,
  examples: ['Orders'],
})
const params = inPath('id', referenceSample(prefixes.webhookEndpoint))
const tag = 'Webhooks'

/** Everything about where a merchant hears of events. */
export function webhookEndpointRoutes(rooms: ApiParts): Route[] {
  return [
    create(rooms),
    list(rooms),
    read(rooms),
    change(rooms),
    remove(rooms),
    rotate(rooms),
    test(rooms),
    recoverSince(rooms),
  ]
}

const base = { access: 'secret', tag } as const
const path = '/v1/webhook-endpoints'

const create = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    operation: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description: `At most ${limits.webhooks.endpointsPerEnvironment} per environment. The secret is shown once.`,
    body: closed({
      url,
      events: Type.Optional(events),
      description: Type.Optional(description),
    }),
    answers: { 201: withSecret },
    refusals: refusedAs('webhook_endpoint_failed', 'too_many'),
    handle(ask) {
      const { environment, body } = ask
      const { href } = readUrl(body.url, environment.mode, rooms.allowsLoopbackWebhooks)
      const order = {
        environment,
        seal: rooms.seal,
        url: href,
        eventTypes: toTypes(body.events),
        description: body.description ?? '',
      }
      return rooms.change(
        toLateCall(
          ask,
          (tx, now) => createEndpoint(tx, now, order),
          (created) => showOnce(201, 'Webhook endpoint created', created as CreatedEndpoint),
        ),
      )
    },
  })

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'Newest first.',
    query: closed(pageQuery),
    answers: { 200: page(webhookEndpoint) },
    async handle({ environment, query }) {
      const items = (await listEndpoints(db, environment.id)).map(showEndpoint)
      return success(
        200,
        'Webhook endpoints',
        pageOf(items, query, ({ id }) => id),
      )
    },
  })

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:id`,
    operation: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    description: 'Without its secret, which is shown only when it is made.',
    params,
    answers: { 200: webhookEndpoint },
    refusals: ['not_found'],
    async handle(ask) {
      return success(200, 'Webhook endpoint', showEndpoint(await getEndpoint(db, nameOf(ask))))
    },
  })

const change = ({ db, allowsLoopbackWebhooks }: ApiParts) =>
  route({
    ...base,
    method: 'PATCH',
    path: `${path}/:id`,
    operation: 'changeWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description: 'Only what is sent changes. `enabled: true` brings a disabled one back.',
    params,
    body: closed({
      url: Type.Optional(url),
      events: Type.Optional(events),
      description: Type.Optional(description),
      enabled: Type.Optional(flag(true)),
    }),
    answers: { 200: webhookEndpoint },
    refusals: ['not_found'],
    async handle(ask) {
      const { body, environment } = ask
      const read = (text: string) => readUrl(text, environment.mode, allowsLoopbackWebhooks).href
      const changed = await db.transaction((tx) =>
        changeEndpoint(tx, nameOf(ask), {
          ...(body.url !== undefined && { url: read(body.url) }),
          ...(body.events !== undefined && { eventTypes: toTypes(body.events) }),
          ...(body.description !== undefined && { description: body.description }),
          ...(body.enabled !== undefined && { isEnabled: body.enabled }),
        }),
      )
      return success(200, 'Webhook endpoint changed', showEndpoint(changed))
    },
  })

const remove = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'DELETE',
    path: `${path}/:id`,
    operation: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing more is sent to it. Its deliveries stay on record.',
    params,
    answers: { 200: Type.Object({}) },
    refusals: ['not_found'],
    async handle(ask) {
      await db.transaction((tx) => deleteEndpoint(tx, ask.now, nameOf(ask)))
      return success(200, 'Webhook endpoint deleted', {})
    },
  })

const rotate = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/rotate-secret`,
    operation: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description: `Both secrets sign for ${limits.webhooks.secretOverlapMs / hour} hours. The new one is shown once.`,
    params,
    answers: { 200: withSecret },
    refusals: ['not_found', ...refusedAs('webhook_endpoint_failed', 'too_many')],
    handle(ask) {
      return rooms.change(
        toLateCall(
          ask,
          (tx, now) => rotateSecret(tx, now, { ...nameOf(ask), seal: rooms.seal }),
          (rotated) => showOnce(200, 'Secret rotated', rotated as CreatedEndpoint),
        ),
      )
    },
  })

const test = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/test`,
    operation: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description:
      'A real `webhook_endpoint.test` event that only this endpoint hears, whatever its filter.',
    params,
    answers: { 200: Type.Object({ eventId: reference(prefixes.event) }) },
    refusals: ['not_found', ...refusedAs('webhook_endpoint_failed', 'endpoint_disabled')],
    handle(ask) {
      return rooms.change(
        toLateCall(
          ask,
          async (tx, now) => {
            const endpoint = await lockEnabledEndpoint(tx, nameOf(ask))
            return sendTest(tx, now, endpoint)
          },
          (eventId) => success(200, 'Test event sent', { eventId }),
        ),
      )
    },
  })

const recoverSince = (rooms: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/recover`,
    operation: 'recoverWebhookEndpoint',
    isHeavy: true,
    summary: 'Send again what was missed',
    description: `Everything since a time that this endpoint listens to and has not taken, at most ${limits.webhooks.recoveredAtOnce} events at once.`,
    params,
    body: closed({ since: time }),
    answers: { 200: Type.Object({ deliveries: Type.Integer({ examples: [3] }) }) },
    refusals: ['not_found', ...refusedAs('webhook_endpoint_failed', 'endpoint_disabled')],
    handle(ask) {
      const since = readTime('since', ask.body.since)
      return rooms.change(
        toLateCall(
          ask,
          async (tx, now) => {
            const endpoint = await getEnabledEndpoint(tx, nameOf(ask))
            return recover(tx, now, { endpoint, since })
          },
          (deliveries) => success(200, 'Deliveries made due', { deliveries }),
        ),
      )
    },
  })

function nameOf({ environment, params }: RouteRequest<unknown, unknown, { id: string }>) {
  return { environmentId: environment.id, reference: params.id }
}

function toTypes(chosen: Static<typeof events> | undefined): string[] | null {
  return !chosen || chosen.includes('*') ? null : (chosen as string[])
}

function showOnce(status: number, message: string, { endpoint, secret }: CreatedEndpoint) {
  const data = { ...showEndpoint(endpoint), secret: secret.reveal() }
  return { ...success(status, message, data), holdsSecret: true }
}
