import type { EnvironmentId } from '../../base/environment.js'
import type { EventType } from '../../events/catalogue.js'
import { type Event, eventList } from '../../events/find-events.js'
import { type TimeRange, withinRange } from '../../postgres/lists/key-range.js'
import { type List, wantedColumns } from '../../postgres/lists/list.js'
import { newestIds } from '../../postgres/lists/newest-ids.js'
import { named } from '../../postgres/named.js'
import { type Sql, sql } from '../../postgres/sql.js'
import { unindexed } from '../../postgres/statement.js'
import type { RowKey } from '../../postgres/transactions/keyed-read.js'
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

export type DeliveryFilter = TimeRange & {
  state?: DeliveryState | undefined
  types?: readonly EventType[] | undefined
}

type EndpointKey = { environmentId: EnvironmentId; id: string }

/**
 * Deliveries to an endpoint, newest event first. Those in flight or before their first attempt are
 * listed if they are among the first that are due. With types, a page reads a bounded number of the
 * environment's events of these types: it may then be short or empty and still have a next one.
 */
export function deliveryListOf({
  environmentId,
  id,
}: EndpointKey): List<DeliveryFilter, EndpointDelivery> {
  const columns = { ...eventList.columns, state: { type: 'text', values: deliveryStates } } as const
  return {
    name: 'list_deliveries',
    table: 'deliveries',
    key: { name: 'event_id', type: 'uuid' },
    rowsScannedMax: webhookLimits.eventsScannedPerPageMax,
    read: (db, keys) => readDeliveries(db, { environmentId, id }, keys),
    columns,
    filters: {
      types: (types) => [
        { column: 'type', values: types },
        { condition: sql`${sql.raw(unindexed('t.endpoint_id::text'))} = ${id}` },
      ],
      // With types, deliveries are read by their event.
      state: (state, { filter }) => [
        filter.types
          ? { condition: sql`${sql.raw(unindexed('t.state'))} = ${state}` }
          : { column: 'state', values: [state] },
      ],
    },
    indexes: [
      { index: 'events_by_type', serves: ['type'], of: { table: 'events', key: 'id' } },
      {
        index: 'deliveries_of_endpoint',
        serves: ['state'],
        read(wanted, { from, before }, limit) {
          const states = wantedColumns({ columns }, wanted, ['state'])
          const attempted = newestIds({
            table: 'deliveries',
            where: sql`environment_id = ${environmentId} and endpoint_id = ${id}
              and attempts > 0 and not is_under_way`,
            columns: states,
            order: [{ name: 'event_id', type: 'uuid' }],
            before: before === undefined ? undefined : [before],
            from,
            limit,
          })
          if (!states[0]!.values.includes('PENDING')) return attempted
          // Those in flight or before their first attempt are not in the index of the others.
          const max = sql.raw(String(webhookLimits.dueDeliveriesScannedMax))
          return sql`(
            select id from ${attempted} attempted
            union all
            select event_id from (
              select * from deliveries
              where environment_id = ${environmentId} and endpoint_id = ${id} and state = 'PENDING'
              order by due_at limit ${max}) due
            where (attempts = 0 or is_under_way) ${withinRange({ from, before }, 'event_id')})`
        },
      },
    ],
  }
}

function readDeliveries(
  db: Queryable,
  endpoint: EndpointKey,
  keys: RowKey[],
): Promise<EndpointDelivery[]> {
  return db.rows(
    named(
      'read_deliveries',
      sql<EndpointDelivery>`
        select d.event_id, d.state, d.attempts, d.due_at, d.is_under_way as is_in_flight,
          d.finished_at, e.type, e.created_at as event_created_at, a.started_at, a.duration_ms,
          a.status, a.error
        from unnest(${keys.map(({ id }) => id)}::uuid[]) listed (id)
        cross join lateral ${deliveryOf('listed.id', endpoint)} d
        cross join lateral (
          select type, created_at from events
          where environment_id = d.environment_id and id = d.event_id limit 1) e
        left join lateral (
          select started_at, duration_ms, status, error from delivery_attempts a
          where a.environment_id = d.environment_id and a.event_id = d.event_id
            and a.endpoint_id = d.endpoint_id
          order by a.number desc limit 1) a on true
        order by d.event_id desc`,
    ),
  )
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
