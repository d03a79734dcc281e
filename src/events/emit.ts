import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import type { JsonText } from '../base/json-text.js'
import { listStatement } from '../postgres/statement.js'
import { column, Table } from '../postgres/table.js'
import type { Tx } from '../postgres/transactions/tx.js'
import type { EventType } from './catalogue.js'
import { listensTo } from './filter.js'
import { type ClaimedDelivery, findCourier, wakeAfterCommit } from './new-deliveries.js'

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

const deliveryColumns = {
  ...events.types('environmentId', 'id', 'type'),
  onlyEndpointId: 'uuid',
} as const

const isRecipient = `e.is_enabled and e.deleted_at is null
      and case when list.only_endpoint_id is null
      then ${listensTo('e', 'list.type')} else e.id = list.only_endpoint_id end`

const insertDeliveries = listStatement({
  name: 'insert_deliveries',
  columns: deliveryColumns,
  text: (list, parameter) => `
    insert into deliveries (environment_id, event_id, endpoint_id, state, due_at, created_at)
    select e.environment_id, list.id, e.id, 'PENDING', ${parameter(0)}::timestamptz,
      ${parameter(0)}::timestamptz
    from ${list} join webhook_endpoints e using (environment_id) where ${isRecipient}`,
})

type LeasedRow = Omit<ClaimedDelivery, 'type' | 'sequence' | 'data' | 'eventCreatedAt'> & {
  isLeased: boolean
}

/**
 * As `insert_deliveries`, but leases the deliveries to the worker of this process and returns them.
 * Those of failing and of full endpoints are due instead, and claimed when there is capacity.
 */
const leaseDeliveries = listStatement<typeof deliveryColumns, LeasedRow>({
  name: 'lease_deliveries',
  columns: deliveryColumns,
  text: (list, parameter) => `
    with inserted as (
      insert into deliveries (environment_id, event_id, endpoint_id, state, due_at, created_at,
        attempts, tries, is_under_way)
      select e.environment_id, list.id, e.id, 'PENDING',
        case when is_leased then ${parameter(1)}::timestamptz else ${parameter(0)}::timestamptz end,
        ${parameter(0)}::timestamptz, is_leased::int, is_leased::int, is_leased
      from ${list} join webhook_endpoints e using (environment_id)
      cross join lateral (
        select e.failing_since is null and e.id <> all (${parameter(2)}::uuid[]) as is_leased) lease
      where ${isRecipient}
      returning environment_id, event_id, endpoint_id, attempts, tries, is_under_way)
    select i.environment_id, i.event_id, i.endpoint_id, i.is_under_way as is_leased,
      i.attempts as attempt_number, i.tries as attempts_in_schedule, v.mode, w.url, w.is_enabled,
      w.secret as sealed_secret, w.previous_secrets as sealed_previous_secrets,
      w.signing_key as sealed_signing_key
    from inserted i
    join webhook_endpoints w on w.environment_id = i.environment_id and w.id = i.endpoint_id
    join environments v on v.id = i.environment_id`,
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
  writeDeliveries(tx, now, rows)
  return ids
}

type EventRow = Omit<NewEvent, 'onlyEndpointId'> & { id: string; onlyEndpointId: string | null }

function writeDeliveries(tx: Tx, now: RealTime, rows: EventRow[]): void {
  const courier = findCourier(tx)
  const lease = courier?.lease()
  if (!courier || !lease) {
    tx.write(insertDeliveries(rows, now), ({ count }) => {
      if (count > 0) wakeAfterCommit(tx)
    })
    return
  }
  const statement = leaseDeliveries(rows, now, lease.until, lease.fullEndpoints)
  tx.write(statement, ({ rows: written }) => {
    const leased = written.filter(({ isLeased }) => isLeased)
    if (leased.length < written.length) wakeAfterCommit(tx)
    if (leased.length === 0) return
    const byId = new Map(rows.map((row) => [row.id, row]))
    const deliveries = leased.map(({ isLeased, ...delivery }) => {
      const { type, sequence, data } = byId.get(delivery.eventId)!
      return { ...delivery, type, sequence, data, eventCreatedAt: now }
    })
    tx.afterCommit(() => courier.send(deliveries, lease))
  })
}
