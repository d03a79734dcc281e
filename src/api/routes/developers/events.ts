import Type from 'typebox'
import type { Mode } from '../../../base/environment.js'
import {
  fromReferenceOfAnyKind,
  prefixes,
  timeOf,
  toReference,
  unusedId,
} from '../../../base/ids.js'
import type { JsonText } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import {
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  time,
  timestamp,
  withDescription,
} from '../../../base/shapes.js'
import { idOfSession } from '../../../collections/sessions/session.js'
import { eventFilters, typesSeen } from '../../../events/filter.js'
import { createEventReader, type Event, eventList, getEvent } from '../../../events/find-events.js'
import { eventSchema, showEvent } from '../../../events/resource.js'
import { resourceKinds } from '../../../team/seen-with.js'
import { type Delivery, listDeliveries } from '../../../webhooks/deliveries/find-deliveries.js'
import { redeliver } from '../../../webhooks/deliveries/redeliver.js'
import { getEnabledEndpoint } from '../../../webhooks/endpoints/endpoint.js'
import { webhookLimits } from '../../../webhooks/limits.js'
import { exampleOfEvent } from '../../openapi/event-examples.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { fromIn, toIn } from '../../parse/read-time.js'
import { closed, inPath, oneOf, page, pageQuery } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns } from '../../server/csv.js'
import { anotherList, type CursorFormat, readCursor, writeCursor } from '../../server/cursor.js'
import { success, successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { pageOf } from '../../server/page-of.js'
import { type Route, route } from '../../server/route.js'

const anyBody = eventSchema(
  Type.String({ examples: ['crypto_transfer.confirmed'] }),
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'The resource as it was when the event happened.',
      examples: [exampleOfEvent('crypto_transfer.confirmed').data],
    },
  ),
)
const event = resource('WebhookEvent', anyBody.properties)

const url = text('https://shop.example/webhooks')

const attempt = resource('DeliveryAttempt', {
  number: Type.Integer({ description: '1 for the first attempt.', examples: [1] }),
  url: withDescription(url, 'URL the attempt was sent to.'),
  startedAt: timestamp('When the attempt started.'),
  durationMs: Type.Integer({ description: 'Duration in milliseconds.', examples: [84] }),
  status: orNull(
    Type.Integer({ examples: [200] }),
    'HTTP status of the response; null if there was none.',
  ),
  error: notYet(Type.String(), 'Why the attempt got no response; null if it got one.'),
  response: Type.String({
    description: `First ${webhookLimits.responseBytesMax} bytes of the response body.`,
    examples: ['ok'],
  }),
})

const delivery = resource('EventDelivery', {
  endpointId: reference(prefixes.webhookEndpoint, 'The webhook endpoint.'),
  url: withDescription(url, 'Current URL of the endpoint.'),
  status: Type.Enum(['PENDING', 'DELIVERED', 'GIVEN_UP'], {
    description: '`PENDING` until an attempt succeeds or the last retry fails.',
    examples: ['DELIVERED'],
  }),
  nextAttemptAt: Type.Union([time, Type.Null()], {
    description: 'Null once the delivery has ended, and while an attempt is in progress.',
    examples: [null],
  }),
  attempts: Type.Array(attempt, { description: 'The latest attempts.' }),
})

const params = inPath('id', referenceSample(prefixes.event))
const base = { access: 'secret', tag: 'Events', shows: resourceKinds } as const

export function eventRoutes(api: ApiParts): Route[] {
  return [list(api), read(api), deliveries(api), redeliverTo(api)]
}

const columns = csvColumns('id', 'timestamp', 'type', 'mode', 'sequence', 'data')

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Has the time beside the id, which holds it. */
const eventCursor: CursorFormat = {
  write: (id) => writeCursor({ at: timeOf(id).toISOString(), id }),
  read(cursor) {
    const { at, id } = readCursor(cursor)
    const isOfEvent = id !== undefined && uuid.test(id) && at === timeOf(id).toISOString()
    if (!isOfEvent) throw anotherList()
    return id
  },
}

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path: '/v1/events',
    permission: 'developers.see',
    operation: 'listEvents',
    summary: 'List events',
    description:
      'Returns events whose resource you may see, newest first. Filter by type or group, by resource and by time. Send `Accept: text/csv` to export all of them.',
    title: 'Events',
    filters: {
      type: Type.Optional(
        oneOf(eventFilters, 'Only events of this type, or of this group such as `payment.*`.'),
      ),
      resource: Type.Optional(
        Type.String({
          maxLength: limits.names.length,
          description: 'Only events about the resource with this reference.',
          examples: [referenceSample(prefixes.cryptoTransfer)],
        }),
      ),
      from: Type.Optional(fromIn('Only events at or after this time.')),
      to: Type.Optional(toIn('Only events before this time.')),
    },
    item: event,
    columns,
    cursor: eventCursor,
    toFilter: ({ query, permissions }) => ({
      types: typesSeen(permissions, query.type as string | undefined),
      resourceId:
        query.resource === undefined
          ? undefined
          : (fromReferenceOfAnyKind(query.resource) ?? idOfSession(query.resource) ?? unusedId),
      ...readTimeRange(query),
    }),
    rows: eventList,
    show: (event, { environment }) => toText(event, environment.mode),
  })

const read = ({ db }: ApiParts) => {
  const readEvent = createEventReader(db)
  return route({
    ...base,
    method: 'GET',
    path: '/v1/events/:id',
    permission: 'developers.see',
    operation: 'getEvent',
    summary: 'Retrieve an event',
    description: 'Returns the event exactly as it is sent to webhook endpoints.',
    params,
    answers: { 200: event },
    refusals: ['not_found'],
    async handle({ environment, permissions, params: { id } }) {
      const name = { environmentId: environment.id, reference: id, permissions }
      const event = await readEvent(name)
      return successText(200, 'Event', toText(event, environment.mode))
    },
  })
}

const deliveries = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/events/:id/deliveries',
    permission: 'developers.see',
    operation: 'listEventDeliveries',
    summary: 'List deliveries of an event',
    description: `Returns one delivery per endpoint with its latest ${webhookLimits.attemptsShownMax} attempts: time, status, duration and response.`,
    params,
    query: closed(pageQuery),
    answers: { 200: page(delivery) },
    refusals: ['not_found'],
    async handle({ environment, permissions, query, params: { id } }) {
      const name = { environmentId: environment.id, reference: id, permissions }
      const event = await getEvent(db, name)
      const items = (await listDeliveries(db, event)).map(showDelivery)
      return success(
        200,
        'Deliveries',
        pageOf(items, query, ({ endpointId }) => endpointId),
      )
    },
  })

const redeliverTo = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: '/v1/events/:id/redeliver',
    permission: 'developers.change',
    operation: 'redeliverEvent',
    summary: 'Redeliver an event',
    description: 'Sends the event again, to one endpoint or to every endpoint that listens to it.',
    params,
    body: Type.Optional(
      Type.Object(
        {
          endpointId: Type.Optional(
            withDescription(
              delivery.properties.endpointId,
              'The endpoint to send it to. Without it: every endpoint that listens to the event.',
            ),
          ),
        },
        { additionalProperties: false, examples: [{}] },
      ),
    ),
    answers: {
      200: Type.Object({
        deliveries: Type.Integer({ description: 'Number of deliveries scheduled.', examples: [1] }),
      }),
    },
    refusals: [
      'not_found',
      'webhook_endpoint_failed',
      ...withReasons('webhook_endpoint_failed', 'endpoint_disabled'),
    ],
    handle(request) {
      const { environment, permissions, params, body } = request
      return api.change(
        request,
        async (tx, now) => {
          const name = { environmentId: environment.id, reference: params.id }
          const event = await getEvent(tx, { ...name, permissions })
          const endpoint =
            body?.endpointId === undefined
              ? undefined
              : await getEnabledEndpoint(tx, { ...name, reference: body.endpointId })
          const count = await redeliver(tx, now, { event, endpoint })
          if (endpoint && count === 0) throw isForAnotherEndpoint()
          return count
        },
        (count) => success(200, 'Deliveries scheduled', { deliveries: count }),
      )
    },
  })

function toText({ id, createdAt, ...event }: Event, mode: Mode): JsonText {
  return showEvent({ ...event, eventId: id, eventCreatedAt: createdAt, mode })
}

function showDelivery({ endpointId, url, state, dueAt, isInFlight, attempts }: Delivery) {
  return {
    endpointId: toReference(prefixes.webhookEndpoint, endpointId),
    url,
    status: state,
    nextAttemptAt: state === 'PENDING' && !isInFlight ? dueAt.toISOString() : null,
    attempts: attempts.map(({ number, url, startedAt, durationMs, status, error, response }) => ({
      number,
      url,
      startedAt: startedAt.toISOString(),
      durationMs,
      status,
      error,
      response,
    })),
  }
}

function isForAnotherEndpoint(): Refusal {
  return new Refusal('webhook_endpoint_failed', {
    message: 'This is a test event of another endpoint. Send the id of that endpoint.',
  })
}
