import { expect, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import type { JsonText } from '../../src/base/json-text.js'
import { type EventType, eventTypes } from '../../src/events/catalogue.js'
import { emitAll, type NewEvent } from '../../src/events/emit.js'
import { moveAll } from '../../src/ledger/move.js'
import { sql } from '../../src/postgres/sql.js'
import { claimDeliveries } from '../../src/webhooks/deliveries/claim-deliveries.js'
import { freshDatabase } from '../support/database.js'
import { insertEndpoint as insertAnEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, now } from '../support/movements.js'
import { expectLowerProofs } from '../support/sound-books.js'

const db = await freshDatabase()

async function insertEndpoint(
  environmentId: EnvironmentId,
  options: { types?: EventType[] | null; isEnabled?: boolean } = {},
): Promise<string> {
  return (await insertAnEndpoint(db, environmentId, options)).endpoint.id
}

function newEvent(environmentId: EnvironmentId, change: Partial<NewEvent> = {}): NewEvent {
  return {
    environmentId,
    type: 'crypto_transfer.submitted',
    resourceId: newId(now),
    causeId: newId(now),
    sequence: 1,
    data: '{"z":1,"a":[2]}' as JsonText,
    ...change,
  }
}

function emit(events: NewEvent[]): Promise<string[]> {
  return db.transaction(async (tx) => emitAll(tx, now, events))
}

async function listEvents(environmentId: EnvironmentId) {
  return db.rows(sql<{ id: string; type: string; causeId: string; data: string }>`
    select id, type, cause_id, data from events
    where environment_id = ${environmentId} order by id`)
}

/** Deliveries as `cause → endpoint`. */
async function listDeliveries(environmentId: EnvironmentId): Promise<string[]> {
  const rows = await db.rows(sql<{ causeId: string; endpointId: string }>`
    select e.cause_id, d.endpoint_id
    from deliveries d join events e on e.environment_id = d.environment_id and e.id = d.event_id
    where d.environment_id = ${environmentId}`)
  return rows.map(({ causeId, endpointId }) => `${causeId} → ${endpointId}`).sort()
}

// Merchants are notified of everything that was committed: money, event and delivery together.
test('commits an event and its deliveries with their cause', async () => {
  const environmentId = await insertEnvironment(db)
  const endpoint = await insertEndpoint(environmentId)
  const funding = fundingOf({ environmentId, asset: 'USDC' }, 5n)
  await db.transaction(async (tx) => {
    await moveAll(tx, now, [funding])
    emitAll(tx, now, [newEvent(environmentId, { causeId: funding.causeId })])
  })
  expect(await listEvents(environmentId)).toMatchObject([{ causeId: funding.causeId }])
  expect(await listDeliveries(environmentId)).toEqual([`${funding.causeId} → ${endpoint}`])
  await expectLowerProofs(db)
})

// And of nothing else: if the cause or the event fails, no money, event or delivery remains.
test('rolls back an event and its deliveries with their cause', async () => {
  const environmentId = await insertEnvironment(db)
  await insertEndpoint(environmentId)
  const funding = fundingOf({ environmentId, asset: 'USDC' }, 5n)
  const event = newEvent(environmentId, { causeId: funding.causeId })
  const failures = [
    () =>
      db.transaction(async (tx) => {
        emitAll(tx, now, [event])
        await moveAll(tx, now, [funding, funding])
      }),
    () =>
      db.transaction(async (tx) => {
        await moveAll(tx, now, [funding])
        emitAll(tx, now, [event, { ...event, type: 'crypto_transfer.failed' }])
      }),
    () =>
      db.transaction(async (tx) => {
        await moveAll(tx, now, [funding])
        emitAll(tx, now, [event])
        throw new Error('rolled back')
      }),
  ]
  for (const fail of failures) await expect(fail()).rejects.toThrow()
  const remaining = await db.rows(sql`
    select 'transfer' from ledger_transfers where environment_id = ${environmentId}
    union all select 'event' from events where environment_id = ${environmentId}
    union all select 'delivery' from deliveries where environment_id = ${environmentId}`)
  expect(remaining).toEqual([])
})

// Whether it is emitted again in the same list, later, or at the same time.
test('allows one event per type and cause, by constraint', async () => {
  const environmentId = await insertEnvironment(db)
  const event = newEvent(environmentId)
  const repeated = { ...event, resourceId: newId(now), sequence: 9 }
  const refused = { constraint: 'one_event_per_type_and_cause' }
  await expect(emit([event, repeated])).rejects.toMatchObject(refused)
  await emit([event])
  await expect(emit([repeated])).rejects.toMatchObject(refused)
  await emit([{ ...repeated, type: 'crypto_transfer.confirmed' }])

  const racing = newEvent(environmentId)
  const racers = Array.from({ length: 8 }, () => ({ ...racing, resourceId: newId(now) }))
  const outcomes = await Promise.allSettled(racers.map((racer) => emit([racer])))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await listEvents(environmentId)).toHaveLength(3)

  // The same cause id in another environment is another event.
  const other = await insertEnvironment(db)
  await emit([{ ...event, environmentId: other }])
})

// Receivers order the events of a resource by sequence number.
test('uses each positive sequence number of a resource once', async () => {
  const environmentId = await insertEnvironment(db)
  const event = newEvent(environmentId)
  await emit([event])
  const same = { ...event, causeId: newId(now) }
  await expect(emit([same])).rejects.toMatchObject({
    constraint: 'event_sequence_grows_per_resource',
  })
  await expect(emit([{ ...same, sequence: 0 }])).rejects.toMatchObject({
    constraint: 'event_sequence_is_positive',
  })
  await emit([{ ...same, sequence: 2 }])
})

test('delivers only to enabled endpoints of the environment that listen to the type', async () => {
  const [environmentId, other] = [await insertEnvironment(db), await insertEnvironment(db)]
  const everything = await insertEndpoint(environmentId)
  const failures = await insertEndpoint(environmentId, {
    types: ['crypto_transfer.failed', 'bank_transfer.failed'],
  })
  await insertEndpoint(environmentId, { types: [] })
  await insertEndpoint(environmentId, { isEnabled: false })
  await insertEndpoint(environmentId, { types: ['crypto_transfer.failed'], isEnabled: false })
  const others = await insertEndpoint(other)

  const submitted = newEvent(environmentId)
  const failed = newEvent(environmentId, { type: 'crypto_transfer.failed' })
  const elsewhere = newEvent(other, { type: 'crypto_transfer.failed' })
  await emit([submitted, failed, elsewhere])

  expect(await listDeliveries(environmentId)).toEqual(
    [
      `${submitted.causeId} → ${everything}`,
      `${failed.causeId} → ${everything}`,
      `${failed.causeId} → ${failures}`,
    ].sort(),
  )
  expect(await listDeliveries(other)).toEqual([`${elsewhere.causeId} → ${others}`])
  await expectLowerProofs(db)
})

// For the list of events, and for recovery by endpoints created later.
test('keeps an event that no endpoint listens to', async () => {
  const environmentId = await insertEnvironment(db)
  await emit(eventTypes.map((type) => newEvent(environmentId, { type })))
  expect(await listEvents(environmentId)).toHaveLength(eventTypes.length)
  expect(await listDeliveries(environmentId)).toEqual([])
  await emit([])
})

// The data holds the merchant's own JSON text: key order, spaces and characters must not change.
test('keeps the data of an event byte for byte', async () => {
  const environmentId = await insertEnvironment(db)
  const data = '{ "b" : 1, "a": {"ü": "₦ 👍"}, "b2": 1.0, "n": null }' as JsonText
  await emit([newEvent(environmentId, { data })])
  expect(await listEvents(environmentId)).toMatchObject([{ data }])
})

test('makes a new delivery due at once, for the worker that claims it', async () => {
  const environmentId = await insertEnvironment(db)
  const endpointId = await insertEndpoint(environmentId)
  await db.rows(sql`update deliveries set state = 'DELIVERED', finished_at = ${now}`)
  await emit([newEvent(environmentId)])
  const [stored] = await listEvents(environmentId)
  const claimed = await claimDeliveries(db, now, [{ environmentId, endpointId, capacity: 10 }])
  expect(claimed).toMatchObject([
    { environmentId, eventId: stored!.id, endpointId, attemptNumber: 1 },
  ])
})

test.each([
  `update events set data = '{}'`,
  `update events set sequence = sequence where false`,
  'delete from events',
  'truncate events',
])('rejects: %s', async (text) => {
  const environmentId = await insertEnvironment(db)
  await emit([newEvent(environmentId)])
  const before = await listEvents(environmentId)
  await expect(db.rows({ text, values: [] })).rejects.toMatchObject({
    code: '23001',
    message: 'events rows are never edited or removed',
  })
  expect(await listEvents(environmentId)).toEqual(before)
})
