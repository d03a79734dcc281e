import { expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { deleteOldDeliveries } from '../../src/webhooks/deliveries/delete-old-deliveries.js'
import { countMissed, recover } from '../../src/webhooks/deliveries/redeliver.js'
import { freshDatabase } from '../support/database.js'
import { answerAll, emit, newEventOf } from '../support/deliveries.js'
import { insertEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'

const { deliveryDays, rowsDeletedPerBatchMax } = limits.retention
const now = new Date()
const longAgo = after(now, -deliveryDays * day - hour)
const lately = after(now, -deliveryDays * day + hour)

async function openEndpoint() {
  const db = await freshDatabase()
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url: 'http://127.0.0.1:1' })
  return { db, environmentId, endpoint }
}

test('deliveries and their attempts are deleted 90 days after they ended', async () => {
  const { db, environmentId, endpoint } = await openEndpoint()
  await emit(db, longAgo, [newEventOf(environmentId), newEventOf(environmentId)])
  await answerAll(db, longAgo, { endpoint, status: 200 })
  const [kept] = await emit(db, lately, [newEventOf(environmentId)])
  await answerAll(db, lately, { endpoint, status: 200 })
  const [open] = await emit(db, longAgo, [newEventOf(environmentId)])
  expect(await deleteOldDeliveries(db, now)).toBe(2)
  expect(await deleteOldDeliveries(db, now)).toBe(0)
  const deliveries = await db.rows(sql`select event_id as id from deliveries order by event_id`)
  expect(deliveries).toEqual([{ id: open }, { id: kept }])
  expect(await db.rows(sql`select event_id as id from delivery_attempts`)).toEqual([{ id: kept }])
})

// Its delivery ended today, though its event is old.
test('a delivery that was repeated is kept for 90 more days', async () => {
  const { db, environmentId, endpoint } = await openEndpoint()
  await emit(db, longAgo, [newEventOf(environmentId)])
  await answerAll(db, now, { endpoint, status: 200 })
  expect(await deleteOldDeliveries(db, now)).toBe(0)
  expect(await deleteOldDeliveries(db, after(now, deliveryDays * day + hour))).toBe(1)
})

test('deliveries are deleted in small batches', async () => {
  const { db, environmentId, endpoint } = await openEndpoint()
  const count = rowsDeletedPerBatchMax + 5
  await emit(
    db,
    longAgo,
    Array.from({ length: count }, () => newEventOf(environmentId)),
  )
  await db.rows(sql`update deliveries set state = 'DELIVERED', finished_at = ${longAgo}`)
  expect(endpoint.isEnabled).toBe(true)
  expect(await deleteOldDeliveries(db, now)).toBe(rowsDeletedPerBatchMax)
  expect(await deleteOldDeliveries(db, now)).toBe(5)
})

// Every event whose delivery was deleted seems never to have reached the endpoint.
test('events whose deliveries are deleted are not delivered again by a recovery', async () => {
  const { db, environmentId, endpoint } = await openEndpoint()
  await emit(db, longAgo, [newEventOf(environmentId)])
  await answerAll(db, longAgo, { endpoint, status: 200 })
  await emit(db, lately, [newEventOf(environmentId)])
  await db.rows(sql`update deliveries set state = 'GIVEN_UP', finished_at = ${lately}
    where state = 'PENDING'`)
  await deleteOldDeliveries(db, now)
  const missed = { endpoint, since: new Date(0), types: undefined }
  expect(await countMissed(db, now, missed)).toBe(1)
  expect(await db.transaction((tx) => recover(tx, now, missed))).toBe(1)
})
