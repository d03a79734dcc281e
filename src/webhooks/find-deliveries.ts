import { limits } from '../base/limits.js'
import type { Event } from '../events/find-events.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'

export type DeliveryAttempt = {
  number: number
  url: string
  startedAt: Date
  durationMs: number
  status: number | null
  error: string | null
  response: string
}

export type Delivery = {
  endpointId: string
  url: string
  state: 'PENDING' | 'DELIVERED' | 'GIVEN_UP'
  dueAt: Date
  isInFlight: boolean
  attempts: DeliveryAttempt[]
}

/** The deliveries of an event, with their latest attempts. */
export async function listDeliveries(db: Queryable, event: Event): Promise<Delivery[]> {
  const { environmentId, id } = event
  const deliveries = await db.rows(sql<Omit<Delivery, 'attempts'>>`
    select d.endpoint_id as "endpointId", w.url, d.state, d.due_at as "dueAt",
      d.is_under_way as "isInFlight"
    from deliveries d join webhook_endpoints w
      on w.environment_id = d.environment_id and w.id = d.endpoint_id
    where d.environment_id = ${environmentId} and d.event_id = ${id} order by w.created_at, w.id`)
  const attempts = await db.rows(sql<DeliveryAttempt & { endpointId: string }>`
    select d.endpoint_id as "endpointId", a.* from deliveries d cross join lateral (
      select number, url, started_at as "startedAt", duration_ms as "durationMs", status, error,
        response
      from delivery_attempts
      where environment_id = d.environment_id and event_id = d.event_id
        and endpoint_id = d.endpoint_id
      order by number desc limit ${limits.webhooks.attemptsShownMax}) a
    where d.environment_id = ${environmentId} and d.event_id = ${id}
    order by a.number`)
  return deliveries.map((delivery) => ({
    ...delivery,
    attempts: attempts.filter((attempt) => attempt.endpointId === delivery.endpointId),
  }))
}
