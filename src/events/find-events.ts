import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import type { JsonText } from '../base/json-text.js'
import { notFound } from '../base/refusal.js'
import { newestRows, rowsRead } from '../postgres/lists/newest-rows.js'
import { named } from '../postgres/named.js'
import { type Sql, sql } from '../postgres/sql.js'
import { gather } from '../postgres/transactions/gather.js'
import { keyedRead, type RowKey } from '../postgres/transactions/keyed-read.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { Permissions } from '../team/seen-with.js'
import { type EventType, eventTypes } from './catalogue.js'
import { seesEvent } from './filter.js'

export type Event = {
  environmentId: EnvironmentId
  id: string
  type: EventType
  sequence: number
  data: JsonText
  createdAt: Date
}

const columns = `e.environment_id, e.id, e.type, e.sequence, e.data, e.created_at`

export type EventFilter = {
  types: EventType[] | undefined
  resourceId: string | undefined
  from: Date | undefined
  to: Date | undefined
  before: { createdAt: Date; id: string } | undefined
  limit: number
}

/** Newest first. */
export async function listEvents(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: EventFilter,
): Promise<Event[]> {
  if (filter.types?.length === 0) return []
  const page = sql<Event>`
    select ${sql.raw(columns)} from ${searchOf(environmentId, filter)} e
    order by e.created_at desc, e.id desc limit ${filter.limit}`
  return db.rows(named('list_events', page))
}

function searchOf(environmentId: EnvironmentId, filter: EventFilter): Sql<unknown> {
  const { types, resourceId, from, to, limit } = filter
  const before = earlier(filter.before, to && { createdAt: to, id: lowestUuid })
  if (!types && !resourceId)
    return sql`(
      select * from events where environment_id = ${environmentId}
        and created_at >= ${from ?? '-infinity'}
        and (created_at, id) < (${before?.createdAt ?? 'infinity'}, ${before?.id ?? lowestUuid})
      order by created_at desc, id desc limit ${rowsRead(limit)})`
  const resource = { name: 'resource_id', type: 'uuid', values: [resourceId ?? ''] } as const
  const type = { name: 'type', type: 'text', values: types ?? eventTypes } as const
  return newestRows({
    table: 'events',
    environmentId,
    columns: resourceId ? [type, resource] : [type],
    order: [
      { name: 'created_at', type: 'timestamptz' },
      { name: 'id', type: 'uuid' },
    ],
    before: before && [before.createdAt, before.id],
    from,
    limit,
  })
}

const lowestUuid = '00000000-0000-0000-0000-000000000000'

type Position = NonNullable<EventFilter['before']>

function earlier(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (!one || !other) return one ?? other
  return other.createdAt <= one.createdAt ? other : one
}

type EventName = { environmentId: EnvironmentId; reference: string; permissions: Permissions }

const findEvents = keyedRead<Event, Event>({
  name: 'read_events',
  columns,
  table: 'events',
  alias: 'e',
  toValue: (event) => event,
  keyOf: (event) => event,
})

/** Reads single events; calls that arrive together share a query. */
export function createEventReader(db: Queryable) {
  const findOne = gather((keys: RowKey[]) => findEvents(db, keys))
  return async (name: EventName) => checkFound(name, await findOne(toKey(name)))
}

export async function getEvent(db: Queryable, name: EventName): Promise<Event> {
  const [found] = await findEvents(db, [toKey(name)])
  return checkFound(name, found)
}

function toKey({ environmentId, reference }: Omit<EventName, 'permissions'>): RowKey {
  const id = fromReference(prefixes.event, reference)
  if (!id) throw notFound('event', reference)
  return { environmentId, id }
}

/** An event that the caller may not see does not exist for it. */
function checkFound({ reference, permissions }: EventName, found: Event | undefined): Event {
  if (!found || !seesEvent(permissions, found.type)) throw notFound('event', reference)
  return found
}
