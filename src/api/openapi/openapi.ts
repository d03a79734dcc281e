import type { FastifySchema } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { codes, reasons } from '../../base/refusals.js'
import { text } from '../../base/shapes.js'
import { keyPattern } from '../../idempotency/key.js'
import { closed } from '../parse/schemas.js'
import { isForUsersOnly, type Route, type RouteAccess } from '../server/route.js'
import { streamMessages } from '../streams/streams.js'
import { acceptsIdempotencyKey, httpStatusOf, refusalsOf } from './refusals-of.js'

const failure = Type.Object(
  {
    status: Type.Literal(false, { examples: [false] }),
    message: Type.String({
      description: 'Explains the error and what to change.',
      examples: ['amount is required.'],
    }),
    code: Type.Enum(Object.keys(codes), { examples: ['validation_failed'] }),
    reason: Type.Optional(
      Type.Enum(Object.keys(reasons), {
        description: 'More specific reason, if there is one.',
        examples: ['invalid_json'],
      }),
    ),
    details: Type.Optional(
      Type.Array(Type.Object({ field: text('amount'), issue: text('is required') })),
    ),
    nextStep: Type.Optional(text(codes.validation_failed.nextStep)),
    requestId: text('req_8f3a5c0d9e1b7a46000042'),
  },
  { title: 'Refusal', description: 'The request was refused or failed.' },
)

/** Honoured on every POST: a retry with the same key gets the first answer. */
const idempotencyKey = Type.String({
  pattern: keyPattern,
  description:
    'A UUID or another unique value, 1 to 255 printable ASCII characters. A retry with the same key and the same request returns the original response and creates nothing.',
  examples: ['2f1c8a1e-5b0e-4c8e-9a53-0d1f7d1f2a77'],
})
const keyHeader = Type.Object({ 'Idempotency-Key': Type.Optional(idempotencyKey) })
const requiredKeyHeader = Type.Object({ 'Idempotency-Key': idempotencyKey })

const security: Record<RouteAccess, Record<string, string[]>[]> = {
  secret: [{ secretKey: [] }],
  any_key: [{ secretKey: [] }, { publicKey: [] }],
  key_only: [{ secretKey: [] }, { publicKey: [] }],
  user: [],
  any_user: [],
  operator: [],
  open: [],
  signed: [],
}

/**
 * The schema of a route. Fastify validates requests with `body`, `querystring`, `params` and
 * `headers`; the OpenAPI document shows all of it.
 */
export function toRouteSchema(route: Route): FastifySchema {
  return {
    hide: route.isPage || isForUsersOnly(route.access),
    operationId: route.operation,
    summary: route.summary,
    description: route.description,
    tags: [route.tag],
    security: security[route.access],
    ...(route.body && { body: route.readCsv ? withCsv(route.body) : route.body }),
    querystring: route.query ?? closed({}),
    ...(route.params && { params: route.params }),
    ...(acceptsIdempotencyKey(route) && {
      headers: route.requiresIdempotencyKey ? requiredKeyHeader : keyHeader,
    }),
    response: { ...successes(route), ...failures(route) },
  }
}

/** Validation sees the JSON that `readCsv` made of a CSV file. */
function withCsv(json: TSchema) {
  const csv = Type.Unsafe({
    description: 'A CSV file. The first line names the columns.',
    contentMediaType: 'text/csv',
  })
  return { content: { 'application/json': { schema: json }, 'text/csv': { schema: csv } } }
}

/** OpenAPI 3.1 has no schema of single events, so the pattern describes the whole text. */
const streamSchema = Type.String({
  pattern: `^(?:${Object.values(streamMessages)
    .map(({ pattern }) => pattern)
    .join('|')})*$`,
  contentMediaType: 'text/event-stream',
  description: Object.entries(streamMessages)
    .map(([name, { summary }]) => `\`${name}\`: ${summary}`)
    .join(' '),
})

function successes(route: Route) {
  if (route.isStream) {
    const content = { 'text/event-stream': { schema: streamSchema } }
    return { 200: { description: 'A stream of events, until either side closes it.', content } }
  }
  if (route.isCsvOnly)
    return {
      200: { description: 'A CSV file.', content: { 'text/csv': { schema: Type.String() } } },
    }
  if (route.isPdf) {
    const schema = Type.Unsafe<Buffer>({ contentMediaType: 'application/pdf' })
    return { 200: { description: 'A PDF file.', content: { 'application/pdf': { schema } } } }
  }
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, data]) => {
      const json = { schema: envelope(data) }
      const csv = route.hasCsv ? { 'text/csv': { schema: Type.String() } } : {}
      return [status, { description: 'Success.', content: { 'application/json': json, ...csv } }]
    }),
  )
}

export function envelope(data: TSchema): TSchema {
  const status = Type.Literal(true, { examples: [true] })
  return Type.Object({ status, message: Type.String({ examples: ['Done'] }), data })
}

/** Every error status of the route. */
function failures(route: Route) {
  const statuses = new Set(refusalsOf(route).map(httpStatusOf))
  // A separate object per status: each gets its own examples.
  const answer = () => ({
    description: 'Error.',
    content: { 'application/json': { schema: failure } },
  })
  return Object.fromEntries([...statuses].map((status) => [status, answer()]))
}
