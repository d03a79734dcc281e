import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import type { EventType } from '../events/catalogue.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { DeliveryState } from '../webhooks/deliveries/find-deliveries.js'
import { timelineLimits } from './limits.js'
import type { TimelineDetails, TimelineItem } from './resource.js'

type EventRow = { id: string; type: EventType; createdAt: Date }

type DeliveryRow = {
  eventId: string
  type: EventType
  endpointId: string
  endpointUrl: string
  state: DeliveryState
  attempts: number
  dueAt: Date
  isInFlight: boolean
  createdAt: Date
  finishedAt: Date | null
  /** This and the following fields describe the latest attempt; null if none has ended. */
  url: string | null
  startedAt: Date | null
  durationMs: number | null
  status: number | null
  error: string | null
}

type Subjects = {
  environmentId: EnvironmentId
  /** Resources whose events are all shown. */
  resourceIds: string[]
  /** Payments, payouts or returns that caused further events. */
  causeIds: string[]
}

/** Events with the state of their deliveries, oldest first, and whether some were left out. */
export async function readEventItems(
  db: Queryable,
  subjects: Subjects,
): Promise<{ items: TimelineItem[]; isTruncated: boolean }> {
  const { eventsMax } = timelineLimits
  const newest = await readEvents(db, subjects)
  const events = newest.slice(0, eventsMax)
  const deliveries = await readDeliveries(db, subjects.environmentId, events)
  const items = events
    .toReversed()
    .flatMap((event) => [
      toEventItem(event),
      ...deliveries.filter(({ eventId }) => eventId === event.id).map(toDeliveryItem),
    ])
  return { items, isTruncated: newest.length > eventsMax }
}

/** Newest first; one more than is shown. */
async function readEvents(db: Queryable, subjects: Subjects): Promise<EventRow[]> {
  const { environmentId, resourceIds, causeIds } = subjects
  const eventsRead = timelineLimits.eventsMax + 1
  const rows = await db.rows(sql<EventRow>`
    select e.id, e.type, e.created_at
    from unnest(${resourceIds}::uuid[]) resource (id) cross join lateral (
      select id, type, created_at from events
      where environment_id = ${environmentId} and resource_id = resource.id
      order by sequence desc limit ${eventsRead}) e
    union
    select e.id, e.type, e.created_at
    from unnest(${causeIds}::uuid[]) cause (id) cross join lateral (
      select id, type, created_at from events
      where environment_id = ${environmentId} and cause_id = cause.id limit ${eventsRead}) e
    order by 1 desc limit ${eventsRead}`)
  return rows
}

async function readDeliveries(
  db: Queryable,
  environmentId: EnvironmentId,
  events: EventRow[],
): Promise<DeliveryRow[]> {
  if (events.length === 0) return []
  const rows = await db.rows(sql<Omit<DeliveryRow, 'type'>>`
    select d.event_id, d.endpoint_id, w.url as endpoint_url, d.state, d.attempts, d.due_at,
      d.is_under_way as is_in_flight, d.created_at, d.finished_at, a.url, a.started_at,
      a.duration_ms, a.status, a.error
    from unnest(${events.map(({ id }) => id)}::uuid[]) event (id) cross join lateral (
      select * from deliveries
      where environment_id = ${environmentId} and event_id = event.id
      order by endpoint_id limit ${timelineLimits.deliveriesPerEventMax}) d
    join webhook_endpoints w on w.environment_id = d.environment_id and w.id = d.endpoint_id
    left join lateral (
      select url, started_at, duration_ms, status, error
      from delivery_attempts where environment_id = d.environment_id and event_id = d.event_id
        and endpoint_id = d.endpoint_id
      order by number desc limit 1) a on true
    order by w.created_at, w.id`)
  const types = new Map(events.map(({ id, type }) => [id, type]))
  return rows.map((row) => ({ ...row, type: types.get(row.eventId)! }))
}

function toEventItem({ id, type, createdAt }: EventRow): TimelineItem {
  return {
    at: createdAt,
    isInEnvironmentTime: false,
    kind: 'event',
    title: `Event ${type} happened`,
    reference: toReference(prefixes.event, id),
    money: null,
    details: { type },
  }
}

function toDeliveryItem(row: DeliveryRow): TimelineItem {
  const isWaiting = row.state === 'PENDING' && !row.isInFlight
  const details: TimelineDetails = {
    status: row.state,
    type: row.type,
    eventId: toReference(prefixes.event, row.eventId),
    endpointId: toReference(prefixes.webhookEndpoint, row.endpointId),
    url: row.url ?? row.endpointUrl,
    attempt: row.attempts,
    ...(row.status !== null && { httpStatus: row.status }),
    ...(row.error !== null && { error: row.error }),
    ...(row.durationMs !== null && { durationMs: row.durationMs }),
    ...(isWaiting && { nextAttemptAt: row.dueAt.toISOString() }),
  }
  return {
    at: row.finishedAt ?? row.startedAt ?? row.createdAt,
    isInEnvironmentTime: false,
    kind: 'webhook_delivery',
    title: titleOf(row),
    reference: toReference(prefixes.event, row.eventId),
    money: null,
    details,
  }
}

function titleOf(row: DeliveryRow): string {
  const url = row.url ?? row.endpointUrl
  if (row.state === 'DELIVERED') return `Webhook delivered to ${url} in ${row.durationMs} ms`
  const why = row.status === null ? row.error : `status ${row.status}`
  if (row.state === 'GIVEN_UP')
    return `Webhook to ${url} given up after ${sayAttempts(row.attempts)}: ${why ?? 'not sent'}`
  if (row.isInFlight) return `Webhook to ${url} is being sent`
  if (row.startedAt === null) return `Webhook to ${url} is waiting to be sent`
  return `Webhook to ${url} is failing: ${why}; ${sayAttempts(row.attempts)} so far`
}

function sayAttempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`
}
