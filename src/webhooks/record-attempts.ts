import type { EnvironmentId } from '../environment.js'
import { emitAll } from '../events/emit.js'
import { newId } from '../ids.js'
import { limits } from '../limits.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import { type DisabledReason, type Endpoint, showEndpoint } from './endpoint.js'
import { isGone, isSuccess, type Verdict } from './judge-attempt.js'
import type { Sent } from './send.js'

/** How one attempt ended and what follows from it. */
export type Ended = {
  environmentId: EnvironmentId
  eventId: string
  endpointId: string
  number: number
  startedAt: Date
  sent: Sent
  verdict: Verdict
}

const name = { environment_id: 'int4', event_id: 'uuid', endpoint_id: 'uuid' } as const
const endpointName = { environment_id: 'int4', endpoint_id: 'uuid' } as const

const insertAttempts = listStatement({
  name: 'insert_delivery_attempts',
  columns: {
    ...name,
    number: 'int4',
    started_at: 'timestamptz',
    duration_ms: 'int4',
    status: 'int4',
    error: 'text',
    response: 'text',
  },
  text: (list) => `insert into delivery_attempts select * from ${list} on conflict do nothing`,
})

/** Names the attempt it ends: a worker that outlived its lease changes nothing. */
const updateDeliveries = listStatement({
  name: 'end_delivery_attempts',
  columns: {
    ...name,
    number: 'int4',
    state: 'text',
    due_at: 'timestamptz',
    finished_at: 'timestamptz',
  },
  text: (list) => `
    update deliveries d set state = list.state, due_at = list.due_at, finished_at = list.finished_at
    from ${list}
    where d.environment_id = list.environment_id and d.event_id = list.event_id
      and d.endpoint_id = list.endpoint_id and d.state = 'PENDING' and d.attempts = list.number`,
})

const lockEndpoints = listStatement<typeof endpointName, Endpoint>({
  name: 'lock_endpoints',
  columns: endpointName,
  text: (list) => `
    select w.environment_id as "environmentId", w.id, w.url, w.event_types as "eventTypes",
      w.description, w.is_enabled as "isEnabled", w.disabled_reason as "disabledReason",
      w.failing_since as "failingSince", w.public_key as "publicKey",
      w.event_sequence as "eventSequence", w.created_at as "createdAt"
    from webhook_endpoints w join ${list}
      on w.environment_id = list.environment_id and w.id = list.endpoint_id
    order by w.environment_id, w.id for no key update of w`,
})

const updateEndpoints = listStatement({
  name: 'update_endpoint_health',
  columns: {
    ...endpointName,
    is_enabled: 'bool',
    disabled_reason: 'text',
    failing_since: 'timestamptz',
    event_sequence: 'int4',
  },
  text: (list) => `
    update webhook_endpoints w set is_enabled = list.is_enabled,
      disabled_reason = list.disabled_reason, failing_since = list.failing_since,
      event_sequence = list.event_sequence
    from ${list} where w.environment_id = list.environment_id and w.id = list.endpoint_id`,
})

const findFailing = listStatement<typeof endpointName, { environmentId: number; id: string }>({
  name: 'find_failing_endpoints',
  columns: endpointName,
  text: (list) => `
    select w.environment_id as "environmentId", w.id from webhook_endpoints w join ${list}
      on w.environment_id = list.environment_id and w.id = list.endpoint_id
    where w.failing_since is not null`,
})

/**
 * Writes down a list of attempts and what follows: delivered, due again, given up; and for the
 * endpoint, that it is well again, failing, or disabled, which the merchant's other endpoints hear.
 */
export async function recordAttempts(tx: Tx, now: Date, ended: Ended[]): Promise<Endpoint[]> {
  const disabled = await updateHealth(tx, now, ended)
  const rows = ended.map(toRow)
  tx.write(insertAttempts(rows))
  tx.write(updateDeliveries(rows))
  emitAll(
    tx,
    now,
    disabled.map((endpoint) => toHappening(now, endpoint)),
  )
  return disabled
}

/** Healthy endpoints are not touched, so that a busy one is not a row everybody waits for. */
async function updateHealth(tx: Tx, now: Date, ended: Ended[]): Promise<Endpoint[]> {
  const byEndpoint = groupByEndpoint(ended)
  const names = [...byEndpoint.values()].map(([first]) => ({
    environment_id: first!.environmentId,
    endpoint_id: first!.endpointId,
  }))
  const failing = new Set(
    (await tx.rows(findFailing(names))).map((row) => `${row.environmentId}/${row.id}`),
  )
  const isTouched = (key: string) =>
    failing.has(key) || byEndpoint.get(key)!.some(({ sent }) => !isSuccess(sent))
  const touched = names.filter((row) => isTouched(`${row.environment_id}/${row.endpoint_id}`))
  if (touched.length === 0) return []

  const before = await tx.rows(lockEndpoints(touched))
  const after = before.map((endpoint) => {
    const attempts = byEndpoint.get(`${endpoint.environmentId}/${endpoint.id}`)!
    return judgeHealth(endpoint, attempts, now)
  })
  tx.write(updateEndpoints(after.map(toHealthRow)))
  return after.filter((endpoint, index) => before[index]!.isEnabled && !endpoint.isEnabled)
}

/** Any success makes it well. Only failures for five days, or one 410, make it disabled. */
export function judgeHealth(endpoint: Endpoint, attempts: Ended[], now: Date): Endpoint {
  if (attempts.some(({ sent }) => isSuccess(sent))) return { ...endpoint, failingSince: null }
  const failingSince = endpoint.failingSince ?? now
  if (!endpoint.isEnabled) return { ...endpoint, failingSince }
  const isFailing = now.getTime() - failingSince.getTime() >= limits.webhooks.failingMs
  const reason = attempts.some(({ sent }) => isGone(sent)) ? 'gone' : isFailing ? 'failing' : null
  return reason ? disable(endpoint, failingSince, reason) : { ...endpoint, failingSince }
}

function disable(endpoint: Endpoint, failingSince: Date, reason: DisabledReason): Endpoint {
  const eventSequence = endpoint.eventSequence + 1
  return { ...endpoint, failingSince, isEnabled: false, disabledReason: reason, eventSequence }
}

function toHappening(now: Date, endpoint: Endpoint) {
  return {
    environmentId: endpoint.environmentId,
    type: 'webhook_endpoint.disabled' as const,
    resourceId: endpoint.id,
    causeId: newId(now),
    sequence: endpoint.eventSequence,
    data: JSON.stringify(showEndpoint(endpoint)),
  }
}

function toHealthRow(endpoint: Endpoint) {
  return {
    environment_id: endpoint.environmentId,
    endpoint_id: endpoint.id,
    is_enabled: endpoint.isEnabled,
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince,
    event_sequence: endpoint.eventSequence,
  }
}

function toRow({ environmentId, eventId, endpointId, number, startedAt, sent, verdict }: Ended) {
  return {
    environment_id: environmentId,
    event_id: eventId,
    endpoint_id: endpointId,
    number,
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

function groupByEndpoint(ended: Ended[]): Map<string, Ended[]> {
  const groups = new Map<string, Ended[]>()
  for (const attempt of ended)
    groups.set(keyOf(attempt), [...(groups.get(keyOf(attempt)) ?? []), attempt])
  return groups
}

function keyOf({ environmentId, endpointId }: Ended): string {
  return `${environmentId}/${endpointId}`
}
