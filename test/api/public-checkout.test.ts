import { describe, expect, test } from 'vitest'
import { openWithBank, payersOf } from '../support/open-with-bank.js'

const service = await openWithBank()
const shop = payersOf(service, service.merchant)
const order = {
  amount: 1_250_000,
  description: 'Two loaves of agege bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}
const open = async (by = shop): Promise<string> =>
  (await by.post('/v1/checkout/sessions', order)).json.data.reference
const simulate = async (reference: string) =>
  (await service.ask('POST', `/public/checkout/${reference}/simulate`)).json

describe('simulating a payment reports the result', () => {
  test('for a pending session, and again once it is paid', async () => {
    const reference = await open()
    for (const _ of [1, 2])
      expect(await simulate(reference)).toMatchObject({ message: 'Paid', data: { status: 'paid' } })
  })

  test('for a cancelled session', async () => {
    const reference = await open()
    await shop.post(`/v1/checkout/sessions/${reference}/cancel`, {})
    const { message, data } = await simulate(reference)
    expect(message).toMatch(
      /^The payment arrived after the session was cancelled. `received` shows where the money is$/,
    )
    expect(data).toMatchObject({
      status: 'cancelled',
      received: [{ status: 'HELD', variance: 'LATE' }],
    })
  })

  test('for a session past its deadline, before and after it is ended', async () => {
    for (const isEnded of [false, true]) {
      const reference = await open()
      service.clock.advance(30 * 60_000)
      if (isEnded) await service.work()
      const { message, data } = await simulate(reference)
      expect(message).toMatch(
        /^The payment arrived after the session expired. `received` shows where the money is$/,
      )
      expect(data.received).toMatchObject([{ status: 'HELD', variance: 'LATE' }])
    }
  })
})

describe('a page of another origin', () => {
  const origin = 'https://shop.example'
  const ask = (method: string, path: string, headers = {}) =>
    fetch(service.url + path, { method, headers: { origin, ...headers } })

  test.each([
    ['', 'GET, HEAD'],
    ['/stream', 'GET'],
    ['/simulate', 'POST'],
  ])('may send a preflight request: %s', async (path, methods) => {
    const wanted = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    const { status, headers } = await ask('OPTIONS', `/public/checkout/cs_1${path}`, wanted)
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(headers.get('access-control-allow-methods')).toBe(methods)
    expect(headers.get('access-control-allow-headers')).toBe('content-type')
  })

  test.each([
    ['GET', '/public/checkout/cs_1', 404],
    ['GET', '/public/checkout/%zz', 400],
    ['GET', `/public/checkout/${'c'.repeat(500)}`, 400],
    ['GET', '/public/checkout/cs_1?a=1', 400],
    ['GET', '/public/nothing', 404],
    ['PUT', '/public/checkout/cs_1', 405],
    ['POST', '/public/checkout/cs_1/simulate', 404],
  ])('may read refusals: %s %s', async (method, path, refused) => {
    const { status, headers } = await ask(method, path)
    expect([status, headers.get('access-control-allow-origin')]).toEqual([refused, '*'])
  })

  test('may read Retry-After', async () => {
    const strict = await openWithBank({ publicRateLimitPerSecond: 1 })
    const asked = Array.from({ length: 5 }, () => fetch(`${strict.url}/public/checkout/cs_1`))
    const { headers } = (await Promise.all(asked)).find(({ status }) => status === 429)!
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('retry-after')
  })

  test('has no access to operations with keys or to pages', async () => {
    for (const path of ['/v1/balances', '/v1/checkout/sessions', '/checkout/cs_1']) {
      const { status, headers } = await ask('OPTIONS', path)
      expect([status, headers.get('access-control-allow-origin')]).toEqual([405, null])
    }
  })
})
