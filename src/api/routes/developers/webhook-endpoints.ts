import Type, { type Static } from 'typebox'
import { changedFields } from '../../../audit/changed-fields.js'
import { hour, second } from '../../../base/clock.js'
import { prefixes, toReference } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import {
  flag,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  time,
  timestamp,
} from '../../../base/shapes.js'
import { eventFilters, permissionOf, typesOf, typesSeen } from '../../../events/filter.js'
import { lockEnvironment } from '../../../merchants/environments.js'
import { readRule } from '../../../payouts/controls/find-wait.js'
import { readList } from '../../../postgres/lists/find-ids.js'
import type { Tx } from '../../../postgres/transactions/tx.js'
import { rolesWith } from '../../../team/permissions.js'
import { resourceKinds } from '../../../team/seen-with.js'
import { countUndelivered } from '../../../webhooks/deliveries/count-undelivered.js'
import {
  type DeliveryState,
  deliveryListOf,
  deliveryStates,
  type EndpointDelivery,
  hasDueBesides,
} from '../../../webhooks/deliveries/find-deliveries.js'
import { countMissed, recover, sendTest } from '../../../webhooks/deliveries/redeliver.js'
import {
  type CreatedEndpoint,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  rotateSecret,
} from '../../../webhooks/endpoints/change-endpoints.js'
import {
  type EndpointName,
  getEnabledEndpoint,
  getEndpoint,
  listEndpoints,
  lockEnabledEndpoint,
  lockEndpoint,
} from '../../../webhooks/endpoints/endpoint.js'
import { listDeliveryHours } from '../../../webhooks/endpoints/hourly-counts.js'
import { readUrl } from '../../../webhooks/endpoints/read-url.js'
import { showEndpoint, webhookEndpoint } from '../../../webhooks/endpoints/resource.js'
import { webhookLimits } from '../../../webhooks/limits.js'
import { auditCall } from '../../auth/audit-call.js'
import { describeLack } from '../../auth/refuse-unseen.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { fromIn, readTime, timeIn, toIn } from '../../parse/read-time.js'
import { webhookUrlPattern } from '../../parse/read-web-url.js'
import {
  closed,
  inPath,
  oneOf,
  page,
  pageQuery,
  plainText,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { pageOf } from '../../server/page-of.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const endpointWithSecret = resource('WebhookEndpointWithSecret', {
  ...webhookEndpoint.properties,
  secret: Type.String({
    description: 'Signing secret for `v1` signatures. Shown only in this response.',
    examples: ['whsec_kXo2Zg0yWc3lVb4bq1a0m8Jt6Yp5Rr9e'],
  }),
})

const url = Type.String({
  minLength: 1,
  maxLength: webhookLimits.urlLengthMax,
  pattern: webhookUrlPattern,
  description: 'Where events are sent: https on a public address; http too in test mode.',
  examples: ['https://shop.example/webhooks'],
})
const events = Type.Array(Type.Enum(eventFilters, { type: 'string' }), {
  minItems: 1,
  maxItems: webhookLimits.eventTypesMax,
  uniqueItems: true,
  description: 'Event types or groups such as `payment.*`; `*` means all.',
  examples: [['payment.*']],
})
const description = Type.String({
  maxLength: limits.names.length,
  pattern: plainText,
  examples: ['Orders'],
})
const params = inPath('id', referenceSample(prefixes.webhookEndpoint))
const deliveryStatus = Type.Enum([...deliveryStates], {
  description: '`PENDING` until an attempt succeeds or the last retry fails.',
  examples: ['DELIVERED'],
})
const tag = 'Webhooks'

export function webhookEndpointRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    list(api),
    read(api),
    change(api),
    remove(api),
    rotate(api),
    test(api),
    recoverSince(api),
    listDeliveriesTo(api),
    stats(api),
  ]
}

const base = { access: 'secret', tag } as const
const secretRefusals = withReasons('validation_failed', 'secret_of_another_caller')
const path = '/v1/webhook-endpoints'

const create = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    permission: 'developers.change',
    operation: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description: `An environment can have ${webhookLimits.endpointsPerEnvironmentMax} endpoints. The signing secret is only shown in this response. You can subscribe it to events that you may see yourself: a restricted key needs \`payments.see\`, \`payouts.see\`, \`balances.see\` and \`developers.see\` for all of them.`,
    body: closed({
      url,
      events: Type.Optional(events),
      description: Type.Optional(description),
    }),
    answers: { 201: endpointWithSecret },
    refusals: [...withReasons('webhook_endpoint_failed', 'too_many'), ...secretRefusals],
    handle(request) {
      const { environment, body } = request
      checkMayRoute(request)
      checkMaySend(request, toTypes(body.events))
      const { href } = readUrl(body.url, environment.mode, api.allowsLoopbackWebhooks)
      const endpoint = {
        environment,
        seal: api.seal,
        url: href,
        eventTypes: toTypes(body.events),
        description: body.description ?? '',
      }
      return api.change(
        request,
        (tx, now) => createEndpoint(tx, now, endpoint),
        (created) => showWithSecret(201, 'Webhook endpoint created', created),
      )
    },
  })

/**
 * Deliveries name payers. So a member who may not see payers in live mode does not choose where
 * live events go, though they may switch an endpoint on and off and resend to it.
 */
function checkMayRoute({
  actor,
  environment: { mode },
}: Pick<RouteRequest<unknown, unknown, unknown>, 'actor' | 'environment'>): void {
  if (actor.kind !== 'user' || actor.permissions.has('endpoints.change')) return
  const may = rolesWith('endpoints.change', mode).join(', ')
  throw new Refusal('forbidden', {
    reason: 'role',
    message: `Your role does not choose where events of ${mode} mode are sent: they name payers. It is for: ${may}.`,
  })
}

/** No caller has events sent that it may not see. */
function checkMaySend(request: RouteRequest<unknown, unknown, unknown>, filters: string[] | null) {
  const unseen = (filters ?? ['*'])
    .flatMap(typesOf)
    .filter((type) => !request.permissions.has(permissionOf(type)))
  if (unseen.length === 0) return
  const { reason, message } = describeLack(request, [...new Set(unseen.map(permissionOf))])
  throw new Refusal('forbidden', {
    reason,
    message: `An endpoint receives only events that you may see. ${message} You may not see: ${[...new Set(unseen)].join(', ')}.`,
    nextStep: 'Leave these events out, or use a key or user that may see them.',
  })
}

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    permission: 'developers.see',
    operation: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'Returns webhook endpoints, newest first.',
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
    permission: 'developers.see',
    operation: 'getWebhookEndpoint',
    summary: 'Retrieve a webhook endpoint',
    description: 'The signing secret is not included; it is only shown on creation and rotation.',
    params,
    answers: { 200: webhookEndpoint },
    refusals: ['not_found'],
    async handle(request) {
      return success(200, 'Webhook endpoint', showEndpoint(await getEndpoint(db, nameOf(request))))
    },
  })

const change = ({ db, allowsLoopbackWebhooks }: ApiParts) =>
  route({
    ...base,
    method: 'PATCH',
    path: `${path}/:id`,
    permission: 'developers.change',
    operation: 'changeWebhookEndpoint',
    summary: 'Update a webhook endpoint',
    description:
      'Changes only the fields you send. `enabled: true` enables a disabled endpoint again. To change `url` or `events` you must be allowed to see all events that the endpoint receives, before and after.',
    params,
    body: closed({
      url: Type.Optional(url),
      events: Type.Optional(events),
      description: Type.Optional(description),
      enabled: Type.Optional(flag(true, 'Whether events are sent to it.')),
    }),
    answers: { 200: webhookEndpoint },
    refusals: ['not_found', ...withReasons('webhook_endpoint_failed', 'invalid_state')],
    async handle(request) {
      const { body, environment } = request
      if (body.url !== undefined || body.events !== undefined) checkMayRoute(request)
      const parse = (url: string) => readUrl(url, environment.mode, allowsLoopbackWebhooks).href
      const updated = await db.transaction(async (tx) => {
        const before = await lockEndpoint(tx, nameOf(request))
        if (body.url !== undefined || body.events !== undefined) {
          checkMaySend(request, before.eventTypes)
          if (body.events !== undefined) checkMaySend(request, toTypes(body.events))
        }
        // Events that became due before the endpoint dropped their type would go to the new URL.
        const seen = typesSeen(request.permissions)
        if (body.url !== undefined && seen && (await hasDueBesides(tx, before, seen)))
          throw stillDue()
        const changed = await changeEndpoint(tx, nameOf(request), {
          ...(body.url !== undefined && { url: parse(body.url) }),
          ...(body.events !== undefined && { eventTypes: toTypes(body.events) }),
          ...(body.description !== undefined && { description: body.description }),
          ...(body.enabled !== undefined && { isEnabled: body.enabled }),
        })
        auditCall(tx, request.audited, changedFields(showEndpoint(before), showEndpoint(changed)))
        return changed
      })
      return success(200, 'Webhook endpoint updated', showEndpoint(updated))
    },
  })

function stillDue(): Refusal {
  return new Refusal('webhook_endpoint_failed', {
    reason: 'invalid_state',
    message: 'Events that you may not see are still due at this endpoint. Create another endpoint.',
  })
}

const remove = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'DELETE',
    path: `${path}/:id`,
    permission: 'developers.change',
    operation: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: `Stops all deliveries to it. Past deliveries stay on record for ${limits.retention.deliveryDays} days. The endpoint whose keys sign your payout callback cannot be deleted.`,
    params,
    answers: { 200: Type.Object({}) },
    refusals: ['not_found', ...withReasons('webhook_endpoint_failed', 'invalid_state')],
    async handle(request) {
      await db.transaction(async (tx) => {
        await refuseSigner(tx, nameOf(request))
        await deleteEndpoint(tx, request.realNow, nameOf(request))
        auditCall(tx, request.audited, {})
      })
      return success(200, 'Webhook endpoint deleted', {})
    },
  })

/** Without it the callback is not asked, and a callback is only removed with a second member. */
async function refuseSigner(tx: Tx, { environmentId, reference }: EndpointName): Promise<void> {
  await lockEnvironment(tx, environmentId)
  const signer = (await readRule(tx, environmentId))?.controls?.callback?.signedBy
  if (signer !== reference) return
  throw new Refusal('webhook_endpoint_failed', {
    reason: 'invalid_state',
    message: 'The keys of this webhook endpoint sign your payout callback.',
    nextStep:
      'In the console, choose another endpoint for the callback or remove the callback first. You can disable this endpoint: its keys still sign then.',
  })
}

const rotate = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/rotate-secret`,
    permission: 'developers.change',
    operation: 'rotateWebhookSecret',
    summary: 'Rotate the signing secret',
    description: `Events are signed with both secrets for ${webhookLimits.secretOverlapMs / hour} hours. The new one is only shown in this response.`,
    params,
    answers: { 200: endpointWithSecret },
    refusals: [
      'not_found',
      ...withReasons('webhook_endpoint_failed', 'too_many'),
      ...secretRefusals,
    ],
    handle(request) {
      return api.change(
        request,
        (tx, now) => rotateSecret(tx, now, { ...nameOf(request), seal: api.seal }),
        (rotated) => showWithSecret(200, 'Secret rotated', rotated),
      )
    },
  })

const test = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/test`,
    permission: 'developers.change',
    operation: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description:
      'Sends a real `webhook_endpoint.test` event to this endpoint only, whatever its event filter.',
    params,
    answers: { 200: Type.Object({ eventId: reference(prefixes.event, 'The test event.') }) },
    refusals: ['not_found', ...withReasons('webhook_endpoint_failed', 'endpoint_disabled')],
    handle(request) {
      return api.change(
        request,
        async (tx, now) => {
          const endpoint = await lockEnabledEndpoint(tx, nameOf(request))
          return sendTest(tx, now, endpoint)
        },
        (eventId) => success(200, 'Test event sent', { eventId }),
      )
    },
  })

const recoverSince = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:id/recover`,
    permission: 'developers.change',
    operation: 'recoverWebhookEndpoint',
    isHeavy: true,
    summary: 'Recover missed events',
    description: `Sends every event since a time that this endpoint listens to and has not received, and that you may see, up to ${webhookLimits.recoveriesPerCallMax} per request. Events of the last ${limits.retention.deliveryDays} days can be recovered.`,
    params,
    body: closed({
      since: timeIn('Recover events from this time on.', '2026-01-05T09:00:00Z'),
      dryRun: Type.Optional(flag(false, 'Only counts the events; sends and changes nothing.')),
    }),
    answers: {
      200: Type.Object({
        deliveries: Type.Integer({
          description: 'Number of deliveries scheduled, or that would be with `dryRun`.',
          examples: [3],
        }),
      }),
    },
    refusals: ['not_found', ...withReasons('webhook_endpoint_failed', 'endpoint_disabled')],
    async handle(request) {
      const since = readTime('since', request.body.since)
      const types = typesSeen(request.permissions)
      if (request.body.dryRun) {
        const endpoint = await getEnabledEndpoint(api.db, nameOf(request))
        const deliveries = await countMissed(api.db, request.realNow, {
          endpoint,
          since,
          types,
        })
        return success(200, 'Deliveries that would be scheduled', { deliveries })
      }
      return api.change(
        request,
        async (tx, now) => {
          const endpoint = await getEnabledEndpoint(tx, nameOf(request))
          return recover(tx, now, { endpoint, since, types })
        },
        (deliveries) => success(200, 'Deliveries scheduled', { deliveries }),
      )
    },
  })

const delivery = resource('EndpointDelivery', {
  eventId: reference(prefixes.event, 'The event.'),
  type: text('payment.held', 'Type of the event.'),
  eventCreatedAt: timestamp('When the event happened.'),
  status: deliveryStatus,
  attemptCount: Type.Integer({ description: 'Attempts so far.', examples: [1] }),
  nextAttemptAt: notYet(
    time,
    'Null once the delivery has ended, and while an attempt is in progress.',
  ),
  finishedAt: orNull(time, 'When the delivery ended; null while it is `PENDING`.'),
  lastAttempt: orNull(
    Type.Object({
      startedAt: timestamp('When the attempt started.'),
      durationMs: Type.Integer({ description: 'Duration in milliseconds.', examples: [84] }),
      status: orNull(
        Type.Integer({ examples: [200] }),
        'HTTP status of the response; null if there was none.',
      ),
      error: notYet(Type.String(), 'Why the attempt got no response; null if it got one.'),
    }),
    'The latest attempt that ended; null if there is none.',
  ),
})

const listDeliveriesTo = ({ db, openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path: `${path}/:id/deliveries`,
    permission: 'developers.see',
    operation: 'listEndpointDeliveries',
    shows: resourceKinds,
    summary: 'List deliveries to a webhook endpoint',
    description:
      'Returns deliveries of events that you may see, with their latest attempt, newest event first. A page filtered by `type` may hold fewer items than `limit`, or none, and still have a `nextCursor`. Deliveries in flight or before their first attempt are listed if they are among the 1,000 that are due first. `GET /v1/events/{id}/deliveries` has every attempt with its response.',
    params,
    title: 'Deliveries',
    filters: {
      status: Type.Optional(withStatus([...deliveryStates])),
      type: Type.Optional(
        oneOf(eventFilters, 'Only events of this type, or of this group such as `payment.*`.'),
      ),
      from: Type.Optional(fromIn('Only events at or after this time.')),
      to: Type.Optional(toIn('Only events before this time.')),
    },
    item: delivery,
    refusals: ['not_found'],
    cursor: cursorOf(prefixes.event),
    async toFilter(request) {
      const { query, permissions } = request
      const endpoint = await getEndpoint(db, nameOf(request))
      const type = query.type as string | undefined
      const seen = typesSeen(permissions, type)
      return {
        endpoint,
        seen,
        state: query.status as DeliveryState | undefined,
        types: type === undefined || type === '*' ? undefined : seen,
        ...readTimeRange(query),
      }
    },
    async rows(db, _request, { endpoint, seen, ...filter }, page) {
      const { environmentId } = endpoint
      const list = deliveryListOf(endpoint)
      const { rows, next } = await readList(db, list, { environmentId, filter }, page)
      return { rows: seen ? rows.filter(({ type }) => seen.includes(type)) : rows, next }
    },
    show: (delivered) => toJson(showEndpointDelivery(delivered)),
  })

function showEndpointDelivery(delivery: EndpointDelivery) {
  const isWaiting = delivery.state === 'PENDING' && !delivery.isInFlight
  return {
    eventId: toReference(prefixes.event, delivery.eventId),
    type: delivery.type,
    eventCreatedAt: delivery.eventCreatedAt.toISOString(),
    status: delivery.state,
    attemptCount: delivery.attempts,
    nextAttemptAt: isWaiting ? delivery.dueAt.toISOString() : null,
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
    lastAttempt: delivery.startedAt && {
      startedAt: delivery.startedAt.toISOString(),
      durationMs: delivery.durationMs,
      status: delivery.status,
      error: delivery.error,
    },
  }
}

const stats = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:id/stats`,
    permission: 'developers.see',
    operation: 'getWebhookEndpointStats',
    summary: 'Retrieve delivery statistics',
    description: `Returns how many delivery attempts succeeded and failed in each of the last ${webhookLimits.hoursShown} hours, oldest first; the last hour is not over. Counts appear within ${webhookLimits.countsIntervalMs / second} seconds. They count events of all types, and are for charts: a worker that crashes loses its last seconds. \`undelivered\` is exact.`,
    params,
    answers: {
      200: resource('WebhookEndpointStats', {
        delivered: Type.Integer({ description: 'Successful attempts.', examples: [12] }),
        failed: Type.Integer({ description: 'Failed attempts.', examples: [0] }),
        undelivered: Type.Integer({
          description:
            'Events that were sent and not received, of any age: they wait for another attempt or were given up.',
          examples: [0],
        }),
        undeliveredSince: notYet(time, 'When the oldest of them happened; null if there is none.'),
        hours: Type.Array(
          Type.Object({
            from: timestamp('Start of the hour.'),
            delivered: Type.Integer({ description: 'Successful attempts.', examples: [12] }),
            failed: Type.Integer({ description: 'Failed attempts.', examples: [0] }),
            medianMs: orNull(
              Type.Integer({ examples: [84] }),
              'Median duration of an attempt in milliseconds, within 5 %; null if none was sent.',
            ),
          }),
          { description: 'One item per hour.' },
        ),
      }),
    },
    refusals: ['not_found'],
    async handle(request) {
      const endpoint = await getEndpoint(db, nameOf(request))
      const hours = await listDeliveryHours(db, endpoint, request.realNow)
      const undelivered = await countUndelivered(db, endpoint.environmentId, [endpoint.id])
      const sum = (field: 'delivered' | 'failed') =>
        hours.reduce((total, hour) => total + hour[field], 0)
      return success(200, 'Delivery statistics', {
        delivered: sum('delivered'),
        failed: sum('failed'),
        undelivered: undelivered.count,
        undeliveredSince: undelivered.since?.toISOString() ?? null,
        hours: hours.map(({ from, delivered, failed, medianMs }) => ({
          from: from.toISOString(),
          delivered,
          failed,
          medianMs,
        })),
      })
    },
  })

function nameOf({ environment, params }: RouteRequest<unknown, unknown, { id: string }>) {
  return { environmentId: environment.id, reference: params.id }
}

function toTypes(filters: Static<typeof events> | undefined): string[] | null {
  return !filters || filters.includes('*') ? null : (filters as string[])
}

function showWithSecret(status: number, message: string, { endpoint, secret }: CreatedEndpoint) {
  const data = { ...showEndpoint(endpoint), secret: secret.reveal() }
  return { ...success(status, message, data), holdsSecret: true }
}
