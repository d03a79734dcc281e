import { emitAll } from '../events/emit.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import type { WebhookEndpoint } from './endpoint.js'
import { changeHealth, lockFailingEndpoints, toDisabledEvent } from './endpoint-health.js'
import { type FinishedAttempt, isSuccess } from './judge-attempt.js'

const name = { environment_id: 'int4', event_id: 'uuid', endpoint_id: 'uuid' } as const

const insertAttempts = listStatement({
  name: 'insert_delivery_attempts',
  columns: {
    ...name,
    number: 'int4',
    url: 'text',
    started_at: 'timestamptz',
    duration_ms: 'int4',
    status: 'int4',
    error: 'text',
    response: 'text',
  },
  text: (list, _more, names) => `
    insert into delivery_attempts (${names}) select ${names} from ${list} on conflict do nothing`,
})

const endColumns = {
  ...name,
  number: 'int4',
  tries: 'int4',
  state: 'text',
  due_at: 'timestamptz',
  finished_at: 'timestamptz',
} as const

/**
 * Names the attempt it ends, and the try of its schedule: a worker that outlived its lease changes
 * nothing, nor does an attempt during which the delivery was asked for again. Open is said by
 * `finished_at`, not by `state`, which would tempt the planner to the index of open deliveries.
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
    returning d.event_id as "eventId", d.endpoint_id as "endpointId"`,
})

/**
 * Writes down a list of attempts and what follows: delivered, due again, given up; and for the
 * endpoint, that it is well again, failing, or disabled, which the merchant's other endpoints hear.
 * An attempt whose delivery has gone to another worker is kept on record and changes nothing else.
 */
export async function recordAttempts(
  tx: Tx,
  now: Date,
  ended: FinishedAttempt[],
): Promise<WebhookEndpoint[]> {
  const before = await lockFailingEndpoints(tx, ended)
  const rows = ended.map((one) => toRow(atNewAddress(now, one, before))).sort(byKey)
  tx.write(insertAttempts(rows))
  const changed = new Set((await tx.rows(endDeliveries(rows))).map(keyOf))
  const inTime = ended.filter(({ delivery }) => changed.has(keyOf(delivery)))
  const disabled = changeHealth(tx, now, { before, ended: inTime })
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

/** The old address failed, whatever it said: the new one has not been asked yet. */
function atNewAddress(
  now: Date,
  ended: FinishedAttempt,
  endpoints: WebhookEndpoint[],
): FinishedAttempt {
  const { delivery, sent } = ended
  const endpoint = endpoints.find(({ id }) => id === delivery.endpointId)
  const hasMoved = endpoint?.isEnabled && endpoint.url !== delivery.url
  if (!hasMoved || isSuccess(sent)) return ended
  return { ...ended, verdict: { state: 'PENDING', dueAt: now, finishedAt: null } }
}

function byKey(left: ReturnType<typeof toRow>, right: ReturnType<typeof toRow>): number {
  return (
    left.environment_id - right.environment_id ||
    compare(left.event_id, right.event_id) ||
    compare(left.endpoint_id, right.endpoint_id)
  )
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function toRow({ delivery, startedAt, sent, verdict }: FinishedAttempt) {
  return {
    environment_id: delivery.environmentId,
    event_id: delivery.eventId,
    endpoint_id: delivery.endpointId,
    number: delivery.attemptNumber,
    tries: delivery.tries,
    url: delivery.url,
    started_at: startedAt,
    duration_ms: sent.durationMs,
    status: sent.status,
    error: sent.error,
    response: sent.response,
    state: verdict.state,
    due_at: verdict.dueAt,
    finished_at: verdict.finishedAt,
  }
}
