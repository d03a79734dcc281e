import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { requestRateLimits } from '../../src/api/limits.js'
import { resumeMerchant, suspendMerchant } from '../../src/merchants/suspension.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { addPerson } from '../support/people.js'

const service = await openWithBank({ trustProxy: true })
const { clock } = service
const shop = payersOf(service, service.merchant)
const path = '/v1/payment-links'

const ada = { name: 'Ada Obi', email: 'ada@example.com' }
const add = async (body: object = {}) => {
  const reply = await shop.post(path, { description: 'Two loaves', amount: 125_000, ...body })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data
}
const open = (slug: string) => service.ask('GET', `/pay/${slug}`)

let forms = 0
/** Each from an address of its own, unless the headers name one. */
const send = async (slug: string, fields: Record<string, string>, headers: object = {}) => {
  forms += 1
  const answer = await fetch(`${service.url}/pay/${slug}`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `198.51.${forms >> 8}.${forms & 255}`,
      ...headers,
    },
    body: new URLSearchParams(fields),
  })
  const location = answer.headers.get('location')
  return { status: answer.status, text: await answer.text(), location }
}
/** The session that the form makes. */
const start = async (slug: string, fields: Record<string, string> = ada) => {
  const { status, text, location } = await send(slug, fields)
  expect([status, text]).toEqual([303, ''])
  return location!.slice('/checkout/'.length)
}
const sessionOf = async (reference: string) =>
  (await shop.get(`/v1/checkout/sessions/${reference}`)).json.data
const pay = async (reference: string) => {
  const { status } = await service.ask('POST', `/public/checkout/${reference}/simulate`, {})
  expect(status).toBe(200)
}
const usesOf = async (reference: string) => (await shop.get(`${path}/${reference}`)).json.data.uses
const sessionsOf = async (reference: string) =>
  (await shop.get(`/v1/checkout/sessions?paymentLink=${reference}`)).json.data.items

test('a payer fills in the form and gets an ordinary session', async () => {
  const link = await add({
    fields: [{ label: 'Size' }, { label: 'Message', required: false }],
    metadata: { campaign: 7 },
    successUrl: 'https://shop.example/thanks',
  })
  const { status, text } = await open(link.slug)
  expect(status).toBe(200)
  expect(text).toContain('Two loaves')
  expect(text).toContain('₦1,250.00')
  expect(text).toContain('<label for="field-0">Size</label>')
  expect(text).not.toContain('<script')
  expect(text).not.toContain('name="amount"')
  const session = await sessionOf(await start(link.slug, { ...ada, 'field-0': ' XL ' }))
  expect(session).toMatchObject({
    status: 'pending',
    amount: 125_000,
    description: 'Two loaves',
    customer: ada,
    paymentLink: link.reference,
    successUrl: 'https://shop.example/thanks',
    cancelUrl: link.url,
    metadata: { campaign: 7, answers: { Size: 'XL' } },
  })
  const plain = await shop.post('/v1/checkout/sessions', {
    amount: 125_000,
    description: 'Fish',
    customer: ada,
  })
  expect(plain.json.data).not.toHaveProperty('paymentLink')
  expect(await sessionsOf(link.reference)).toMatchObject([{ reference: session.reference }])
  const pending = `/v1/checkout/sessions?paymentLink=${link.reference}&status=paid`
  expect((await shop.get(pending)).json.data.items).toEqual([])
})

test('the event and the public session: the merchant sees the link, the payer does not', async () => {
  const link = await add()
  const reference = await start(link.slug)
  await pay(reference)
  const events = await shop.get('/v1/events?type=checkout.session.paid')
  expect(events.json.data.items[0].data).toMatchObject({
    reference,
    paymentLink: link.reference,
    status: 'paid',
  })
  const shown = await service.ask('GET', `/public/checkout/${reference}`)
  expect(shown.text).not.toContain(link.reference)
})

describe('an open amount', () => {
  test.each([
    ['500', 50_000],
    ['₦1,234.56', 123_456],
    [' 1000.5 ', 100_050],
    ['2000', 200_000],
  ])('of %s is accepted', async (amount, kobo) => {
    const { slug } = await add({ amount: undefined, minAmount: 50_000, maxAmount: 200_000 })
    expect(await sessionOf(await start(slug, { ...ada, amount }))).toMatchObject({ amount: kobo })
  })

  test.each([
    ['', 'Enter an amount'],
    ['many', 'Enter an amount'],
    ['-500', 'Enter an amount'],
    ['500.001', 'Enter an amount'],
    ['1,5', 'Enter an amount'],
    ['499.99', 'Enter at least ₦500.00.'],
    ['2000.01', 'Enter at most ₦2,000.00.'],
    ['99999999999999999999999', 'Enter an amount'],
  ])('of "%s" is not', async (amount, issue) => {
    const link = await add({ amount: undefined, minAmount: 50_000, maxAmount: 200_000 })
    const { status, text } = await send(link.slug, { ...ada, amount })
    expect([status, text.includes(issue)], text).toEqual([422, true])
    expect(await sessionsOf(link.reference)).toEqual([])
  })

  test('is within the limits of the operator without bounds of its own', async () => {
    const { slug } = await add({ amount: undefined })
    const { status, text } = await send(slug, { ...ada, amount: '10,000,000.01' })
    expect([status, text.includes('Enter at most ₦10,000,000.00.')]).toEqual([422, true])
  })
})

test('the payer does not choose a fixed amount', async () => {
  const { slug } = await add()
  const session = await sessionOf(await start(slug, { ...ada, amount: '1', 'field-0': 'x' }))
  expect(session).toMatchObject({ amount: 125_000, metadata: {} })
})

test.each([
  ['no name', { name: ' ' }, 'Enter your name.'],
  ['a name without a glyph', { name: '\u2800' }, 'plain text'],
  ['a name of two lines', { name: 'Ada\nObi' }, 'plain text'],
  ['a long name', { name: 'a'.repeat(101) }, 'at most 100'],
  ['no address', { email: 'ada' }, 'e-mail address such as'],
  ['two addresses', { email: 'a@b.c,d@e.f' }, 'e-mail address such as'],
  ['no answer', { 'field-0': '' }, 'Enter an answer.'],
  ['a long answer', { 'field-0': 'a'.repeat(201) }, 'at most 200'],
])('%s is refused, and what was typed stays in the form', async (_, wrong, issue) => {
  const link = await add({ fields: [{ label: 'Size' }] })
  const typed = { ...ada, 'field-0': '<b>"XL"</b>', ...wrong }
  const { status, text } = await send(link.slug, typed)
  expect(status).toBe(422)
  expect(text).toContain(issue)
  expect(text).toContain('aria-invalid="true"')
  if (!('field-0' in wrong)) expect(text).toContain('value="&lt;b&gt;&quot;XL&quot;&lt;/b&gt;"')
  expect(await sessionsOf(link.reference)).toEqual([])
})

test('text of merchants is escaped', async () => {
  const label = '<img src=x onerror=alert(1)>'
  const { slug } = await add({ description: `"><script>${label}`, fields: [{ label }] })
  const { text } = await open(slug)
  expect(text).not.toMatch(/<script|<img/)
})

describe('uses', () => {
  test('are paid sessions; pending ones reserve nothing', async () => {
    const link = await add({ usesMax: 1 })
    const [first, second] = [await start(link.slug), await start(link.slug)]
    expect(await usesOf(link.reference)).toBe(0)
    await pay(first!)
    expect(await usesOf(link.reference)).toBe(1)
    const page = await open(link.slug)
    expect([page.status, page.text.includes('Sold out')]).toEqual([200, true])
    expect(page.text).not.toContain('<form')
    const refused = await send(link.slug, ada)
    expect([refused.status, refused.text.includes('Sold out')]).toEqual([409, true])
    // It was made before.
    await pay(second!)
    expect(await usesOf(link.reference)).toBe(2)
    expect(await sessionsOf(link.reference)).toHaveLength(2)
  })

  test('are not given back by a refund', async () => {
    const link = await add({ usesMax: 1 })
    const reference = await start(link.slug)
    await pay(reference)
    const [payment] = (await sessionOf(reference)).payments
    const refunded = await shop.post(
      `/v1/collections/payments/${payment.reference}/refund`,
      {},
      { 'idempotency-key': reference },
    )
    expect(refunded.status, refunded.text).toBeLessThan(300)
    await service.pass(3)
    expect(await usesOf(link.reference)).toBe(1)
  })

  test('a copy of a payment uses a link once, and ten payers ten times', async () => {
    const link = await add()
    const reference = await start(link.slug)
    const { accountNumber } = (await sessionOf(reference)).bankTransfer
    await shop.payIn(accountNumber, { amount: 125_000, copies: 3 })
    await shop.payIn(accountNumber, { amount: 125_000 })
    await service.pass(2)
    expect(await usesOf(link.reference)).toBe(1)
    const payers = await Promise.all(Array.from({ length: 9 }, () => start(link.slug)))
    await Promise.all(payers.map(pay))
    expect(await usesOf(link.reference)).toBe(10)
    const listed = (await shop.get(`${path}?limit=1`)).json.data.items
    expect(listed).toMatchObject([{ reference: link.reference, uses: 10 }])
  })
})

describe('a link that has ended', () => {
  const isEnded = async (slug: string, title: string) => {
    const page = await open(slug)
    expect([page.status, page.text.includes(title)], page.text).toEqual([200, true])
    expect((await send(slug, ada)).status).toBe(409)
  }

  test('was switched off', async () => {
    const { slug, reference } = await add()
    await shop.patch(`${path}/${reference}`, { active: false })
    await isEnded(slug, 'switched off')
    await shop.patch(`${path}/${reference}`, { active: true })
    await start(slug)
  })

  test('has expired; its sessions can still be paid', async () => {
    const expiresAt = new Date(clock.now().getTime() + 60_000).toISOString()
    const { slug } = await add({ expiresAt })
    const reference = await start(slug)
    clock.advance(60_000)
    await isEnded(slug, 'has expired')
    await pay(reference)
    expect(await sessionOf(reference)).toMatchObject({ status: 'paid' })
  })

  test('belongs to a suspended merchant', async () => {
    const { slug } = await add()
    const { merchantId } = service.merchant.environments.test
    await service.db.transaction((tx) => suspendMerchant(tx, clock.now(), merchantId))
    await isEnded(slug, 'switched off')
    await service.db.transaction((tx) => resumeMerchant(tx, merchantId))
    await start(slug)
  })

  test('cannot be paid in any way', async () => {
    const { slug } = await add()
    await shop.patch('/v1/settings', { paymentMethods: { bankTransfer: false } })
    await isEnded(slug, 'switched off')
    await shop.patch('/v1/settings', { paymentMethods: { bankTransfer: true } })
    await start(slug)
  })
})

test('unknown and malformed slugs get one page', async () => {
  const [unknown, ...others] = await Promise.all(['unknown', '%00', 'A', 'x'.repeat(150)].map(open))
  expect(unknown!.status).toBe(404)
  const plain = (text: string) => text.replaceAll(/nonce="[^"]*"/g, '')
  for (const { status, text } of others) {
    expect(status).toBe(404)
    expect(plain(text)).toBe(plain(unknown!.text))
  }
  expect((await send('unknown', ada)).status).toBe(404)
  expect((await open('unknown/qr.svg')).status).toBe(404)
})

test('the page is small, loads nothing, sends no referrer and is not indexed', async () => {
  const { slug } = await add({ fields: [{ label: 'Size' }] })
  const { headers, text } = await open(slug)
  const policy = headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("form-action 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(text).toContain('<meta name="robots" content="noindex,nofollow">')
  expect(gzipSync(text).length).toBeLessThan(20_000)
})

test('the QR code is a picture of the URL', async () => {
  const link = await add()
  const { status, headers, text } = await service.ask('GET', new URL(link.qrCode).pathname)
  expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
})

describe('the form', () => {
  test('is accepted only from the page itself', async () => {
    const { slug } = await add()
    const foreign = await send(slug, ada, { 'sec-fetch-site': 'cross-site' })
    expect([foreign.status, foreign.text.includes('<!doctype html>')]).toEqual([403, true])
    const own = await send(slug, ada, { 'sec-fetch-site': 'same-origin', origin: 'null' })
    expect(own.status).toBe(303)
  })

  test('is limited per address', async () => {
    const { slug } = await add()
    const from = { 'x-forwarded-for': '203.0.113.7' }
    const { formsPerMinuteMax } = requestRateLimits
    for (let sent = 0; sent < formsPerMinuteMax; sent += 1)
      expect((await send(slug, {}, from)).status).toBe(422)
    const refused = await send(slug, ada, from)
    expect([refused.status, refused.text.includes('Too many requests')]).toEqual([429, true])
    expect((await send(slug, ada, { 'x-forwarded-for': '203.0.113.8' })).status).toBe(303)
    // Reading the page is not.
    expect((await service.ask('GET', `/pay/${slug}`, { headers: from })).status).toBe(200)
    clock.advance(60_000)
    expect((await send(slug, ada, from)).status).toBe(303)
  })
})

test('members who may not see payers do not see their answers', async () => {
  const link = await add({ fields: [{ label: 'Phone' }] })
  const reference = await start(link.slug, { ...ada, 'field-0': 'zero-eight-zero' })
  const developer = await addPerson(service, { role: 'developer' })
  const paths = [
    `/v1/checkout/sessions/${reference}`,
    `/v1/collections/virtual-accounts/${(await sessionOf(reference)).virtualAccount}`,
  ]
  for (const path of paths) {
    expect((await shop.get(path)).text).toContain('zero-eight-zero')
    const { status, text, json } = await developer.ask('GET', path)
    expect([status, text.includes('zero-eight-zero')]).toEqual([200, false])
    expect(json.data.metadata).toEqual({ answers: { Phone: '•••' } })
  }
})
