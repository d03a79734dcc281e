import { verify } from 'node:crypto'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { minute, second } from '../../src/clock.js'
import { eventTypes } from '../../src/events/catalogue.js'
import { rotateSecret } from '../../src/webhooks/change-endpoints.js'
import { showEndpoint } from '../../src/webhooks/endpoint.js'
import { readPublicKey } from '../../src/webhooks/signing.js'
import { freshDatabase } from '../support/database.js'
import { startDeliverer } from '../support/deliverer.js'
import { emit, happeningOf } from '../support/deliveries.js'
import { insertEndpoint, testSeal } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { openReceiver, type Received } from '../support/receiver.js'
import { sampleOf } from '../support/samples.js'
import { until } from '../support/sessions.js'

const db = await freshDatabase()

describe('what merchants receive', async () => {
  const { received, url } = await openReceiver()
  const environmentId = await insertEnvironment(db)
  const { endpoint, secret } = await insertEndpoint(db, environmentId, { url: `${url}/hooks` })
  await emit(
    db,
    new Date(),
    eventTypes.map((type) =>
      happeningOf(environmentId, { type, data: JSON.stringify(sampleOf(type)) }),
    ),
  )
  const worker = startDeliverer(db)
  await until(() => received.length === eventTypes.length)
  await worker.stop()
  const of = (type: string) => received.find(({ body }) => JSON.parse(body).type === type)!
  const open = ({ body, headers }: Received) => new Webhook(secret.reveal()).verify(body, headers)

  test.each(eventTypes)('%s verifies with the library of Standard Webhooks', (type) => {
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

  // Whoever changes a byte, replays an old message or guesses the secret must not get through.
  test('does not verify when anything is off', () => {
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

// The merchant's servers change over one by one: both secrets must open every message meanwhile.
test('during a rotation both the old and the new secret verify', async () => {
  const { received, url } = await openReceiver()
  const environmentId = await insertEnvironment(db)
  const { endpoint, secret: old } = await insertEndpoint(db, environmentId, { url })
  const reference = showEndpoint(endpoint).id
  const { secret: fresh } = await db.transaction((tx) =>
    rotateSecret(tx, new Date(), { environmentId, reference, seal: testSeal }),
  )
  await emit(db, new Date(), [happeningOf(environmentId)])
  startDeliverer(db)
  await until(() => received.length === 1)
  const { body, headers } = received[0]!
  for (const secret of [old, fresh])
    expect(new Webhook(secret.reveal()).verify(body, headers)).toMatchObject({ sequence: 1 })
})

// A server that closes its connections between two messages has not failed.
test('a kept connection that the receiver has closed is not a failure', async () => {
  const { received, url } = await openReceiver((response) => {
    response.end('ok')
    response.socket!.setTimeout(1)
    response.socket!.once('timeout', () => response.socket?.resetAndDestroy())
  })
  const environmentId = await insertEnvironment(db)
  await insertEndpoint(db, environmentId, { url })
  const { stats } = startDeliverer(db)
  for (let count = 1; count <= 20; count += 1) {
    await emit(db, new Date(), [happeningOf(environmentId)])
    await until(() => stats.delivered === count)
  }
  expect(stats.failed).toBe(0)
  expect(received.length).toBeGreaterThanOrEqual(20)
})

// Many endpoints hang until their time is up, and each has a queue. Whoever answers must get
// everything meanwhile, and is not told to wait.
test('endpoints that hang do not delay the others', async () => {
  const { received, url } = await openReceiver((response, { path }) => {
    if (path === '/well') response.end()
  })
  const shops = await Promise.all(Array.from({ length: 30 }, () => insertEnvironment(db)))
  for (const environmentId of shops)
    for (let count = 0; count < 9; count += 1)
      await insertEndpoint(db, environmentId, { url: `${url}/hangs` })
  const [busy] = shops
  await insertEndpoint(db, busy!, { url: `${url}/well` })
  const happenings = shops.flatMap((id) => Array.from({ length: 20 }, () => happeningOf(id)))
  await emit(db, new Date(), happenings)

  const { stats } = startDeliverer(db)
  await until(() => received.filter(({ path }) => path === '/well').length === 20)
  expect(stats.failed).toBe(0)
  // One try each is under way to those of whom nothing good is known.
  expect(stats.claimed).toBeLessThanOrEqual(30 * 9 + 20)
})

// Whoever stops the service while a receiver takes its time does not lose the delivery.
test('a delivery that is cut off by a stop falls due again', async () => {
  const { received, url } = await openReceiver(() => {})
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url })
  await emit(db, new Date(), [happeningOf(environmentId)])
  const { stop } = startDeliverer(db)
  await until(() => received.length === 1)
  await stop()
  const rows = await db.rows(sql`
    select state, attempts, due_at > ${new Date()} as "isLater",
      (select count(*)::int from delivery_attempts a where a.endpoint_id = d.endpoint_id) as kept
    from deliveries d where endpoint_id = ${endpoint.id}`)
  expect(rows).toEqual([{ state: 'PENDING', attempts: 1, isLater: true, kept: 0 }])
}, 30_000)

// What a merchant has switched off is not sent, and does not stay open for ever.
test('what waits for a disabled endpoint is given up, unsent', async () => {
  const { received, url } = await openReceiver()
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url })
  await emit(db, new Date(), [happeningOf(environmentId)])
  await db.rows(sql`
    update webhook_endpoints set is_enabled = false, disabled_reason = 'merchant'
    where id = ${endpoint.id}`)
  const { stats } = startDeliverer(db)
  await until(() => stats.failed === 1)
  const [row] = await db.rows(sql<{ state: string }>`
    select state from deliveries where endpoint_id = ${endpoint.id}`)
  expect(row!.state).toBe('GIVEN_UP')
  expect(received).toEqual([])
})

test('an endpoint that answers 410 is disabled, and the operator finds it in the log', async () => {
  const { url } = await openReceiver((response) => response.writeHead(410).end())
  const environmentId = await insertEnvironment(db)
  await insertEndpoint(db, environmentId, { url })
  await emit(db, new Date(), [happeningOf(environmentId)])
  const { log } = startDeliverer(db)
  await until(() => log.length > 0)
  expect(JSON.parse(log[0]!)).toMatchObject({ reason: 'gone', msg: expect.any(String) })
})
