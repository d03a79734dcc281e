import type { EnvironmentId } from '../../base/environment.js'
import { timeOf } from '../../base/ids.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { webhookLimits } from '../limits.js'

export type Undelivered = {
  count: number
  /** When the oldest of these events happened; null: there is none. */
  since: Date | null
}

/**
 * Events that were sent to these endpoints and not received: they wait for another attempt or were
 * given up. Everything that counts undelivered events uses this.
 */
export async function countUndelivered(
  db: Queryable,
  environmentId: EnvironmentId,
  endpointIds: string[],
): Promise<Undelivered> {
  // The condition is that of the index. One state after the other, or it would be read unordered.
  const [row] = await db.rows(sql<{ count: number; oldest: string | null }>`
    select count(*)::int as count, (array_agg(event_id order by event_id))[1] as oldest
    from (
      select d.event_id from unnest(${endpointIds}::uuid[]) as endpoint (id)
      cross join unnest(array['PENDING', 'GIVEN_UP']) as wanted (state)
      cross join lateral (
        select event_id from deliveries
        where environment_id = ${environmentId} and endpoint_id = endpoint.id
          and state = wanted.state and attempts > 0 and not is_under_way
        order by event_id limit ${webhookLimits.undeliveredCountedMax}) d) undelivered`)
  const { count, oldest } = row!
  return { count, since: oldest === null ? null : timeOf(oldest) }
}
