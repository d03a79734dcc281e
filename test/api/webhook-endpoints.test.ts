import { describe, expect, test } from 'vitest'
import { fromReference, newId, prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { openManilla, type Reply } from '../support/open-manilla.js'
import { openSession, untilBlocked } from '../support/sessions.js'

const service = await openManilla()
const beside = await openManilla({ beside: service })
const { ask, db, clock, seal } = service
const path = '/v1/webhook-endpoints'
const url = 'https://example.com/hooks'

type Created = { id: string; secret: string; publicKey: string; createdAt: string }

/** Created one second apart, so that their order is defined. */
async function create(key: string, body: object = {}): Promise<Created> {
  clock.advance(1_000)
  const reply = await ask('POST', path, { key, body: { url, ...body } })
  expect([reply.status, reply.json.details]).toEqual([201, undefined])
  return reply.json.data
}

async function get(key: string, at = ''): Promise<Reply['json']> {
  const reply = await ask('GET', path + at, { key })
  expect(reply.status).toBe(200)
  return reply.json.data
}

async function idsOf(key: string): Promise<string[]> {
  return (await get(key)).items.map(({ id }: Created) => id)
}

async function tryUrl(key: string, address: unknown): Promise<Reply> {
  return ask('POST', path, { key, body: { url: address } })
}

/** Every operation on one endpoint. */
function askAll(key: string, id: string): Promise<Reply[]> {
  const body = { since: '2026-01-01' }
  return Promise.all([
    ask('GET', `${path}/${id}`, { key }),
    ask('PATCH', `${path}/${id}`, { key, body: { enabled: false } }),
    ask('DELETE', `${path}/${id}`, { key }),
    ask('POST', `${path}/${id}/rotate-secret`, { key }),
    ask('POST', `${path}/${id}/test`, { key }),
    ask('POST', `${path}/${id}/recover`, { key, body }),
  ])
}

describe('the secret', () => {
  test('is shown at creation and never again', async () => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const { secret, ...shown } = await create(key)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown.publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
    expect(await get(key, `/${shown.id}`)).toEqual(shown)
    expect((await get(key)).items).toEqual([shown])
    const body = { description: 'Till 4' }
    const changed = await ask('PATCH', `${path}/${shown.id}`, { key, body })
    expect(changed.json.data).toEqual({ ...shown, description: 'Till 4' })
  })

  test('is unique per endpoint, as is the public key', async () => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const [one, other] = [await create(key), await create(key)]
    expect(one.secret).not.toBe(other.secret)
    expect(one.publicKey).not.toBe(other.publicKey)
  })

  // Tables and logs reveal neither the secret nor the signing key, in any encoding of their bytes.
  test('is in no table and no log, and neither is the signing key', async () => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const headers = { 'idempotency-key': 'sealed' }
    const made = await ask('POST', path, { key, headers, body: { url } })
    const { id, secret } = made.json.data
    const rotated = await ask('POST', `${path}/${id}/rotate-secret`, { key, headers })
    expect(rotated.status).toBe(422)
    const again = { 'idempotency-key': 'sealed too' }
    const newer = await ask('POST', `${path}/${id}/rotate-secret`, { key, headers: again })
    const [row] = await db.rows(sql<Record<'secret' | 'previous' | 'signingKey', string>>`
      select secret, previous_secrets -> 0 ->> 'secret' as previous, signing_key
      from webhook_endpoints where id = ${fromReference(prefixes.webhookEndpoint, id)}`)
    expect(seal.open(row!.secret)).toBe(newer.json.data.secret)
    expect(seal.open(row!.previous)).toBe(secret)

    const stored = await db.rows(sql<{ text: string }>`
      select w::text as text from webhook_endpoints w
      union all select k::text from idempotency_keys k`)
    expect(stored.filter(({ text }) => text.includes('sealed'))).toHaveLength(2)
    const written = [...stored.map(({ text }) => text), ...service.log].join('\n')
    for (const hidden of [secret, newer.json.data.secret, seal.open(row!.signingKey)]) {
      const base64 = hidden.replace('whsec_', '')
      const hex = Buffer.from(base64, 'base64').toString('hex')
      const textInHex = Buffer.from(hidden).toString('hex')
      for (const form of [base64, hex, textInHex]) expect(written).not.toContain(form)
    }
  })
})

describe('an endpoint', () => {
  test('subscribes to all events and is enabled by default', async () => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const { id } = await create(key)
    expect(await get(key, `/${id}`)).toMatchObject({
      url,
      events: ['*'],
      description: '',
      enabled: true,
      disabledReason: null,
      failingSince: null,
      createdAt: clock.now().toISOString(),
    })
  })

  test('is listed newest first', async () => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const made: string[] = []
    for (let count = 0; count < 5; count += 1) made.unshift((await create(key)).id)
    expect(await idsOf(key)).toEqual(made)
    expect((await get(key)).nextCursor).toBeNull()
  })

  test.each([
    [{ url: 'https://example.com/other?a=b' }],
    [{ events: ['payment.*', 'balance.low'] }],
    [{ description: 'Till 4' }],
    [{ url: 'https://example.org/', events: ['*'], description: '' }],
    [{}],
  ])('changes by %j only the given fields', async (change) => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const { secret, ...before } = await create(key, { events: ['payment.held'], description: 'd' })
    const reply = await ask('PATCH', `${path}/${before.id}`, { key, body: change })
    expect([reply.status, reply.json.data]).toEqual([200, { ...before, ...change }])
    expect(await get(key, `/${before.id}`)).toEqual({ ...before, ...change })
  })

  test('shows that the merchant disabled it', async () => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const { secret, ...before } = await create(key)
    const switchTo = (enabled: boolean) =>
      ask('PATCH', `${path}/${before.id}`, { key, body: { enabled } })
    const off = await switchTo(false)
    expect(off.json.data).toEqual({ ...before, enabled: false, disabledReason: 'merchant' })
    expect((await switchTo(true)).json.data).toEqual(before)
  })

  test('is gone after deletion; others stay', async () => {
    const { secret: key } = (await service.addMerchant('Ada')).test
    const [first, second] = [await create(key), await create(key)]
    const reply = await ask('DELETE', `${path}/${first.id}`, { key })
    expect([reply.status, reply.json.data]).toEqual([200, {}])
    for (const { status, json } of await askAll(key, first.id))
      expect([status, json.code]).toEqual([404, 'not_found'])
    expect(await idsOf(key)).toEqual([second.id])
  })

  // Twenty creates over two servers wait for the environment's row, so that both servers count the
  // endpoints at the same time.
  test('is limited to ten, also under concurrency', async () => {
    const { test: keys, live, environments } = await service.addMerchant('Ada')
    const session = await openSession(db)
    await session.query('begin')
    const { id } = environments.test
    await session.query('select from environments where id = $1 for update', [id])
    const asking = Array.from({ length: 20 }, (_, index) => {
      const at = index % 2 === 0 ? service : beside
      return at.ask('POST', path, { key: keys.secret, body: { url } })
    })
    await untilBlocked(db, 2)
    await session.query('rollback')
    const replies = await Promise.all(asking)
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10)
    for (const { json } of replies.filter(({ status }) => status !== 201))
      expect(json).toMatchObject({ code: 'webhook_endpoint_failed', reason: 'too_many' })
    const listed = await idsOf(keys.secret)
    expect(listed).toHaveLength(10)

    await create(live.secret)
    await ask('DELETE', `${path}/${listed[0]}`, { key: keys.secret })
    await create(keys.secret)
    expect((await tryUrl(keys.secret, url)).status).toBe(422)
  })

  test('is visible in its environment only', async () => {
    const { test: keys, live } = await service.addMerchant('Ada')
    const other = await service.addMerchant('Bola')
    const { secret, ...before } = await create(keys.secret)
    const unknown = toReference(prefixes.webhookEndpoint, newId(clock.now()))
    const foreign = toReference(prefixes.event, newId(clock.now()))
    const strangers = [live.secret, other.test.secret, other.live.secret]
    for (const key of strangers) expect(await idsOf(key)).toEqual([])
    const asked = await Promise.all([
      ...strangers.map((key) => askAll(key, before.id)),
      ...[unknown, foreign, 'we_', 'nonsense', '%00'].map((id) => askAll(keys.secret, id)),
    ])
    for (const { status, json } of asked.flat())
      expect([status, json.code]).toEqual([404, 'not_found'])
    expect(await get(keys.secret, `/${before.id}`)).toEqual(before)
  })

  test('is inaccessible to public keys', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const { secret, ...before } = await create(keys.secret)
    const replies = [
      await ask('GET', path, { key: keys.public }),
      await tryUrl(keys.public, url),
      ...(await askAll(keys.public, before.id)),
    ]
    for (const { status, json } of replies)
      expect([status, json.code]).toEqual([401, 'authentication_failed'])
    expect((await get(keys.secret)).items).toEqual([before])
  })
})

/** Checks create and update alike; the updated endpoint must stay unchanged. */
async function expectRefused(key: string, wrong: object, field: string): Promise<void> {
  const { id } = (await get(key)).items[0] ?? (await create(key))
  const before = await get(key)
  const replies = [
    await ask('POST', path, { key, body: { url, ...wrong } }),
    await ask('PATCH', `${path}/${id}`, { key, body: wrong }),
  ]
  for (const { status, json } of replies) {
    expect([wrong, status, json.code]).toEqual([wrong, 400, 'validation_failed'])
    expect(json.details[0].field).toMatch(new RegExp(`^${field}`))
  }
  expect(await get(key)).toEqual(before)
}

describe('what is refused', async () => {
  const { test: keys, live } = await service.addMerchant('Ada')

  const nowhere = [
    '',
    'example.com',
    '/hooks',
    'https://',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://ada@example.com/',
    'https://ada:pass@example.com/',
    'https://example.com/#top',
    `https://example.com/${'x'.repeat(2_048)}`,
    null,
    5,
    [url],
  ]
  const inside = [
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://0.0.0.0/',
    'https://169.254.169.254/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[::]/',
    'https://127.0.0.2/',
    'https://[::ffff:127.0.0.1]/',
    'https://100.64.0.1/',
    'https://0x0a000001/',
    'https://167772161/',
    'https://10.1/',
    'https://10.0.0.1./',
  ]
  const loopback = ['http://127.0.0.1:3000/', 'http://[::1]:3000/', 'https://127.0.0.1/']

  test('are forbidden addresses, in both modes', async () => {
    for (const address of [...nowhere, ...inside]) {
      await expectRefused(live.secret, { url: address }, 'url')
      await expectRefused(keys.secret, { url: address }, 'url')
    }
  })

  test('are insecure and local addresses in live mode; test mode accepts them', async () => {
    for (const address of ['http://example.com/', ...loopback]) {
      const { secret: key } = (await service.addMerchant('Ada')).test
      await expectRefused(live.secret, { url: address }, 'url')
      expect([address, (await tryUrl(key, address)).status]).toEqual([address, 201])
    }
    expect((await tryUrl(live.secret, 'https://93.184.216.34:8443/a?b=c')).status).toBe(201)
  })

  test('are names that only exist inside a network, in live mode, in every spelling', async () => {
    const names = ['localhost', 'LOCALHOST', 'localhost.', 'shop.localhost', 'ｌocalhost', 'db']
    const reserved = ['metadata.google.internal', 'printer.local', 'nas.home.arpa', 'a.lan']
    const numbers = ['127.0.0.1', '0x7f.1', '2130706433', '127.1', '[::1]', '[::ffff:7f00:1]']
    for (const host of [...names, ...reserved, ...numbers])
      for (const address of [`https://${host}/`, `https://${host}:8443/hooks?a=b`])
        await expectRefused(live.secret, { url: address }, 'url')
    for (const host of ['localhost', 'shop.localhost']) {
      const { secret: key } = (await service.addMerchant('Ada')).test
      expect([host, (await tryUrl(key, `http://${host}:3000/`)).status]).toEqual([host, 201])
    }
    const { secret: key } = (await service.addMerchant('Ada')).live
    for (const host of ['localhost.example.com', 'internal.example.com', 'xn--bcher-kva.example'])
      expect([host, (await tryUrl(key, `https://${host}/`)).status]).toEqual([host, 201])
  })

  test('are invalid filters', async () => {
    const wrong = ['payment', 'payment.', 'pay*', '**', '.*', 'nope.*', 'nope.held', 'payment.*.*']
    for (const filter of [...wrong, 'Payment.*', ' payment.*', '', null, 5])
      await expectRefused(keys.secret, { events: ['balance.low', filter] }, 'events')
    for (const events of [[], ['balance.low', 'balance.low'], 'balance.low', null])
      await expectRefused(keys.secret, { events }, 'events')
  })

  test('are unknown fields, by name, and values of another kind', async () => {
    await expectRefused(keys.secret, { secret: 'whsec_mine' }, 'secret')
    await expectRefused(keys.secret, { disabledReason: null }, 'disabledReason')
    for (const description of ['x'.repeat(101), null, 5])
      await expectRefused(keys.secret, { description }, 'description')
    const { id } = (await get(keys.secret)).items[0]
    for (const enabled of ['false', 0, null]) {
      const reply = await ask('PATCH', `${path}/${id}`, { key: keys.secret, body: { enabled } })
      expect([enabled, reply.status]).toEqual([enabled, 400])
    }
  })

  // PostgreSQL cannot store NUL: it must be a validation error.
  test('is a description with a character that cannot be stored', async () => {
    await expectRefused(keys.secret, { description: 'a\u0000b' }, 'description')
  })
})
