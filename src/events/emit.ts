import type { EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import type { EventType } from './catalogue.js'
import { listensTo } from './filter.js'

/** Something that happened to a resource, as its cause tells it. */
export type NewEvent = {
  environmentId: EnvironmentId
  type: EventType
  resourceId: string
  /** The payment, payout or change behind it: each causes one event of a type, by constraint. */
  causeId: string
  /** Grows with every event of the resource, so that a receiver can tell old from new. */
  sequence: number
  /** The whole resource as its verify operation shows it, as JSON text. */
  data: string
  /** Only this endpoint hears, whatever it listens to; otherwise all that listen. */
  onlyEndpointId?: string
}

const columns = {
  environment_id: 'int4',
  id: 'uuid',
  type: 'text',
  resource_id: 'uuid',
  cause_id: 'uuid',
  sequence: 'int4',
  data: 'text',
} as const

const insertEvents = listStatement({
  name: 'insert_events',
  columns,
  text: (list, more, names) => `
    insert into events (${names}, created_at)
    select ${names}, ${more(0)}::timestamptz from ${list}`,
})

const insertDeliveries = listStatement({
  name: 'insert_deliveries',
  columns: { environment_id: 'int4', id: 'uuid', type: 'text', only_endpoint_id: 'uuid' },
  text: (list, more) => `
    insert into deliveries (environment_id, event_id, endpoint_id, state, due_at, created_at)
    select e.environment_id, list.id, e.id, 'PENDING', ${more(0)}::timestamptz,
      ${more(0)}::timestamptz
    from ${list} join webhook_endpoints e using (environment_id)
    where e.is_enabled and e.deleted_at is null and case when list.only_endpoint_id is null
      then ${listensTo('e', 'list.type')} else e.id = list.only_endpoint_id end`,
})

/**
 * Writes events and, for every endpoint that listens, a delivery that is due at once: in the
 * transaction of their cause, so that a merchant hears of everything that is true and nothing else.
 * Gives back the ids of the events.
 */
export function emitAll(tx: Tx, now: Date, happenings: NewEvent[]): string[] {
  if (happenings.length === 0) return []
  // In the order of what happened: ids of one moment are random, and lists are sorted by them.
  const ids = happenings.map(() => newId(now)).sort()
  const rows = happenings.map((happening, index) => ({
    environment_id: happening.environmentId,
    id: ids[index]!,
    type: happening.type,
    resource_id: happening.resourceId,
    cause_id: happening.causeId,
    sequence: happening.sequence,
    data: happening.data,
    only_endpoint_id: happening.onlyEndpointId ?? null,
  }))
  tx.write(insertEvents(rows, now))
  tx.write(insertDeliveries(rows, now))
  return ids
}
