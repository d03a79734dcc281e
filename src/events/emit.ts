import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import type { JsonText } from '../base/json-text.js'
import { listStatement } from '../postgres/statement.js'
import { column, Table } from '../postgres/table.js'
import type { Tx } from '../postgres/transactions/tx.js'
import type { EventType } from './catalogue.js'
import { listensTo } from './filter.js'
import { wakeAfterCommit } from './new-deliveries.js'

const events = new Table('events', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  type: column.text<EventType>(),
  resourceId: column.uuid(),
  /** The payment, payout or change behind it. A constraint allows one event per type and cause. */
  causeId: column.uuid(),
  /** Increases with every event of the resource, so that receivers can sort them. */
  sequence: column.int4(),
  /** The whole resource, as its verify operation returns it. */
  data: column.text<JsonText>(),
})

export type NewEvent = Omit<typeof events.row, 'id'> & {
  /** Delivers to this endpoint only, whatever its filter. Default: every endpoint that listens. */
  onlyEndpointId?: string
}

const insertEvents = listStatement({
  name: 'insert_events',
  columns: events.typesWithout(),
  text: (list, parameter, names) => `
    insert into events (${names}, created_at)
    select ${names}, ${parameter(0)}::timestamptz from ${list}`,
})

const insertDeliveries = listStatement({
  name: 'insert_deliveries',
  columns: { ...events.types('environmentId', 'id', 'type'), onlyEndpointId: 'uuid' },
  text: (list, parameter) => `
    insert into deliveries (environment_id, event_id, endpoint_id, state, due_at, created_at)
    select e.environment_id, list.id, e.id, 'PENDING', ${parameter(0)}::timestamptz,
      ${parameter(0)}::timestamptz
    from ${list} join webhook_endpoints e using (environment_id)
    where e.is_enabled and e.deleted_at is null and case when list.only_endpoint_id is null
      then ${listensTo('e', 'list.type')} else e.id = list.only_endpoint_id end`,
})

/**
 * Writes events and a due delivery for every endpoint that listens, in the transaction of their
 * cause: merchants are notified of everything that was committed and of nothing else. `now` is real
 * time even if the environment's test clock is ahead, because deliveries are due in real time.
 * Returns the ids of the events.
 */
export function emitAll(tx: Tx, now: RealTime, emitted: NewEvent[]): string[] {
  if (emitted.length === 0) return []
  // Lists sort by id, and ids of the same millisecond are random: sorted ids keep the given order.
  const ids = emitted.map(() => newId(now)).sort()
  const rows = emitted.map((event, index) => ({
    ...event,
    id: ids[index]!,
    onlyEndpointId: event.onlyEndpointId ?? null,
  }))
  tx.write(insertEvents(rows, now))
  tx.write(insertDeliveries(rows, now), (count) => {
    if (count > 0) wakeAfterCommit(tx)
  })
  return ids
}
