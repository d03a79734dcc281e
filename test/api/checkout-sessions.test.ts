import { beforeEach, describe, expect, test } from 'vitest'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
let shop: ReturnType<typeof payersOf>
beforeEach(async () => {
  shop = payersOf(service, await service.addMerchant('Ada Stores'))
})

const order = {
  amount: 1_250_000,
  description: 'Two loaves of agege bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}
const create = (change: object = {}) => shop.post('/v1/checkout/sessions', { ...order, ...change })
const read = (reference: string) => service.ask('GET', `/public/checkout/${reference}`)

test('a session has a page and an account, and is public', async () => {
  const { status, json } = await create({ merchantReference: 'order-7', metadata: { b: 1, a: 2 } })
  expect([status, json.data]).toMatchObject([
    201,
    {
      reference: expect.stringMatching(/^cs_[0-9a-z]{39}$/),
      status: 'pending',
      amount: 1_250_000,
      currency: 'NGN',
      merchantReference: 'order-7',
      url: `${service.url}/checkout/${json.data.reference}`,
      virtualAccount: expect.stringMatching(/^va_/),
    },
  ])
  const reply = await read(json.data.reference)
  expect(reply.headers.get('access-control-allow-origin')).toBe('*')
  expect(reply.json.data).toEqual({
    reference: json.data.reference,
    amount: 1_250_000,
    currency: 'NGN',
    status: 'pending',
    merchant: { id: expect.stringMatching(/^mer_/), displayName: 'Ada Stores' },
    description: 'Two loaves of agege bread',
    customer: order.customer,
    paymentMethods: [
      {
        code: 'bank_transfer',
        label: 'Bank transfer',
        enabled: true,
        available: true,
        status: 'available',
      },
      { code: 'card', label: 'Card', enabled: false, available: false, status: 'coming_soon' },
    ],
    expiresAt: expect.any(String),
    bankTransfer: {
      accountNumber: expect.stringMatching(/^\d{10}$/),
      accountName: 'Ada Stores',
      bankName: 'Sandbox Bank',
      bankCode: '999',
      amount: 1_250_000,
    },
    amountReceived: 0,
    amountAccepted: 0,
    received: [],
    moreReceived: false,
    serverTime: service.clock.now().toISOString(),
    cancelUrl: null,
  })
})

test('the events of a session are found by its exact reference', async () => {
  const { reference } = (await create()).json.data
  await shop.post(`/v1/checkout/sessions/${reference}/cancel`, {})
  expect(await shop.eventsOf(reference)).toEqual(['checkout.session.cancelled'])
  for (const other of [reference.slice(0, -1), `${reference}0`, `cs_${'z'.repeat(39)}`])
    expect(await shop.eventsOf(other)).toEqual([])
})

test('a paid session is shown to the payer and notifies the merchant', async () => {
  const { reference } = (await create({ successUrl: 'https://shop.example/thanks?a=1' })).json.data
  const paid = await service.ask('POST', `/public/checkout/${reference}/simulate`)
  expect(paid.json.data).toMatchObject({
    status: 'paid',
    successUrl: `https://shop.example/thanks?a=1&reference=${reference}`,
  })
  expect(paid.json.data.bankTransfer).toBeUndefined()
  await service.ask('POST', `/public/checkout/${reference}/simulate`)
  expect(await shop.naira()).toMatchObject({ available: 1_250_000 - 12_500, pending: 0 })
  const { json } = await shop.get('/v1/events?type=checkout.session.paid')
  expect(json.data.items).toHaveLength(1)
  expect(json.data.items[0].data).toMatchObject({ reference, status: 'paid' })
  await expectAllProofs(service.db)
})

// From the session alone, a merchant must be able to tell who paid, and to refund it.
test('the merchant sees everything that the payer sees, and who paid', async () => {
  const urls = { successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/' }
  const created = (await create(urls)).json.data
  const { reference } = created
  const { accountNumber } = created.bankTransfer
  const own = async () => (await shop.get(`/v1/checkout/sessions/${reference}`)).json.data
  const sender = { name: 'Chuka Obi', accountNumber: '0123454432', bankCode: '058' }
  for (const amount of [0, 400_000, 1_250_000]) {
    if (amount > 0) {
      // The newest comes first, by the millisecond.
      service.clock.advance(1)
      await shop.payIn(accountNumber, { amount, sender })
    }
    const [session, seen] = [await own(), (await read(reference)).json.data]
    if (amount === 0) expect(session).toEqual(created)
    const { received, customer: _, cancelUrl, successUrl = null, ...rest } = seen
    expect(session).toMatchObject(rest)
    expect(session.customer).toEqual(order.customer)
    for (const url of [cancelUrl, successUrl])
      if (url !== null) expect(Object.values(session)).toContain(url.split('?')[0])
    expect(session.payments).toMatchObject(
      received.map((one: Record<string, unknown>) => {
        // The merchant sees both in the returns of the payment.
        const { sentFrom, sentBackTo: _to, amountRefunded, ...fields } = one
        expect(amountRefunded).toBe(0)
        expect(sentFrom).toEqual({ bankName: 'Guaranty Trust Bank', accountNumber: '******4432' })
        return fields
      }),
    )
  }
  const session = await own()
  const [payment] = session.payments
  expect(payment).toMatchObject({ fee: 12_500, amountAccepted: 1_250_000, sender })
  expect((await shop.get(`/v1/collections/payments/${payment.reference}`)).json.data).toEqual(
    payment,
  )
  const event = (await shop.get('/v1/events?type=checkout.session.paid')).json.data.items[0]
  expect(event.data).toEqual(session)
  expect((await shop.get('/v1/checkout/sessions')).json.data.items).toEqual([session])
  const refund = await shop.post(`/v1/collections/payments/${payment.reference}/refund`, {
    amount: 1_000_000,
  })
  expect([refund.status, (await own()).payments[0].amountReturning]).toEqual([201, 1_000_000])
  const returnsPath = `/v1/collections/payments/${payment.reference}/returns`
  const [{ amount }] = (await shop.get(returnsPath)).json.data.items
  const [{ amountRefunded }] = (await read(reference)).json.data.received
  expect([amount, amountRefunded]).toEqual([1_000_000, 1_000_000])
})

test('the public session and the page name the customer, unless the merchant hides it', async () => {
  const { reference, url } = (await create()).json.data
  const seen = async () => (await (await fetch(url)).text()) + (await read(reference)).text
  expect((await read(reference)).json.data.customer).toEqual(order.customer)
  expect(await seen()).toMatch(/Ada Obi, ada@example\.com/)
  await shop.patch('/v1/settings', { checkout: { showCustomer: false } })
  expect((await read(reference)).json.data.customer).toEqual({ name: '', email: '' })
  expect(await seen()).not.toMatch(/Ada Obi|ada@example\.com/)
  await shop.patch('/v1/settings', { checkout: { showCustomer: true } })
  expect((await read(reference)).json.data.customer).toEqual(order.customer)
})

// Programs, link previews and prefetches are not the customer.
test('the first view of the page by a browser is recorded', async () => {
  const { reference } = (await create()).json.data
  const url = `/checkout/${reference}`
  // Node's fetch sets Sec-Fetch-Mode itself.
  const view = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET', query = '') =>
    service.app.inject({ method, url: url + query, headers })
  const opened = async () => (await shop.get(`/v1/checkout/sessions/${reference}`)).json.data
  const browser = { 'sec-fetch-mode': 'navigate' }
  const others = await Promise.all([
    view({}),
    view({}, 'HEAD'),
    view({ ...browser, 'sec-purpose': 'prefetch' }),
    view({ ...browser, purpose: 'prefetch' }),
    view({ 'sec-fetch-mode': 'cors' }),
    view(browser, 'GET', '?part=main'),
  ])
  expect(others.map(({ statusCode }) => statusCode)).toEqual(others.map(() => 200))
  expect((await opened()).openedAt).toBe(null)
  service.clock.advance(5_000)
  const at = service.clock.now().toISOString()
  await view(browser)
  await expect.poll(async () => (await opened()).openedAt).toBe(at)
  service.clock.advance(5_000)
  await view({ 'upgrade-insecure-requests': '1' })
  await view(browser)
  expect((await opened()).openedAt).toBe(at)
})

// The merchant's URL may be signed, so nothing else may change.
test.each([
  ['https://shop.example/thanks', 'https://shop.example/thanks?reference=…'],
  ['https://shop.example/?', 'https://shop.example/?reference=…'],
  [
    'https://shop.example/a?x=a+b&y=%20~&z&&q=é',
    'https://shop.example/a?x=a+b&y=%20~&z&&q=%C3%A9&reference=…',
  ],
  ['https://shop.example/a?reference=mine', 'https://shop.example/a?reference=mine&reference=…'],
  ['https://shop.example/a?b=1&#/done?now', 'https://shop.example/a?b=1&reference=…#/done?now'],
  ['https://shop.example/#top', 'https://shop.example/?reference=…#top'],
])('the reference is added to %s', async (url, shown) => {
  const { reference } = (await create({ cancelUrl: url })).json.data
  const { cancelUrl } = (await read(reference)).json.data
  expect(cancelUrl).toBe(shown.replace('…', reference))
})

test('a pending session can be paid even after its method was disabled', async () => {
  const { reference } = (await create()).json.data
  await shop.patch('/v1/settings', { paymentMethods: { bankTransfer: false } })
  const { data } = (await read(reference)).json
  expect(data.paymentMethods[0]).toMatchObject({ enabled: true, available: true })
  expect(data.paymentMethods[0].status).toBe('available')
  expect((await shop.payIn(data.bankTransfer.accountNumber, { amount: 1_250_000 })).status).toBe(
    201,
  )
  expect((await read(reference)).json.data).toMatchObject({
    status: 'paid',
    paymentMethods: [{ enabled: false, available: false, status: 'unavailable' }, {}],
  })
})

describe('a session follows its account', () => {
  test('into expiry, and to paid when a late payment is accepted', async () => {
    const session = (await create()).json.data
    const { accountNumber } = (await read(session.reference)).json.data.bankTransfer
    service.clock.advance(30 * 60_000)
    await service.work()
    expect((await read(session.reference)).json.data).toMatchObject({ status: 'expired' })
    const late = (await shop.payIn(accountNumber, { amount: 1_250_000 })).json.data
    expect(late).toMatchObject({ status: 'HELD', variance: 'LATE' })
    expect((await read(session.reference)).json.data.status).toBe('expired')
    await shop.post(`/v1/collections/payments/${late.reference}/resolve`, { action: 'accept' })
    expect((await read(session.reference)).json.data.status).toBe('paid')
    const events: { type: string; sequence: number }[] = (
      await shop.get('/v1/events?limit=100')
    ).json.data.items.filter(({ type }: { type: string }) => type.startsWith('checkout.'))
    expect(new Map(events.map(({ sequence, type }) => [sequence, type]))).toEqual(
      new Map([
        [1, 'checkout.session.expired'],
        [2, 'checkout.session.paid'],
      ]),
    )
    await expectAllProofs(service.db)
  })

  test('into cancellation, whichever of the two is cancelled', async () => {
    const one = (await create()).json.data
    const path = `/v1/checkout/sessions/${one.reference}/cancel`
    expect((await shop.post(path, {})).json.data).toMatchObject({ status: 'cancelled' })
    expect((await shop.post(path, {})).status).toBe(200)
    const other = (await create()).json.data
    await shop.post(`/v1/collections/virtual-accounts/${other.virtualAccount}/cancel`, {})
    expect((await read(other.reference)).json.data).toMatchObject({
      status: 'cancelled',
      cancelUrl: null,
    })
  })

  test('and cannot be cancelled once paid', async () => {
    const { reference } = (await create()).json.data
    await service.ask('POST', `/public/checkout/${reference}/simulate`)
    const { status, json } = await shop.post(`/v1/checkout/sessions/${reference}/cancel`, {})
    expect([status, json.code, json.reason]).toEqual([
      409,
      'checkout_session_failed',
      'invalid_state',
    ])
  })
})

describe('access', () => {
  test('unknown and malformed references get the same answer', async () => {
    const { reference } = (await create()).json.data
    const replies = await Promise.all(
      [
        `${reference.slice(0, -1)}${reference.endsWith('0') ? '1' : '0'}`,
        'cs_',
        'cs_x',
        '%00',
        reference.toUpperCase(),
        `va_${reference.slice(3, 29)}`,
        'a'.repeat(150),
      ].map(read),
    )
    const bodies = replies.map(({ status, json }) => {
      return JSON.stringify([status, { ...json, requestId: '' }])
    })
    expect(new Set(bodies).size).toBe(1)
    expect(replies[0]).toMatchObject({
      status: 404,
      json: { code: 'checkout_session_not_found' },
    })
  })

  test('another merchant cannot read, list or cancel a session', async () => {
    const { reference } = (await create()).json.data
    const stranger = payersOf(service, await service.addMerchant('Bola'))
    const path = `/v1/checkout/sessions/${reference}`
    expect((await stranger.get(path)).status).toBe(404)
    expect((await stranger.post(`${path}/cancel`, {})).status).toBe(404)
    expect((await stranger.get('/v1/checkout/sessions')).json.data.items).toEqual([])
    expect((await read(reference)).json.data.status).toBe('pending')
  })

  test('lists are newest first, filtered and paginated', async () => {
    const made: string[] = []
    for (let n = 0; n < 5; n += 1) {
      service.clock.advance(1)
      made.unshift((await create({ merchantReference: `order-${n % 2}` })).json.data.reference)
    }
    const seen: string[] = []
    let cursor = ''
    do {
      const { data } = (await shop.get(`/v1/checkout/sessions?limit=2${cursor}`)).json
      seen.push(...data.items.map((item: { reference: string }) => item.reference))
      cursor = data.nextCursor ? `&cursor=${data.nextCursor}` : ''
    } while (cursor)
    expect(seen).toEqual(made)
    const odd = await shop.get('/v1/checkout/sessions?merchantReference=order-1&status=pending')
    expect(odd.json.data.items).toHaveLength(2)
  })
})

describe('what is refused', () => {
  test.each([
    [{ successUrl: 'javascript:alert(1)' }, 'successUrl'],
    [{ cancelUrl: 'data:text/html,x' }, 'cancelUrl'],
    [{ successUrl: 'https://shop.example@evil.example/' }, 'successUrl'],
    [{ cancelUrl: '//evil.example' }, 'cancelUrl'],
    [{ description: '' }, 'description'],
    [{ description: 'a\u0000b' }, 'description'],
    [{ description: 'a\u202eb' }, 'description'],
    [{ customer: { name: 'a\u2067b', email: 'ada@example.com' } }, 'customer.name'],
    [{ customer: { name: 'Ada', email: 'a\u202e@b' } }, 'customer.email'],
    [{ customer: { name: 'Ada', email: 'nobody' } }, 'customer.email'],
    [{ customer: { name: 'Ada' } }, 'customer.email'],
    [{ customer: { name: 'Ada', email: 'a\u0000@b' } }, 'customer.email'],
    [{ amount: '500' }, 'amount'],
    [{ currency: 'USD' }, 'currency'],
    [{ expiresAt: '2020-01-01' }, 'expiresAt'],
    [{ colour: 'red' }, 'colour'],
  ])('%j', async (change, field) => {
    const { status, json } = await create(change)
    expect([status, json.code, json.details[0].field]).toEqual([400, 'validation_failed', field])
  })

  test('a session without a payment method', async () => {
    const { test: keys } = await service.addMerchant('No methods')
    await service.ask('PATCH', '/v1/settings', {
      key: keys.secret,
      body: { paymentMethods: { bankTransfer: false } },
    })
    const { status, json } = await service.ask('POST', '/v1/checkout/sessions', {
      key: keys.secret,
      body: order,
    })
    expect([status, json.code, json.reason]).toEqual([
      422,
      'checkout_session_failed',
      'no_payment_method',
    ])
  })
})

// Twenty pages read one session at the same time, in one query.
test('a payment is shown once to concurrent readers', async () => {
  const { reference } = (await create()).json.data
  const { accountNumber } = (await read(reference)).json.data.bankTransfer
  await shop.payIn(accountNumber, { amount: 100 })
  const replies = await Promise.all(Array.from({ length: 20 }, () => read(reference)))
  for (const { json } of replies) expect(json.data.received).toHaveLength(1)
})

// Settings are cached by version and reads are batched; neither may return old data.
test('a read after a change sees it, during constant reads by others', async () => {
  const { reference } = (await create()).json.data
  let isDone = false
  const asking = Array.from({ length: 4 }, async () => {
    while (!isDone) await read(reference)
  })
  for (let n = 1; n <= 20; n += 1) {
    await shop.patch('/v1/settings', { checkout: { displayName: `Shop ${n}` } })
    const replies = await Promise.all(Array.from({ length: 5 }, () => read(reference)))
    const names = replies.map(({ json }) => json.data.merchant.displayName)
    expect(names).toEqual(Array(5).fill(`Shop ${n}`))
  }
  await service.ask('POST', `/public/checkout/${reference}/simulate`)
  expect((await read(reference)).json.data.status).toBe('paid')
  isDone = true
  await Promise.all(asking)
})

test('twenty concurrent copies of a request create one session', async () => {
  const headers = { 'idempotency-key': 'checkout-1' }
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => shop.post('/v1/checkout/sessions', order, headers)),
  )
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect((await shop.get('/v1/checkout/sessions')).json.data.items).toHaveLength(1)
})
