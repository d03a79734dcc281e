import { describe, expect, test } from 'vitest'
import { minute } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { requestLogLimits } from '../../src/request-log/limits.js'
import { type Keys, openManilla, type TestService } from '../support/open-manilla.js'
import { until } from '../support/sessions.js'

const service = await openManilla()
const { ask, clock } = service
const path = '/v1/request-logs'
const fund = '/v1/test/balances/fund'
const funding = { asset: 'NGN', amount: 5 }

type Item = { id: string; requestId: string; path: string; status: number; method: string }

/** Waits until this many requests have been written. */
async function untilKept({ db }: Pick<TestService, 'db'>, count: number): Promise<void> {
  await until(async () => (await countKept({ db })) >= count)
}

async function countKept({ db }: Pick<TestService, 'db'>): Promise<number> {
  const [row] = await db.rows(sql<{ count: number }>`select count(*)::int from request_logs`)
  return row!.count
}

/** Sends a request and returns its log entry. */
async function askAndRead(key: string, ...[method, at, question]: Parameters<typeof ask>) {
  const reply = await ask(method, at, { key, ...question })
  const requestId = reply.headers.get('x-request-id')
  let read = await ask('GET', `${path}/${requestId}`, { key })
  await until(async () => {
    read = await ask('GET', `${path}/${requestId}`, { key })
    return read.status === 200
  })
  return { reply, entry: read.json.data }
}

async function list(keys: Keys, query: string): Promise<Item[]> {
  const found: Item[] = []
  for (let cursor = ''; ; ) {
    const { status, json } = await ask('GET', `${path}?${query}${cursor}`, { key: keys.secret })
    expect(status).toBe(200)
    found.push(...json.data.items)
    if (json.data.nextCursor === null) return found
    cursor = `&cursor=${json.data.nextCursor}`
  }
}

describe('a log entry', async () => {
  const { test: keys } = await service.addMerchant('Ada')

  test('has request, key and answer', async () => {
    const { reply, entry } = await askAndRead(keys.secret, 'POST', `${fund}`, { body: funding })
    expect(entry).toEqual({
      id: expect.stringMatching(/^log_[0-9a-z]{26}$/),
      requestId: reply.headers.get('x-request-id'),
      method: 'POST',
      path: fund,
      query: null,
      status: 201,
      replayed: false,
      durationMs: expect.any(Number),
      keyId: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      keyName: 'Ada test secret',
      code: null,
      reason: null,
      createdAt: clock.now().toISOString(),
      hidden: false,
      requestBody: JSON.stringify(funding),
      requestBodyCut: false,
      responseBody: reply.text,
      responseBodyCut: false,
    })
    const [item] = await list(keys, `requestId=${entry.requestId}`)
    const { requestBody, requestBodyCut, responseBody, responseBodyCut, ...rest } = entry
    expect(item).toEqual(rest)
    const byId = await ask('GET', `${path}/${entry.id}`, { key: keys.secret })
    expect(byId.json.data).toEqual(entry)
  })

  test('marks a replayed answer', async () => {
    const question = { body: funding, headers: { 'idempotency-key': 'one' } }
    const first = await askAndRead(keys.secret, 'POST', fund, question)
    const second = await askAndRead(keys.secret, 'POST', fund, question)
    expect([first.entry.replayed, second.entry.replayed]).toEqual([false, true])
    expect(second.entry.responseBody).toBe(first.entry.responseBody)
  })

  test('includes refused requests with their bodies', async () => {
    for (const [body, status] of [
      [{ asset: 'GBP', amount: 5 }, 400],
      ['{"asset":', 400],
      ['x'.repeat(70_000), 413],
    ] as const) {
      const { entry, reply } = await askAndRead(keys.secret, 'POST', fund, { body })
      expect([entry.status, entry.responseBody]).toEqual([status, reply.text])
      const sent = typeof body === 'string' ? body : JSON.stringify(body)
      expect(entry.requestBody).toBe(status === 413 ? null : sent)
    }
    const { entry } = await askAndRead(keys.secret, 'GET', '/v1/events/evt_1?nope=1')
    expect(entry).toMatchObject({ status: 400, path: '/v1/events/evt_1', query: 'nope=1' })
  })

  test('says why a request was refused, also one that is replayed or has no bodies', async () => {
    const endpoint = { url: 'http://127.0.0.1:9/hook' }
    const made = await ask('POST', '/v1/webhook-endpoints', { key: keys.secret, body: endpoint })
    const at = `/v1/webhook-endpoints/${made.json.data.id}`
    await ask('PATCH', at, { key: keys.secret, body: { enabled: false } })
    const question = { headers: { 'idempotency-key': 'refused' } }
    for (const replayed of [false, true]) {
      const { entry, reply } = await askAndRead(keys.secret, 'POST', `${at}/test`, question)
      expect(reply.json.reason).toBe('endpoint_disabled')
      const { code, reason } = reply.json
      expect(entry).toMatchObject({ replayed, code, reason })
    }
    const hidden = await askAndRead(keys.secret, 'GET', `${path}?limit=0`)
    const refusal = { code: 'validation_failed', reason: null, responseBody: null }
    expect(hidden.entry).toMatchObject(refusal)
  })

  test('is limited in size', async () => {
    const body = { checkout: { displayName: 'x'.repeat(2 * requestLogLimits.bodyLengthMax) } }
    const { entry } = await askAndRead(keys.secret, 'PATCH', '/v1/settings', { body })
    expect([entry.requestBodyCut, entry.responseBodyCut]).toEqual([true, false])
    expect(entry.requestBody).toBe('{"checkout":{"displayName":')
  })

  test('has no bodies for reads of the log itself and for HEAD', async () => {
    const asked = await askAndRead(keys.secret, 'GET', `${path}?limit=1`)
    expect(asked.reply.json.data.items).toHaveLength(1)
    expect(asked.entry).toMatchObject({ path, query: 'limit=1', responseBody: null })
    const { entry } = await askAndRead(keys.secret, 'HEAD', '/v1/balances')
    expect(entry).toMatchObject({ method: 'HEAD', status: 200, responseBody: null })
  })

  test('entries with equal request ids are all listed; GET returns the newest', async () => {
    const headers = { 'x-request-id': 'trace-1' }
    for (const at of ['/v1/balances', '/v1/settings', '/v1/profile']) {
      await ask('GET', at, { key: keys.secret, headers })
      clock.advance(1)
    }
    await until(async () => (await list(keys, 'requestId=trace-1')).length === 3)
    const items = await list(keys, 'requestId=trace-1&limit=1')
    expect(items.map((item) => item.path)).toEqual(['/v1/profile', '/v1/settings', '/v1/balances'])
    const read = await ask('GET', `${path}/trace-1`, { key: keys.secret })
    expect(read.json.data.path).toBe('/v1/profile')
    const oldest = await ask('GET', `${path}/${items[2]!.id}`, { key: keys.secret })
    expect(oldest.json.data.path).toBe('/v1/balances')
  })
})

describe('secrets and personal data', async () => {
  const merchant = await service.addMerchant('Ada')
  const { test: keys, live } = merchant
  const randomOf = (key: string) => key.slice('sk_test_'.length)

  test('no row contains a key or secret, wherever the caller put one', async () => {
    const secrets: string[] = [keys.secret, keys.public, live.secret, live.public].map(randomOf)
    const before = await countKept(service)
    let asked = 0
    const send = async (...question: Parameters<typeof ask>) => {
      asked += 1
      return ask(...question)
    }
    for (const key of [keys.secret, live.secret]) {
      await send('GET', `/v1/events/${key}`, { key })
      await send('GET', `/v1/balance-entries?api_key=${key}&cursor=${key}`, { key })
      await send('POST', fund, { key, body: { ...funding, [key]: key } })
      await send('POST', fund, { key, body: `{"asset":"NGN","key":"${key}` })
      await send('POST', fund, { key, body: funding, headers: { 'x-request-id': key } })
      await send('POST', fund, { key, body: funding, headers: { 'content-type': key } })
    }
    const body = { url: 'http://127.0.0.1:9/hook' }
    const made = await send('POST', '/v1/webhook-endpoints', { key: keys.secret, body })
    const { id, secret } = made.json.data
    const rotate = `/v1/webhook-endpoints/${id}/rotate-secret`
    const rotated = await send('POST', rotate, { key: keys.secret })
    secrets.push(secret.slice(6), rotated.json.data.secret.slice(6))
    await untilKept(service, before + asked)
    const rows = await service.db.rows(sql<{ text: string }>`
      select to_json(r)::text as text from request_logs r`)
    const text = rows.map((row) => row.text).join('\n')
    for (const one of secrets) expect(text).not.toContain(one)
    expect(text).toContain('sk_live_[secret]')
  })

  test('account numbers, names and e-mail addresses are masked in requests and answers', async () => {
    const sender = { name: 'Chinedu Okafor', accountNumber: '0123456789', bankCode: '058' }
    const body = {
      ...funding,
      sender,
      metadata: { email: 'ada@example.com', note: 'to 0123456789' },
    }
    const { entry } = await askAndRead(keys.secret, 'POST', fund, { body })
    expect(JSON.parse(entry.requestBody)).toEqual({
      ...funding,
      sender: { name: 'C*** O***', accountNumber: '******6789', bankCode: '058' },
      metadata: { email: 'a***@example.com', note: 'to ******6789' },
    })
    const at = '/v1/banks/resolve?accountNumber=0123456789&bankCode=058'
    const resolved = await askAndRead(keys.secret, 'GET', at)
    expect(resolved.entry.query).toBe('accountNumber=******6789&bankCode=058')
  })
})

describe('searches', async () => {
  const { test: keys } = await service.addMerchant('Ada')
  const other = await service.addMerchant('Bola')
  const idsOf = (items: Item[]) => items.map(({ requestId }) => requestId)

  test('by resource find the requests whose path or answer names it', async () => {
    const at = '/v1/webhook-endpoints'
    const body = { url: 'http://127.0.0.1:9/hook' }
    const made = await askAndRead(keys.secret, 'POST', at, { body })
    const { id } = made.reply.json.data
    clock.advance(1)
    const tested = await askAndRead(keys.secret, 'POST', `${at}/${id}/test`)
    const { eventId } = tested.reply.json.data
    await askAndRead(keys.secret, 'GET', at)
    clock.advance(1)
    const event = await askAndRead(keys.secret, 'GET', `/v1/events/${eventId}`)
    const named = [event, tested, made].map(({ entry }) => entry.requestId)
    expect(idsOf(await list(keys, `resource=${id}&limit=1`))).toEqual(named)
    expect(idsOf(await list(keys, `resource=${id}&method=GET`))).toEqual([named[0]])
    const byBoth = `resource=${eventId}&keyId=${made.entry.keyId}`
    expect(idsOf(await list(keys, byBoth))).toEqual(named.slice(0, 2))
    for (const unknown of ['x', `${id}0`, id.replace('we_', 'zz_')])
      expect(await list(keys, `resource=${unknown}`)).toEqual([])
    expect(await list(other.test, `resource=${id}`)).toEqual([])
  })

  test('by key find its requests only', async () => {
    const { entry } = await askAndRead(keys.secret, 'GET', '/v1/balances')
    const reply = await ask('GET', '/v1/profile', { key: keys.public })
    const asked = reply.headers.get('x-request-id')
    await until(async () => (await list(keys, `requestId=${asked}`)).length === 1)
    const [item] = (await list(keys, `requestId=${asked}`)) as (Item & { keyId: string })[]
    expect(idsOf(await list(keys, `keyId=${item!.keyId}`))).toEqual([asked])
    expect(idsOf(await list(keys, `keyId=${item!.keyId}&status=4xx`))).toEqual([])
    expect(idsOf(await list(keys, `keyId=${entry.keyId}`))).toContain(entry.requestId)
    for (const unknown of ['x', entry.keyId.replace('key_', 'va_')])
      expect(await list(keys, `keyId=${unknown}`)).toEqual([])
    expect(await list(other.test, `keyId=${entry.keyId}`)).toEqual([])
  })
})

describe('not logged', () => {
  test('are requests without a valid key, and no others', async () => {
    const quiet = await openManilla({ rateLimitPerSecond: 2 })
    const { test: keys } = quiet.merchant
    await quiet.ask('GET', '/v1/balances')
    await quiet.ask('GET', '/v1/balances', { key: `${keys.secret.slice(0, -1)}_` })
    await quiet.ask('GET', '/v1/balances', { key: keys.public })
    await quiet.ask('GET', '/healthz')
    await quiet.ask('GET', `/public/checkout/cs_${'0'.repeat(39)}`)
    await quiet.ask('GET', '/v1/nowhere', { key: keys.secret })
    await quiet.ask('GET', '/v1/profile', { key: keys.public })
    await quiet.ask('GET', '/v1/balances', { key: keys.secret })
    await quiet.ask('GET', '/v1/balances', { key: keys.secret })
    await quiet.close()
    const rows = await quiet.db.rows(sql`
      select path, status, key_name as key from request_logs order by status desc, path desc`)
    expect(rows).toEqual([
      { path: '/v1/balances', status: 429, key: 'Ada Stores test secret' },
      { path: '/v1/profile', status: 200, key: 'Ada Stores test public' },
      { path: '/v1/balances', status: 200, key: 'Ada Stores test secret' },
    ])
  })

  test('are all requests if the operator turns the log off', async () => {
    const quiet = await openManilla({ requestLogDays: 0 })
    const key = quiet.merchant.test.secret
    await quiet.ask('GET', '/v1/balances', { key })
    const listed = await quiet.ask('GET', path, { key })
    expect([listed.status, listed.json.data.items]).toEqual([200, []])
    await quiet.close()
    expect(await countKept(quiet)).toBe(0)
  })

  test('other environments see no entries', async () => {
    const [ada, bola] = [await service.addMerchant('Ada'), await service.addMerchant('Bola')]
    const { entry } = await askAndRead(ada.test.secret, 'GET', '/v1/balances')
    for (const { secret } of [ada.live, bola.test, bola.live]) {
      for (const name of [entry.id, entry.requestId]) {
        const reply = await ask('GET', `${path}/${name}`, { key: secret })
        expect([reply.status, reply.json.code]).toEqual([404, 'not_found'])
      }
      const reply = await ask('GET', `${path}?requestId=${entry.requestId}`, { key: secret })
      expect(reply.json.data.items).toEqual([])
    }
    for (const at of [path, `${path}/${entry.id}`])
      expect((await ask('GET', at, { key: ada.test.public })).status).toBe(401)
  })
})

describe('the list', async () => {
  const { test: keys, environments } = await service.addMerchant('Ada')
  const methods = ['GET', 'POST', 'PATCH']
  const paths = ['/v1/a', '/v1/a/b', '/v1/a_b', '/v1/a%b']
  const statuses = [200, 201, 404, 409, 422, 500]
  const all: Item[] = []
  const start = clock.now()
  // Several of each moment, so that a page may end between equals.
  for (let count = 0; count < 60; count += 1) {
    const pick = <Value>(values: Value[]) => values[(count * 7) % values.length]!
    const requestId = `r${count}`
    const at = new Date(start.getTime() + Math.floor(count / 4) * minute)
    const made = { requestId, method: pick(methods), path: pick(paths), status: pick(statuses) }
    const [row] = await service.db.rows(sql<{ id: string }>`
      insert into request_logs (environment_id, id, request_id, key_name, method, path, status,
        duration_us, is_replayed, is_request_cut, is_response_cut)
      values (${environments.test.id}, ${idAt(at)}, ${requestId}, 'k', ${made.method}, ${made.path},
        ${made.status}, 1, false, false, false) returning id`)
    all.push({ ...made, id: row!.id })
  }
  all.sort((left, right) => (left.id < right.id ? 1 : -1))
  const idsOf = (items: Item[]) => items.map(({ requestId }) => requestId)
  /** Without the reads of this test, which are logged, too. */
  const listed = async (query: string) =>
    idsOf(await list(keys, query)).filter((id) => /^r\d+$/.test(id))

  test.each([1, 7, 59, 60, 100])('is newest first, the same in pages of %i', async (limit) => {
    expect(await listed(`limit=${limit}&path=/v1/a`)).toEqual(idsOf(all))
  })

  test.each<[string, (item: Item) => boolean]>([
    ['status=404', ({ status }) => status === 404],
    ['status=4xx', ({ status }) => status >= 400 && status < 500],
    ['status=5xx', ({ status }) => status === 500],
    ['status=2xx&method=POST', ({ status, method }) => status < 300 && method === 'POST'],
    ['method=PATCH', ({ method }) => method === 'PATCH'],
    ['path=/v1/a/', ({ path: at }) => at === '/v1/a/b'],
    ['path=/v1/a_', ({ path: at }) => at === '/v1/a_b'],
    ['path=/v1/a%25', ({ path: at }) => at === '/v1/a%b'],
    ['requestId=r17', ({ requestId }) => requestId === 'r17'],
    ['requestId=r17&status=999'.replace('999', '503'), () => false],
    ['path=a', () => false],
  ])('filters by %s', async (query, isWanted) => {
    expect(await listed(`${query}&limit=9`)).toEqual(idsOf(all.filter(isWanted)))
  })

  test('filters by time, from inclusive, to exclusive', async () => {
    const [from, to] = [3, 9].map((count) => new Date(start.getTime() + count * minute))
    const within = all.filter(({ requestId }) => {
      const moment = Math.floor(Number(requestId.slice(1)) / 4)
      return moment >= 3 && moment < 9
    })
    const query = `from=${from!.toISOString()}&to=${to!.toISOString()}&limit=5`
    expect(await listed(query)).toEqual(idsOf(within))
    expect(await listed('to=1969-12-31')).toEqual([])
    expect(await listed('from=9999-12-31')).toEqual([])
  })

  test.each([
    'status=4',
    'status=600',
    'status=4x',
    'status=xxx',
    'status=',
    'method=get',
    'method=',
    'path=%00',
    'requestId=',
    'requestId=%20',
    'from=yesterday',
    'to=',
    'limit=0',
    'limit=101',
    'cursor=x',
    'cursor=e30',
    'cursor=',
    'nope=1',
  ])('refuses ?%s', async (query) => {
    const reply = await ask('GET', `${path}?${query}`, { key: keys.secret })
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed'])
  })

  test.each(['nobody', 'log_', '%00', '%20', 'x'.repeat(101)])('has no "%s"', async (name) => {
    const reply = await ask('GET', `${path}/${name}`, { key: keys.secret })
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found'])
  })
})

/** Entries of one moment have no order. */
function idAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  const rest = crypto.randomUUID().slice(15)
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${rest}`
}
