import type { RealTime } from '../../base/clock.js'
import { newId, prefixes, toReference } from '../../base/ids.js'
import { toJson } from '../../base/json-text.js'
import type { NewEvent } from '../../events/emit.js'
import { formatMailTime } from '../../mail/content.js'
import { queueTeamMail } from '../../mail/team-mails.js'
import { assigned, listStatement } from '../../postgres/statement.js'
import { throwIfHeld } from '../../postgres/transactions/busy.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { type FinishedAttempt, isGone, isSuccess } from '../deliveries/judge-attempt.js'
import { webhookLimits } from '../limits.js'
import { type DisabledReason, type WebhookEndpoint, webhookEndpoints } from './endpoint.js'
import { showEndpoint } from './resource.js'

const name = { environmentId: 'int4', endpointId: 'uuid' } as const

const lock = listStatement<typeof name, WebhookEndpoint>({
  name: 'lock_endpoints',
  columns: name,
  text: (list) => `
    select ${webhookEndpoints.of('w')} from webhook_endpoints w join ${list}
      on w.environment_id = list.environment_id and w.id = list.endpoint_id
    order by w.environment_id, w.id for no key update of w`,
})

/** Also returns the endpoints that another transaction holds, with `foundId` only. */
const lockUnheld = listStatement<
  typeof name,
  WebhookEndpoint & { foundId: string; isHeld: boolean }
>({
  name: 'lock_unheld_endpoints',
  columns: name,
  text: (list) => `
    select ${webhookEndpoints.of('w')}, found.id as found_id, w.id is null as is_held
    from webhook_endpoints found join ${list}
      on found.environment_id = list.environment_id and found.id = list.endpoint_id
    left join lateral (
      select same.* from webhook_endpoints same
      where same.environment_id = found.environment_id and same.id = found.id
      for no key update skip locked) w on true`,
})

const health = webhookEndpoints.types(
  'isEnabled',
  'disabledReason',
  'failingSince',
  'eventSequence',
)

const updateEndpoints = listStatement({
  name: 'update_endpoint_health',
  columns: { ...name, ...health },
  text: (list) => `
    update webhook_endpoints w set ${assigned(health)}
    from ${list} where w.environment_id = list.environment_id and w.id = list.endpoint_id`,
})

/**
 * If the transaction may not wait for locks, throws `Busy` with the ids of the endpoints that
 * another one has locked.
 */
export async function lockEndpoints(
  tx: Tx,
  endpoints: { environmentId: number; endpointId: string }[],
): Promise<WebhookEndpoint[]> {
  if (endpoints.length === 0) return []
  const names = new Map(
    endpoints.map(({ environmentId, endpointId }) => [endpointId, { environmentId, endpointId }]),
  )
  if (tx.waitsForLocks) return tx.rows(lock([...names.values()]))
  const rows = await tx.rows(lockUnheld([...names.values()]))
  throwIfHeld(rows, ({ foundId }) => foundId)
  return rows.map(({ foundId, isHeld, ...endpoint }) => endpoint)
}

/** Returns the locked endpoints that these attempts disable. */
export function changeHealth(
  tx: Tx,
  now: RealTime,
  { before, attempts }: { before: WebhookEndpoint[]; attempts: FinishedAttempt[] },
): WebhookEndpoint[] {
  const after = before.map((endpoint) => judgeHealth(endpoint, attemptsAt(endpoint, attempts), now))
  const changed = after.filter((endpoint, index) => endpoint !== before[index])
  if (changed.length > 0) tx.write(updateEndpoints(changed.map(toRow)))
  return after.filter((endpoint, index) => before[index]!.isEnabled && !endpoint.isEnabled)
}

/** Attempts at a URL that was changed since say nothing about the new one. */
function attemptsAt(
  { environmentId, id, url }: WebhookEndpoint,
  attempts: FinishedAttempt[],
): FinishedAttempt[] {
  return attempts.filter(
    ({ delivery }) =>
      delivery.environmentId === environmentId &&
      delivery.endpointId === id &&
      delivery.url === url &&
      delivery.isEnabled,
  )
}

/** Any success makes it healthy. Five days of failures, or one 410, disable it. */
export function judgeHealth(
  endpoint: WebhookEndpoint,
  attempts: FinishedAttempt[],
  now: Date,
): WebhookEndpoint {
  if (attempts.length === 0) return endpoint
  if (attempts.some(({ result }) => isSuccess(result)))
    return endpoint.failingSince ? { ...endpoint, failingSince: null } : endpoint
  const failingSince = endpoint.failingSince ?? now
  const failing = endpoint.failingSince ? endpoint : { ...endpoint, failingSince }
  if (!endpoint.isEnabled) return failing
  const isFailing = now.getTime() - failingSince.getTime() >= webhookLimits.disableAfterMs
  const reason = attempts.some(({ result }) => isGone(result))
    ? 'gone'
    : isFailing
      ? 'failing'
      : null
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
    data: toJson(showEndpoint(endpoint)),
  }
}

export async function mailDisabled(
  tx: Tx,
  now: RealTime,
  { environmentId, id, url, disabledReason, failingSince }: WebhookEndpoint,
  causeId: string,
): Promise<void> {
  const why =
    disabledReason === 'gone'
      ? 'It answered 410 Gone, which says that it takes no more webhooks.'
      : `Every delivery has failed since ${formatMailTime(failingSince ?? now)}.`
  await queueTeamMail(tx, now, {
    environmentId,
    kind: 'webhook_endpoint_disabled',
    causeId,
    subject: 'Webhook endpoint disabled',
    heading: 'A webhook endpoint was disabled',
    blocks: [
      { type: 'facts', facts: [['Endpoint', url]] },
      {
        type: 'paragraph',
        text: `${why} Nothing is sent to it any more. Mend it, enable it again, and send the missed events again from the console.`,
      },
      {
        type: 'page',
        label: 'Open the endpoint',
        path: `/webhooks/${toReference(prefixes.webhookEndpoint, id)}`,
      },
    ],
    because: 'you may change webhooks',
  })
}

function toRow(endpoint: WebhookEndpoint) {
  return { ...endpoint, endpointId: endpoint.id }
}
