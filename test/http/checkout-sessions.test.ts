import { beforeEach, expect, test } from 'vitest'
import { customersOf, openBankHouse } from '../support/bank-house.js'
import { expectSoundBooks } from '../support/sound-books.js'

const house = await openBankHouse()
let shop: ReturnType<typeof customersOf>
beforeEach(async () => {
  shop = customersOf(house, await house.hire('Ada Stores'))
})

const order = {
  ...{ amount: 1_250_000, description: 'Two loaves of agege bread' },
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}
const create = (change: object = {}) => shop.post('/v1/checkout/sessions', { ...order, ...change })
const look = (reference: string) => house.ask('GET', `/public/checkout/${reference}`)

test('a session is created with a page and an account, and read without a key', async () => {
  const { status, json } = await create({ merchantReference: 'order-7', metadata: { b: 1, a: 2 } })
  expect([status, json.data]).toMatchObject([
    201,
    {
      ...{ reference: expect.stringMatching(/^cs_[0-9a-z]{39}$/), status: 'pending' },
      ...{ amount: 1_250_000, currency: 'NGN', merchantReference: 'order-7' },
      url: `${house.url}/checkout/${json.data.reference}`,
      virtualAccount: expect.stringMatching(/^va_/),
    },
  ])
  const reply = await look(json.data.reference)
  expect(reply.headers.get('access-control-allow-origin')).toBe('*')
  expect(reply.json.data).toEqual({
    ...{ reference: json.data.reference, amount: 1_250_000, currency: 'NGN', status: 'pending' },
    merchant: { id: expect.stringMatching(/^mer_/), displayName: 'Ada Stores' },
    description: 'Two loaves of agege bread',
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
    paymentMethods: [
      {
        ...{ code: 'bank_transfer', label: 'Bank transfer', enabled: true, available: true },
        status: 'available',
      },
      { code: 'card', label: 'Card', enabled: false, available: false, status: 'coming_soon' },
    ],
    expiresAt: expect.any(String),
    bankTransfer: {
      ...{ accountNumber: expect.stringMatching(/^\d{10}$/), accountName: 'Ada Stores' },
      ...{ bankName: 'Sandbox Bank', bankCode: '999', amount: 1_250_000 },
    },
    received: [],
    serverTime: house.clock.now().toISOString(),
    cancelUrl: null,
  })
})

test('a session that is paid says so, to the payer and to the merchant', async () => {
  const { reference } = (await create({ successUrl: 'https://shop.example/thanks?a=1' })).json.data
  const paid = await house.ask('POST', `/public/checkout/${reference}/simulate`)
  expect(paid.json.data).toMatchObject({
    ...{ status: 'paid', successUrl: `https://shop.example/thanks?a=1&reference=${reference}` },
  })
  expect(paid.json.data.bankTransfer).toBeUndefined()
  await house.ask('POST', `/public/checkout/${reference}/simulate`)
  expect(await shop.naira()).toMatchObject({ available: 1_250_000 - 12_500, pending: 0 })
  const { json } = await shop.get('/v1/events?type=checkout.session.paid')
  expect(json.data.items).toHaveLength(1)
  expect(json.data.items[0].data).toMatchObject({ reference, status: 'paid' })
  await expectSoundBooks(house.db)
})
