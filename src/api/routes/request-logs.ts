import Type from 'typebox'
import { prefixes, timeOf, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { notFound } from '../../base/refusal.js'
import type { EntryWithBodies, RequestLogEntry } from '../../request-log/entry.js'
import { getEntry, listRequestLogEntries } from '../../request-log/find-entries.js'
import {
  flag,
  notYet,
  orNull,
  reference,
  text,
  time,
  withDescription,
} from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { readPosition, writePosition } from '../edge/cursor.js'
import { success } from '../edge/envelope.js'
import { readTime } from '../edge/read-time.js'
import { isRequestId, requestIdPattern } from '../edge/request-id.js'
import { type Route, route } from '../edge/route.js'
import {
  closed,
  inPath,
  oneOf,
  page,
  pageQuery,
  plainText,
  statusPattern,
} from '../edge/schemas.js'

const requestId = text('req_8f3a5c0d9e1b7a46000042')

const fields = {
  id: reference(prefixes.requestLog),
  requestId: withDescription(requestId, 'As in `X-Request-Id`; your own, if you sent one.'),
  method: Type.String({ examples: ['POST'] }),
  path: Type.String({ examples: ['/v1/disbursements/crypto'] }),
  query: notYet(Type.String()),
  status: Type.Integer({ examples: [201] }),
  durationMs: Type.Number({ examples: [12.3] }),
  keyName: Type.String({
    description: 'The API key, by the name that you gave it.',
    examples: ['Shop'],
  }),
  replayed: flag(
    false,
    'The answer was that of an earlier request with the same `Idempotency-Key`.',
  ),
  createdAt: time,
}

const withBodies = {
  ...fields,
  requestBody: orNull(text('{"amount":"25.50","asset":"USDC","network":"SOLANA"}')),
  requestBodyCut: flag(false, 'Only its start was kept.'),
  responseBody: orNull(text('{"status":true,"message":"Crypto transfer submitted","data":{}}')),
  responseBodyCut: flag(false, 'Only its start was kept.'),
}

const base = { access: 'secret', tag: 'Request logs', hidesBodies: true } as const

export function requestLogRoutes(rooms: ApiParts): Route[] {
  return [list(rooms), read(rooms)]
}

const list = ({ db }: ApiParts) =>
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
          pattern: statusPattern,
          description: 'One, such as `422`, or a class, such as `4xx`.',
          examples: ['4xx'],
        }),
      ),
      method: Type.Optional(
        oneOf(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'], 'Only those with this method.'),
      ),
      path: Type.Optional(
        Type.String({
          pattern: plainText,
          maxLength: limits.http.cursorLength,
          description: 'What the path begins with.',
          examples: ['/v1/disbursements'],
        }),
      ),
      requestId: Type.Optional(
        Type.String({
          pattern: requestIdPattern,
          description: 'As in `X-Request-Id`.',
          examples: ['req_8f3a5c0d9e1b7a46000042'],
        }),
      ),
      from: Type.Optional(time),
      to: Type.Optional(time),
      ...pageQuery,
    }),
    answers: { 200: page(Type.Object(fields)) },
    async handle({ environment, query }) {
      const { status, from, to, cursor } = query
      const { entries, next } = await listRequestLogEntries(db, environment.id, {
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

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/request-logs/:requestId',
    operation: 'getRequestLog',
    summary: 'Read what was asked and answered',
    description: `By \`requestId\` (the newest, if you used one more than once) or by \`id\`. Bodies are cut after ${limits.requestLogs.bodyLength.toLocaleString('en')} characters; secrets are never in them, and account numbers, names and e-mail addresses are masked.`,
    params: inPath('requestId', 'req_8f3a5c0d9e1b7a46000042'),
    answers: { 200: Type.Object(withBodies) },
    refusals: ['not_found'],
    async handle({ environment, params: { requestId } }) {
      if (!isRequestId(requestId)) throw notFound('request', requestId)
      const name = { environmentId: environment.id, name: requestId }
      return success(200, 'Request log', showWithBodies(await getEntry(db, name)))
    },
  })

function toStatuses(status: string): { from: number; to: number } {
  return { from: Number(status.replace('xx', '00')), to: Number(status.replace('xx', '99')) }
}

function show(entry: RequestLogEntry) {
  const { id, requestId, method, path, query, status, durationUs, keyName } = entry
  return {
    id: toReference(prefixes.requestLog, id),
    requestId,
    method,
    path,
    query,
    status,
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
