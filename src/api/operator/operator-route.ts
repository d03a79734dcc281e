import { strict as assert } from 'node:assert'
import Type, { type TProperties, type TSchema } from 'typebox'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { ConsoleOperator } from '../../operations/changes/audit-operator.js'
import type { RouteAction, RouteCall } from '../../operations/definitions/definition.js'
import { closed, page, pageQuery } from '../parse/schemas.js'
import { anotherList, readCursor, writeCursor } from '../server/cursor.js'
import { success } from '../server/envelope.js'
import { type Route, type RouteRequest, route } from '../server/route.js'

/** What the actions of all requests use. */
export type SharedCall = Omit<RouteCall, 'now' | 'operator' | 'operatorName' | 'requireStepUp'>

type Request = RouteRequest<object, { limit?: number; cursor?: string }, object>

/** The route of an action: JSON in the usual envelope, not part of the public API. */
export function operatorRoute(action: RouteAction, shared: SharedCall): Route {
  const { request, operation, summary, stepUp, input, view } = action
  const [method, path] = request.split(' ') as ['GET' | 'POST', string]
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const params = names.map((name) => [name, toParameter(input[name]!)])
  const rest = Object.entries(input).filter(([name]) => !names.includes(name))
  const isPage = 'cursor' in action
  const sent: TProperties = { ...Object.fromEntries(rest), ...(isPage && pageQuery) }
  return route<TSchema, TSchema, TSchema>({
    method,
    path: `/operator/v1${path}`,
    access: 'operator',
    operation,
    summary,
    description: `${summary}.`,
    tag: 'Console',
    hidesBodies: true,
    ...(stepUp && { stepUp }),
    ...(params.length > 0 && { params: Type.Object(Object.fromEntries(params)) }),
    ...(Object.keys(sent).length > 0 && { [method === 'POST' ? 'body' : 'query']: closed(sent) }),
    answers: { 200: isPage ? page(view) : view },
    async handle(request) {
      const call = { ...shared, ...callFrom(request) }
      const { query, body, params } = request as Request
      const given = { ...query, ...body, ...params }
      const data = isPage ? await readPage(action, call, given) : await action.run(call, given)
      return success(200, summary, data)
    },
  })
}

/** The operator who sends the request, for the audit log. */
export function operatorOf({
  actor,
  requestId,
  address,
}: Pick<Request, 'actor' | 'requestId' | 'address'>): ConsoleOperator {
  assert(actor.kind === 'user', 'operator routes are for people')
  const { userId, sessionId, email } = actor
  return { kind: 'user', userId, sessionId, email, requestId, address }
}

/** Only enumerations are validated; any other unknown value is simply not found. */
function toParameter(schema: TSchema): TSchema {
  return 'enum' in schema ? schema : Type.String({ maxLength: limits.http.pathSegmentLengthMax })
}

function callFrom(request: Pick<Request, 'actor' | 'now' | 'requestId' | 'address'>) {
  const { actor, now } = request
  const operator = operatorOf(request)
  return {
    now,
    operator,
    operatorName: actor.kind === 'user' ? actor.name : operator.email,
    requireStepUp() {
      if (actor.kind === 'user' && actor.hasStepUp) return
      throw new Refusal('forbidden', {
        reason: 'step_up_required',
        message: 'Confirm that it is you: use your passkey, code or password.',
      })
    },
  }
}

async function readPage(
  { cursor: cursors, find, show }: Extract<RouteAction, { cursor: unknown }>,
  call: RouteCall,
  { limit = limits.http.pageSizeDefault, cursor, ...filters }: Request['query'],
) {
  const after = cursor === undefined ? undefined : cursors.read(readCursor(cursor))
  if (cursor !== undefined && after === undefined) throw anotherList()
  const rows = await find(call, filters, { limit: limit + 1, after })
  const shown = rows.slice(0, limit)
  return {
    items: shown.map((row) => show(row, call)),
    nextCursor: rows.length > limit ? writeCursor(cursors.write(shown.at(-1))) : null,
  }
}
