import type { RealTime } from '../../base/clock.js'
import { emitAll } from '../../events/emit.js'
import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { WebhookEndpoint } from '../endpoints/endpoint.js'
import {
  changeHealth,
  lockFailingEndpoints,
  toDisabledEvent,
} from '../endpoints/endpoint-health.js'
import { type FinishedAttempt, isSuccess } from './judge-attempt.js'

const name = { environmentId: 'int4', eventId: 'uuid', endpointId: 'uuid' } as const

const insertAttempts = listStatement({
  name: 'insert_delivery_attempts',
  columns: {
    ...name,
    number: 'int4',
    url: 'text',
    startedAt: 'timestamptz',
    durationMs: 'int4',
    status: 'int4',
    error: 'text',
    response: 'text',
  },
  text: (list, _parameter, names) => `
    insert into delivery_attempts (${names}) select ${names} from ${list} on conflict do nothing`,
})

const endColumns = {
  ...name,
  number: 'int4',
  tries: 'int4',
  state: 'text',
  dueAt: 'timestamptz',
  finishedAt: 'timestamptz',
} as const

/**
 * Matches both counters of the claim, so that a worker that outlived its lease changes nothing,
 * nor does an attempt during which a redelivery was requested. Filters by `finished_at` instead of
 * `state`, because the planner would choose the index of open deliveries.
 */
const endDeliveries = listStatement<typeof endColumns, { eventId: string; endpointId: string }>({
  name: 'end_delivery_attempts',
  columns: endColumns,
  text: (list) => `
    update deliveries d set state = list.state, due_at = list.due_at,
      finished_at = list.finished_at, is_under_way = false
    from ${list}
    where d.environment_id = list.environment_id and d.event_id = list.event_id
      and d.endpoint_id = list.endpoint_id and d.finished_at is null
      and d.attempts = list.number and d.tries = list.tries
    returning d.event_id, d.endpoint_id`,
})

/**
 * Records attempts with their verdicts, and the health of their endpoints: healthy again, failing,
 * or disabled, which emits an event. An attempt whose delivery another worker has claimed since is
 * recorded but changes nothing else. Returns the endpoints it disabled.
 */
export async function recordAttempts(
  tx: Tx,
  now: RealTime,
  attempts: FinishedAttempt[],
): Promise<WebhookEndpoint[]> {
  const before = await lockFailingEndpoints(tx, attempts)
  const rows = attempts.map((attempt) => toRow(retryIfMoved(now, attempt, before))).sort(byKey)
  tx.write(insertAttempts(rows))
  const changed = new Set((await tx.rows(endDeliveries(rows))).map(keyOf))
  const current = attempts.filter(({ delivery }) => changed.has(keyOf(delivery)))
  const disabled = changeHealth(tx, now, { before, attempts: current })
  emitAll(
    tx,
    now,
    disabled.map((endpoint) => toDisabledEvent(now, endpoint)),
  )
  return disabled
}

function keyOf({ eventId, endpointId }: { eventId: string; endpointId: string }): string {
  return `${eventId}/${endpointId}`
}

/** An attempt that failed at a URL that was changed since is retried at the new one at once. */
function retryIfMoved(
  now: Date,
  attempt: FinishedAttempt,
  endpoints: WebhookEndpoint[],
): FinishedAttempt {
  const { delivery, result } = attempt
  const endpoint = endpoints.find(({ id }) => id === delivery.endpointId)
  const hasMoved = endpoint?.isEnabled && endpoint.url !== delivery.url
  if (!hasMoved || isSuccess(result)) return attempt
  return { ...attempt, verdict: { state: 'PENDING', dueAt: now, finishedAt: null } }
}

function byKey(left: ReturnType<typeof toRow>, right: ReturnType<typeof toRow>): number {
  return (
    left.environmentId - right.environmentId ||
    compare(left.eventId, right.eventId) ||
    compare(left.endpointId, right.endpointId)
  )
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function toRow({ delivery, startedAt, result, verdict }: FinishedAttempt) {
  return {
    environmentId: delivery.environmentId,
    eventId: delivery.eventId,
    endpointId: delivery.endpointId,
    number: delivery.attemptNumber,
    tries: delivery.attemptsInSchedule,
    url: delivery.url,
    startedAt,
    durationMs: result.durationMs,
    status: result.status,
    error: result.error,
    response: result.response,
    state: verdict.state,
    dueAt: verdict.dueAt,
    finishedAt: verdict.finishedAt,
  }
}
