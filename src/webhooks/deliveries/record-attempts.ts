import type { RealTime } from '../../base/clock.js'
import { emitAll } from '../../events/emit.js'
import type { ClaimedDelivery } from '../../events/new-deliveries.js'
import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { WebhookEndpoint } from '../endpoints/endpoint.js'
import {
  changeHealth,
  lockEndpoints,
  mailDisabled,
  toDisabledEvent,
} from '../endpoints/endpoint-health.js'
import { type FinishedAttempt, isSuccess } from './judge-attempt.js'

const columns = {
  environmentId: 'int4',
  eventId: 'uuid',
  endpointId: 'uuid',
  number: 'int4',
  url: 'text',
  startedAt: 'timestamptz',
  durationMs: 'int4',
  status: 'int4',
  error: 'text',
  response: 'text',
  tries: 'int4',
  state: 'text',
  dueAt: 'timestamptz',
  finishedAt: 'timestamptz',
} as const

/** A delivery that the attempt has changed, and whether its endpoint was failing before. */
type EndedDelivery = Pick<ClaimedDelivery, 'environmentId' | 'eventId' | 'endpointId'> & {
  isFailing: boolean
}

/**
 * Matches both counters of the claim, so that a worker that outlived its lease changes nothing,
 * nor does an attempt during which a redelivery was requested. Filters by `finished_at` instead of
 * `state`, because the planner would choose the index of open deliveries.
 */
const record = listStatement<typeof columns, EndedDelivery>({
  name: 'record_delivery_attempts',
  columns,
  text: (list) => `
    with attempted as (
      insert into delivery_attempts (environment_id, event_id, endpoint_id, number, url, started_at,
        duration_ms, status, error, response)
      select environment_id, event_id, endpoint_id, number, url, started_at, duration_ms, status,
        error, response
      from ${list} on conflict do nothing),
    ended as (
      update deliveries d set state = list.state, due_at = list.due_at,
        finished_at = list.finished_at, is_under_way = false
      from ${list}
      where d.environment_id = list.environment_id and d.event_id = list.event_id
        and d.endpoint_id = list.endpoint_id and d.finished_at is null
        and d.attempts = list.number and d.tries = list.tries
      returning d.environment_id, d.event_id, d.endpoint_id)
    select e.environment_id, e.event_id, e.endpoint_id, w.failing_since is not null as is_failing
    from ended e
    join webhook_endpoints w on w.environment_id = e.environment_id and w.id = e.endpoint_id`,
})

/**
 * Records attempts with their verdicts, and the health of their endpoints: healthy again, failing,
 * or disabled, which emits an event. An attempt whose delivery another worker has claimed since is
 * recorded but changes nothing else. Returns the endpoints it disabled.
 *
 * Healthy endpoints with successful attempts are not locked, so that a busy endpoint is not a
 * contended row.
 */
export async function recordAttempts(
  tx: Tx,
  now: RealTime,
  attempts: FinishedAttempt[],
): Promise<WebhookEndpoint[]> {
  const failed = attempts.filter(({ result, delivery }) => !isSuccess(result) && delivery.isEnabled)
  const failing = await lockEndpoints(
    tx,
    failed.map(({ delivery }) => delivery),
  )
  const rows = attempts.map((attempt) => toRow(retryIfMoved(now, attempt, failing))).sort(byKey)
  const ended = await tx.rows(record(rows))
  const isLocked = (id: string) => failing.some((endpoint) => endpoint.id === id)
  const recovered = ended.filter(({ isFailing, endpointId }) => isFailing && !isLocked(endpointId))
  const before = [...failing, ...(await lockEndpoints(tx, recovered))]
  const changed = new Set(ended.map(keyOf))
  const current = attempts.filter(({ delivery }) => changed.has(keyOf(delivery)))
  const disabled = changeHealth(tx, now, { before, attempts: current })
  const events = disabled.map((endpoint) => toDisabledEvent(now, endpoint))
  emitAll(tx, now, events)
  for (const [index, endpoint] of disabled.entries())
    await mailDisabled(tx, now, endpoint, events[index]!.causeId)
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
