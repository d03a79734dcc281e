import { after, type RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import type { ClaimedDelivery } from '../../events/new-deliveries.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { webhookLimits } from '../limits.js'

/** How many more deliveries an endpoint may have in flight. */
export type EndpointShare = { environmentId: EnvironmentId; endpointId: string; capacity: number }

const columns = { environmentId: 'int4', endpointId: 'uuid', capacity: 'int4' } as const

const claim = listStatement<typeof columns, ClaimedDelivery>({
  name: 'claim_deliveries',
  columns,
  text: (list, parameter) => `
    with claimed as materialized (
      select due.* from ${list} cross join lateral (
        select d.environment_id, d.event_id, d.endpoint_id from deliveries d
        where d.environment_id = list.environment_id and d.endpoint_id = list.endpoint_id
          and d.state = 'PENDING' and d.due_at <= ${parameter(0)}::timestamptz
        order by d.due_at limit list.capacity
        for update skip locked) due),
    leased as (
      update deliveries d set due_at = ${parameter(1)}::timestamptz, attempts = d.attempts + 1,
        tries = d.tries + 1, is_under_way = true
      from claimed where d.environment_id = claimed.environment_id
        and d.event_id = claimed.event_id and d.endpoint_id = claimed.endpoint_id
      returning d.*)
    select l.environment_id, l.event_id, l.endpoint_id, l.attempts as attempt_number, l.tries as
      attempts_in_schedule, v.mode, e.type, e.sequence, e.data, e.created_at as event_created_at,
      w.url, w.is_enabled, w.secret as sealed_secret, w.previous_secrets as sealed_previous_secrets,
      w.signing_key as sealed_signing_key
    from leased l
    join events e on e.environment_id = l.environment_id and e.id = l.event_id
    join webhook_endpoints w on w.environment_id = l.environment_id and w.id = l.endpoint_id
    join environments v on v.id = l.environment_id`,
})

/** Claims due deliveries, oldest first, up to the capacity of each endpoint. */
export async function claimDeliveries(
  db: Queryable,
  now: RealTime,
  shares: EndpointShare[],
): Promise<ClaimedDelivery[]> {
  if (shares.length === 0) return []
  return db.rows(claim(shares, now, after(now, webhookLimits.leaseMs)))
}

const handBackColumns = {
  environmentId: 'int4',
  eventId: 'uuid',
  endpointId: 'uuid',
  attempts: 'int4',
  tries: 'int4',
} as const

/** Matches both counters and filters by `finished_at`, for the reasons in record-attempts.ts. */
const handBack = listStatement({
  name: 'hand_back_deliveries',
  columns: handBackColumns,
  text: (list, parameter) => `
    update deliveries d set due_at = ${parameter(0)}::timestamptz, attempts = d.attempts - 1,
      tries = d.tries - 1, is_under_way = false
    from ${list}
    where d.environment_id = list.environment_id and d.event_id = list.event_id
      and d.endpoint_id = list.endpoint_id and d.finished_at is null
      and d.attempts = list.attempts and d.tries = list.tries`,
})

/** Makes claimed deliveries due at once, as if they had not been claimed. */
export async function handBackDeliveries(
  db: Queryable,
  now: RealTime,
  deliveries: ClaimedDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return
  const rows = deliveries.map((delivery) => ({
    environmentId: delivery.environmentId,
    eventId: delivery.eventId,
    endpointId: delivery.endpointId,
    attempts: delivery.attemptNumber,
    tries: delivery.attemptsInSchedule,
  }))
  await db.rows(handBack(rows, now))
}
