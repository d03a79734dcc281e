import type pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { minute, second, after as toLater } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import type { ClaimedDelivery } from '../../src/events/new-deliveries.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction, type Queryable } from '../../src/postgres/transactions/tx.js'
import { claimDeliveries } from '../../src/webhooks/deliveries/claim-deliveries.js'
import { recordAttempts } from '../../src/webhooks/deliveries/record-attempts.js'
import {
  type EndpointPosition,
  findOpenEndpoints,
  firstPosition,
  type OpenEndpoint,
} from '../../src/webhooks/endpoints/find-open-endpoints.js'
import { webhookLimits } from '../../src/webhooks/limits.js'
import { freshDatabase } from '../support/database.js'
import { endedOf } from '../support/deliveries.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'
import { plansOf } from '../support/plans.js'
import { openSession, readerOf } from '../support/sessions.js'

const db = await freshDatabase()
const { leaseMs, endpointsPerPollMax } = webhookLimits
const environments: EnvironmentId[] = []
for (let count = 0; count < 3; count += 1) environments.push(await insertEnvironment(db, 'live'))

beforeEach(async () => {
  await db.rows(sql`truncate deliveries, webhook_endpoints`)
})

type Endpoint = { environmentId: EnvironmentId; id: string }

/** More endpoints than a merchant may have: their number must not matter. */
function insertEndpoints(count: number): Promise<Endpoint[]> {
  return db.rows(sql<Endpoint>`
    insert into webhook_endpoints (environment_id, id, url, is_enabled, secret, signing_key,
      public_key, created_at)
    select (${environments}::int[])[1 + n % 3], gen_random_uuid(), 'https://example.com/', true,
      '', '', '', ${now}
    from generate_series(1, ${count}::int) n
    returning environment_id, id`)
}

type DeliveryOptions = { dueAt?: Date; state?: 'PENDING' | 'DELIVERED' }

/** Inserts this many events for each of these endpoints. */
async function insertDeliveries(
  endpoints: Endpoint[],
  each: number,
  { dueAt = now, state = 'PENDING' }: DeliveryOptions = {},
): Promise<void> {
  const finishedAt = state === 'PENDING' ? null : dueAt
  await db.rows(sql`
    with new_deliveries as materialized (
      select environment_id, id as endpoint_id, gen_random_uuid() as event_id
      from webhook_endpoints cross join generate_series(1, ${each}::int)
      where id = any(${endpoints.map(({ id }) => id)}::uuid[])),
    new_events as (
      insert into events (environment_id, id, type, resource_id, cause_id, sequence, data,
        created_at)
      select environment_id, event_id, 'payment.held', event_id, event_id, 1, '{}', ${now}
      from new_deliveries)
    insert into deliveries (environment_id, event_id, endpoint_id, state, due_at, created_at,
      finished_at)
    select environment_id, event_id, endpoint_id, ${state}, ${dueAt}::timestamptz, ${now},
      ${finishedAt}::timestamptz
    from new_deliveries`)
}

function claim(
  endpoints: Endpoint[],
  capacity: number,
  { at = now, reader = db as Queryable } = {},
) {
  const shares = endpoints.map(({ environmentId, id }) => ({
    environmentId,
    endpointId: id,
    capacity,
  }))
  return claimDeliveries(reader, at, shares)
}

const keyOf = ({ eventId, endpointId }: ClaimedDelivery) => `${eventId} → ${endpointId}`

describe('claiming', () => {
  // Eight workers with their own connections claim as fast as they can. Every delivery must be
  // claimed, and none of them twice.
  test('never gives a delivery to two workers', async () => {
    await insertDeliveries(await insertEndpoints(40), 50)
    const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(db)))
    const work = async (session: pg.Client) => {
      const reader = readerOf(session)
      const claimed: ClaimedDelivery[] = []
      for (;;) {
        const open = await findOpenEndpoints(reader, now, firstPosition)
        const due = open.filter(({ isDue }) => isDue)
        if (due.length === 0) return claimed
        const shares = due.map((endpoint) => ({ ...endpoint, capacity: 3 }))
        claimed.push(...(await claimDeliveries(reader, now, shares)))
      }
    }
    const workers = await Promise.all(sessions.map(work))
    const claimed = workers.flat()
    expect(claimed).toHaveLength(2_000)
    expect(new Set(claimed.map(keyOf)).size).toBe(2_000)
    expect(
      claimed.every(
        ({ attemptNumber, attemptsInSchedule }) => attemptNumber === 1 && attemptsInSchedule === 1,
      ),
    ).toBe(true)
    expect(workers.filter((own) => own.length > 0).length).toBeGreaterThan(1)
  })

  test('skips deliveries that another worker has locked', async () => {
    const endpoints = await insertEndpoints(1)
    await insertDeliveries(endpoints, 10)
    const slow = await openSession(db)
    await slow.query('begin')
    await slow.query('select from deliveries order by due_at limit 4 for update')
    expect(await claim(endpoints, 100)).toHaveLength(6)
    await slow.query('rollback')
    expect(await claim(endpoints, 100)).toHaveLength(4)
  })

  test('claims the oldest first, up to the capacity of each endpoint', async () => {
    const endpoints = await insertEndpoints(3)
    for (const waitedMs of [second, minute, 2 * second])
      await insertDeliveries(endpoints, 2, { dueAt: toLater(now, -waitedMs) })
    const claimed = await claim(endpoints.slice(0, 2), 3)
    const [one, two, other] = endpoints.map(
      ({ id }) => claimed.filter(({ endpointId }) => endpointId === id).length,
    )
    expect([one, two, other]).toEqual([3, 3, 0])
    const remaining = await db.rows(sql<{ dueAt: Date }>`
      select due_at from deliveries
      where endpoint_id = ${endpoints[0]!.id} and attempts = 0 order by due_at`)
    const waits = remaining.map(({ dueAt }) => now.getTime() - dueAt.getTime())
    expect(waits).toEqual([2 * second, second, second])
  })

  test('skips deliveries that are not due, finished, or leased', async () => {
    const endpoints = await insertEndpoints(1)
    await insertDeliveries(endpoints, 3, { dueAt: toLater(now, 1) })
    await insertDeliveries(endpoints, 3, { state: 'DELIVERED' })
    expect(await claim(endpoints, 100)).toEqual([])
    const at = toLater(now, 1)
    expect(await claim(endpoints, 100, { at })).toHaveLength(3)
    const leaseEnd = toLater(at, leaseMs)
    expect(await claim(endpoints, 100, { at: toLater(leaseEnd, -1) })).toEqual([])
    const again = await claim(endpoints, 100, { at: leaseEnd })
    expect(
      again.map(({ attemptNumber, attemptsInSchedule }) => [attemptNumber, attemptsInSchedule]),
    ).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
    ])
  })

  test('claims nothing without capacity', async () => {
    const endpoints = await insertEndpoints(2)
    await insertDeliveries(endpoints, 2)
    expect(await claim([], 5)).toEqual([])
    expect(await claim(endpoints, 0)).toEqual([])
  })
})

describe('the scan of endpoints with open deliveries', () => {
  /** As workers do: page after page, until one is not full. */
  async function scan(at = now): Promise<OpenEndpoint[][]> {
    const pages: OpenEndpoint[][] = []
    for (let position: EndpointPosition = firstPosition; ; position = pages.at(-1)!.at(-1)!) {
      pages.push(await findOpenEndpoints(db, at, position))
      if (pages.at(-1)!.length < endpointsPerPollMax) return pages
    }
  }

  // The endpoints of the first pages stay open: a worker that always started over would never
  // reach the last ones.
  test('continues after a full page and reaches every endpoint once', async () => {
    const open = await insertEndpoints(2.5 * endpointsPerPollMax)
    await insertDeliveries(open, 2)
    const done = await insertEndpoints(30)
    await insertDeliveries(done, 1, { state: 'DELIVERED' })
    await insertEndpoints(30)
    const pages = await scan()
    expect(pages.map((page) => page.length)).toEqual([
      endpointsPerPollMax,
      endpointsPerPollMax,
      endpointsPerPollMax / 2,
    ])
    const reached = pages.flat().map(({ environmentId, endpointId }) => [environmentId, endpointId])
    expect(reached.map(String)).toEqual([...new Set(reached.map(String))])
    const expected = open.map(({ environmentId, id }) => [environmentId, id])
    expect(reached.map(String).toSorted()).toEqual(expected.map(String).toSorted())
  })

  test('ends after a full last page', async () => {
    await insertDeliveries(await insertEndpoints(endpointsPerPollMax), 1)
    expect((await scan()).map((page) => page.length)).toEqual([endpointsPerPollMax, 0])
  })

  test('reports which endpoints are due', async () => {
    const [due, mixed, early] = await insertEndpoints(3)
    await insertDeliveries([due!, mixed!], 1)
    await insertDeliveries([mixed!, early!], 3, { dueAt: toLater(now, 1) })
    const found = new Map(
      (await scan()).flat().map(({ endpointId, isDue }) => [endpointId, isDue] as const),
    )
    expect(found.get(due!.id)).toBe(true)
    expect(found.get(mixed!.id)).toBe(true)
    expect(found.get(early!.id)).toBe(false)
    const next = (await scan(toLater(now, 1))).flat()
    expect(next.every(({ isDue }) => isDue)).toBe(true)
  })
})

// Finished deliveries are kept, and one endpoint may have thousands open. Neither may slow down
// the search for work, whatever the planner knows about the values.
describe('with many delivered and one endpoint far behind', () => {
  async function fill(): Promise<Endpoint[]> {
    await insertEndpoints(20_000)
    const endpoints = await insertEndpoints(600)
    await insertDeliveries(endpoints, 40, { state: 'DELIVERED' })
    // The planner's statistics are from when nothing was open.
    await db.rows(sql`analyze deliveries, webhook_endpoints, events, environments`)
    await insertDeliveries(endpoints.slice(0, 1), 5_000)
    await insertDeliveries(endpoints.slice(1, 100), 1)
    return endpoints
  }

  // The index holds open rows only; this filter checks that a row is still open once it is locked.
  // There are too few environments to matter.
  const stillOpen = " keeping (state = 'PENDING'::text)"
  const withoutEnvironments = (scans: string[]) =>
    scans.filter((scan) => !scan.includes('environments'))

  test('a claim uses the index of open deliveries', async () => {
    const [busy, other] = await fill()
    const session = await openSession(db)
    expect(await claim([busy!, other!], 10, { reader: readerOf(session) })).toHaveLength(11)
    const lists = [
      `{${busy!.environmentId},${other!.environmentId}}`,
      `{${busy!.id},${other!.id}}`,
      '{10,10}',
    ]
    const values = [...lists, now.toISOString(), toLater(now, leaseMs).toISOString()]
    for (const { scans } of await plansOf(session, 'claim_deliveries', values)) {
      expect(withoutEnvironments(scans)).toEqual([
        `by deliveries_due${stillOpen}`,
        'by deliveries_pkey',
        'by events_pkey',
        'by webhook_endpoints_pkey',
      ])
    }
  })

  test('recording an attempt uses the primary key of its delivery', async () => {
    const [busy] = await fill()
    const session = await openSession(db)
    const claimed = await claim([busy!], 2)
    const ended = claimed.map((delivery) => endedOf(delivery, { at: now, status: 200 }))
    await inTransaction(session, (tx) => recordAttempts(tx, now, ended))
    const { environmentId, eventId, endpointId } = claimed[0]!
    const at = now.toISOString()
    const attempt = [environmentId, eventId, endpointId, 1, 'url', at, 12, 200, null, 'ok']
    const values = [...attempt, 1, 'DELIVERED', at, at].map((value) => `{${value}}`)
    for (const { scans } of await plansOf(session, 'record_delivery_attempts', values))
      expect(scans.map((scan) => scan.split(' keeping ')[0])).toEqual([
        'by deliveries_pkey',
        'by webhook_endpoints_pkey',
      ])
  })

  test('a scan uses the index of open deliveries', async () => {
    await fill()
    const session = await openSession(db)
    expect(await findOpenEndpoints(readerOf(session), now, firstPosition)).toHaveLength(100)
    const { environmentId, endpointId } = firstPosition
    const values = [environmentId, endpointId, endpointsPerPollMax, now.toISOString()].map(String)
    for (const { scans } of await plansOf(session, 'find_open_endpoints', values))
      expect(scans).toEqual(['by deliveries_due', 'by deliveries_due'])
  })
})
