import { expect, onTestFinished, test } from 'vitest'
import { after, hour } from '../../src/base/clock.js'
import { emitAll } from '../../src/events/emit.js'
import { type Courier, setCourier } from '../../src/events/new-deliveries.js'
import { sql } from '../../src/postgres/sql.js'
import { webhookLimits } from '../../src/webhooks/limits.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { startDeliverer } from '../support/deliverer.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { insertEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'

const db = await freshDatabase()

function useCourier(courier: Courier): void {
  onTestFinished(setCourier(db.name, courier))
}

async function openEndpoint(answer?: Parameters<typeof openReceiver>[0]) {
  const { received, url } = await openReceiver(answer)
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url })
  return { received, environmentId, endpoint }
}

/** Polls once when it starts and then only when woken, which these tests do not do by a commit. */
async function openWorker() {
  const worker = startDeliverer(db, { pollIntervalMs: hour })
  await until(() => worker.polls.count === 1)
  useCourier(worker.courier)
  return worker
}

function deliveriesOf(environmentId: number) {
  return db.rows(sql<{ state: string; attempts: number; tries: number; isUnderWay: boolean }>`
    select state, attempts, tries, is_under_way from deliveries
    where environment_id = ${environmentId} order by event_id`)
}

const delivered = { state: 'DELIVERED', attempts: 1, tries: 1, isUnderWay: false }
const due = { state: 'PENDING', attempts: 0, tries: 0, isUnderWay: false }
const leased = { state: 'PENDING', attempts: 1, tries: 1, isUnderWay: true }

test('what a process commits is sent by its own worker without a claim', async () => {
  const { received, environmentId } = await openEndpoint()
  const worker = await openWorker()
  const [id] = await emit(db, new Date(), [newEventOf(environmentId)])
  await until(async () => (await deliveriesOf(environmentId))[0]!.state === 'DELIVERED')
  expect(await deliveriesOf(environmentId)).toEqual([delivered])
  expect(received).toHaveLength(1)
  expect(worker.polls.count).toBe(1)
  const [event] = await db.rows(sql<{ data: string }>`select data from events where id = ${id}`)
  expect(JSON.parse(received[0]!.body).data).toEqual(JSON.parse(event!.data))
})

test('nothing is sent of a transaction that is rolled back', async () => {
  const { received, environmentId } = await openEndpoint()
  await openWorker()
  const failing = db.transaction(async (tx) => {
    emitAll(tx, new Date(), [newEventOf(environmentId)])
    await tx.rows(sql`select 1 / 0`)
  })
  await expect(failing).rejects.toThrow('division by zero')
  await emit(db, new Date(), [newEventOf(environmentId)])
  await until(async () => (await deliveriesOf(environmentId))[0]!.state === 'DELIVERED')
  expect(received).toHaveLength(1)
})

// A new endpoint may have one delivery in flight. The others are claimed once it has responded.
test('deliveries beyond the capacity of their endpoint are handed back and sent once', async () => {
  const { received, environmentId } = await openEndpoint()
  const worker = await openWorker()
  const events = Array.from({ length: 20 }, () => newEventOf(environmentId))
  await emit(db, new Date(), events)
  await until(async () =>
    (await deliveriesOf(environmentId)).every(({ state }) => state === 'DELIVERED'),
  )
  expect(await deliveriesOf(environmentId)).toEqual(events.map(() => delivered))
  expect(received).toHaveLength(20)
  expect(worker.polls.count).toBeGreaterThan(1)
})

test('failing endpoints, full ones and those of other databases are left to claims', async () => {
  const { environmentId, endpoint } = await openEndpoint()
  const sent: unknown[] = []
  const until = after(new Date(), hour)
  const lease = { until, fullEndpoints: [] as string[] }
  useCourier({ lease: () => lease, send: (deliveries) => sent.push(...deliveries) })
  await db.rows(sql`update webhook_endpoints set failing_since = now() where id = ${endpoint.id}`)
  await emit(db, new Date(), [newEventOf(environmentId)])
  await db.rows(sql`update webhook_endpoints set failing_since = null where id = ${endpoint.id}`)
  lease.fullEndpoints = [endpoint.id]
  await emit(db, new Date(), [newEventOf(environmentId)])
  expect(await deliveriesOf(environmentId)).toEqual([due, due])

  const other = await freshDatabase()
  const elsewhere = await insertEnvironment(other)
  await insertEndpoint(other, elsewhere)
  await emit(other, new Date(), [newEventOf(elsewhere)])
  expect(await other.rows(sql`select attempts from deliveries`)).toEqual([{ attempts: 0 }])
  expect(sent).toEqual([])
})

// The process dies between the commit and the request.
test('a leased delivery that was not sent is claimed when its lease ends', async () => {
  const { received, environmentId } = await openEndpoint()
  const clock = manualClock()
  const lease = { until: after(clock.now(), webhookLimits.leaseMs), fullEndpoints: [] }
  useCourier({ lease: () => lease, send: () => {} })
  await emit(db, clock.now(), [newEventOf(environmentId)])
  expect(await deliveriesOf(environmentId)).toEqual([leased])

  const successor = startDeliverer(db, { clock, pollIntervalMs: 10 })
  clock.advance(webhookLimits.leaseMs - 1)
  const polls = successor.polls.count
  await until(() => successor.polls.count > polls + 2)
  expect(received).toEqual([])
  clock.advance(1)
  await until(async () => (await deliveriesOf(environmentId))[0]!.state === 'DELIVERED')
  expect(await deliveriesOf(environmentId)).toEqual([{ ...delivered, attempts: 2, tries: 2 }])
  expect(received).toHaveLength(1)
})

test('a worker takes nothing after its stop, nor what an attempt could outlive', async () => {
  const { received, environmentId } = await openEndpoint()
  const worker = await openWorker()
  const { attemptTimeoutMs } = webhookLimits
  const late = { until: after(new Date(), attemptTimeoutMs), fullEndpoints: [] }
  const { courier } = worker
  onTestFinished(setCourier(db.name, { lease: () => late, send: courier.send.bind(courier) }))
  await emit(db, new Date(), [newEventOf(environmentId)])
  expect(await deliveriesOf(environmentId)).toEqual([leased])
  await worker.stop()
  expect(courier.lease()).toBeUndefined()
  expect(await deliveriesOf(environmentId)).toEqual([leased])
  expect(received).toEqual([])
})
