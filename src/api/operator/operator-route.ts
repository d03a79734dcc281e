import { strict as assert } from 'node:assert'
import Type, { type Static, type TSchema } from 'typebox'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { ConsoleOperator } from '../../operations/actions/operator-actions.js'
import { plainText } from '../parse/schemas.js'
import { success } from '../server/envelope.js'
import { type Route, type RouteRequest, route } from '../server/route.js'

type Definition<Body extends TSchema, Query extends TSchema, Params extends TSchema> = {
  method: 'GET' | 'POST'
  /** After `/operator/v1`. */
  path: string
  operation: string
  summary: string
  stepUp?: 'always'
  body?: Body
  query?: Query
  params?: Params
  /** Returns the data of the answer. */
  handle(request: RouteRequest<Static<Body>, Static<Query>, Static<Params>>): Promise<unknown>
}

/** A route for operators: JSON in the usual envelope, not part of the public API. */
export function operatorRoute<Body extends TSchema, Query extends TSchema, Params extends TSchema>(
  definition: Definition<Body, Query, Params>,
): Route {
  const { path, summary, handle, ...rest } = definition
  return route({
    ...rest,
    path: `/operator/v1${path}`,
    access: 'operator',
    summary,
    description: `${summary}.`,
    tag: 'Console',
    answers: { 200: Type.Any() },
    hidesBodies: true,
    handle: async (request: RouteRequest<Static<Body>, Static<Query>, Static<Params>>) =>
      success(200, summary, (await handle(request)) ?? {}),
  } as Parameters<typeof route<Body, Query, Params>>[0])
}

/** The person who sends the request, for the audit log. */
export function operatorOf({
  actor,
  requestId,
  address,
}: Pick<RouteRequest<never, never, never>, 'actor' | 'requestId' | 'address'>): ConsoleOperator {
  assert(actor.kind === 'user', 'operator routes are for people')
  const { userId, sessionId, email } = actor
  return { kind: 'user', userId, sessionId, email, requestId, address }
}

/** For routes that need it for some requests only. */
export function requireStepUp({ actor }: Pick<RouteRequest<never, never, never>, 'actor'>): void {
  if (actor.kind === 'user' && actor.hasStepUp) return
  throw new Refusal('forbidden', {
    reason: 'step_up_required',
    message: 'Confirm that it is you: use your passkey, code or password.',
  })
}

/** Why an operator does something, for the audit log. */
export const reasonText = Type.String({
  minLength: 1,
  maxLength: limits.operator.noteLengthMax,
  pattern: plainText,
})

export const modeText = Type.Enum(['test', 'live'])
export const assetText = Type.Enum(['NGN', 'USDC', 'USDT'])
export const shortText = Type.String({ minLength: 1, maxLength: 200, pattern: plainText })
