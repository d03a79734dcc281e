import { after, day, type RealTime } from '../../base/clock.js'
import { firstIdAt, newId, prefixes, toReference } from '../../base/ids.js'
import { toJson } from '../../base/json-text.js'
import { limits } from '../../base/limits.js'
import type { EventType } from '../../events/catalogue.js'
import { emitAll } from '../../events/emit.js'
import { listensTo } from '../../events/filter.js'
import type { Event } from '../../events/find-events.js'
import { wakeAfterCommit } from '../../events/new-deliveries.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { WebhookEndpoint } from '../endpoints/endpoint.js'
import { showEndpoint } from '../endpoints/resource.js'
import { webhookLimits } from '../limits.js'
import { deliveryOf } from './find-deliveries.js'
import { attemptsMax } from './schedule.js'

/** A test event goes only to the endpoint it was created for, also when it is sent again. */
const isMeantFor = sql`(e.type <> 'webhook_endpoint.test' or e.resource_id = w.id)`

/** Restarts the schedule of a delivery; its attempts stay on record. */
const dueAgain = sql`
  on conflict (environment_id, event_id, endpoint_id) do update
  set state = 'PENDING', due_at = excluded.due_at, tries = 0, finished_at = null,
    is_under_way = false`

/** Would be given up if it failed after the call, or was never recorded. */
const isInLastAttempt = sql`
  d.tries >= case v.mode when 'live' then ${attemptsMax('live')}::int
    else ${attemptsMax('test')}::int end`

/** Sends an event again, to one endpoint or to all that subscribe to it. Returns their number. */
export async function redeliver(
  tx: Tx,
  now: RealTime,
  { event, endpoint }: { event: Event; endpoint: WebhookEndpoint | undefined },
): Promise<number> {
  const recipients = endpoint ? sql`w.id = ${endpoint.id}` : sql.raw(listensTo('w', 'e.type'))
  const rows = await tx.rows(sql`
    insert into deliveries (environment_id, event_id, endpoint_id, state, due_at, created_at)
    select e.environment_id, e.id, w.id, 'PENDING', ${now}, ${now}
    from events e join webhook_endpoints w on w.environment_id = e.environment_id
    where e.environment_id = ${event.environmentId} and e.id = ${event.id}
      and w.is_enabled and w.deleted_at is null
      and ${isMeantFor} and ${recipients}
    order by e.environment_id, e.id, w.id ${dueAgain} returning 1`)
  if (rows.length > 0) wakeAfterCommit(tx)
  return rows.length
}

/** `types`: those that the caller may see; undefined: all. */
type Missed = { endpoint: WebhookEndpoint; since: Date; types: EventType[] | undefined }

/**
 * Events that an endpoint has missed, oldest first. Not those so old that their deliveries are
 * deleted: each would seem missed. The delivery of each event is read by primary
 * key: a join could read all deliveries of the endpoint for every event.
 */
function missedEvents(
  columns: Sql<unknown>,
  now: Date,
  { endpoint, since, types }: Missed,
): Sql<unknown> {
  const isSeen = types ? sql`e.type = any (${types}::text[])` : sql`true`
  const oldest = after(now, -limits.retention.deliveryDays * day)
  const from = since > oldest ? since : oldest
  return sql`
    select ${columns}
    from events e join webhook_endpoints w on w.environment_id = e.environment_id
    join environments v on v.id = e.environment_id
    left join lateral ${deliveryOf('e.id', endpoint)} d on true
    where e.environment_id = ${endpoint.environmentId} and e.id >= ${firstIdAt(from)}
      and w.id = ${endpoint.id} and ${isMeantFor} and ${sql.raw(listensTo('w', 'e.type'))}
      and ${isSeen} and (d.state is null or d.state = 'GIVEN_UP' or d.state = 'PENDING'
        and (${isInLastAttempt} or d.due_at > ${now} and not d.is_under_way))
    order by e.environment_id, e.id limit ${webhookLimits.recoveriesPerCallMax}`
}

/**
 * Sends all events since a time that this endpoint subscribes to and has not received: those that
 * wait for a retry, are in their last attempt, were given up, or happened while it was disabled.
 * Returns their number.
 */
export async function recover(tx: Tx, now: RealTime, missed: Missed): Promise<number> {
  const columns = sql`e.environment_id, e.id, w.id, 'PENDING', ${now}, ${now}`
  const rows = await tx.rows(sql`
    insert into deliveries (environment_id, event_id, endpoint_id, state, due_at, created_at)
    ${missedEvents(columns, now, missed)} ${dueAgain} returning 1`)
  if (rows.length > 0) wakeAfterCommit(tx)
  return rows.length
}

/** How many events `recover` would send now. */
export async function countMissed(db: Queryable, now: RealTime, missed: Missed): Promise<number> {
  const [row] = await db.rows(sql<{ count: number }>`
    select count(*)::int from (${missedEvents(sql`1`, now, missed)}) events`)
  return row!.count
}

/** Creates an event for this endpoint only, to test it. Returns the event's reference. */
export async function sendTest(tx: Tx, now: RealTime, endpoint: WebhookEndpoint): Promise<string> {
  const [row] = await tx.rows(sql<{ sequence: number }>`
    update webhook_endpoints set event_sequence = event_sequence + 1
    where environment_id = ${endpoint.environmentId} and id = ${endpoint.id}
    returning event_sequence as sequence`)
  const [id] = emitAll(tx, now, [
    {
      environmentId: endpoint.environmentId,
      type: 'webhook_endpoint.test',
      resourceId: endpoint.id,
      causeId: newId(now),
      sequence: row!.sequence,
      data: toJson(showEndpoint(endpoint)),
      onlyEndpointId: endpoint.id,
    },
  ])
  return toReference(prefixes.event, id!)
}
