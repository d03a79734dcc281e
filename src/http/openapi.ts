import type { FastifySchema } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { keyPattern } from '../idempotency/key.js'
import { type Code, codes, reasons } from '../refusals.js'
import type { Access, Route } from './route.js'
import { closed } from './schemas.js'

const failure = Type.Object(
  {
    status: Type.Literal(false),
    message: Type.String({ description: 'Says what to change.' }),
    code: Type.Enum(Object.keys(codes)),
    reason: Type.Optional(Type.Enum(Object.keys(reasons), { description: 'A finer word.' })),
    details: Type.Optional(Type.Array(Type.Object({ field: Type.String(), issue: Type.String() }))),
    nextStep: Type.Optional(Type.String()),
    requestId: Type.String(),
  },
  { title: 'Refusal', description: 'The request was refused, or failed.' },
)

/** Honoured on every POST: a retry with the same key gets the first answer. */
const key = Type.String({
  pattern: keyPattern,
  description:
    'A UUID or another unique value, 1 to 255 printable ASCII characters. A retry with the same key and the same request gets the first answer and creates nothing.',
  examples: ['2f1c8a1e-5b0e-4c8e-9a53-0d1f7d1f2a77'],
})
const keyHeader = Type.Object({ 'Idempotency-Key': Type.Optional(key) })
const requiredKeyHeader = Type.Object({ 'Idempotency-Key': key })

export function isKeyed(route: Route): boolean {
  return route.method === 'POST' && (route.access === 'secret' || route.access === 'any_key')
}

const security: Record<Access, Record<string, string[]>[]> = {
  secret: [{ secretKey: [] }],
  any_key: [{ secretKey: [] }, { publicKey: [] }],
  open: [],
  signed: [],
}

/** What a route validates is what the document says: both are this one schema. */
export function toOpenApi(route: Route): FastifySchema {
  return {
    hide: route.isPage,
    operationId: route.operation,
    summary: route.summary,
    description: route.description,
    tags: [route.tag],
    security: security[route.access],
    ...(route.body && { body: route.body }),
    querystring: route.query ?? closed({}),
    ...(route.params && { params: route.params }),
    ...(isKeyed(route) && { headers: route.needsKey ? requiredKeyHeader : keyHeader }),
    response: { ...successes(route), ...failures(route) },
  }
}

function successes(route: Route) {
  if (route.isStream) {
    const content = { 'text/event-stream': { schema: Type.String() } }
    return { 200: { description: 'Events, until one side has had enough.', content } }
  }
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, data]) => {
      const json = { schema: envelope(data) }
      const csv = route.hasCsv ? { 'text/csv': { schema: Type.String() } } : {}
      return [status, { description: 'Done.', content: { 'application/json': json, ...csv } }]
    }),
  )
}

function envelope(data: TSchema): TSchema {
  return Type.Object({ status: Type.Literal(true), message: Type.String(), data })
}

/** Every status that the codes of this operation can have, and those that any request can meet. */
function failures(route: Route) {
  const always: Code[] = ['validation_failed', 'rate_limited', 'internal_error']
  const byAccess: Code[] = security[route.access].length === 0 ? [] : ['authentication_failed']
  const all = [...always, ...byAccess, ...route.codes]
  const statuses = new Set<number>(all.map((code) => codes[code].status))
  statuses.add(503)
  if (route.body) for (const status of [413, 415]) statuses.add(status)
  if (isKeyed(route)) for (const status of [409, 422]) statuses.add(status)
  if (route.isTestOnly) statuses.add(403)
  const answer = { description: 'Refused.', content: { 'application/json': { schema: failure } } }
  return Object.fromEntries([...statuses].map((status) => [status, answer]))
}
