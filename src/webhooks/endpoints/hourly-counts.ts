import { after, hour, type RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { webhookLimits } from '../limits.js'
import type { WebhookEndpoint } from './endpoint.js'

type EndpointHour = {
  environmentId: EnvironmentId
  endpointId: string
  hour: Date
  delivered: number
  failed: number
  durations: number[]
}

/** An attempt that has ended. */
type CountedAttempt = {
  environmentId: EnvironmentId
  endpointId: string
  startedAt: Date
  hasSucceeded: boolean
  /** Null if nothing was sent. */
  durationMs: number | null
}

/**
 * Durations are counted in classes that grow by a tenth, so that a median is off by at most 5 %
 * however many attempts there are. Class `n` starts at 1.1ⁿ − 1 milliseconds.
 */
const classGrowth = 1.1
/** The last class has everything longer than about half a minute. */
const classMax = 108

/** Sorted, so that two workers never wait for each other. */
const addHours = listStatement({
  name: 'add_delivery_hours',
  columns: {
    environmentId: 'int4',
    endpointId: 'uuid',
    hour: 'timestamptz',
    delivered: 'int4',
    failed: 'int4',
    /** As PostgreSQL writes an array. */
    durations: 'text',
  },
  text: (list, _parameter, names) => `
    insert into delivery_hours as h (${names})
    select environment_id, endpoint_id, hour, delivered, failed, durations::int4[] from ${list}
    order by environment_id, endpoint_id, hour
    on conflict (environment_id, endpoint_id, hour) do update
    set delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed,
      durations = coalesce((
        select array_agg(coalesce(one, 0) + coalesce(other, 0) order by class)
        from unnest(h.durations, excluded.durations) with ordinality both_ (one, other, class)),
        '{}')`,
})

const deleteHours = listStatement({
  name: 'delete_delivery_hours',
  columns: { environmentId: 'int4', endpointId: 'uuid' },
  text: (list, parameter) => `
    with old as (
      select h.environment_id, h.endpoint_id, h.hour from ${list} join delivery_hours h
        on h.environment_id = list.environment_id and h.endpoint_id = list.endpoint_id
      where h.hour < ${parameter(0)}::timestamptz
      for update of h skip locked)
    delete from delivery_hours h using old where h.environment_id = old.environment_id
      and h.endpoint_id = old.endpoint_id and h.hour = old.hour`,
})

/**
 * Counts the delivery attempts of this process by endpoint and hour. A timer adds the counts to
 * those of other processes: a process that crashes loses the last seconds of its counts, and no
 * attempt writes to a row that others write to.
 */
export class HourlyCounts {
  #hours = new Map<string, EndpointHour>()

  note(attempt: CountedAttempt): void {
    const { environmentId, endpointId, startedAt, durationMs } = attempt
    const startMs = startedAt.getTime() - (startedAt.getTime() % hour)
    const key = `${endpointId}/${startMs}`
    let counts = this.#hours.get(key)
    if (!counts) {
      if (this.#hours.size >= webhookLimits.hoursCountedMax) return
      counts = {
        environmentId,
        endpointId,
        hour: new Date(startMs),
        delivered: 0,
        failed: 0,
        durations: [],
      }
      this.#hours.set(key, counts)
    }
    if (attempt.hasSucceeded) counts.delivered += 1
    else counts.failed += 1
    if (durationMs === null) return
    const index = durationClassOf(durationMs)
    while (counts.durations.length <= index) counts.durations.push(0)
    counts.durations[index]! += 1
  }

  /** Keeps what could not be written for the next time. */
  async write(db: Queryable, now: RealTime): Promise<void> {
    if (this.#hours.size === 0) return
    const written = this.#hours
    this.#hours = new Map()
    const hours = [...written.values()]
    try {
      await db.rows(addHours(hours.map(toRow)))
    } catch (error) {
      for (const counts of hours) this.#putBack(counts)
      throw error
    }
    const names = new Map(hours.map((counts) => [counts.endpointId, toName(counts)]))
    const oldest = after(now, -webhookLimits.hoursKept * hour)
    await db.rows(deleteHours([...names.values()], oldest))
  }

  #putBack(old: EndpointHour): void {
    const key = `${old.endpointId}/${old.hour.getTime()}`
    const newer = this.#hours.get(key)
    if (newer) {
      old.delivered += newer.delivered
      old.failed += newer.failed
      for (const [index, count] of newer.durations.entries())
        old.durations[index] = (old.durations[index] ?? 0) + count
    }
    this.#hours.set(key, old)
  }
}

function toName({ environmentId, endpointId }: EndpointHour) {
  return { environmentId, endpointId }
}

function toRow(hour: EndpointHour) {
  return { ...hour, durations: `{${hour.durations.join(',')}}` }
}

/** Attempts of one hour. */
export type DeliveryHour = {
  from: Date
  delivered: number
  failed: number
  medianMs: number | null
}

/** The latest hours, oldest first; the last one is not over. */
export async function listDeliveryHours(
  db: Queryable,
  { environmentId, id }: Pick<WebhookEndpoint, 'environmentId' | 'id'>,
  now: Date,
): Promise<DeliveryHour[]> {
  const { hoursShown } = webhookLimits
  const lastMs = now.getTime() - (now.getTime() % hour)
  const starts = Array.from(
    { length: hoursShown },
    (_, index) => new Date(lastMs - (hoursShown - 1 - index) * hour),
  )
  const rows = await db.rows(sql<Omit<EndpointHour, 'environmentId' | 'endpointId'>>`
    select hour, delivered, failed, durations from delivery_hours
    where environment_id = ${environmentId} and endpoint_id = ${id} and hour >= ${starts[0]}`)
  const byStart = new Map(rows.map((row) => [row.hour.getTime(), row]))
  return starts.map((from) => {
    const row = byStart.get(from.getTime())
    return {
      from,
      delivered: row?.delivered ?? 0,
      failed: row?.failed ?? 0,
      medianMs: row ? medianDurationOf(row.durations) : null,
    }
  })
}

export function durationClassOf(durationMs: number): number {
  return Math.min(Math.floor(Math.log(durationMs + 1) / Math.log(classGrowth)), classMax)
}

/** The median in milliseconds; null if nothing was counted. */
export function medianDurationOf(counts: number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let remaining = Math.ceil(total / 2)
  for (const [index, count] of counts.entries()) {
    remaining -= count
    if (count > 0 && remaining <= 0) return Math.round(classGrowth ** (index + 0.5) - 1)
  }
  return null
}
