import Type from 'typebox'
import {
  fromReference,
  fromReferenceOfAnyKind,
  prefixes,
  timeOf,
  toReference,
  unusedId,
} from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { notFound } from '../../../base/refusal.js'
import {
  flag,
  notYet,
  orNull,
  reference,
  referenceSample,
  text,
  timestamp,
  withDescription,
} from '../../../base/shapes.js'
import { idOfSession } from '../../../collections/sessions/session.js'
import {
  type EntryWithBodies,
  getEntry,
  listRequestLogEntries,
  type RequestLogEntry,
} from '../../../request-log/find-entries.js'
import { requestLogLimits } from '../../../request-log/limits.js'
import type { SeesLogged } from '../../auth/sees-logged.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { fromIn, toIn } from '../../parse/read-time.js'
import { inPath, oneOf, plainText, statusPattern } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { isRequestId, requestIdPattern } from '../../server/request-id.js'
import { type Route, route } from '../../server/route.js'

const requestId = text('req_8f3a5c0d9e1b7a46000042')

const fields = {
  id: reference(prefixes.requestLog, 'Identifies the log entry.'),
  requestId: withDescription(
    requestId,
    'The `X-Request-Id` of the response: your own if you sent one.',
  ),
  method: text('POST', 'HTTP method.'),
  path: text('/v1/disbursements/crypto', 'Request path.'),
  query: notYet(Type.String(), 'Query string; null if there was none.'),
  status: Type.Integer({ description: 'HTTP status of the response.', examples: [201] }),
  durationMs: Type.Number({ description: 'Duration in milliseconds.', examples: [12.3] }),
  keyId: orNull(
    reference(prefixes.apiKey),
    'The API key. Null in entries that were written before keys were kept.',
  ),
  keyName: Type.String({
    description: 'Name of the API key.',
    examples: ['Shop'],
  }),
  replayed: flag(
    false,
    'Whether the response repeats that of an earlier request with the same `Idempotency-Key`.',
  ),
  code: notYet(Type.String(), 'Error code of the response; null if it succeeded.'),
  reason: notYet(Type.String(), 'Reason that refines the error code, if there is one.'),
  createdAt: timestamp('When the request arrived.'),
  hidden: flag(
    false,
    'Whether query, error code, reason and bodies are left out, because the caller may not see what the request was about.',
  ),
}

const entryWithBodies = {
  ...fields,
  requestBody: orNull(
    text('{"amount":"25.50","asset":"USDC","network":"SOLANA"}'),
    'Request body with sensitive values masked.',
  ),
  requestBodyCut: flag(false, 'Whether only the start of the request body was kept.'),
  responseBody: orNull(
    text('{"status":true,"message":"Crypto transfer submitted","data":{}}'),
    'Response body with sensitive values masked.',
  ),
  responseBodyCut: flag(false, 'Whether only the start of the response body was kept.'),
}

const base = { access: 'secret', tag: 'Request logs', hidesBodies: true } as const

export function requestLogRoutes(api: ApiParts, seesLogged: SeesLogged): Route[] {
  return [list(api, seesLogged), read(api, seesLogged)]
}

const list = ({ openPage }: ApiParts, seesLogged: SeesLogged) =>
  listRoute(openPage, {
    ...base,
    path: '/v1/request-logs',
    permission: 'developers.see',
    operation: 'listRequestLogs',
    summary: 'List request logs',
    description:
      'Returns requests made with a valid API key in the last 30 days, newest first. They appear within a second. What the caller may not see, such as a payout without `payouts.see`, is `hidden`: only method, path, status, key and time are shown. A page may hold fewer items than `limit`, or none, and still have a `nextCursor`. Send `Accept: text/csv` to export all of them.',
    title: 'Request logs',
    filters: {
      status: Type.Optional(
        Type.String({
          pattern: statusPattern,
          description:
            'Only responses with this status, such as `422`, or of this class, such as `4xx`.',
          examples: ['4xx'],
        }),
      ),
      method: Type.Optional(
        oneOf(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'], 'Only requests with this method.'),
      ),
      path: Type.Optional(
        Type.String({
          pattern: plainText,
          maxLength: limits.http.cursorLengthMax,
          description: 'Only paths that start with this.',
          examples: ['/v1/disbursements'],
        }),
      ),
      requestId: Type.Optional(
        Type.String({
          pattern: requestIdPattern,
          description: 'Only the request with this `X-Request-Id`.',
          examples: ['req_8f3a5c0d9e1b7a46000042'],
        }),
      ),
      keyId: Type.Optional(
        Type.String({
          maxLength: limits.names.length,
          description: 'Only requests made with this API key.',
          examples: [referenceSample(prefixes.apiKey)],
        }),
      ),
      resource: Type.Optional(
        Type.String({
          maxLength: limits.names.length,
          description:
            'Only requests that name the resource with this reference: in the path, or in a response that is not a list.',
          examples: [referenceSample(prefixes.cryptoTransfer)],
        }),
      ),
      from: Type.Optional(fromIn('Only requests at or after this time.')),
      to: Type.Optional(toIn('Only requests before this time.')),
    },
    item: Type.Object(fields),
    columns: csvColumns(...Object.keys(fields)),
    cursor: cursorOf(prefixes.requestLog),
    toFilter({ query }) {
      const { status, keyId, resource } = query
      return {
        statuses: status === undefined ? undefined : toStatuses(status),
        method: query.method as string | undefined,
        pathPrefix: query.path,
        requestId: query.requestId,
        keyId:
          keyId === undefined ? undefined : (fromReference(prefixes.apiKey, keyId) ?? unusedId),
        resourceId: resource === undefined ? undefined : readResource(resource),
        ...readTimeRange(query),
      }
    },
    rows: (db, { environment }, filter, page) =>
      listRequestLogEntries(db, environment.id, filter, page),
    show: (entry, { permissions }) => toJson(show(entry, !seesLogged(permissions, entry))),
  })

const read = ({ db }: ApiParts, seesLogged: SeesLogged) =>
  route({
    ...base,
    method: 'GET',
    path: '/v1/request-logs/:requestId',
    permission: 'developers.see',
    operation: 'getRequestLog',
    summary: 'Retrieve a request log',
    description: `Finds it by \`requestId\` (the newest if several requests share it) or by \`id\`. Bodies are cut after ${requestLogLimits.bodyLengthMax.toLocaleString('en')} characters. They never contain secrets; account numbers, names and email addresses are masked. They are null if the entry is \`hidden\`.`,
    params: inPath(
      'requestId',
      'req_8f3a5c0d9e1b7a46000042',
      'The `X-Request-Id` of the response, or the `id` of the log entry.',
    ),
    answers: { 200: Type.Object(entryWithBodies) },
    refusals: ['not_found'],
    async handle({ environment, permissions, params: { requestId } }) {
      if (!isRequestId(requestId)) throw notFound('request', requestId)
      const name = { environmentId: environment.id, name: requestId }
      const entry = await getEntry(db, name)
      return success(200, 'Request log', showWithBodies(entry, !seesLogged(permissions, entry)))
    },
  })

function toStatuses(status: string): { from: number; to: number } {
  return { from: Number(status.replace('xx', '00')), to: Number(status.replace('xx', '99')) }
}

/** An unknown reference gets an id that no row has: the list is empty, not an error. */
function readResource(text: string): string {
  return fromReferenceOfAnyKind(text) ?? idOfSession(text) ?? unusedId
}

function show(entry: RequestLogEntry, isHidden: boolean) {
  const { id, requestId, method, path, query, status, durationUs, keyId, keyName } = entry
  return {
    id: toReference(prefixes.requestLog, id),
    requestId,
    method,
    path,
    query: isHidden ? null : query,
    status,
    durationMs: Math.round(durationUs / 100) / 10,
    keyId: keyId && toReference(prefixes.apiKey, keyId),
    keyName,
    replayed: entry.isReplayed,
    code: isHidden ? null : entry.code,
    reason: isHidden ? null : entry.reason,
    createdAt: timeOf(id).toISOString(),
    hidden: isHidden,
  }
}

function showWithBodies(entry: EntryWithBodies, isHidden: boolean) {
  return {
    ...show(entry, isHidden),
    requestBody: isHidden ? null : entry.requestBody,
    requestBodyCut: !isHidden && entry.isRequestCut,
    responseBody: isHidden ? null : entry.responseBody,
    responseBodyCut: !isHidden && entry.isResponseCut,
  }
}
