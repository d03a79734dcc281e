import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { hour, second } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { createLogger } from '../../src/base/log.js'
import { emitAll } from '../../src/events/emit.js'
import { onNewDeliveries } from '../../src/events/new-deliveries.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { recover } from '../../src/webhooks/deliveries/redeliver.js'
import { listenForDeliveries, notifyWorkers } from '../../src/webhooks/deliveries/wake-ups.js'
import { freshDatabase } from '../support/database.js'
import { startDeliverer } from '../support/deliverer.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { insertEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { openReceiver } from '../support/receiver.js'
import { openSession, until } from '../support/sessions.js'

const db = await freshDatabase()
const logger = createLogger('silent')
const never = () => new Promise<never>(() => {})

/** Polls once when it starts, and then not within the time of a test. */
async function openWorker({ pollIntervalMs = hour } = {}) {
  const { received, url } = await openReceiver()
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url })
  const worker = startDeliverer(db, { pollIntervalMs })
  await until(() => worker.polls.count > 0)
  return { received, environmentId, endpoint, worker }
}

function listenAs(worker: { wake: () => void }, connectListener: () => ReturnType<typeof connect>) {
  const wakes = { count: 0 }
  const wake = () => {
    wakes.count += 1
    worker.wake()
  }
  const listener = listenForDeliveries(wake, { connect: connectListener, logger })
  onTestFinished(() => listener.stop())
  return wakes
}

const connectNamed = (name: string) => () => connect(db.url, name)

async function emitInAnotherProcess(environmentId: EnvironmentId): Promise<void> {
  const file = path.resolve(import.meta.dirname, '../support/emit-event.mjs')
  await promisify(execFile)(process.execPath, [file, db.url, String(environmentId)])
}

test('a commit wakes the worker of its own process, without a connection to listen', async () => {
  const { received, environmentId, endpoint, worker } = await openWorker()
  listenAs(worker, never)
  for (let count = 1; count <= 3; count += 1) {
    await emit(db, new Date(), [newEventOf(environmentId)])
    await until(() => received.length === count)
  }
  // Redeliveries are due at once, too.
  await db.rows(sql`update deliveries set state = 'GIVEN_UP', finished_at = now()
    where environment_id = ${environmentId}`)
  const since = new Date(0)
  expect(
    await db.transaction((tx) => recover(tx, new Date(), { endpoint, since, types: undefined })),
  ).toBe(3)
  await until(() => received.length === 6)
})

test('a commit wakes the workers of other processes', async () => {
  const { received, environmentId, worker } = await openWorker()
  const wakes = listenAs(worker, connectNamed('test wake-ups'))
  await until(() => wakes.count === 1)
  for (let count = 1; count <= 2; count += 1) {
    await emitInAnotherProcess(environmentId)
    await until(() => received.length === count)
  }
})

test('a worker that lost its listener finds deliveries by polling', async () => {
  const { received, environmentId, worker } = await openWorker({ pollIntervalMs: second / 5 })
  listenAs(worker, () => Promise.reject(new Error('connection refused')))
  await emitInAnotherProcess(environmentId)
  await until(() => received.length === 1)
})

test('a listener that reconnects wakes its worker: it may have missed something', async () => {
  const { received, environmentId, worker } = await openWorker()
  let mayConnect = true
  const wakes = listenAs(worker, () =>
    mayConnect ? connect(db.url, 'test lost wake-ups') : Promise.reject(new Error('refused')),
  )
  await until(() => wakes.count === 1)
  mayConnect = false
  await db.rows(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'test lost wake-ups' and datname = current_database()`)
  await emitInAnotherProcess(environmentId)
  expect(received).toEqual([])
  mayConnect = true
  await until(() => received.length === 1)
})

test('only commits that made deliveries due wake, and each of them once', async () => {
  let wakes = 0
  onTestFinished(
    onNewDeliveries(() => {
      wakes += 1
    }),
  )
  const environmentId = await insertEnvironment(db)
  await emit(db, new Date(), [newEventOf(environmentId)])
  expect(wakes).toBe(0)
  await insertEndpoint(db, environmentId, { url: 'http://127.0.0.1:9/' })
  const undone = db.transaction(async (tx) => {
    emitAll(tx, new Date(), [newEventOf(environmentId)])
    await tx.rows(sql`select 1`)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(wakes).toBe(0)
  await emit(db, new Date(), [newEventOf(environmentId), newEventOf(environmentId)])
  expect(wakes).toBe(1)
})

test('many commits are one notification at once and few after it', async () => {
  const session = await openSession(db)
  const payloads: string[] = []
  session.on('notification', ({ payload = '' }) => payloads.push(payload))
  await session.query('listen new_deliveries')
  const notifier = notifyWorkers(db)
  const environmentId = await insertEnvironment(db)
  await emit(db, new Date(), [newEventOf(environmentId)])
  await notifier.stop()
  await db.rows(sql`select pg_notify('new_deliveries', 'first part over')`)
  await until(() => payloads.length === 1)
  expect(payloads).toEqual(['first part over'])

  await insertEndpoint(db, environmentId, { url: 'http://127.0.0.1:9/' })
  const again = notifyWorkers(db)
  await Promise.all(
    Array.from({ length: 8 }, () => emit(db, new Date(), [newEventOf(environmentId)])),
  )
  await again.stop()
  await db.rows(sql`select pg_notify('new_deliveries', 'over')`)
  await until(() => payloads.at(-1) === 'over')
  const count = payloads.length - 2
  expect(count).toBeGreaterThanOrEqual(1)
  expect(count).toBeLessThanOrEqual(8)
})
