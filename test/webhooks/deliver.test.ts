import { verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { minute, second } from '../../src/base/clock.js'
import { toJson } from '../../src/base/json-text.js'
import { createLogger } from '../../src/base/log.js'
import { eventTypes } from '../../src/events/catalogue.js'
import { eventList } from '../../src/events/find-events.js'
import { readList } from '../../src/postgres/lists/find-ids.js'
import { sql } from '../../src/postgres/sql.js'
import { handBackDeliveries } from '../../src/webhooks/deliveries/claim-deliveries.js'
import { redeliver } from '../../src/webhooks/deliveries/redeliver.js'
import { readPublicKey } from '../../src/webhooks/deliveries/signing.js'
import { rotateSecret } from '../../src/webhooks/endpoints/change-endpoints.js'
import { listDeliveryHours } from '../../src/webhooks/endpoints/hourly-counts.js'
import { showEndpoint } from '../../src/webhooks/endpoints/resource.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { startDeliverer } from '../support/deliverer.js'
import { claimFor, emit, endedOf, newEventOf, record } from '../support/deliveries.js'
import { insertEndpoint, testSeal } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { openReceiver, type Received } from '../support/receiver.js'
import { sampleOf } from '../support/samples.js'
import { until } from '../support/sessions.js'

const db = await freshDatabase()
const firstPage = { before: undefined, limit: 10 }

describe('what merchants receive', async () => {
  const { received, url } = await openReceiver()
  const environmentId = await insertEnvironment(db)
  const { endpoint, secret } = await insertEndpoint(db, environmentId, { url: `${url}/hooks` })
  await emit(
    db,
    new Date(),
    eventTypes.map((type) => newEventOf(environmentId, { type, data: toJson(sampleOf(type)) })),
  )
  const worker = startDeliverer(db)
  await until(() => received.length === eventTypes.length)
  await worker.stop()
  const of = (type: string) => received.find(({ body }) => JSON.parse(body).type === type)!
  const open = ({ body, headers }: Received) => new Webhook(secret.reveal()).verify(body, headers)

  test.each(eventTypes)('%s verifies with the Standard Webhooks library', (type) => {
    const { body, headers } = of(type)
    const event = open(of(type))
    expect(event).toMatchObject({ id: headers['webhook-id'], type, mode: 'test', sequence: 1 })
    expect(JSON.parse(body).data).toEqual(sampleOf(type))
    expect(headers['content-type']).toBe('application/json')
  })

  test('also verifies with the public key of the endpoint', () => {
    for (const { body, headers } of received) {
      const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      const signature = headers['webhook-signature']!.split(' v1a,')[1]!
      const key = readPublicKey(endpoint.publicKey)
      expect(verify(null, Buffer.from(content), key, Buffer.from(signature, 'base64'))).toBe(true)
    }
  })

  test('a changed byte, an old message or another secret does not verify', () => {
    const one = of('crypto_transfer.confirmed')
    for (let place = 0; place < one.body.length; place += 7) {
      const changed = Buffer.from(one.body)
      changed[place]! ^= 1
      expect(() => open({ ...one, body: changed.toString() })).toThrow('No matching signature')
    }
    const old = String(Math.floor(Date.now() / 1_000 - (6 * minute) / second))
    const late = { ...one.headers, 'webhook-timestamp': old }
    expect(() => open({ ...one, headers: late })).toThrow('Message timestamp too old')
    const other = new Webhook(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
    expect(() => other.verify(one.body, one.headers)).toThrow('No matching signature')
    expect(() => open({ ...one, headers: of('balance.low').headers })).toThrow('No matching')
  })
})

// The merchant's servers switch one by one: both secrets must verify every message meanwhile.
test('during a rotation both the old and the new secret verify', async () => {
  const { received, url } = await openReceiver()
  const environmentId = await insertEnvironment(db)
  const { endpoint, secret: old } = await insertEndpoint(db, environmentId, { url })
  const reference = showEndpoint(endpoint).id
  const { secret: fresh } = await db.transaction((tx) =>
    rotateSecret(tx, new Date(), { environmentId, reference, seal: testSeal }),
  )
  await emit(db, new Date(), [newEventOf(environmentId)])
  startDeliverer(db)
  await until(() => received.length === 1)
  const { body, headers } = received[0]!
  for (const secret of [old, fresh])
    expect(new Webhook(secret.reveal()).verify(body, headers)).toMatchObject({ sequence: 1 })
})

test('an idle connection that the receiver closed is not a failure', async () => {
  const { received, url } = await openReceiver((response) => {
    response.end('ok')
    response.socket!.setTimeout(1)
    response.socket!.once('timeout', () => response.socket?.resetAndDestroy())
  })
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url })
  const { stats, stop } = startDeliverer(db)
  for (let count = 1; count <= 20; count += 1) {
    await emit(db, new Date(), [newEventOf(environmentId)])
    await until(() => stats.delivered === count)
  }
  expect(stats.failed).toBe(0)
  expect(received.length).toBeGreaterThanOrEqual(20)
  await stop()
  const hours = await listDeliveryHours(db, endpoint, new Date())
  expect(hours.reduce((sum, { delivered, failed }) => sum + delivered + 100 * failed, 0)).toBe(20)
})

// Many endpoints hang until the timeout, and each has a queue. An endpoint that responds must get
// everything meanwhile.
test('endpoints that hang do not delay the others', async () => {
  const { received, url } = await openReceiver((response, { path }) => {
    if (path === '/healthy') response.end()
  })
  const shops = await Promise.all(Array.from({ length: 30 }, () => insertEnvironment(db)))
  for (const environmentId of shops)
    for (let count = 0; count < 9; count += 1)
      await insertEndpoint(db, environmentId, { url: `${url}/hangs` })
  const [busy] = shops
  await insertEndpoint(db, busy!, { url: `${url}/healthy` })
  const events = shops.flatMap((id) => Array.from({ length: 20 }, () => newEventOf(id)))
  await emit(db, new Date(), events)

  const { stats } = startDeliverer(db)
  await until(() => received.filter(({ path }) => path === '/healthy').length === 20)
  expect(stats.failed).toBe(0)
  // Unproven endpoints have one attempt each in flight.
  expect(stats.claimed).toBeLessThanOrEqual(30 * 9 + 20)
})

// The receiver may never have seen it, so no attempt is used up and no lease has to end.
test('a delivery that a shutdown cuts off is due at once and not counted', async () => {
  const { received, url } = await openReceiver((response) => {
    if (received.length === 1) response.end()
  })
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url })
  const { stats, stop } = startDeliverer(db)
  for (const count of [1, 2]) {
    await emit(db, new Date(), [newEventOf(environmentId)])
    await until(() => received.length === count && stats.delivered === 1)
  }
  await stop()
  // It is not sent again over a new connection: one that we closed ourselves is not stale.
  expect(received).toHaveLength(2)
  const rows = await db.rows(sql`
    select state, attempts, tries, is_under_way, due_at > ${new Date()} as is_later,
      (select count(*)::int from delivery_attempts a where a.event_id = d.event_id) as kept
    from deliveries d where endpoint_id = ${endpoint.id} order by created_at`)
  expect(rows).toEqual([
    { state: 'DELIVERED', attempts: 1, tries: 1, isUnderWay: false, isLater: false, kept: 1 },
    { state: 'PENDING', attempts: 0, tries: 0, isUnderWay: false, isLater: false, kept: 0 },
  ])
  const [again] = await claimFor(db, new Date(), endpoint)
  expect(again).toMatchObject({ attemptNumber: 1, attemptsInSchedule: 1 })
  await record(db, new Date(), [endedOf(again!, { at: new Date(), status: 200 })])
  expect(
    await db.rows(sql`
      select number from delivery_attempts a
      where endpoint_id = ${endpoint.id} and event_id = ${again!.eventId}`),
  ).toEqual([{ number: 1 }])
}, 30_000)

// A worker that stops late, or beside a redelivery, must not undo what happened since.
test('handing back changes nothing once the delivery was claimed or requested again', async () => {
  const environmentId = await insertEnvironment(db, 'test')
  const { endpoint } = await insertEndpoint(db, environmentId)
  await emit(db, new Date(), [newEventOf(environmentId)])
  const [first] = await claimFor(db, new Date(), endpoint)
  const read = () =>
    db.rows(sql`
      select attempts, tries, due_at, is_under_way from deliveries where endpoint_id = ${endpoint.id}`)
  const later = new Date(Date.now() + 2 * minute)
  await claimFor(db, later, endpoint)
  const claimed = await read()
  await handBackDeliveries(db, new Date(), [first!])
  expect(await read()).toEqual(claimed)

  const [second] = await claimFor(db, new Date(later.getTime() + 2 * minute), endpoint)
  const { rows: events } = await readList(db, eventList, { environmentId, filter: {} }, firstPage)
  const [event] = events
  await db.transaction((tx) => redeliver(tx, later, { event: event!, endpoint }))
  const requested = await read()
  await handBackDeliveries(db, new Date(), [second!])
  expect(await read()).toEqual(requested)
})

// The merchant requests a redelivery while the last scheduled attempt is in flight and fails.
test('a redelivery is not lost to an attempt in flight', async () => {
  const environmentId = await insertEnvironment(db, 'test')
  const { endpoint } = await insertEndpoint(db, environmentId)
  await emit(db, new Date(), [newEventOf(environmentId)])
  await db.rows(
    sql`update deliveries set tries = 4, attempts = 4 where endpoint_id = ${endpoint.id}`,
  )
  const [last] = await claimFor(db, new Date(), endpoint)
  const { rows: events } = await readList(db, eventList, { environmentId, filter: {} }, firstPage)
  const [event] = events
  const at = new Date()
  await db.transaction((tx) => redeliver(tx, at, { event: event!, endpoint }))
  await record(db, at, [endedOf(last!, { at, status: 500 })])
  expect(await claimFor(db, at, endpoint)).toMatchObject([
    { attemptNumber: 6, attemptsInSchedule: 1 },
  ])
})

// A damaged secret, or one sealed with another key, must not be retried forever.
test('a delivery that cannot be signed is retried by the schedule and given up', async () => {
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId)
  await db.rows(sql`update webhook_endpoints set secret = 'damaged' where id = ${endpoint.id}`)
  await emit(db, new Date(), [newEventOf(environmentId)])
  const { log } = startDeliverer(db)
  const attempts = () =>
    db.rows(sql<{ error: string }>`
      select error from delivery_attempts where endpoint_id = ${endpoint.id} order by number`)
  await until(async () => (await attempts()).length === 1)
  expect(await attempts()).toEqual([{ error: 'internal error' }])
  expect(log.join()).toContain('could not send a delivery')
  await db.rows(sql`
    update deliveries set tries = 20, attempts = 20, due_at = created_at
    where endpoint_id = ${endpoint.id}`)
  const stateOf = sql<{ state: string }>`
    select state from deliveries where endpoint_id = ${endpoint.id}`
  await until(async () => (await attempts()).length === 2)
  expect(await db.rows(stateOf)).toEqual([{ state: 'GIVEN_UP' }])
  expect((await attempts())[1]).toEqual({ error: 'no attempt was completed' })
})

// A dead receiver with thousands of deliveries would otherwise fill the log.
test('failures of an endpoint are logged once a minute, with their number', async () => {
  const db = await freshDatabase()
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url: 'http://127.0.0.1:1' })
  const other = await insertEndpoint(db, environmentId, { url: 'http://127.0.0.1:1/other' })
  const clock = manualClock(new Date())
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => lines.push(line) })
  const failures = () =>
    lines.filter((line) => line.includes('attempt failed')).map((line) => JSON.parse(line))
  await emit(
    db,
    clock.now(),
    Array.from({ length: 20 }, () => newEventOf(environmentId)),
  )
  const worker = startDeliverer(db, { clock, logger })
  await until(() => worker.stats.failed === 40)
  expect(
    failures()
      .map((line) => line.endpoint)
      .sort(),
  ).toEqual([endpoint, other.endpoint].map((each) => showEndpoint(each).id).sort())
  expect(failures().every((line) => line.unlogged === undefined)).toBe(true)
  clock.advance(minute)
  worker.wake()
  await until(() => failures().length === 4)
  expect(failures().slice(2)).toMatchObject([{ unlogged: 19 }, { unlogged: 19 }])
  await worker.stop()
})

test('open deliveries of a disabled endpoint are given up, unsent', async () => {
  const { received, url } = await openReceiver()
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url })
  await emit(db, new Date(), [newEventOf(environmentId)])
  await db.rows(sql`
    update webhook_endpoints set is_enabled = false, disabled_reason = 'merchant'
    where id = ${endpoint.id}`)
  startDeliverer(db)
  await until(async () => {
    const [row] = await db.rows(sql<{ state: string }>`
      select state from deliveries where endpoint_id = ${endpoint.id}`)
    return row!.state === 'GIVEN_UP'
  })
  expect(received).toEqual([])
})

test('an endpoint that responds with 410 is disabled, which is logged', async () => {
  const { url } = await openReceiver((response) => response.writeHead(410).end())
  const environmentId = await insertEnvironment(db)
  await insertEndpoint(db, environmentId, { url })
  await emit(db, new Date(), [newEventOf(environmentId)])
  const { log } = startDeliverer(db)
  await until(() => log.length > 0)
  expect(JSON.parse(log[0]!)).toMatchObject({ reason: 'gone', msg: expect.any(String) })
})
