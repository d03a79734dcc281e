import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/postgres/sql.js'
import { openWithBank, payersOf } from '../../support/open-with-bank.js'

const service = await openWithBank()
const { db, clock } = service
const shop = payersOf(service, service.merchant)
const path = '/v1/payment-links'

const add = async (body: object = {}) => {
  // Rows of one moment are listed in any order.
  clock.advance(1)
  const reply = await shop.post(path, { description: 'Bread', ...body })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data
}
const read = async (reference: string) => (await shop.get(`${path}/${reference}`)).json.data

test('a link is created with defaults, read and listed', async () => {
  const link = await add()
  expect(link).toEqual({
    reference: expect.stringMatching(/^pl_[0-9a-z]{26}$/),
    slug: expect.stringMatching(/^[0-9a-z]{8}$/),
    url: `${service.url}/pay/${link.slug}`,
    qrCode: `${service.url}/pay/${link.slug}/qr.svg`,
    description: 'Bread',
    amount: null,
    minAmount: null,
    maxAmount: null,
    currency: 'NGN',
    crypto: null,
    fields: [],
    usesMax: null,
    uses: 0,
    active: true,
    status: 'active',
    expiresAt: null,
    successUrl: null,
    metadata: {},
    createdAt: clock.now().toISOString(),
  })
  expect(await read(link.reference)).toEqual(link)
  const second = await add({ slug: 'second-link' })
  const { items } = (await shop.get(`${path}?limit=2`)).json.data
  expect(items).toEqual([second, link])
})

test('a link keeps what it was created with, and changes what a request names', async () => {
  const wanted = {
    slug: 'ada-bread',
    description: 'Two loaves',
    minAmount: 50_000,
    maxAmount: 500_000,
    crypto: { asset: 'USDC', network: 'SOLANA' },
    fields: [
      { label: 'Size', required: true },
      { label: 'Colour', required: false },
    ],
    usesMax: 2,
    active: true,
    expiresAt: '2036-01-05T09:30:00.000Z',
    successUrl: 'https://shop.example/thanks',
    metadata: { b: 1, a: [2] },
  }
  const link = await add(wanted)
  expect(link).toMatchObject(wanted)
  const change = async (body: object) => {
    const { status, json } = await shop.patch(`${path}/${link.reference}`, body)
    expect(status).toBe(200)
    return json.data
  }
  expect(await change({ active: false })).toEqual({ ...link, active: false, status: 'inactive' })
  const price = { amount: 125_000, minAmount: null, maxAmount: null }
  const rest = { active: true, crypto: null, usesMax: null, expiresAt: null, successUrl: null }
  const others = { fields: [{ label: 'Name on it' }], metadata: {}, description: 'One loaf' }
  const changed = { ...link, ...price, ...rest, ...others, status: 'active' }
  changed.fields = [{ label: 'Name on it', required: true }]
  expect(await change({ ...price, ...rest, ...others })).toEqual(changed)
  expect(await read(link.reference)).toEqual(changed)
  const slug = await shop.patch(`${path}/${link.reference}`, { slug: 'other' })
  expect(slug).toMatchObject({ status: 400, json: { details: [{ field: 'slug' }] } })
})

describe('what cannot be is refused', () => {
  test.each([
    ['a price beside bounds', { amount: 50_000, minAmount: 10_000 }, 'amount'],
    ['bounds that exclude every amount', { minAmount: 20_000, maxAmount: 10_000 }, 'minAmount'],
    ['more than the operator allows', { maxAmount: 1_000_000_001 }, 'maxAmount'],
    ['one label twice', { fields: [{ label: 'Size' }, { label: 'size ' }] }, 'fields.1.label'],
    ['six fields', { fields: 'abcdef'.split('').map((label) => ({ label })) }, 'fields'],
    ['a label without a glyph', { fields: [{ label: ' ' }] }, 'fields.0.label'],
    ['the past', { expiresAt: '2020-01-01' }, 'expiresAt'],
    ['a script as a URL', { successUrl: 'javascript:alert(1)' }, 'successUrl'],
    ['no uses', { usesMax: 0 }, 'usesMax'],
    ['own answers', { metadata: { answers: 1 } }, 'metadata'],
    ['a slug with capitals', { slug: 'Ada' }, 'slug'],
    ['a slug that leaves the path', { slug: '../x' }, 'slug'],
    ['a slug that ends in a hyphen', { slug: 'ada-' }, 'slug'],
  ])('%s', async (_, body, field) => {
    const reply = await shop.post(path, { description: 'Bread', ...body })
    expect(reply).toMatchObject({ status: 400, json: { details: [{ field }] } })
  })

  test('a change is judged together with what it leaves', async () => {
    const { reference } = await add({ maxAmount: 100_000 })
    const reply = await shop.patch(`${path}/${reference}`, { amount: 50_000 })
    expect(reply).toMatchObject({ status: 400, json: { details: [{ field: 'amount' }] } })
    const bounds = await shop.patch(`${path}/${reference}`, { minAmount: 100_001 })
    expect(bounds).toMatchObject({ status: 400, json: { details: [{ field: 'minAmount' }] } })
    expect(await read(reference)).toMatchObject({ amount: null, maxAmount: 100_000 })
  })
})

test('a slug names one link of all merchants and modes', async () => {
  await add({ slug: 'one-of-a-kind' })
  const taken = {
    status: 409,
    json: { reason: 'duplicate_reference', details: [{ field: 'slug' }] },
  }
  const body = { slug: 'one-of-a-kind', description: 'Fish' }
  const other = payersOf(service, await service.addMerchant('Bola Stores'))
  expect(await shop.post(path, body)).toMatchObject(taken)
  expect(await other.post(path, body)).toMatchObject(taken)
  const racing = { slug: 'race-for-it', description: 'Fish' }
  const racers = [shop, other, shop, other, shop].map(({ post }) => post(path, racing))
  const statuses = (await Promise.all(racers)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([201, 409, 409, 409, 409])
})

test('links of other merchants and of the other mode do not exist', async () => {
  const { reference } = await add()
  const other = payersOf(service, await service.addMerchant('Bola Stores'))
  expect((await other.get(`${path}/${reference}`)).status).toBe(404)
  expect((await other.patch(`${path}/${reference}`, { active: false })).status).toBe(404)
  expect((await other.get(path)).json.data.items).toEqual([])
  const live = { key: service.merchant.live.secret }
  expect((await service.ask('GET', `${path}/${reference}`, live)).status).toBe(404)
  expect((await other.get('/v1/payment-links/pl_1')).status).toBe(404)
})

test('a link expires by the clock of its environment', async () => {
  const { test: environment } = service.merchant.environments
  const expiresAt = new Date(clock.now().getTime() + 60_000).toISOString()
  const { reference } = await add({ expiresAt })
  expect(await read(reference)).toMatchObject({ status: 'active' })
  await db.rows(sql`
    update environments set clock_offset_ms = 60000 where id = ${environment.id}`)
  // A key is cached for a second, with its environment.
  clock.advance(1_001)
  expect(await read(reference)).toMatchObject({ status: 'expired' })
  await db.rows(sql`update environments set clock_offset_ms = 0 where id = ${environment.id}`)
  clock.advance(1_001)
})

test('the database holds the rules of a link too', async () => {
  const { reference } = await add({ amount: 50_000, usesMax: 1 })
  const id = sql`slug = ${(await read(reference)).slug}`
  const violations: [string, ReturnType<typeof sql>][] = [
    ['payment_link_has_one_price', sql`amount_min = 1`],
    ['payment_link_amounts_are_positive', sql`amount = 0`],
    ['payment_link_bounds_are_possible', sql`amount = null, amount_min = 2, amount_max = 1`],
    ['payment_link_can_be_used', sql`uses_max = 0`],
    ['payment_link_coin_is_known', sql`crypto_asset = 'NGN'`],
    ['payment_link_slug_is_short', sql`slug = 'A b'`],
    ['payment_link_says_what_it_is_for', sql`description = ''`],
  ]
  for (const [constraint, change] of violations)
    await expect(
      db.rows(sql`update payment_links set ${change} where ${id}`),
      constraint,
    ).rejects.toThrow(constraint)
})
