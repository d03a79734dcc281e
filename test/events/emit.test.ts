import { expect, test } from 'vitest'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { type EventType, eventTypes } from '../../src/events/catalogue.js'
import { emitAll, type NewEvent } from '../../src/events/emit.js'
import { moveAll } from '../../src/ledger/move.js'
import { sql } from '../../src/postgres/sql.js'
import { claimDeliveries } from '../../src/webhooks/claim-deliveries.js'
import { freshDatabase } from '../support/database.js'
import { insertEndpoint as insertAnEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, now } from '../support/movements.js'
import { expectSoundLedger } from '../support/sound-books.js'

const db = await freshDatabase()

async function insertEndpoint(
  environmentId: EnvironmentId,
  wish: { types?: EventType[] | null; isEnabled?: boolean } = {},
): Promise<string> {
  return (await insertAnEndpoint(db, environmentId, wish)).endpoint.id
}

function happening(environmentId: EnvironmentId, change: Partial<NewEvent> = {}): NewEvent {
  return {
    environmentId,
    type: 'crypto_transfer.submitted',
    resourceId: newId(now),
    causeId: newId(now),
    sequence: 1,
    data: '{"z":1,"a":[2]}',
    ...change,
  }
}

function emit(happenings: NewEvent[]): Promise<string[]> {
  return db.transaction(async (tx) => emitAll(tx, now, happenings))
}

async function listEvents(environmentId: EnvironmentId) {
  return db.rows(sql<{ id: string; type: string; causeId: string; data: string }>`
    select id, type, cause_id as "causeId", data from events
    where environment_id = ${environmentId} order by id`)
}

/** Who must hear of which cause, as `cause → endpoint`. */
async function listDeliveries(environmentId: EnvironmentId): Promise<string[]> {
  const rows = await db.rows(sql<{ causeId: string; endpointId: string }>`
    select e.cause_id as "causeId", d.endpoint_id as "endpointId"
    from deliveries d join events e on e.environment_id = d.environment_id and e.id = d.event_id
    where d.environment_id = ${environmentId}`)
  return rows.map(({ causeId, endpointId }) => `${causeId} → ${endpointId}`).sort()
}

// The merchant hears of everything that is true: money, event and delivery are there together.
test('an event and its deliveries commit with their cause', async () => {
  const environmentId = await insertEnvironment(db)
  const endpoint = await insertEndpoint(environmentId)
  const funding = fundingOf({ environmentId, asset: 'USDC' }, 5n)
  await db.transaction(async (tx) => {
    await moveAll(tx, now, [funding])
    emitAll(tx, now, [happening(environmentId, { causeId: funding.causeId })])
  })
  expect(await listEvents(environmentId)).toMatchObject([{ causeId: funding.causeId }])
  expect(await listDeliveries(environmentId)).toEqual([`${funding.causeId} → ${endpoint}`])
  await expectSoundLedger(db)
})

// And of nothing else: when the cause fails after the event was written, or the event itself fails,
// there is neither money nor event nor delivery.
test('an event and its deliveries vanish with their cause', async () => {
  const environmentId = await insertEnvironment(db)
  await insertEndpoint(environmentId)
  const funding = fundingOf({ environmentId, asset: 'USDC' }, 5n)
  const told = happening(environmentId, { causeId: funding.causeId })
  const failures = [
    () =>
      db.transaction(async (tx) => {
        emitAll(tx, now, [told])
        await moveAll(tx, now, [funding, funding])
      }),
    () =>
      db.transaction(async (tx) => {
        await moveAll(tx, now, [funding])
        emitAll(tx, now, [told, { ...told, type: 'crypto_transfer.failed' }])
      }),
    () =>
      db.transaction(async (tx) => {
        await moveAll(tx, now, [funding])
        emitAll(tx, now, [told])
        throw new Error('changed its mind')
      }),
  ]
  for (const fail of failures) await expect(fail()).rejects.toThrow()
  const left = await db.rows(sql`
    select 'transfer' from ledger_transfers where environment_id = ${environmentId}
    union all select 'event' from events where environment_id = ${environmentId}
    union all select 'delivery' from deliveries where environment_id = ${environmentId}`)
  expect(left).toEqual([])
})

// A cause is told once per type, whoever tries again: in the same list, later, or at the same time.
test('one event per type and cause, by constraint', async () => {
  const environmentId = await insertEnvironment(db)
  const told = happening(environmentId)
  const again = { ...told, resourceId: newId(now), sequence: 9 }
  const refused = { constraint: 'one_event_per_type_and_cause' }
  await expect(emit([told, again])).rejects.toMatchObject(refused)
  await emit([told])
  await expect(emit([again])).rejects.toMatchObject(refused)
  await emit([{ ...again, type: 'crypto_transfer.confirmed' }])

  const racing = happening(environmentId)
  const racers = Array.from({ length: 8 }, () => ({ ...racing, resourceId: newId(now) }))
  const outcomes = await Promise.allSettled(racers.map((racer) => emit([racer])))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await listEvents(environmentId)).toHaveLength(3)

  // Another merchant may have the same cause by chance; it is another event.
  const other = await insertEnvironment(db)
  await emit([{ ...told, environmentId: other }])
})

// The sequence lets a receiver tell old from new, so no number of a resource comes twice.
test('a sequence number of a resource is given once, and is positive', async () => {
  const environmentId = await insertEnvironment(db)
  const told = happening(environmentId)
  await emit([told])
  const same = { ...told, causeId: newId(now) }
  await expect(emit([same])).rejects.toMatchObject({
    constraint: 'event_sequence_grows_per_resource',
  })
  await expect(emit([{ ...same, sequence: 0 }])).rejects.toMatchObject({
    constraint: 'event_sequence_is_positive',
  })
  await emit([{ ...same, sequence: 2 }])
})

// Whoever listens to everything hears everything; whoever chose types hears those; whoever is
// disabled, listens to nothing, or belongs to somebody else, hears nothing.
test('only enabled endpoints that listen to the type get a delivery', async () => {
  const [environmentId, other] = [await insertEnvironment(db), await insertEnvironment(db)]
  const everything = await insertEndpoint(environmentId)
  const failures = await insertEndpoint(environmentId, {
    types: ['crypto_transfer.failed', 'bank_transfer.failed'],
  })
  await insertEndpoint(environmentId, { types: [] })
  await insertEndpoint(environmentId, { isEnabled: false })
  await insertEndpoint(environmentId, { types: ['crypto_transfer.failed'], isEnabled: false })
  const others = await insertEndpoint(other)

  const submitted = happening(environmentId)
  const failed = happening(environmentId, { type: 'crypto_transfer.failed' })
  const elsewhere = happening(other, { type: 'crypto_transfer.failed' })
  await emit([submitted, failed, elsewhere])

  expect(await listDeliveries(environmentId)).toEqual(
    [
      `${submitted.causeId} → ${everything}`,
      `${failed.causeId} → ${everything}`,
      `${failed.causeId} → ${failures}`,
    ].sort(),
  )
  expect(await listDeliveries(other)).toEqual([`${elsewhere.causeId} → ${others}`])
  await expectSoundLedger(db)
})

// Nobody listens yet: the event is kept all the same, for the list of events and for recovery.
test('an event without listeners is kept', async () => {
  const environmentId = await insertEnvironment(db)
  await emit(eventTypes.map((type) => happening(environmentId, { type })))
  expect(await listEvents(environmentId)).toHaveLength(eventTypes.length)
  expect(await listDeliveries(environmentId)).toEqual([])
  await emit([])
})

// The data is the merchant's own text: the order of its keys, its spaces and its signs stay.
test('the data of an event is kept to the byte', async () => {
  const environmentId = await insertEnvironment(db)
  const data = '{ "b" : 1, "a": {"ü": "₦ 👍"}, "b2": 1.0, "n": null }'
  await emit([happening(environmentId, { data })])
  expect(await listEvents(environmentId)).toMatchObject([{ data }])
})

// A delivery is due at once, and the worker that claims it knows what to send where.
test('a new delivery is due at once', async () => {
  const environmentId = await insertEnvironment(db)
  const endpointId = await insertEndpoint(environmentId)
  await db.rows(sql`update deliveries set state = 'DELIVERED', finished_at = ${now}`)
  await emit([happening(environmentId)])
  const [event] = await listEvents(environmentId)
  const claimed = await claimDeliveries(db, now, [{ environmentId, endpointId, capacity: 10 }])
  expect(claimed).toMatchObject([
    { environmentId, eventId: event!.id, endpointId, attemptNumber: 1 },
  ])
})

// A fact that happened is never edited, and never removed.
test.each([
  `update events set data = '{}'`,
  `update events set sequence = sequence where false`,
  'delete from events',
  'truncate events',
])('%s is refused', async (text) => {
  const environmentId = await insertEnvironment(db)
  await emit([happening(environmentId)])
  const before = await listEvents(environmentId)
  await expect(db.rows({ text, values: [] })).rejects.toMatchObject({
    code: '23001',
    message: 'events rows are never edited or removed',
  })
  expect(await listEvents(environmentId)).toEqual(before)
})
