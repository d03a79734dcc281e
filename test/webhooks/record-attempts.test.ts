import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodySchema } from '../../src/api/openapi/event-schemas.js'
import { day, hour, after as later, minute, second, systemClock } from '../../src/base/clock.js'
import type { EnvironmentId, Mode } from '../../src/base/environment.js'
import { createLogger } from '../../src/base/log.js'
import type { ClaimedDelivery } from '../../src/events/new-deliveries.js'
import { showEvent } from '../../src/events/resource.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { Deliverer } from '../../src/webhooks/deliveries/deliver.js'
import { nextRetryDelayMs } from '../../src/webhooks/deliveries/schedule.js'
import { createSender } from '../../src/webhooks/deliveries/send.js'
import { changeEndpoint } from '../../src/webhooks/endpoints/change-endpoints.js'
import { type WebhookEndpoint, webhookEndpoints } from '../../src/webhooks/endpoints/endpoint.js'
import { showEndpoint } from '../../src/webhooks/endpoints/resource.js'
import { webhookLimits } from '../../src/webhooks/limits.js'
import { freshDatabase } from '../support/database.js'
import { answerAll, claimFor, emit, endedOf, newEventOf, record } from '../support/deliveries.js'
import { insertEndpoint as insertAnEndpoint, testSeal } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { now } from '../support/movements.js'
import { openSession, until, untilBlocked } from '../support/sessions.js'

const db = await freshDatabase()

/** The only endpoint of a new merchant. */
async function insertEndpoint(mode: Mode = 'live'): Promise<WebhookEndpoint> {
  const environmentId = await insertEnvironment(db, mode)
  return (await insertAnEndpoint(db, environmentId)).endpoint
}

async function readEndpoint({ environmentId, id }: WebhookEndpoint): Promise<WebhookEndpoint> {
  const [row] = await db.rows(sql<WebhookEndpoint>`
    select ${webhookEndpoints.of('w')} from webhook_endpoints w
    where environment_id = ${environmentId} and id = ${id}`)
  return row!
}

/** Emits an event and responds to everything due with this status. */
async function respond(endpoint: WebhookEndpoint, at: Date, status: number | null) {
  await emit(db, at, [newEventOf(endpoint.environmentId)])
  return answerAll(db, at, { endpoint, status })
}

async function claimNew(endpoint: WebhookEndpoint, count: number): Promise<ClaimedDelivery[]> {
  const events = Array.from({ length: count }, () => newEventOf(endpoint.environmentId))
  await emit(db, now, events)
  return claimFor(db, now, endpoint)
}

function disablingsOf(environmentId: EnvironmentId) {
  return db.rows(sql<{ data: string; sequence: number; endpointIds: string[] }>`
    select data, sequence, array(select endpoint_id::text from deliveries d
      where d.environment_id = e.environment_id and d.event_id = e.id) as endpoint_ids
    from events e
    where environment_id = ${environmentId} and type = 'webhook_endpoint.disabled'`)
}

function deliveriesOf({ id }: WebhookEndpoint) {
  return db.rows(sql<{ state: string; dueAt: Date; finishedAt: Date | null; attempts: number }>`
    select state, due_at, finished_at, attempts from deliveries
    where endpoint_id = ${id} order by created_at, event_id`)
}

const attemptsOf = ({ id }: WebhookEndpoint) =>
  db.rows(sql<{ number: number; status: number | null }>`
    select number, status from delivery_attempts where endpoint_id = ${id} order by number`)

describe('the health of an endpoint', () => {
  test('is failing since the first failure, until a success', async () => {
    const endpoint = await insertEndpoint()
    await respond(endpoint, now, 204)
    expect(await readEndpoint(endpoint)).toEqual(endpoint)
    for (const [index, status] of [500, null, 301, 429].entries())
      await respond(endpoint, later(now, index * hour), status)
    expect(await readEndpoint(endpoint)).toEqual({ ...endpoint, failingSince: now })
    await respond(endpoint, later(now, 4 * hour), 200)
    expect(await readEndpoint(endpoint)).toEqual(endpoint)
    await respond(endpoint, later(now, 5 * hour), 500)
    expect((await readEndpoint(endpoint)).failingSince).toEqual(later(now, 5 * hour))
  })

  test('is healthy when one attempt of a batch succeeds', async () => {
    const endpoint = await insertEndpoint()
    const claimed = await claimNew(endpoint, 3)
    const statuses = [500, 200, 410]
    const ended = claimed.map((delivery, index) =>
      endedOf(delivery, { at: now, status: statuses[index]! }),
    )
    expect(await record(db, now, ended)).toEqual([])
    expect(await readEndpoint(endpoint)).toEqual(endpoint)
  })

  test('is disabled after five days of only failures, and not a moment before', async () => {
    const endpoint = await insertEndpoint()
    await respond(endpoint, now, 500)
    expect(await respond(endpoint, later(now, 5 * day - 1), 500)).toEqual([])
    expect(await readEndpoint(endpoint)).toMatchObject({ isEnabled: true, failingSince: now })
    const disabled = await respond(endpoint, later(now, 5 * day), null)
    expect(disabled).toEqual([await readEndpoint(endpoint)])
    const changed = { isEnabled: false, disabledReason: 'failing', failingSince: now }
    expect(await readEndpoint(endpoint)).toEqual({ ...endpoint, ...changed, eventSequence: 1 })
  })

  test('stays enabled when a success came within the five days', async () => {
    const endpoint = await insertEndpoint()
    await respond(endpoint, now, 500)
    await respond(endpoint, later(now, 4 * day), 200)
    await respond(endpoint, later(now, 4 * day + 1), 500)
    expect(await respond(endpoint, later(now, 9 * day), 500)).toEqual([])
    expect((await readEndpoint(endpoint)).isEnabled).toBe(true)
  })

  test('is disabled at once by 410', async () => {
    const endpoint = await insertEndpoint()
    expect(await respond(endpoint, now, 410)).toHaveLength(1)
    expect(await readEndpoint(endpoint)).toMatchObject({ isEnabled: false, disabledReason: 'gone' })
    expect(await deliveriesOf(endpoint)).toMatchObject([{ state: 'GIVEN_UP', finishedAt: now }])
  })

  // The merchant changed the URL because the old receiver is gone, while its last response is
  // still on its way.
  test('is not affected by responses from a previous URL', async () => {
    const endpoint = await insertEndpoint()
    const [delivery] = await claimNew(endpoint, 1)
    const name = { ...endpoint, reference: showEndpoint(endpoint).id }
    const url = 'https://example.org/new'
    await db.transaction((tx) => changeEndpoint(tx, name, { url }))
    await record(db, now, [endedOf(delivery!, { at: now, status: 410 })])
    expect(await readEndpoint(endpoint)).toMatchObject({
      url,
      isEnabled: true,
      disabledReason: null,
    })
    expect(await claimFor(db, now, endpoint)).toMatchObject([{ url, attemptNumber: 2 }])
  })

  // Nothing was attempted, so nothing failed.
  test('is not failing because it is disabled with open deliveries', async () => {
    // A real worker polls everything; it must not send what other tests left open.
    await db.rows(sql`
      update deliveries set state = 'GIVEN_UP', finished_at = ${now} where state = 'PENDING'`)
    const endpoint = await insertEndpoint('test')
    await emit(db, now, [newEventOf(endpoint.environmentId)])
    await db.rows(sql`
      update webhook_endpoints set is_enabled = false, disabled_reason = 'merchant'
      where id = ${endpoint.id}`)
    const sender = createSender({ clock: systemClock, allowsLoopback: true })
    const logger = createLogger('silent')
    const tools = { db, seal: testSeal, clock: systemClock, logger, sender }
    const deliverer = new Deliverer({ ...tools, connect: () => connect(db.url, 'manilla test') })
    deliverer.start()
    await until(async () => (await deliveriesOf(endpoint))[0]!.state === 'GIVEN_UP')
    await deliverer.stop()
    expect(await readEndpoint(endpoint)).toMatchObject({
      disabledReason: 'merchant',
      failingSince: null,
    })
  })
})

describe('the disabling of an endpoint', () => {
  test.each([
    ['gone', 410, 0],
    ['failing', 503, 5 * day],
  ])('is sent to the other endpoints when it is %s', async (reason, status, afterMs) => {
    const endpoint = await insertEndpoint()
    const { environmentId } = endpoint
    const other = (await insertAnEndpoint(db, environmentId)).endpoint
    await insertAnEndpoint(db, environmentId, { types: ['payment.held'] })
    await insertAnEndpoint(db, environmentId, { isEnabled: false })
    await insertEndpoint()
    const at = later(now, afterMs)
    await respond(endpoint, now, 500)
    await respond(endpoint, at, status)
    const [event, ...more] = await disablingsOf(environmentId)
    expect(more).toEqual([])
    expect(event).toMatchObject({ sequence: 1, endpointIds: [other.id] })
    const shown = showEndpoint(await readEndpoint(endpoint))
    expect(JSON.parse(event!.data)).toEqual(shown)
    expect(shown).toMatchObject({ enabled: false, disabledReason: reason })

    const claimed = await claimFor(db, at, other)
    const body = showEvent(claimed.find(({ type }) => type === 'webhook_endpoint.disabled')!)
    const isBody = new Ajv2020({ strict: false }).compile(bodySchema('webhook_endpoint.disabled'))
    expect([isBody(JSON.parse(body)), isBody.errors]).toEqual([true, null])
  })

  // Eight workers each have an attempt with a 410 and wait for the endpoint's row.
  test('happens once, also when many workers see it at once', async () => {
    const endpoint = await insertEndpoint()
    const claimed = await claimNew(endpoint, 8)
    const session = await openSession(db)
    await session.query('begin')
    await session.query('select from webhook_endpoints where id = $1 for update', [endpoint.id])
    const recording = claimed.map((delivery) =>
      record(db, now, [endedOf(delivery, { at: now, status: 410 })]),
    )
    await untilBlocked(db, 8)
    await session.query('rollback')
    const disabled = (await Promise.all(recording)).flat()
    expect(disabled).toHaveLength(1)
    expect(await disablingsOf(endpoint.environmentId)).toHaveLength(1)
    expect((await readEndpoint(endpoint)).eventSequence).toBe(1)
    expect(await attemptsOf(endpoint)).toHaveLength(8)
  })
})

describe('a worker that outlived its lease', () => {
  /** The same delivery, claimed by two workers. */
  async function claimTwice() {
    const endpoint = await insertEndpoint()
    const [slow] = await claimNew(endpoint, 1)
    const leaseEnd = later(now, webhookLimits.leaseMs)
    const [successor] = await claimFor(db, leaseEnd, endpoint)
    return { endpoint, slow: slow!, successor: successor!, leaseEnd }
  }

  test.each([200, 500, 410])('changes nothing with %i, but is on record', async (status) => {
    const { endpoint, slow, successor, leaseEnd } = await claimTwice()
    const before = await deliveriesOf(endpoint)
    await record(db, leaseEnd, [endedOf(slow, { at: leaseEnd, status })])
    expect(await deliveriesOf(endpoint)).toEqual(before)
    await record(db, leaseEnd, [endedOf(successor, { at: leaseEnd, status: 200 })])
    const [delivered] = await deliveriesOf(endpoint)
    expect(delivered).toMatchObject({ state: 'DELIVERED', attempts: 2, finishedAt: leaseEnd })
    expect(await attemptsOf(endpoint)).toEqual([
      { number: 1, status },
      { number: 2, status: 200 },
    ])
  })

  test('does not undo what its successor delivered, nor mark the endpoint as failing', async () => {
    const { endpoint, slow, successor, leaseEnd } = await claimTwice()
    await record(db, leaseEnd, [endedOf(successor, { at: leaseEnd, status: 200 })])
    const before = await deliveriesOf(endpoint)
    await record(db, leaseEnd, [endedOf(slow, { at: leaseEnd, status: 500 })])
    expect(await deliveriesOf(endpoint)).toEqual(before)
    expect(await attemptsOf(endpoint)).toHaveLength(2)
    expect(await readEndpoint(endpoint)).toEqual(endpoint)
  })

  test('may record the same attempt twice', async () => {
    const endpoint = await insertEndpoint()
    const [delivery] = await claimNew(endpoint, 1)
    const ended = endedOf(delivery!, { at: now, status: 500 })
    await record(db, now, [ended])
    const before = await deliveriesOf(endpoint)
    await record(db, now, [ended])
    expect(await deliveriesOf(endpoint)).toEqual(before)
    expect(await attemptsOf(endpoint)).toHaveLength(1)
  })
})

describe('the schedule', () => {
  const waits = {
    live: [
      5 * second,
      5 * minute,
      30 * minute,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
    ],
    test: [5 * second, 30 * second, 5 * minute, 20 * minute],
  }

  test.each(['live', 'test'] as const)('of %s mode ends by giving up', async (mode) => {
    const endpoint = await insertEndpoint(mode)
    await emit(db, now, [newEventOf(endpoint.environmentId)])
    let at = now
    for (const wait of waits[mode]) {
      expect(await claimFor(db, later(at, -1), endpoint)).toEqual([])
      await answerAll(db, at, { endpoint, status: 500 })
      const dueAt = later(at, wait)
      expect(await deliveriesOf(endpoint)).toMatchObject([{ state: 'PENDING', dueAt }])
      at = dueAt
    }
    await answerAll(db, at, { endpoint, status: 500 })
    const attempts = waits[mode].length + 1
    const [delivery] = await deliveriesOf(endpoint)
    expect(delivery).toMatchObject({ state: 'GIVEN_UP', finishedAt: at, attempts })
    expect(await claimFor(db, later(at, 30 * day), endpoint)).toEqual([])
    expect(await attemptsOf(endpoint)).toHaveLength(attempts)
    if (mode === 'test') expect(at.getTime() - now.getTime()).toBeLessThan(hour)
  })

  test('adds a random delay of at most a tenth', () => {
    const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    const modes = fc.constantFrom('live' as const, 'test' as const)
    fc.assert(
      fc.property(chances, modes, fc.integer({ min: 1, max: 12 }), (chance, mode, tries) => {
        const wait = waits[mode][tries - 1]
        const delayMs = nextRetryDelayMs(mode, tries, { chance })
        if (wait === undefined) return delayMs === undefined
        return delayMs! >= wait && delayMs! < wait * 1.1 + 1
      }),
    )
    expect(nextRetryDelayMs('live', 1, { chance: 0.5 })).toBe(5_250)
  })
})
