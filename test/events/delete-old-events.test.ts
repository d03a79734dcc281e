import { expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { deleteOldEvents } from '../../src/events/delete-old-events.js'
import { eventProofs } from '../../src/events/proofs.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { insertEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'

const { eventDays, deliveryDays, rowsDeletedPerBatchMax } = limits.retention
const now = new Date()
const longAgo = after(now, -eventDays * day - hour)
const lately = after(now, -eventDays * day + hour)

test('events are deleted after the days that the operator sets', async () => {
  const db = await freshDatabase()
  const [one, other] = [await insertEnvironment(db), await insertEnvironment(db)]
  await emit(db, longAgo, [newEventOf(one), newEventOf(other)])
  const [kept] = await emit(db, lately, [newEventOf(one)])
  expect(await deleteOldEvents(db, now, eventDays)).toBe(2)
  expect(await deleteOldEvents(db, now, eventDays)).toBe(0)
  expect(await db.rows(sql`select id from events`)).toEqual([{ id: kept }])
  // A shorter period deletes more, a longer one nothing.
  expect(await deleteOldEvents(db, now, eventDays + 1)).toBe(0)
  expect(await deleteOldEvents(db, now, deliveryDays)).toBe(1)
})

test('an event stays as long as one of its deliveries', async () => {
  const db = await freshDatabase()
  const environmentId = await insertEnvironment(db)
  await insertEndpoint(db, environmentId, { url: 'http://127.0.0.1:1' })
  await emit(db, longAgo, [newEventOf(environmentId)])
  expect(await deleteOldEvents(db, now, eventDays)).toBe(0)
  await db.rows(sql`delete from deliveries`)
  expect(await deleteOldEvents(db, now, eventDays)).toBe(1)
  for (const { counterexamples } of eventProofs)
    expect(await db.rows({ text: counterexamples, values: [] })).toEqual([])
})

test('events are deleted in small batches', async () => {
  const db = await freshDatabase()
  const environmentId = await insertEnvironment(db)
  const count = rowsDeletedPerBatchMax + 5
  await emit(
    db,
    longAgo,
    Array.from({ length: count }, () => newEventOf(environmentId)),
  )
  expect(await deleteOldEvents(db, now, eventDays)).toBe(rowsDeletedPerBatchMax)
  expect(await deleteOldEvents(db, now, eventDays)).toBe(5)
})

// A mistake in a query, or in the job itself, must not remove what merchants may still ask for.
test('no other way deletes an event, and none changes one', async () => {
  const db = await freshDatabase()
  const environmentId = await insertEnvironment(db)
  await emit(db, longAgo, [newEventOf(environmentId)])
  await emit(db, after(now, -deliveryDays * day + hour), [newEventOf(environmentId)])
  const refused = { code: '23001' }
  await expect(db.rows(sql`delete from events`)).rejects.toMatchObject(refused)
  await expect(db.rows(sql`update events set type = 'x'`)).rejects.toMatchObject(refused)
  await expect(db.rows(sql`truncate events`)).rejects.toMatchObject(refused)
  // Even a job that asks for everything keeps 90 days.
  await expect(deleteOldEvents(db, now, 0)).rejects.toMatchObject(refused)
  expect(await db.rows(sql`select from events`)).toHaveLength(2)
})
