import Type from 'typebox'
import { time } from '../events/shapes.js'
import { prefixes, timeOf, toReference } from '../ids.js'
import { limits } from '../limits.js'
import { notFound } from '../refusal.js'
import type { Entry, EntryWithBodies } from '../request-logs/entry.js'
import { getEntry, listEntries } from '../request-logs/find-entries.js'
import { readPosition, writePosition } from './cursor.js'
import { success } from './envelope.js'
import { readTime } from './read-time.js'
import { isRequestId, requestIdPattern } from './request-id.js'
import type { Rooms } from './rooms.js'
import { type Route, route } from './route.js'
import { closed, page, pageQuery, plainText } from './schemas.js'

const textOrNull = Type.Union([Type.String(), Type.Null()])

const fields = {
  id: Type.String({ examples: ['log_01hx…'] }),
  requestId: Type.String({ description: 'As in `X-Request-Id`; your own, if you sent one.' }),
  method: Type.String({ examples: ['POST'] }),
  path: Type.String({ examples: ['/v1/disbursements/crypto'] }),
  query: textOrNull,
  status: Type.Integer({ examples: [201] }),
  durationMs: Type.Number({ examples: [12.3] }),
  keyName: Type.String({ description: 'The API key, by the name that you gave it.' }),
  replayed: Type.Boolean({
    description: 'The answer was that of an earlier request with the same `Idempotency-Key`.',
  }),
  createdAt: time,
}

const withBodies = {
  ...fields,
  requestBody: textOrNull,
  requestBodyCut: Type.Boolean({ description: 'Only its start was kept.' }),
  responseBody: textOrNull,
  responseBodyCut: Type.Boolean({ description: 'Only its start was kept.' }),
}

const base = { access: 'secret', tag: 'Request logs', hidesBodies: true } as const

export function requestLogRoutes(rooms: Rooms): Route[] {
  return [list(rooms), read(rooms)]
}

const list = ({ db }: Rooms) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/request-logs',
    operation: 'listRequestLogs',
    summary: 'List what your servers asked',
    description:
      'Requests with a valid key of the last 30 days, newest first. They appear within a second. A page may hold fewer than asked for, or none, while `nextCursor` leads on.',
    query: closed({
      status: Type.Optional(
        Type.String({
          pattern: '^[1-5](\\d\\d|xx)$',
          description: 'One, such as `422`, or a class, such as `4xx`.',
        }),
      ),
      method: Type.Optional(Type.Enum(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'])),
      path: Type.Optional(
        Type.String({
          pattern: plainText,
          maxLength: limits.http.cursorLength,
          description: 'What the path begins with.',
        }),
      ),
      requestId: Type.Optional(Type.String({ pattern: requestIdPattern })),
      from: Type.Optional(time),
      to: Type.Optional(time),
      ...pageQuery,
    }),
    answers: { 200: page(Type.Object(fields)) },
    async handle({ environment, query }) {
      const { status, from, to, cursor } = query
      const { entries, next } = await listEntries(db, environment.id, {
        statuses: status === undefined ? undefined : toStatuses(status),
        method: query.method as string | undefined,
        pathPrefix: query.path,
        requestId: query.requestId,
        from: from === undefined ? undefined : readTime('from', from),
        to: to === undefined ? undefined : readTime('to', to),
        before: cursor === undefined ? undefined : readPosition(prefixes.requestLog, cursor),
        limit: query.limit ?? limits.http.defaultPageSize,
      })
      const nextCursor = next === undefined ? null : writePosition(prefixes.requestLog, next)
      return success(200, 'Request logs', { items: entries.map(show), nextCursor })
    },
  })

const read = ({ db }: Rooms) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/request-logs/:requestId',
    operation: 'getRequestLog',
    summary: 'Read what was asked and answered',
    description: `By \`requestId\` (the newest, if you used one more than once) or by \`id\`. Bodies are cut after ${limits.requestLogs.bodyLength.toLocaleString('en')} characters; secrets are never in them, and account numbers, names and e-mail addresses are masked.`,
    params: Type.Object({ requestId: Type.String() }),
    answers: { 200: Type.Object(withBodies) },
    codes: ['not_found'],
    async handle({ environment, params: { requestId } }) {
      if (!isRequestId(requestId)) throw notFound('request', requestId)
      const name = { environmentId: environment.id, name: requestId }
      return success(200, 'Request log', showWithBodies(await getEntry(db, name)))
    },
  })

function toStatuses(status: string): { from: number; to: number } {
  return { from: Number(status.replace('xx', '00')), to: Number(status.replace('xx', '99')) }
}

function show(entry: Entry) {
  const { id, requestId, method, path, query, status, durationUs, keyName } = entry
  return {
    id: toReference(prefixes.requestLog, id),
    ...{ requestId, method, path, query, status },
    durationMs: Math.round(durationUs / 100) / 10,
    keyName,
    replayed: entry.isReplayed,
    createdAt: timeOf(id).toISOString(),
  }
}

function showWithBodies(entry: EntryWithBodies) {
  return {
    ...show(entry),
    requestBody: entry.requestBody,
    requestBodyCut: entry.isRequestCut,
    responseBody: entry.responseBody,
    responseBodyCut: entry.isResponseCut,
  }
}
