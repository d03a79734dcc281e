import { strict as assert } from 'node:assert'
import type { ConsoleOperator } from '../../operations/changes/audit-operator.js'
import type { RouteRequest } from '../server/route.js'

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
