import { get } from 'node:http'
import { expect, test } from 'vitest'
import { newPageToken } from '../../src/base/page-token.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

test('public requests of one IPv6 /64 share one allowance; those of another have their own', async () => {
  const service = await openWithBank({ publicRateLimitPerSecond: 2, trustProxy: true })
  const statusFrom = async (address: string) =>
    (await service.ask('GET', '/public/checkout/cs_1', from(address))).status
  expect(await statusFrom('2001:db8:1:2::1')).toBe(404)
  expect(await statusFrom('2001:db8:1:2:ffff::9')).toBe(404)
  expect(await statusFrom('2001:db8:1:2:abcd:1::')).toBe(429)
  expect(await statusFrom('2001:db8:1:3::1')).toBe(404)
  expect(await statusFrom('203.0.113.7')).toBe(404)
  expect(await statusFrom('::ffff:203.0.113.7')).toBe(404)
  expect(await statusFrom('203.0.113.7')).toBe(429)
  expect(await statusFrom('203.0.113.8')).toBe(404)
})

test('guesses at tokens of invoices are limited by address', async () => {
  const service = await openWithBank({ publicRateLimitPerSecond: 2, trustProxy: true })
  const guess = async (method: string, path: string) =>
    (await service.ask(method, `/i/${newPageToken()}${path}`, from('203.0.113.7'))).status
  expect(await guess('GET', '')).toBe(404)
  expect(await guess('GET', '/invoice.pdf')).toBe(404)
  expect(await guess('GET', '')).toBe(429)
  expect(await guess('POST', '/pay')).toBe(429)
})

test('streams to one IPv6 /64 share one limit', async () => {
  const service = await openWithBank({ trustProxy: true, streamLimits: { perNetworkMax: 1 } })
  const { json } = await payersOf(service, service.merchant).post('/v1/checkout/sessions', {
    amount: 1_250_000,
    description: 'Bread',
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
  })
  const url = `${service.url}/public/checkout/${json.data.reference}/stream`
  const open = (address: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const opened = get(url, from(address), (response) => resolve(response.statusCode))
      opened.on('error', reject)
    })
  expect(await open('2001:db8:1:2::1')).toBe(200)
  expect(await open('2001:db8:1:2::2')).toBe(429)
  expect(await open('2001:db8:1:3::1')).toBe(200)
})

test('the allow-list of an API key compares exact IPv6 addresses', async () => {
  const service = await openWithBank({ trustProxy: true })
  const key = service.merchant.test.secret
  await service.db.rows({
    text: `update api_keys set allowed_addresses = '{"2001:db8:1:2::1"}'`,
    values: [],
  })
  const statusFrom = async (address: string) =>
    (await service.ask('GET', '/v1/balances', { key, ...from(address) })).status
  expect(await statusFrom('2001:db8:1:2::1')).toBe(200)
  expect(await statusFrom('2001:db8:1:2::2')).toBe(401)
})
