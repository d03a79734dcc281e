import { describe, expect, test } from 'vitest'
import { cursorOf } from '../../src/api/server/cursor.js'
import { minute, second } from '../../src/base/clock.js'
import { fromReference, newId, prefixes, toReference } from '../../src/base/ids.js'
import type { JsonText } from '../../src/base/json-text.js'
import { type EventType, eventTypes } from '../../src/events/catalogue.js'
import type { NewEvent } from '../../src/events/emit.js'
import { sql } from '../../src/postgres/sql.js'
import { answerAll, claimFor, emit, newEventOf } from '../support/deliveries.js'
import { type Merchant, openManilla } from '../support/open-manilla.js'
import { seededRandom } from '../support/seed.js'

const service = await openManilla()
const { ask, db, clock } = service
const path = '/v1/events'

type Event = { id: string; type: EventType; timestamp: string; sequence: number; data: object }

async function get(key: string, at: string) {
  const reply = await ask('GET', path + at, { key })
  expect([at, reply.status]).toEqual([at, 200])
  return reply.json.data
}

async function emitEvent(
  { environments }: Merchant,
  change: Partial<NewEvent> = {},
): Promise<void> {
  await emit(db, clock.now(), [newEventOf(environments.test.id, change)])
}

/** The id of the newest event. */
async function newestOf({ test: keys }: Merchant): Promise<string> {
  return (await get(keys.secret, '?limit=1')).items[0].id
}

/** Reads all pages; `between` may change something after each page. */
async function walk(key: string, query: string, between?: () => Promise<void>): Promise<Event[]> {
  const found: Event[] = []
  for (let cursor = ''; ; ) {
    const page = await get(key, `?${query}${cursor}`)
    found.push(...page.items)
    if (page.nextCursor === null) return found
    cursor = `&cursor=${page.nextCursor}`
    await between?.()
  }
}

describe('the list', async () => {
  const merchant = await service.addMerchant('Ada')
  const key = merchant.test.secret
  const random = seededRandom('the list')
  const resourceId = newId(clock.now())
  // Three at a time in the same millisecond, so that a page may end between equals.
  for (let sequence = 1; sequence <= 20; sequence += 1) {
    for (const type of [random.pick(eventTypes), 'payment.held', 'payment.returned'] as const)
      await emitEvent(merchant, { type })
    await emitEvent(merchant, { type: 'crypto_transfer.submitted', resourceId, sequence })
    clock.advance(random.pick([0, 1, minute]))
  }
  const all = await walk(key, 'limit=100')

  test('has all events, newest first, 20 a page by default', async () => {
    expect(all).toHaveLength(80)
    const order = all.map(({ timestamp, id }) => `${timestamp} ${id}`)
    expect(order).toEqual(order.toSorted().toReversed())
    expect(new Set(order).size).toBe(80)
    expect((await get(key, '')).items).toEqual(all.slice(0, 20))
  })

  test.each([1, 2, 3, 7, 79, 80])('is the same in pages of %i', async (limit) => {
    expect(await walk(key, `limit=${limit}`)).toEqual(all)
    const payments = all.filter(({ type }) => type.startsWith('payment.'))
    expect(await walk(key, `limit=${limit}&type=payment.*`)).toEqual(payments)
  })

  test('is stable while it is read', async () => {
    const other = await service.addMerchant('Ada')
    expect(await get(other.test.secret, '')).toEqual({ items: [], nextCursor: null })
    for (let count = 0; count < 7; count += 1) await emitEvent(other)
    const before = await walk(other.test.secret, 'limit=100')
    const between = async () => {
      clock.advance(second)
      await emitEvent(other)
    }
    expect(await walk(other.test.secret, 'limit=2', between)).toEqual(before)
  })

  test.each(['payment.held', 'payment.*', 'crypto_transfer.*', 'balance.low', '*'])(
    'filters by %s',
    async (filter) => {
      const start = filter.replace('*', '')
      const chosen = all.filter(({ type }) => type.startsWith(start))
      expect(await walk(key, `limit=100&type=${filter}`)).toEqual(chosen)
    },
  )

  test('filters by resource, in order of sequence', async () => {
    const reference = toReference(prefixes.cryptoTransfer, resourceId)
    const found = await walk(key, `limit=6&resource=${reference}`)
    const sequences = found.map(({ sequence }) => sequence)
    expect(sequences.toSorted((a, b) => b - a)).toEqual(
      Array.from({ length: 20 }, (_, i) => 20 - i),
    )
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['crypto_transfer.submitted']))
    expect(await walk(key, `limit=6&resource=${reference}&type=payment.*`)).toEqual([])
  })

  // An unknown reference finds nothing; returning everything would be dangerous.
  test.each(['ct_', 'nonsense', toReference(prefixes.event, newId(clock.now())), '%00', ''])(
    'has nothing about the resource "%s"',
    async (reference) => {
      const reply = await ask('GET', `${path}?resource=${reference}`, { key })
      expect(reply.json.data?.items ?? []).toEqual([])
    },
  )

  test('filters by time, from inclusive, to exclusive', async () => {
    const at = all[40]!.timestamp
    const since = all.filter(({ timestamp }) => timestamp >= at)
    expect(await walk(key, `limit=100&from=${at}`)).toEqual(since)
    const before = all.filter(({ timestamp }) => timestamp < at)
    expect(await walk(key, `limit=100&to=${at}`)).toEqual(before)
    expect(await walk(key, `limit=100&from=${at}&to=${at}`)).toEqual([])
  })

  test.each([
    'type=payment',
    'type=nope.*',
    'type=nope.held',
    'type=',
    'type=payment.*&type=balance.*',
    'from=yesterday',
    'to=2026-02-30',
    'from=',
    'to=',
    'limit=0',
    'limit=101',
    'limit=x',
    'cursor=x',
    'cursor=e30',
    'cursor=',
    'cursor=WyJhIl0',
    'nope=1',
  ])('refuses ?%s', async (query) => {
    const reply = await ask('GET', `${path}?${query}`, { key })
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed'])
  })

  test('says when the cursor belongs to another list', async () => {
    const cursor = cursorOf(prefixes.bankTransfer).write(newId(clock.now()))
    const reply = await ask('GET', `${path}?cursor=${cursor}`, { key })
    expect([reply.status, reply.json.message]).toEqual([
      400,
      'cursor belongs to another list. Start again without it.',
    ])
  })
})

describe('an event', () => {
  // JSON parsers move number-like keys first; the merchant's order must stay.
  test('is returned byte for byte', async () => {
    const merchant = await service.addMerchant('Ada')
    const data = '{"z":1,"a":{"y":[],"b":"₦"},"10":1.0,"9":null}' as JsonText
    await emitEvent(merchant, { data, type: 'balance.low', sequence: 7 })
    const id = await newestOf(merchant)
    for (const at of [path, `${path}/${id}`])
      expect((await ask('GET', at, { key: merchant.test.secret })).text).toContain(
        `{"id":"${id}","type":"balance.low","timestamp":"${clock.now().toISOString()}",` +
          `"mode":"test","sequence":7,"data":${data}}`,
      )
  })

  test('is visible in its environment only, and to no public key', async () => {
    const [merchant, other] = [await service.addMerchant('Ada'), await service.addMerchant('Bola')]
    await emitEvent(merchant)
    const id = await newestOf(merchant)
    const askAll = (key: string, event: string) =>
      Promise.all([
        ask('GET', `${path}/${event}`, { key }),
        ask('GET', `${path}/${event}/deliveries`, { key }),
        ask('POST', `${path}/${event}/redeliver`, { key, body: {} }),
      ])
    const unknown = toReference(prefixes.event, newId(clock.now()))
    const asked = await Promise.all([
      ...[merchant.live, other.test].map(({ secret }) => askAll(secret, id)),
      ...[unknown, 'evt_', '%00'].map((event) => askAll(merchant.test.secret, event)),
    ])
    for (const { status, json } of asked.flat())
      expect([status, json.code]).toEqual([404, 'not_found'])
    for (const { status } of await askAll(merchant.test.public, id)) expect(status).toBe(401)
  })
})

async function addEndpoint({ test: keys, environments }: Merchant, body: object = {}) {
  clock.advance(1)
  const url = 'https://example.com/hooks'
  const question = { key: keys.secret, body: { url, ...body } }
  const reply = await ask('POST', '/v1/webhook-endpoints', question)
  const reference: string = reply.json.data.id
  const id = fromReference(prefixes.webhookEndpoint, reference)!
  return { environmentId: environments.test.id, id, reference }
}

describe('deliveries', () => {
  test('list every attempt with its response', async () => {
    const merchant = await service.addMerchant('Ada')
    const [first, other] = [await addEndpoint(merchant), await addEndpoint(merchant)]
    await addEndpoint(merchant, { events: ['balance.low'] })
    await emitEvent(merchant)
    const startedAt = [clock.now().toISOString()]
    await answerAll(db, clock.now(), { endpoint: first, status: null })
    await answerAll(db, clock.now(), { endpoint: other, status: 503 })
    clock.advance(minute)
    startedAt.push(clock.now().toISOString())
    await answerAll(db, clock.now(), { endpoint: first, status: 204 })

    const { items } = await get(merchant.test.secret, `/${await newestOf(merchant)}/deliveries`)
    const attemptResult = (status: number | null, error: string | null = null) => {
      return { status, error, response: `said ${status}`, durationMs: 12 }
    }
    const retryAt = new Date(Date.parse(startedAt[0]!) + 5 * second).toISOString()
    const url = 'https://example.com/hooks'
    expect(items).toEqual([
      {
        endpointId: first.reference,
        url,
        status: 'DELIVERED',
        nextAttemptAt: null,
        attempts: [
          { number: 1, url, startedAt: startedAt[0], ...attemptResult(null, 'no response') },
          { number: 2, url, startedAt: startedAt[1], ...attemptResult(204) },
        ],
      },
      {
        endpointId: other.reference,
        url,
        status: 'PENDING',
        nextAttemptAt: retryAt,
        attempts: [{ number: 1, url, startedAt: startedAt[0], ...attemptResult(503) }],
      },
    ])
  })

  test('are kept when their endpoint is deleted', async () => {
    const merchant = await service.addMerchant('Ada')
    const endpoint = await addEndpoint(merchant)
    await emitEvent(merchant)
    await answerAll(db, clock.now(), { endpoint, status: 200 })
    const { secret: key } = merchant.test
    await ask('DELETE', `/v1/webhook-endpoints/${endpoint.reference}`, { key })
    const { items } = await get(key, `/${await newestOf(merchant)}/deliveries`)
    expect(items).toMatchObject([{ endpointId: endpoint.reference, status: 'DELIVERED' }])
  })
})

describe('sending again', () => {
  /** An event with three endpoints: one subscribed, one no longer subscribed, one disabled. */
  async function tellThree() {
    const merchant = await service.addMerchant('Ada')
    const { secret: key } = merchant.test
    const listening = await addEndpoint(merchant)
    const [deaf, disabled] = [await addEndpoint(merchant), await addEndpoint(merchant)]
    await emitEvent(merchant)
    for (const endpoint of [listening, deaf, disabled])
      await answerAll(db, clock.now(), { endpoint, status: 200 })
    const change = (reference: string, body: object) =>
      ask('PATCH', `/v1/webhook-endpoints/${reference}`, { key, body })
    await change(deaf.reference, { events: ['balance.low'] })
    await change(disabled.reference, { enabled: false })
    const at = `${path}/${await newestOf(merchant)}/redeliver`
    return { merchant, key, at, listening, deaf, disabled }
  }

  const dueTo = async ({ id }: { id: string }) => {
    const [row] = await db.rows(sql`
      select state, tries, attempts, due_at from deliveries where endpoint_id = ${id}`)
    return row
  }
  const delivered = { state: 'DELIVERED', tries: 1, attempts: 1 }

  test.each([[undefined], [{}]])('goes to all subscribed endpoints, for %j', async (body) => {
    const { key, at, listening, deaf, disabled } = await tellThree()
    clock.advance(minute)
    const reply = await ask('POST', at, { key, ...(body && { body }) })
    expect([reply.status, reply.json.data]).toEqual([200, { deliveries: 1 }])
    const dueAt = clock.now()
    expect(await dueTo(listening)).toEqual({ state: 'PENDING', tries: 0, attempts: 1, dueAt })
    for (const other of [deaf, disabled]) expect(await dueTo(other)).toMatchObject(delivered)
    expect(await claimFor(db, dueAt, listening)).toMatchObject([
      { attemptNumber: 2, attemptsInSchedule: 1 },
    ])
  })

  test('goes to the named endpoint, whatever its filter', async () => {
    const { key, at, listening, deaf } = await tellThree()
    const reply = await ask('POST', at, { key, body: { endpointId: deaf.reference } })
    expect(reply.json.data).toEqual({ deliveries: 1 })
    expect(await dueTo(deaf)).toMatchObject({ state: 'PENDING', tries: 0 })
    expect(await dueTo(listening)).toMatchObject(delivered)
  })

  test('is refused for disabled, deleted and foreign endpoints', async () => {
    const { key, at, listening, disabled } = await tellThree()
    const foreign = await addEndpoint(await service.addMerchant('Bola'))
    await ask('DELETE', `/v1/webhook-endpoints/${listening.reference}`, { key })
    const again = (endpointId: unknown) => ask('POST', at, { key, body: { endpointId } })
    const refused = await again(disabled.reference)
    expect([refused.status, refused.json.reason]).toEqual([409, 'endpoint_disabled'])
    for (const reference of [listening.reference, foreign.reference, 'we_'])
      expect([reference, (await again(reference)).status]).toEqual([reference, 404])
    expect((await again(null)).status).toBe(400)
    for (const endpoint of [listening, disabled])
      expect(await dueTo(endpoint)).toMatchObject(delivered)
  })

  // An empty endpointId must not mean "all endpoints".
  test('is refused for an unknown endpoint', async () => {
    const { key, at, listening } = await tellThree()
    const reply = await ask('POST', at, { key, body: { endpointId: '' } })
    expect(reply.json.status).toBe(false)
    expect(await dueTo(listening)).toMatchObject(delivered)
  })

  test('happens once for one key', async () => {
    const { key, at, listening } = await tellThree()
    const question = { key, body: {}, headers: { 'idempotency-key': 'again' } }
    const first = await ask('POST', at, question)
    await answerAll(db, clock.now(), { endpoint: listening, status: 200 })
    const second = await ask('POST', at, question)
    expect(second.text).toBe(first.text)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await dueTo(listening)).toMatchObject({ state: 'DELIVERED', attempts: 2 })
  })
})
