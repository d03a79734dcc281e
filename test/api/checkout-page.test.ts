import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { behaves } from '../support/payment-desk.js'

const service = await openWithBank()
const shop = payersOf(service, service.merchant)
const order = {
  amount: 1_250_000,
  description: 'Two loaves of agege bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}
const open = async (change: object = {}): Promise<string> =>
  (await shop.post('/v1/checkout/sessions', { ...order, ...change })).json.data.reference
const page = (reference: string, headers = {}) =>
  service.ask('GET', `/checkout/${reference}`, { headers })
const set = (checkout: object) =>
  service.ask('PATCH', '/v1/settings', { key: service.merchant.test.secret, body: { checkout } })

const policyOf = ({ headers }: { headers: Headers }) =>
  headers.get('content-security-policy')!.split(';')

describe('the page', () => {
  test('allows only its own scripts and styles, and sends no referrer to other sites', async () => {
    const { status, headers, text } = await page(await open())
    const [, nonce] = /script-src 'nonce-([^']+)'/.exec(headers.get('content-security-policy')!)!
    expect(status).toBe(200)
    expect(policyOf({ headers })).toEqual([
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      'img-src data:',
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    expect(text.match(/nonce="([^"]+)"/g)).toEqual(Array(2).fill(`nonce="${nonce}"`))
    expect(text.match(/<(script|style)/g)).toHaveLength(2)
    expect(text).not.toMatch(/ style="| on[a-z]+="/)
    const names = ['cache-control', 'referrer-policy', 'x-frame-options', 'content-type'] as const
    expect(names.map((name) => headers.get(name))).toEqual([
      'no-store',
      'same-origin',
      'DENY',
      'text/html; charset=utf-8',
    ])
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect((await page(await open())).text).not.toContain(nonce)
  })

  test('is small, and its script is cached forever', async () => {
    const { text } = await page(await open())
    const [scriptUrl] = /\/checkout\/assets\/checkout-[0-9a-f]{16}\.js/.exec(text)!
    const script = await service.ask('GET', scriptUrl)
    const [pageBytes, scriptBytes] = [text, script.text].map((one) => gzipSync(one).length)
    console.log(`page ${pageBytes} bytes gzipped, script ${scriptBytes} bytes gzipped`)
    expect(pageBytes).toBeLessThan(20_000)
    expect(scriptBytes).toBeLessThan(15_000)
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect((await service.ask('GET', '/checkout/assets/checkout-0.js')).status).toBe(404)
  })

  test('is compressed if the client accepts gzip', async () => {
    const reference = await open()
    const ask = `GET /checkout/${reference}?part=main HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`
    const plain = await service.wire(`${ask}\r\n`)
    expect(plain.headers.get('content-encoding')).toBeNull()
    const refusing = await service.wire(`${ask}Accept-Encoding: gzip;q=0\r\n\r\n`)
    expect([refusing.headers.get('content-encoding'), refusing.text]).toEqual([null, plain.text])
    const response = await fetch(`${service.url}/checkout/${reference}?part=main`)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.text()).toBe(plain.text)
    expect(gunzipSync(gzipSync(plain.text)).toString()).toContain('data-state="pending"')
  })

  test('can be framed only by sites that the merchant lists', async () => {
    const frameOrigins = ['https://shop.example', 'http://localhost:3000']
    await set({ frameOrigins })
    const reply = await page(await open())
    expect(policyOf(reply).at(-1)).toBe(`frame-ancestors ${frameOrigins.join(' ')}`)
    expect(reply.headers.get('x-frame-options')).toBeNull()
    await set({ frameOrigins: [] })
  })

  test('ignores other query parameters', async () => {
    const reference = await open()
    for (const query of [
      '?utm_source=x&fbclid=1',
      '?sent=%3Cscript%3E',
      '?sent=1&sent=2',
      '?part=x',
    ])
      expect((await page(reference + query)).text).toContain('data-state="pending"')
  })
})

describe('an unknown payment', () => {
  const wrong = {
    unknown: `cs_${'0'.repeat(39)}`,
    malformed: 'nonsense',
    'with a null in it': 'cs_%00',
    'with markup in it': '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    'too long': 'c'.repeat(500),
    'not a URL': '%zz',
    'two parts': 'a/b',
    empty: '',
  }
  test.each(Object.entries(wrong))('shows the same page: %s', async (_name, reference) => {
    const bare = (text: string) => text.replace(/nonce="[^"]+"/g, '')
    const usual = await page(wrong.unknown)
    const reply = await page(reference)
    expect([reply.status, bare(reply.text)]).toEqual([404, bare(usual.text)])
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(policyOf(reply).at(-1)).toBe("frame-ancestors 'none'")
  })
})

describe('an error', () => {
  test('is called our fault only if it is', async () => {
    const strict = await openWithBank({ publicRateLimitPerSecond: 1 })
    const asked = Array.from({ length: 5 }, () => strict.ask('GET', '/checkout/cs_1'))
    const tooMany = (await Promise.all(asked)).find(({ status }) => status === 429)!
    expect(tooMany.text).toMatch(/Too many requests.*reload the page in a moment/s)
    const wrong = await service.ask('PUT', '/checkout/cs_1')
    expect([wrong.status, wrong.text]).toEqual([
      405,
      expect.stringContaining('This request isn&#39;t allowed'),
    ])
    for (const { text } of [tooMany, wrong]) expect(text).not.toContain('our fault')

    const broken = await openWithBank()
    await broken.db.rows(sql`alter table checkout_sessions rename to gone`)
    const bug = await broken.ask('GET', `/checkout/cs_${'0'.repeat(39)}`)
    expect([bug.status, bug.text]).toEqual([500, expect.stringContaining('This is our fault')])
  })
})

describe('payments', () => {
  test('show the accepted amount after an underpayment, and keep it after refunds', async () => {
    const own = payersOf(service, await service.addMerchant('Bola'))
    await own.patch('/v1/settings', { policies: { bank: { underpayment: 'accept' } } })
    const { reference } = (await own.post('/v1/checkout/sessions', order)).json.data
    const read = async () => (await service.ask('GET', `/public/checkout/${reference}`)).json.data
    const { accountNumber } = (await read()).bankTransfer
    const paid = (await own.payIn(accountNumber, { amount: 400_000 })).json.data
    expect((await page(reference)).text).toContain('Bola has received your payment of ₦4,000.00.')
    expect(await read()).toMatchObject({ amountReceived: 400_000, amountAccepted: 400_000 })
    const path = `/v1/collections/payments/${paid.reference}/refund`
    expect((await own.post(path, { amount: 100_000 })).status).toBe(201)
    const partly = (await page(reference)).text
    expect(partly).toContain('<title>Payment successful: Bola</title>')
    expect(partly).toContain('Bola has received your payment of ₦4,000.00.')
    expect(partly).toContain('<dt>Amount</dt><dd>₦4,000.00</dd>')
    expect(partly).toContain('<dt>Refunded</dt><dd>₦1,000.00</dd>')
    expect(partly).not.toContain('payment of ₦12,500')
    expect(await read()).toMatchObject({ amountReceived: 400_000, amountAccepted: 300_000 })
    // The fee is not returned, so the payment alone does not cover its refund.
    await own.post('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000 })
    expect((await own.post(path, { amount: 300_000 })).status).toBe(201)
    const wholly = (await page(reference)).text
    expect(wholly).toContain('<title>Payment refunded: Bola</title>')
    expect(wholly).toContain('Bola has refunded your payment of ₦4,000.00.')
    expect(wholly).toContain('<dt>Amount</dt><dd>₦4,000.00</dd>')
    expect(wholly).toContain('<dt>Refunded</dt><dd>₦4,000.00</dd>')
    const { status, received } = await read()
    expect([status, received[0].amountRefunded]).toEqual(['paid', 400_000])
  })

  // Only money that was accepted can be refunded; the rest was never paid.
  test('tell a refund from a returned excess, and forget a refund that failed', async () => {
    const own = payersOf(service, await service.addMerchant('Bola'))
    const { reference } = (await own.post('/v1/checkout/sessions', order)).json.data
    const read = async () => (await service.ask('GET', `/public/checkout/${reference}`)).json.data
    const { accountNumber } = (await read()).bankTransfer
    const paid = (await own.payIn(accountNumber, { amount: 1_300_000 })).json.data
    await service.pass(4)
    expect((await read()).received[0]).toMatchObject({ amountReturned: 50_000, amountRefunded: 0 })
    const path = `/v1/collections/payments/${paid.reference}/refund`
    const destination = { bankCode: '999', accountNumber: behaves.failing }
    expect((await own.post(path, { amount: 250_000, destination })).status).toBe(201)
    expect((await read()).received[0]).toMatchObject({
      amountReturning: 250_000,
      amountRefunded: 250_000,
    })
    expect((await page(reference)).text).toContain('<dt>Amount</dt><dd>₦12,500.00</dd>')
    await service.pass(4)
    expect((await read()).received[0]).toMatchObject({ amountReturning: 0, amountRefunded: 0 })
    const { text } = await page(reference)
    expect(text).toContain('<dt>Amount</dt><dd>₦12,500.00</dd>')
    expect(text).not.toContain('<dt>Refunded</dt>')
  })

  test('are waited for after any number of payments', async () => {
    const reference = await open()
    const read = async () => (await service.ask('GET', `/public/checkout/${reference}`)).json.data
    const { accountNumber } = (await read()).bankTransfer
    for (let n = 0; n < 11; n += 1) await shop.payIn(accountNumber, { amount: 1_000 })
    const { text } = await page(reference)
    const [, sent] = /href="(\?sent=\d+)"/.exec(text)!
    expect((await page(reference + sent)).text).toContain('data-state="waiting"')
    await shop.payIn(accountNumber, { amount: 1_000 })
    expect((await page(reference + sent)).text).toContain('data-state="pending"')
  })
})

describe('held money', () => {
  // A payer who pays again while the merchant may still accept the first payment would pay twice.
  test('asks the payer to contact the merchant before paying again', async () => {
    const own = payersOf(service, await service.addMerchant('Bola'))
    await own.patch('/v1/settings', { policies: { bank: { underpayment: 'hold' } } })
    const { reference } = (await own.post('/v1/checkout/sessions', order)).json.data
    const { bankTransfer } = (await service.ask('GET', `/public/checkout/${reference}`)).json.data
    await own.payIn(bankTransfer.accountNumber, { amount: 400_000 })
    const { text } = await page(reference)
    expect(text).toContain('₦8,500.00 is missing')
    expect(text).toContain('Ask Bola before you pay again.')
    expect(text).not.toMatch(/Send exactly|To pay, send exactly/)
  })
})

describe('hostile input', () => {
  const attack = `"><img src=x onerror=alert(1)><script>alert('1')</script>&lt;b&gt;`
  test('of merchants and payers is escaped', async () => {
    await set({ displayName: attack })
    const reference = await open({
      description: attack,
      merchantReference: 'ref-1',
      metadata: { note: attack },
      customer: { name: attack, email: `"<script>alert(1)</script>"@example.com` },
      successUrl: `https://shop.example/"><script>alert(1)</script>?a='"><b>`,
      cancelUrl: `https://shop.example/#"><script>alert(1)</script>`,
    })
    const seen = [await page(reference), await page(`${reference}?sent=0`)]
    await service.ask('POST', `/public/checkout/${reference}/simulate`)
    seen.push(await page(reference))
    for (const { text } of seen) {
      expect(text.match(/<(script|img|b)\b/g)!.filter((tag) => tag === '<script')).toHaveLength(1)
      expect(text).not.toMatch(/<img|<b>"|alert\('1'\)/)
      expect(text).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;')
    }
    await set({ displayName: 'Ada Stores' })
  })

  test.each([
    ['colour', 'red;}body{display:none'],
    ['colour', '#12345g'],
    ['logo', 'https://elsewhere.example/logo.png'],
    ['logo', 'data:image/svg+xml;base64,PHN2Zz4='],
    ['frameOrigins', ['https://a.example; script-src *']],
  ])('cannot be a %s: %s', async (name, value) => {
    expect((await set({ [name]: value })).status).toBe(400)
  })

  test('is refused as a URL', async () => {
    for (const successUrl of ['javascript:alert(1)', 'data:text/html,x', '//shop.example'])
      expect((await shop.post('/v1/checkout/sessions', { ...order, successUrl })).status).toBe(400)
  })
})

describe('the simulate form', () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = (reference: string, headers: object) =>
    fetch(`${service.url}/checkout/${reference}/pay`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...type, ...headers },
    })

  test('pays and redirects to the page', async () => {
    const reference = await open()
    const { status, headers } = await send(reference, { origin: service.url })
    expect([status, headers.get('location')]).toEqual([303, `/checkout/${reference}`])
    expect((await page(reference)).text).toContain('data-state="paid"')
  })

  test('is accepted only from the page itself', async () => {
    const reference = await open()
    for (const headers of [{}, { origin: 'https://elsewhere.example' }, { origin: 'null' }])
      expect((await send(reference, headers)).status).toBe(403)
    expect((await page(reference)).text).toContain('data-state="pending"')
  })

  test('is accepted nowhere else', async () => {
    const key = service.merchant.test.secret
    const { status } = await service.ask('POST', '/v1/checkout/sessions', {
      key,
      headers: type,
      body: 'amount=1',
    })
    expect(status).toBe(415)
    expect((await send(`cs_${'0'.repeat(39)}`, { origin: service.url })).status).toBe(404)
  })
})

describe('the public JSON', () => {
  test('shows payments and their state, but not the sender', async () => {
    const reference = await open()
    const read = async () => (await service.ask('GET', `/public/checkout/${reference}`)).json.data
    const { accountNumber } = (await read()).bankTransfer
    const sender = { name: 'BOLA ADE', accountNumber: '0123454432', bankCode: '058' }
    await shop.payIn(accountNumber, { amount: 400_000, sender, narration: 'private' })
    const shown = await read()
    expect(shown.received).toEqual([
      {
        reference: expect.stringMatching(/^pay_/),
        currency: 'NGN',
        amount: 400_000,
        amountAccepted: 0,
        amountHeld: 0,
        amountReturning: 400_000,
        amountReturned: 0,
        amountRefunded: 0,
        status: 'RETURNING',
        variance: 'UNDERPAID',
        sentFrom: { bankName: 'Guaranty Trust Bank', accountNumber: '******4432' },
        sentBackTo: { bankName: 'Guaranty Trust Bank', accountNumber: '******4432' },
        receivedAt: expect.any(String),
      },
    ])
    expect(JSON.stringify(shown)).not.toMatch(/BOLA|0123454432|private/)
  })

  // The merchant may send held money to another account than it came from.
  test('names the account that money is really sent back to', async () => {
    await service.ask('PATCH', '/v1/settings', {
      key: service.merchant.test.secret,
      body: { policies: { bank: { underpayment: 'hold' } } },
    })
    const reference = await open()
    const read = async () => (await service.ask('GET', `/public/checkout/${reference}`)).json.data
    const { accountNumber } = (await read()).bankTransfer
    const paid = await shop.payIn(accountNumber, { amount: 400_000 })
    expect((await read()).received[0]).toMatchObject({ status: 'HELD', sentBackTo: null })
    const destination = { bankCode: '058', accountNumber: '0123459876' }
    await shop.post(
      `/v1/collections/payments/${paid.json.data.reference}/resolve`,
      {
        action: 'return',
        destination,
      },
      { 'idempotency-key': randomBytes(8).toString('hex') },
    )
    expect((await read()).received[0].sentBackTo).toEqual({
      bankName: 'Guaranty Trust Bank',
      accountNumber: '******9876',
    })
    expect((await page(reference)).text).toContain('back to Guaranty Trust Bank •••\u00a09876')
  })

  test('names the account that a refund is sent to', async () => {
    const reference = await open()
    await service.ask('POST', `/public/checkout/${reference}/simulate`)
    const { virtualAccount } = (await shop.get(`/v1/checkout/sessions/${reference}`)).json.data
    const [paid] = (await shop.verify(virtualAccount)).payments
    const destination = { bankCode: '035', accountNumber: '0123451234' }
    const path = `/v1/collections/payments/${paid.reference}/refund`
    expect((await shop.post(path, { destination })).status).toBe(201)
    const { received } = (await service.ask('GET', `/public/checkout/${reference}`)).json.data
    expect(received[0].sentBackTo).toEqual({
      bankName: 'Wema Bank',
      accountNumber: '******1234',
    })
  })
})
