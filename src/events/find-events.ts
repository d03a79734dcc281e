import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import type { JsonText } from '../base/json-text.js'
import { notFound } from '../base/refusal.js'
import type { TimeRange } from '../postgres/lists/key-range.js'
import { joinRow, type List } from '../postgres/lists/list.js'
import { sql } from '../postgres/sql.js'
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

export type EventFilter = TimeRange & {
  types?: readonly EventType[] | undefined
  resourceId?: string | undefined
}

type EventName = { environmentId: EnvironmentId; reference: string; permissions: Permissions }

const findEvents = keyedRead<Event, Event>({
  name: 'read_events',
  columns,
  table: 'events',
  alias: 'e',
  toValues: (_db, events) => events,
  keyOf: (event) => event,
})

/** Newest first by id: ids start with the time of creation. */
export const eventList: List<EventFilter, Event> = {
  name: 'list_events',
  table: 'events',
  select: sql.raw(columns),
  rowsOf: joinRow('events', 'e'),
  toRows: (_db, events: Event[]) => events,
  keyOf: ({ id }) => id,
  columns: { type: { type: 'text', values: eventTypes }, resource_id: { type: 'uuid' } },
  filters: {
    types: (types) => [{ column: 'type', values: types }],
    resourceId: 'resource_id',
  },
  indexes: [
    { index: 'events_by_resource', serves: ['type', 'resource_id'] },
    { index: 'events_by_type', serves: ['type'] },
    { index: 'events_pkey', serves: [] },
  ],
}

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
