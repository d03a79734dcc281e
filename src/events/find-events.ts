import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { notFound } from '../base/refusal.js'
import { newestRows } from '../postgres/newest-rows.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import { type EventType, eventTypes } from './catalogue.js'

export type Event = {
  environmentId: EnvironmentId
  id: string
  type: EventType
  sequence: number
  data: string
  createdAt: Date
}

const columns = sql`
  environment_id as "environmentId", id, type, sequence, data, created_at as "createdAt"`

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
  return db.rows(sql<Event>`
    select ${columns} from ${searchOf(environmentId, filter)} events
    order by created_at desc, id desc limit ${filter.limit}`)
}

function searchOf(environmentId: EnvironmentId, filter: EventFilter): Sql<unknown> {
  const { types, resourceId, from, to, limit } = filter
  const before = earlier(filter.before, to && { createdAt: to, id: lowestUuid })
  if (!types && !resourceId)
    return sql`(
      select * from events where environment_id = ${environmentId}
        and created_at >= ${from ?? '-infinity'}
        and (created_at, id) < (${before?.createdAt ?? 'infinity'}, ${before?.id ?? lowestUuid})
      order by created_at desc, id desc limit ${limit})`
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

export async function getEvent(
  db: Queryable,
  { environmentId, reference }: { environmentId: EnvironmentId; reference: string },
): Promise<Event> {
  const id = fromReference(prefixes.event, reference)
  const [event] = id
    ? await db.rows(sql<Event>`
        select ${columns} from events where environment_id = ${environmentId} and id = ${id}`)
    : []
  if (!event) throw notFound('event', reference)
  return event
}
