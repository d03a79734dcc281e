import { sql } from 'kysely'
import type { EnvironmentId } from '../environment.js'
import { fromReference, prefixes } from '../ids.js'
import type { Reader } from '../postgres/tx.js'
import { notFound } from '../refusal.js'
import type { EventType } from './catalogue.js'

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
  db: Reader,
  environmentId: EnvironmentId,
  { types, resourceId, from, to, before, limit }: EventFilter,
): Promise<Event[]> {
  const where = [
    sql`environment_id = ${environmentId}`,
    types && sql`type = any(${types})`,
    resourceId && sql`resource_id = ${resourceId}`,
    from && sql`created_at >= ${from}`,
    to && sql`created_at < ${to}`,
    before && sql`(created_at, id) < (${before.createdAt}, ${before.id})`,
  ].filter((condition) => condition !== undefined)
  return db.rows(sql<Event>`
    select ${columns} from events where ${sql.join(where, sql` and `)}
    order by created_at desc, id desc limit ${limit}`)
}

export async function getEvent(
  db: Reader,
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
