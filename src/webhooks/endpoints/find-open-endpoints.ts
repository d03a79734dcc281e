import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import type { Statement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { webhookLimits } from '../limits.js'

/** An endpoint with open deliveries. */
export type OpenEndpoint = {
  environmentId: EnvironmentId
  endpointId: string
  isDue: boolean
}

/** Where the last poll ended, so that the next one continues there and skips no endpoint. */
export type EndpointPosition = { environmentId: number; endpointId: string }

/** Sorts before every endpoint. */
export const firstPosition: EndpointPosition = {
  environmentId: 0,
  endpointId: '00000000-0000-0000-0000-000000000000',
}

const walk = `
  with recursive walk as (
    (select environment_id, endpoint_id, due_at, 1 as step from deliveries
      where state = 'PENDING' and (environment_id, endpoint_id) > ($1::int, $2::uuid)
      order by environment_id, endpoint_id, due_at limit 1)
    union all
    select next.environment_id, next.endpoint_id, next.due_at, walk.step + 1
    from walk cross join lateral (
      select d.environment_id, d.endpoint_id, d.due_at from deliveries d
      where d.state = 'PENDING'
        and (d.environment_id, d.endpoint_id) > (walk.environment_id, walk.endpoint_id)
      order by d.environment_id, d.endpoint_id, d.due_at limit 1) next
    where walk.step < $3::int)
  select environment_id, endpoint_id, due_at <= $4::timestamptz as is_due
  from walk order by step`

/**
 * Skip-scans the index of open deliveries: one step per endpoint, however many deliveries it has. A
 * full page ends with the position of the next one.
 */
export async function findOpenEndpoints(
  db: Queryable,
  now: RealTime,
  from: EndpointPosition,
): Promise<OpenEndpoint[]> {
  const { endpointsPerPollMax } = webhookLimits
  const statement: Statement<OpenEndpoint> = {
    name: 'find_open_endpoints',
    text: walk,
    values: [from.environmentId, from.endpointId, endpointsPerPollMax, now],
  }
  return db.rows(statement)
}
