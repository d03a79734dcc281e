import type { EnvironmentId } from '../../base/environment.js'
import { firstIdAt, timeOf } from '../../base/ids.js'
import type { EventType } from '../../events/catalogue.js'
import type { Event } from '../../events/find-events.js'
import { newestRows } from '../../postgres/lists/newest-rows.js'
import { named } from '../../postgres/named.js'
import { type Sql, sql } from '../../postgres/sql.js'
import { unindexed } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { webhookLimits } from '../limits.js'

export type DeliveryAttempt = {
  number: number
  url: string
  startedAt: Date
  durationMs: number
  status: number | null
  error: string | null
  response: string
}

export const deliveryStates = ['PENDING', 'DELIVERED', 'GIVEN_UP'] as const

export type DeliveryState = (typeof deliveryStates)[number]

export type Delivery = {
  endpointId: string
  url: string
  state: DeliveryState
  dueAt: Date
  isInFlight: boolean
  attempts: DeliveryAttempt[]
}

/** The deliveries of an event, with their latest attempts. */
export async function listDeliveries(db: Queryable, event: Event): Promise<Delivery[]> {
  const { environmentId, id } = event
  const deliveries = await db.rows(sql<Omit<Delivery, 'attempts'>>`
    select d.endpoint_id, w.url, d.state, d.due_at, d.is_under_way as is_in_flight
    from deliveries d join webhook_endpoints w
      on w.environment_id = d.environment_id and w.id = d.endpoint_id
    where d.environment_id = ${environmentId} and d.event_id = ${id} order by w.created_at, w.id`)
  const attempts = await db.rows(sql<DeliveryAttempt & { endpointId: string }>`
    select d.endpoint_id, a.* from deliveries d cross join lateral (
      select number, url, started_at, duration_ms, status, error,
        response
      from delivery_attempts
      where environment_id = d.environment_id and event_id = d.event_id
        and endpoint_id = d.endpoint_id
      order by number desc limit ${webhookLimits.attemptsShownMax}) a
    where d.environment_id = ${environmentId} and d.event_id = ${id}
    order by a.number`)
  return deliveries.map((delivery) => ({
    ...delivery,
    attempts: attempts.filter((attempt) => attempt.endpointId === delivery.endpointId),
  }))
}

/** A delivery as an endpoint's list shows it. */
export type EndpointDelivery = {
  eventId: string
  type: EventType
  eventCreatedAt: Date
  state: DeliveryState
  attempts: number
  dueAt: Date
  isInFlight: boolean
  finishedAt: Date | null
  /** The latest attempt; null if none has ended. */
  startedAt: Date | null
  durationMs: number | null
  status: number | null
  error: string | null
}

export type DeliveryFilter = {
  state: DeliveryState | undefined
  types: EventType[] | undefined
  /** The types that the caller may see, if not all: others are left out of a page. */
  seen: EventType[] | undefined
  /** Of the event. */
  from: Date | undefined
  to: Date | undefined
  /** The last event of the previous page. */
  beforeId: string | undefined
  limit: number
}

export type DeliveryPage = {
  deliveries: EndpointDelivery[]
  /** Where the next page begins; undefined on the last page. */
  next: string | undefined
}

type EndpointKey = { environmentId: EnvironmentId; id: string }

/**
 * Deliveries to an endpoint, newest event first. Those in flight or before their first attempt are
 * listed if they are among the first that are due. With types, a page reads a bounded number of the
 * environment's events of these types: it may then be short or empty and still have a next one.
 */
export async function listEndpointDeliveries(
  db: Queryable,
  endpoint: EndpointKey,
  filter: DeliveryFilter,
): Promise<DeliveryPage> {
  if (filter.types?.length === 0) return { deliveries: [], next: undefined }
  const found = filter.types
    ? await findByTypes(db, endpoint, filter, filter.types)
    : { rows: await findByStates(db, endpoint, filter), end: undefined }
  const page = found.rows.slice(0, filter.limit)
  const isMore = found.rows.length > filter.limit
  const { seen } = filter
  return {
    deliveries: seen ? page.filter(({ type }) => seen.includes(type)) : page,
    next: isMore ? page.at(-1)!.eventId : found.end,
  }
}

/** Whether events of other types than these are still to be sent to the endpoint. */
export async function hasDueBesides(
  db: Queryable,
  { environmentId, id }: EndpointKey,
  types: EventType[],
): Promise<boolean> {
  const [row] = await db.rows(sql<{ isDue: boolean }>`
    select exists (
      select from deliveries d join events e
        on e.environment_id = d.environment_id and e.id = d.event_id
      where d.environment_id = ${environmentId} and d.endpoint_id = ${id} and d.state = 'PENDING'
        and e.type <> all (${types}::text[])) as is_due`)
  return row!.isDue
}

const ofDelivery = `d.event_id, d.state, d.attempts, d.due_at, d.is_under_way as is_in_flight,
  d.finished_at`

const latestAttempt = sql.raw(`left join lateral (
  select started_at, duration_ms, status, error
  from delivery_attempts a where a.environment_id = d.environment_id and a.event_id = d.event_id
    and a.endpoint_id = d.endpoint_id order by a.number desc limit 1) a on true`)

const ofAttempt = `a.started_at, a.duration_ms, a.status, a.error`

async function findByStates(
  db: Queryable,
  { environmentId, id }: EndpointKey,
  filter: DeliveryFilter,
): Promise<EndpointDelivery[]> {
  const { state, from } = filter
  const before = idBefore(filter)
  const attempted = newestRows({
    table: 'deliveries',
    environmentId,
    where: sql`endpoint_id = ${id} and attempts > 0 and not is_under_way`,
    columns: [{ name: 'state', type: 'text', values: state ? [state] : deliveryStates }],
    order: [{ name: 'event_id', type: 'uuid' }],
    before: before === undefined ? undefined : [before],
    from: from && firstIdAt(from),
    limit: filter.limit + 1,
  })
  // Those in flight or before their first attempt are not in the index of the others.
  const unattempted = sql`(
    select * from (
      select * from deliveries
      where environment_id = ${environmentId} and endpoint_id = ${id} and state = 'PENDING'
      order by due_at limit ${sql.raw(String(webhookLimits.dueDeliveriesScannedMax))}) due
    where (attempts = 0 or is_under_way) and event_id >= ${from ? firstIdAt(from) : lowestId}
      and event_id < ${before ?? highestId})`
  const mayBeNew = state === undefined || state === 'PENDING'
  const page = sql<EndpointDelivery>`
    select ${sql.raw(ofDelivery)}, e.type, e.created_at as event_created_at, ${sql.raw(ofAttempt)}
    from (
      select * from (
        select * from ${attempted} attempted
        ${mayBeNew ? sql`union all select * from ${unattempted} unattempted` : sql``}) found
      order by event_id desc limit ${filter.limit + 1}) d cross join lateral (
      select type, created_at from events
      where environment_id = d.environment_id and id = d.event_id limit 1) e
    ${latestAttempt} order by d.event_id desc limit ${filter.limit + 1}`
  return db.rows(named('list_deliveries', page))
}

/** An event's id starts with its time, so events have the same order by both. */
async function findByTypes(
  db: Queryable,
  endpoint: EndpointKey,
  filter: DeliveryFilter,
  types: EventType[],
): Promise<{ rows: EndpointDelivery[]; end: string | undefined }> {
  const { eventsScannedPerPageMax } = webhookLimits
  const before = idBefore(filter)
  const newest = newestRows({
    table: 'events',
    environmentId: endpoint.environmentId,
    columns: [{ name: 'type', type: 'text', values: types }],
    order: [
      { name: 'created_at', type: 'timestamptz' },
      { name: 'id', type: 'uuid' },
    ],
    before: before === undefined ? undefined : [timeOf(before), before],
    from: filter.from,
    limit: eventsScannedPerPageMax,
  })
  const page = sql<EndpointDelivery & { scanned: number; lastId: string | null }>`
    with recent as materialized (select id, type, created_at from ${newest} e),
    found as (
      select ${sql.raw(ofDelivery)}, recent.type, recent.created_at as event_created_at,
        ${sql.raw(ofAttempt)}
      from recent cross join lateral ${deliveryOf('recent.id', endpoint)} d
      ${latestAttempt} where ${inState(filter)} order by recent.id desc limit ${filter.limit + 1})
    select found.*, scan.* from (
      select count(*)::int as scanned, (array_agg(id order by id))[1] as last_id from recent) scan
    left join found on true order by found.event_id desc`
  const rows = await db.rows(named('list_deliveries_by_type', page))
  const [{ scanned, lastId }] = rows as [(typeof rows)[number]]
  return {
    rows: rows.filter(({ eventId }) => eventId !== null),
    end: scanned === eventsScannedPerPageMax ? lastId! : undefined,
  }
}

function inState({ state }: DeliveryFilter): Sql<unknown> {
  return state === undefined ? sql`true` : sql`d.state = ${state}`
}

/**
 * The delivery of one event to an endpoint, in a lateral join. The endpoint is compared by an
 * expression that no index has, so that always the primary key is used: by the index on endpoints,
 * each event would read all deliveries of the endpoint.
 */
export function deliveryOf(eventId: string, { environmentId, id }: EndpointKey): Sql<unknown> {
  return sql`(
    select * from deliveries where environment_id = ${environmentId}
      and event_id = ${sql.raw(eventId)} and ${sql.raw(unindexed('endpoint_id::text'))} = ${id}
    limit 1)`
}

const lowestId = '00000000-0000-0000-0000-000000000000'
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The lower of both ends. */
function idBefore({ to, beforeId }: DeliveryFilter): string | undefined {
  return [to && firstIdAt(to), beforeId].filter((one) => one !== undefined).sort()[0]
}
