import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import type { NewEvent } from '../events/emit.js'
import { Busy } from '../postgres/busy.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import { showEndpoint } from '../resources/webhook-endpoint.js'
import { columnsOf, type DisabledReason, type WebhookEndpoint } from './endpoint.js'
import { type FinishedAttempt, isGone, isSuccess } from './judge-attempt.js'

const name = { environment_id: 'int4', endpoint_id: 'uuid' } as const

const findFailing = listStatement<typeof name, { environmentId: number; endpointId: string }>({
  name: 'find_failing_endpoints',
  columns: name,
  text: (list) => `
    select w.environment_id as "environmentId", w.id as "endpointId"
    from webhook_endpoints w join ${list}
      on w.environment_id = list.environment_id and w.id = list.endpoint_id
    where w.failing_since is not null`,
})

const lockEndpoints = listStatement<typeof name, WebhookEndpoint>({
  name: 'lock_endpoints',
  columns: name,
  text: (list) => `
    select ${columnsOf('w')} from webhook_endpoints w join ${list}
      on w.environment_id = list.environment_id and w.id = list.endpoint_id
    order by w.environment_id, w.id for no key update of w`,
})

const lockFreeEndpoints = listStatement<
  typeof name,
  WebhookEndpoint & { foundId: string; isOurs: boolean }
>({
  name: 'lock_free_endpoints',
  columns: name,
  text: (list) => `
    select ${columnsOf('w')}, found.id as "foundId", w.id is not null as "isOurs"
    from webhook_endpoints found join ${list}
      on found.environment_id = list.environment_id and found.id = list.endpoint_id
    left join lateral (
      select own.* from webhook_endpoints own
      where own.environment_id = found.environment_id and own.id = found.id
      for no key update skip locked) w on true`,
})

const updateEndpoints = listStatement({
  name: 'update_endpoint_health',
  columns: {
    ...name,
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

/**
 * Locks the endpoints whose health these attempts may change. Healthy ones that answered well are
 * not among them, so that a busy endpoint is not a row everybody waits for. In a lane, throws
 * `Busy` with the endpoints that another transaction holds.
 */
export async function lockFailingEndpoints(
  tx: Tx,
  ended: FinishedAttempt[],
): Promise<WebhookEndpoint[]> {
  const keyOf = (one: { environmentId: number; endpointId: string }) =>
    `${one.environmentId}/${one.endpointId}`
  const byKey = new Map(ended.map(({ delivery }) => [keyOf(delivery), delivery]))
  const failing = await tx.rows(findFailing([...byKey.values()].map(toName)))
  const failed = ended
    .filter(({ sent, delivery }) => !isSuccess(sent) && delivery.isEnabled)
    .map(({ delivery }) => delivery)
  const troubled = new Set([...failing, ...failed].map(keyOf))
  if (troubled.size === 0) return []
  const names = [...troubled].map((key) => toName(byKey.get(key)!))
  if (tx.waitsForLocks) return tx.rows(lockEndpoints(names))
  const rows = await tx.rows(lockFreeEndpoints(names))
  const held = rows.filter(({ isOurs }) => !isOurs)
  if (held.length > 0) throw new Busy(new Map(held.map(({ foundId }) => [foundId, foundId])))
  return rows.map(({ foundId, isOurs, ...endpoint }) => endpoint)
}

/** Says which of the locked endpoints are disabled by what was answered. */
export function changeHealth(
  tx: Tx,
  now: Date,
  { before, ended }: { before: WebhookEndpoint[]; ended: FinishedAttempt[] },
): WebhookEndpoint[] {
  const after = before.map((endpoint) => judgeHealth(endpoint, attemptsAt(endpoint, ended), now))
  const changed = after.filter((endpoint, index) => endpoint !== before[index])
  if (changed.length > 0) tx.write(updateEndpoints(changed.map(toRow)))
  return after.filter((endpoint, index) => before[index]!.isEnabled && !endpoint.isEnabled)
}

/** What an address answered that has been changed since says nothing about the new one. */
function attemptsAt(
  { environmentId, id, url }: WebhookEndpoint,
  ended: FinishedAttempt[],
): FinishedAttempt[] {
  return ended.filter(
    ({ delivery }) =>
      delivery.environmentId === environmentId &&
      delivery.endpointId === id &&
      delivery.url === url &&
      delivery.isEnabled,
  )
}

/** Any success makes it well. Only failures for five days, or one 410, make it disabled. */
export function judgeHealth(
  endpoint: WebhookEndpoint,
  attempts: FinishedAttempt[],
  now: Date,
): WebhookEndpoint {
  if (attempts.length === 0) return endpoint
  if (attempts.some(({ sent }) => isSuccess(sent)))
    return endpoint.failingSince ? { ...endpoint, failingSince: null } : endpoint
  const failingSince = endpoint.failingSince ?? now
  const failing = endpoint.failingSince ? endpoint : { ...endpoint, failingSince }
  if (!endpoint.isEnabled) return failing
  const isFailing = now.getTime() - failingSince.getTime() >= limits.webhooks.failingMs
  const reason = attempts.some(({ sent }) => isGone(sent)) ? 'gone' : isFailing ? 'failing' : null
  return reason ? disable(failing, reason) : failing
}

function disable(endpoint: WebhookEndpoint, reason: DisabledReason): WebhookEndpoint {
  const eventSequence = endpoint.eventSequence + 1
  return { ...endpoint, isEnabled: false, disabledReason: reason, eventSequence }
}

export function toDisabledEvent(now: Date, endpoint: WebhookEndpoint): NewEvent {
  return {
    environmentId: endpoint.environmentId,
    type: 'webhook_endpoint.disabled',
    resourceId: endpoint.id,
    causeId: newId(now),
    sequence: endpoint.eventSequence,
    data: JSON.stringify(showEndpoint(endpoint)),
  }
}

function toName({ environmentId, endpointId }: { environmentId: number; endpointId: string }) {
  return { environment_id: environmentId, endpoint_id: endpointId }
}

function toRow(endpoint: WebhookEndpoint) {
  return {
    environment_id: endpoint.environmentId,
    endpoint_id: endpoint.id,
    is_enabled: endpoint.isEnabled,
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince,
    event_sequence: endpoint.eventSequence,
  }
}
