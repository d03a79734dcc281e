import { verify } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { day, hour } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { toJson } from '../../src/base/json-text.js'
import type { NewEvent } from '../../src/events/emit.js'
import { sql } from '../../src/postgres/sql.js'
import { createSigner } from '../../src/webhooks/deliveries/message.js'
import { attemptsMax } from '../../src/webhooks/deliveries/schedule.js'
import { readPublicKey } from '../../src/webhooks/deliveries/signing.js'
import {
  durationClassOf,
  HourlyCounts,
  medianDurationOf,
} from '../../src/webhooks/endpoints/hourly-counts.js'
import { webhookLimits } from '../../src/webhooks/limits.js'
import { answerAll, claimFor, emit, endedOf, newEventOf, record } from '../support/deliveries.js'
import { openManilla } from '../support/open-manilla.js'

const service = await openManilla()
const { ask, db, clock, seal } = service
const path = '/v1/webhook-endpoints'
const url = 'https://example.com/hooks'

type Question = { body?: object; headers?: Record<string, string> }

async function post(key: string, at: string, question: Question = {}) {
  const reply = await ask('POST', path + at, { key, ...question })
  expect([at, reply.status, reply.json.message]).toEqual([at, at ? 200 : 201, expect.anything()])
  return reply.json.data
}

/** A merchant's key and one of its endpoints. */
async function hireWithEndpoint(body: object = {}) {
  const { test: keys, environments } = await service.addMerchant('Ada')
  const environmentId = environments.test.id
  const {
    id: reference,
    secret,
    publicKey,
  } = await post(keys.secret, '', { body: { url, ...body } })
  const endpoint = { environmentId, id: fromReference(prefixes.webhookEndpoint, reference)! }
  return { key: keys.secret, environmentId, reference, endpoint, secret, publicKey }
}

type Hired = Awaited<ReturnType<typeof hireWithEndpoint>>

const patch = ({ key, reference }: Hired, body: object) =>
  ask('PATCH', `${path}/${reference}`, { key, body })

/** What a worker would send now, with its signatures by version. */
async function signedNow({ key, reference, endpoint }: Hired) {
  await post(key, `/${reference}/test`)
  const delivery = (await claimFor(db, clock.now(), endpoint)).at(-1)!
  const { headers, body } = createSigner(seal)(delivery, clock.now())
  const signatures = headers['webhook-signature']!.split(' ')
  return { id: headers['webhook-id']!, body, signatures }
}

type Signed = Awaited<ReturnType<typeof signedNow>>

/** Verifies with an independent library. */
const signedBy = (secret: string, { id, body }: Signed) =>
  new Webhook(secret).sign(id, clock.now(), body)

const sharedOf = ({ signatures }: Signed) => signatures.filter((one) => one.startsWith('v1,'))

describe('rotating the secret', () => {
  test('signs with both secrets for a day, then with the new one only', async () => {
    const hired = await hireWithEndpoint()
    const { key, reference, secret: old } = hired
    const before = await signedNow(hired)
    expect(sharedOf(before)).toEqual([signedBy(old, before)])

    const rotated = await post(key, `/${reference}/rotate-secret`)
    expect(rotated.publicKey).toBe(hired.publicKey)
    expect(rotated.secret).not.toBe(old)
    const during = await signedNow(hired)
    expect(sharedOf(during)).toEqual([signedBy(rotated.secret, during), signedBy(old, during)])
    clock.advance(day - 1)
    const last = await signedNow(hired)
    expect(sharedOf(last)).toEqual([signedBy(rotated.secret, last), signedBy(old, last)])
    clock.advance(1)
    const after = await signedNow(hired)
    expect(sharedOf(after)).toEqual([signedBy(rotated.secret, after)])
  })

  // A retried rotation without an idempotency key must not cut off receivers that use the first
  // secret.
  test('twice in a day keeps each old secret for its day', async () => {
    const hired = await hireWithEndpoint()
    const { key, reference } = hired
    const second = await post(key, `/${reference}/rotate-secret`)
    clock.advance(23 * hour)
    const third = await post(key, `/${reference}/rotate-secret`)
    const during = await signedNow(hired)
    const all = [third.secret, hired.secret, second.secret]
    expect(sharedOf(during)).toEqual(all.map((secret) => signedBy(secret, during)))
    clock.advance(23 * hour)
    const later = await signedNow(hired)
    expect(sharedOf(later)).toEqual([signedBy(third.secret, later), signedBy(second.secret, later)])
    for (let count = 2; count <= webhookLimits.previousSecretsMax; count += 1)
      await post(key, `/${reference}/rotate-secret`)
    const refused = await ask('POST', `${path}/${reference}/rotate-secret`, { key })
    expect([refused.status, refused.json.reason]).toEqual([422, 'too_many'])
  })

  test('keeps the key pair: its signature verifies before and after', async () => {
    const hired = await hireWithEndpoint()
    for (const _ of ['before', 'after']) {
      const signed = await signedNow(hired)
      const [own] = signed.signatures.filter((one) => one.startsWith('v1a,'))
      const timestamp = Math.floor(clock.now().getTime() / 1_000)
      const content = Buffer.from(`${signed.id}.${timestamp}.${signed.body}`)
      const bytes = Buffer.from(own!.slice('v1a,'.length), 'base64')
      expect(verify(null, content, readPublicKey(hired.publicKey), bytes)).toBe(true)
      expect(verify(null, content.subarray(1), readPublicKey(hired.publicKey), bytes)).toBe(false)
      await post(hired.key, `/${hired.reference}/rotate-secret`)
    }
  })
})

describe('a retry with the same key', () => {
  const headers = { 'idempotency-key': 'once' }

  test('of a create returns the first answer with its secret', async () => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const question = { key, headers, body: { url } }
    const copies = Array.from({ length: 20 }, () => ask('POST', path, question))
    const replies = [...(await Promise.all(copies)), await ask('POST', path, question)]
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies[0]!.json.data.secret).toMatch(/^whsec_/)
    const isReplay = replies.map((reply) => reply.headers.get('idempotent-replayed') === 'true')
    expect(isReplay.filter(Boolean)).toHaveLength(20)
    expect((await ask('GET', path, { key })).json.data.items).toHaveLength(1)

    const other = await ask('POST', path, { key, headers, body: { url, description: 'other' } })
    expect([other.status, other.json.reason]).toEqual([422, 'idempotency_key_reused'])
    expect(other.text).not.toContain('whsec_')
  })

  test('of a rotation returns the same new secret, and the old one still signs', async () => {
    const hired = await hireWithEndpoint()
    const at = `/${hired.reference}/rotate-secret`
    const rotated = await post(hired.key, at, { headers })
    expect(await post(hired.key, at, { headers })).toEqual(rotated)
    const signed = await signedNow(hired)
    expect(sharedOf(signed)).toEqual([
      signedBy(rotated.secret, signed),
      signedBy(hired.secret, signed),
    ])
  })

  test('of a test sends one event', async () => {
    const { key, reference, endpoint } = await hireWithEndpoint()
    for (const _ of ['first', 'again']) await post(key, `/${reference}/test`, { headers })
    expect(await claimFor(db, clock.now(), endpoint)).toHaveLength(1)
  })
})

describe('a test', () => {
  test('goes to this endpoint only, whatever its filter', async () => {
    const hired = await hireWithEndpoint({ events: ['balance.low'] })
    const { key, reference, endpoint } = hired
    await post(key, '', { body: { url } })
    const { eventId } = await post(key, `/${reference}/test`)
    await post(key, `/${reference}/test`)
    const shown = (await ask('GET', `${path}/${reference}`, { key })).json.data
    const event = (await ask('GET', `/v1/events/${eventId}`, { key })).json.data
    expect(event).toMatchObject({ sequence: 1, data: shown })
    const sent = await db.rows(sql`
      select d.endpoint_id as id, e.type, e.sequence, e.data
      from deliveries d join events e using (environment_id)
      where environment_id = ${endpoint.environmentId} and e.id = d.event_id order by e.sequence`)
    const data = JSON.stringify(shown)
    const expectedEvent = { id: endpoint.id, type: 'webhook_endpoint.test', data }
    expect(sent).toEqual([
      { ...expectedEvent, sequence: 1 },
      { ...expectedEvent, sequence: 2 },
    ])
  })
})

describe('refused for a disabled endpoint', () => {
  test.each([
    ['test', undefined],
    ['recover', { since: '2026-01-01' }],
  ])('%s', async (action, body) => {
    const hired = await hireWithEndpoint()
    const { key, reference, environmentId } = hired
    await emit(db, clock.now(), [newEventOf(environmentId)])
    await patch(hired, { enabled: false })
    const question = { key, ...(body && { body }) }
    const reply = await ask('POST', `${path}/${reference}/${action}`, question)
    expect([reply.status, reply.json.code, reply.json.reason]).toEqual([
      409,
      'webhook_endpoint_failed',
      'endpoint_disabled',
    ])
    await patch(hired, { enabled: true })
    await post(key, `/${reference}/${action}`, body && { body })
  })
})

/** An event with a recognizable body. */
function named(environmentId: EnvironmentId, name: string, change: Partial<NewEvent> = {}) {
  return newEventOf(environmentId, { data: toJson({ name }), ...change })
}

const statesOf = ({ endpoint }: Hired) =>
  db.rows(sql<{ name: string; state: string; tries: number }>`
    select coalesce(e.data::json ->> 'name', e.type) as name, d.state, d.tries
    from deliveries d join events e on e.environment_id = d.environment_id and e.id = d.event_id
    where d.endpoint_id = ${endpoint.id} order by e.created_at, name`)

/** The newest delivery had three attempts and is due tomorrow, or is being sent. */
async function postpone(
  { id }: { id: string },
  { isUnderWay, tries = 3 }: { isUnderWay: boolean; tries?: number },
) {
  await db.rows(sql`
    update deliveries set tries = ${tries}, attempts = ${tries}, is_under_way = ${isUnderWay},
      due_at = created_at + interval '1 day'
    where endpoint_id = ${id} and created_at = ${clock.now()}`)
}

describe('recovering', () => {
  // One event for each delivery state; only those that the endpoint missed may be sent again.
  test('resends pending, failed and missed events, and nothing else', async () => {
    const hired = await hireWithEndpoint({ events: ['payment.*', 'webhook_endpoint.*'] })
    const { key, reference, endpoint, environmentId } = hired
    const other = await post(key, '', { body: { url } })
    const emitEvent = async (name: string, change?: Partial<NewEvent>) => {
      clock.advance(hour)
      await emit(db, clock.now(), [named(environmentId, name, change)])
    }
    await emitEvent('too old')
    await answerAll(db, clock.now(), { endpoint, status: 410 })
    await patch(hired, { enabled: true })
    await emitEvent('given up')
    const since = clock.now().toISOString()
    await post(key, `/${reference}/test`)
    await answerAll(db, clock.now(), { endpoint, status: 410 })
    await emitEvent('while disabled')
    await emitEvent('while disabled, of no interest', { type: 'balance.low' })
    await post(key, `/${other.id}/test`)
    await patch(hired, { enabled: true })
    await emitEvent('delivered')
    await answerAll(db, clock.now(), { endpoint, status: 200 })
    await emitEvent('failed once')
    await answerAll(db, clock.now(), { endpoint, status: 500 })
    await emitEvent('pending')
    await emitEvent('waits for tomorrow')
    await postpone(endpoint, { isUnderWay: false })
    await emitEvent('under way')
    await postpone(endpoint, { isUnderWay: true })
    // It would be given up if it failed after the recovery, and the endpoint would never get it.
    await emitEvent('under way for the last time')
    await postpone(endpoint, { isUnderWay: true, tries: attemptsMax('test') })
    const stranger = await hireWithEndpoint()
    await emit(db, clock.now(), [named(stranger.environmentId, 'of a stranger')])

    const before = await statesOf(hired)
    const dryRun = { body: { since, dryRun: true }, headers: { 'idempotency-key': 'dry' } }
    for (const _ of ['first', 'again'])
      expect(await post(key, `/${reference}/recover`, dryRun)).toEqual({ deliveries: 6 })
    expect(await statesOf(hired)).toEqual(before)
    // The event about its own disabling is among the missed ones.
    expect(await post(key, `/${reference}/recover`, { body: { since } })).toEqual({ deliveries: 6 })
    const states = (await statesOf(hired)).map(({ name, state, tries }) => [name, state, tries])
    expect(states).toEqual([
      ['too old', 'GIVEN_UP', 1],
      ['given up', 'PENDING', 0],
      ['webhook_endpoint.disabled', 'PENDING', 0],
      ['webhook_endpoint.test', 'PENDING', 0],
      ['while disabled', 'PENDING', 0],
      ['delivered', 'DELIVERED', 1],
      ['failed once', 'PENDING', 1],
      ['pending', 'PENDING', 0],
      ['waits for tomorrow', 'PENDING', 0],
      ['under way', 'PENDING', 3],
      ['under way for the last time', 'PENDING', 0],
    ])
    expect(await post(key, `/${reference}/recover`, { body: { since } })).toEqual({ deliveries: 0 })
  })

  test('resends the oldest first, a bounded number per call', async () => {
    const hired = await hireWithEndpoint()
    const { key, reference, environmentId } = hired
    await patch(hired, { enabled: false })
    const most = webhookLimits.recoveriesPerCallMax
    const old = Array.from({ length: most }, () => newEventOf(environmentId))
    await emit(db, clock.now(), old)
    clock.advance(1)
    await emit(db, clock.now(), [named(environmentId, 'newest')])
    await patch(hired, { enabled: true })
    const body = { since: '2026-01-01' }
    expect(await post(key, `/${reference}/recover`, { body })).toEqual({ deliveries: most })
    const names = (await statesOf(hired)).map(({ name }) => name)
    expect(names).not.toContain('newest')
    expect(await post(key, `/${reference}/recover`, { body })).toEqual({ deliveries: 1 })
    expect((await statesOf(hired)).at(-1)).toMatchObject({ name: 'newest' })
  })

  test('counts the same number as it would resend', async () => {
    const hired = await hireWithEndpoint()
    const { key, reference, environmentId } = hired
    await patch(hired, { enabled: false })
    const body = { since: '2026-01-01', dryRun: true }
    const refused = await ask('POST', `${path}/${reference}/recover`, { key, body })
    expect(refused.json.reason).toBe('endpoint_disabled')
    await emit(db, clock.now(), [newEventOf(environmentId), newEventOf(environmentId)])
    await patch(hired, { enabled: true })
    expect(await post(key, `/${reference}/recover`, { body })).toEqual({ deliveries: 2 })
    expect(await statesOf(hired)).toEqual([])
  })

  test('needs a valid time', async () => {
    const { key, reference } = await hireWithEndpoint()
    const at = `${path}/${reference}/recover`
    const wrong = [
      '',
      'yesterday',
      '2026-13-01',
      '2026-02-30',
      '2026-01-05T25:00:00Z',
      '1767603600',
    ]
    for (const since of [...wrong, '2026-01-05T09:00:00+99:00', 1_767_603_600, null, undefined]) {
      const reply = await ask('POST', at, { key, body: { since } })
      expect([since, reply.status, reply.json.code]).toEqual([since, 400, 'validation_failed'])
      expect(reply.json.details[0].field).toBe('since')
    }
    const right = ['2026-01-05', '2026-01-05T09:00Z', '2026-01-05T10:00:00.5+01:00']
    for (const since of right)
      expect(await post(key, `/${reference}/recover`, { body: { since } })).toEqual({
        deliveries: 0,
      })
  })
})

describe('deliveries to an endpoint', async () => {
  const hired = await hireWithEndpoint()
  const { key, reference, endpoint, environmentId } = hired
  const other = await post(key, '', { body: { url, events: ['balance.low'] } })
  type Item = { eventId: string; type: string; status: string; lastAttempt: { status: number } }
  const wanted: { id: string; type: string; status: string; at: Date }[] = []
  const types = ['payment.held', 'payment.refunded', 'balance.low'] as const
  const outcomes = [
    [200, 'DELIVERED'],
    [500, 'PENDING'],
    [null, 'PENDING'],
  ] as const
  for (let count = 0; count < 24; count += 1) {
    clock.advance(hour)
    const [code, status] = outcomes[count % outcomes.length]!
    const type = types[(count * 5) % types.length]!
    const events = [newEventOf(environmentId, { type }), newEventOf(environmentId, { type })]
    const ids = await emit(db, clock.now(), events)
    const claimed = (await claimFor(db, clock.now(), endpoint)).filter(({ eventId }) =>
      ids.includes(eventId),
    )
    await record(
      db,
      clock.now(),
      claimed.map((delivery) => endedOf(delivery, { at: clock.now(), status: code })),
    )
    for (const id of ids)
      wanted.unshift({ id: toReference(prefixes.event, id), type, status, at: clock.now() })
  }
  // Retries that were claimed along with new ones are still under way.
  wanted.sort((left, right) => (left.id < right.id ? 1 : -1))

  async function list(query: string, at = reference): Promise<Item[]> {
    const found: Item[] = []
    for (let cursor = ''; ; ) {
      const where = `${path}/${at}/deliveries?${query}${cursor}`
      const { status, json } = await ask('GET', where, { key })
      expect(status).toBe(200)
      found.push(...json.data.items)
      if (json.data.nextCursor === null) return found
      cursor = `&cursor=${json.data.nextCursor}`
    }
  }
  const idsOf = (items: Item[]) => items.map(({ eventId }) => eventId)

  test.each([1, 7, 48, 100])('are newest first, the same in pages of %i', async (limit) => {
    expect(idsOf(await list(`limit=${limit}`))).toEqual(wanted.map(({ id }) => id))
  })

  const from = wanted[20]!.at
  const to = wanted[5]!.at
  test.each<[string, (one: (typeof wanted)[number]) => boolean]>([
    ['status=DELIVERED', ({ status }) => status === 'DELIVERED'],
    ['status=GIVEN_UP', () => false],
    ['type=balance.low', ({ type }) => type === 'balance.low'],
    ['type=payment.*', ({ type }) => type !== 'balance.low'],
    ['type=*&status=PENDING', ({ status }) => status === 'PENDING'],
    ['type=virtual_account.*', () => false],
    [
      'type=payment.held&status=PENDING',
      ({ type, status }) => type === 'payment.held' && status === 'PENDING',
    ],
    [`from=${from.toISOString()}&to=${to.toISOString()}`, ({ at }) => at >= from && at < to],
    [
      `from=${from.toISOString()}&to=${to.toISOString()}&type=payment.*&status=DELIVERED`,
      ({ at, type, status }) =>
        at >= from && at < to && type !== 'balance.low' && status === 'DELIVERED',
    ],
  ])('are filtered by %s', async (query, isWanted) => {
    const ids = wanted.filter(isWanted).map(({ id }) => id)
    expect(idsOf(await list(`${query}&limit=3`))).toEqual(ids)
  })

  test('show the latest attempt and when the next one is', async () => {
    const [delivered] = await list('status=DELIVERED&limit=100')
    const one = wanted.find(({ id }) => id === delivered!.eventId)!
    expect(delivered).toEqual({
      eventId: one.id,
      type: one.type,
      eventCreatedAt: one.at.toISOString(),
      status: 'DELIVERED',
      attemptCount: 1,
      nextAttemptAt: null,
      finishedAt: one.at.toISOString(),
      lastAttempt: {
        startedAt: one.at.toISOString(),
        durationMs: 12,
        status: 200,
        error: null,
      },
    })
    const [newest] = await list('limit=1')
    const nextAttemptAt = new Date(wanted[0]!.at.getTime() + 5_000).toISOString()
    const lastAttempt = { status: null, error: 'no response' }
    expect(newest).toMatchObject({ status: 'PENDING', nextAttemptAt, lastAttempt })
    expect(idsOf(await list('limit=100', other.id))).toHaveLength(
      wanted.filter(({ type }) => type === 'balance.low').length,
    )
  })

  test('include those that were never attempted', async () => {
    const { key, reference, endpoint, environmentId } = await hireWithEndpoint()
    const [id] = await emit(db, clock.now(), [newEventOf(environmentId)])
    const at = `${path}/${reference}/deliveries`
    const item = {
      eventId: toReference(prefixes.event, id!),
      status: 'PENDING',
      attemptCount: 0,
      nextAttemptAt: clock.now().toISOString(),
      lastAttempt: null,
    }
    for (const query of ['', '?status=PENDING', '?type=payment.held', '?from=2026-01-01'])
      expect((await ask('GET', at + query, { key })).json.data.items).toMatchObject([item])
    expect((await ask('GET', `${at}?to=2026-01-01`, { key })).json.data.items).toEqual([])
    await claimFor(db, clock.now(), endpoint)
    const underWay = { ...item, attemptCount: 1, nextAttemptAt: null }
    expect((await ask('GET', at, { key })).json.data.items).toMatchObject([underWay])
  })

  // The type is common in the environment, but the endpoint does not listen to it: a page reads a
  // window and leads on.
  test('of a type that the endpoint does not receive end after a few pages', async () => {
    const { eventsScannedPerPageMax } = webhookLimits
    const types = Array.from({ length: eventsScannedPerPageMax }, () => newEventOf(environmentId))
    await patch(hired, { events: ['balance.low'] })
    await emit(db, clock.now(), types)
    const first = await ask('GET', `${path}/${reference}/deliveries?type=payment.held`, { key })
    expect(first.json.data.items).toEqual([])
    expect(first.json.data.nextCursor).toEqual(expect.any(String))
    const ids = wanted.filter(({ type }) => type === 'payment.held').map(({ id }) => id)
    expect(idsOf(await list('type=payment.held'))).toEqual(ids)
  })

  test('and statistics are refused to others and for deleted endpoints', async () => {
    const stranger = await hireWithEndpoint()
    const deleted = await post(key, '', { body: { url } })
    await ask('DELETE', `${path}/${deleted.id}`, { key })
    for (const [asker, id] of [
      [stranger.key, reference],
      [key, deleted.id],
      [key, 'we_1'],
    ])
      for (const action of ['deliveries', 'stats']) {
        const reply = await ask('GET', `${path}/${id}/${action}`, { key: asker! })
        expect([reply.status, reply.json.code]).toEqual([404, 'not_found'])
      }
    for (const query of ['status=x', 'type=x', 'from=x', 'cursor=e30', 'limit=0', 'nope=1']) {
      const reply = await ask('GET', `${path}/${reference}/deliveries?${query}`, { key })
      expect([query, reply.status]).toEqual([query, 400])
    }
  })
})

describe('statistics of an endpoint', () => {
  test('add up what several workers counted, by hour, and forget old hours', async () => {
    const { key, reference, endpoint } = await hireWithEndpoint()
    const { environmentId, id: endpointId } = endpoint
    const now = clock.now()
    const note = (counts: HourlyCounts, hoursAgo: number, durationMs: number | null) =>
      counts.note({
        environmentId,
        endpointId,
        startedAt: new Date(now.getTime() - hoursAgo * hour),
        hasSucceeded: durationMs !== null && durationMs < 1_000,
        durationMs,
      })
    const workers = [new HourlyCounts(), new HourlyCounts()]
    for (const counts of workers) {
      for (const ms of [80, 84, 88, 90, 5_000]) note(counts, 0, ms)
      note(counts, 3, null)
      note(counts, 23, 0)
      note(counts, 24, 7)
      note(counts, 60, 7)
      await counts.write(db, now)
      await counts.write(db, now)
    }
    const stats = (await ask('GET', `${path}/${reference}/stats`, { key })).json.data
    expect([stats.delivered, stats.failed, stats.hours.length]).toEqual([10, 4, 24])
    const startMs = Math.floor(now.getTime() / hour) * hour
    expect(stats.hours.at(-1)).toMatchObject({
      from: new Date(startMs).toISOString(),
      delivered: 8,
      failed: 2,
    })
    expect(Math.abs(stats.hours.at(-1).medianMs - 88)).toBeLessThanOrEqual(88 * 0.05)
    expect(stats.hours.at(-4)).toMatchObject({ delivered: 0, failed: 2, medianMs: null })
    expect(stats.hours[0]).toMatchObject({ delivered: 2, failed: 0, medianMs: 0 })
    expect(stats.hours[1]).toMatchObject({ delivered: 0, failed: 0, medianMs: null })
    const kept = await db.rows(sql`
      select from delivery_hours where endpoint_id = ${endpointId}`)
    expect(kept).toHaveLength(4)
  })

  // The clock of a test environment moves; deliveries happen in real time.
  test('are of real time and keep what could not be written', async () => {
    const { key, reference, endpoint } = await hireWithEndpoint()
    await ask('POST', '/v1/test/clock/advance', { key, body: { seconds: 7 * 86_400 } })
    const counts = new HourlyCounts()
    const attempt = {
      environmentId: endpoint.environmentId,
      endpointId: endpoint.id,
      startedAt: clock.now(),
      hasSucceeded: true,
      durationMs: 10,
    }
    counts.note(attempt)
    const away = { rows: () => Promise.reject(new Error('the database is away')) }
    await expect(counts.write(away, clock.now())).rejects.toThrow('away')
    counts.note(attempt)
    await counts.write(db, clock.now())
    const stats = (await ask('GET', `${path}/${reference}/stats`, { key })).json.data
    expect(stats.hours.at(-1)).toMatchObject({ delivered: 2, medianMs: 10 })
  })

  test('a median is within five percent, whatever was counted', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1 })
    fc.assert(
      fc.property(durations, (all) => {
        const counts: number[] = Array.from({ length: 200 }, () => 0)
        for (const ms of all) counts[durationClassOf(ms)]! += 1
        const exact = all.toSorted((a, b) => a - b)[Math.ceil(all.length / 2) - 1]!
        expect(Math.abs(medianDurationOf(counts)! - exact)).toBeLessThanOrEqual(
          0.05 * (exact + 1) + 0.5,
        )
      }),
      { numRuns: 300 },
    )
    expect([medianDurationOf([]), medianDurationOf([0, 0])]).toEqual([null, null])
  })
})
