import { describe, expect, test } from 'vitest'
import { newPageToken } from '../../src/base/page-token.js'
import { sql } from '../../src/postgres/sql.js'
import { drawPng, toDataUrl } from '../support/draw-png.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, clock } = service

let calls = 0
async function openShop() {
  const merchant = await service.addMerchant('Ada Stores')
  const payers = payersOf(service, merchant)
  const key = merchant.test.secret
  const ask = async (method: string, path: string, body?: object) => {
    calls += 1
    clock.advance(1)
    const headers = { 'idempotency-key': `call ${calls}` }
    const reply = await service.ask(method, path, { key, headers, ...(body && { body }) })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json.data
  }
  const customer = await ask('POST', '/v1/customers', { name: 'Chidi <b>Eze</b>' })
  const invoice = async (more: object = {}) => {
    const { reference } = await ask('POST', '/v1/invoices', {
      customer: customer.reference,
      lines: [{ description: 'Ankara fabric', quantity: '2', unitAmount: 500_000 }],
      ...more,
    })
    return ask('POST', `/v1/invoices/${reference}/finalize`)
  }
  return {
    key,
    ask,
    customer,
    invoice,
    payIn: async (accountNumber: string, amount: number) => {
      clock.advance(1)
      const { status, json, text } = await payers.payIn(accountNumber, { amount })
      expect(status, text).toBe(201)
      return json.data
    },
    /** Presses the button of the page, and returns the session it leads to. */
    press: async ({ url }: { url: string }, part?: string) => {
      clock.advance(1)
      const { status, headers } = await press(url, part)
      expect(status).toBe(303)
      const location = headers.get('location')!
      expect(location).toMatch(/^\/checkout\/cs_\w{39}$/)
      const reference = location.slice('/checkout/'.length)
      return ask('GET', `/v1/checkout/sessions/${reference}`)
    },
    read: ({ reference }: { reference: string }) => ask('GET', `/v1/invoices/${reference}`),
    credit: async () =>
      (await ask('GET', `/v1/customers/${customer.reference}`)).credit[0].amount as number,
  }
}

const pathOf = (url: string) => new URL(url).pathname
const page = (url: string) => service.ask('GET', pathOf(url))
const press = (url: string, part?: string) =>
  fetch(`${service.url}${pathOf(url)}/pay`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: part ? `part=${part}` : '',
  })
/** What a reader sees. */
const wordsOf = (text: string) =>
  text
    .replace(/<(style|script)[\s\S]*?<\/\1>|<head>[\s\S]*?<\/head>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

describe('the page of an invoice', () => {
  test('shows what is to be paid, for what, and by when', async () => {
    const { invoice } = await openShop()
    const { url } = await invoice({
      lines: [
        { description: 'Ankara <fabric>', quantity: '2', unitAmount: 500_000, vatPercent: '7.5' },
        { description: 'Sewing', unitAmount: 200_000 },
      ],
      discount: { percent: '10' },
      memo: 'Thank you\nfor your order',
      footer: 'RC 1234567',
      dueAt: '2026-03-01',
    })
    const { status, headers, text } = await page(`${url}?utm_source=x`)
    expect(status).toBe(200)
    const words = wordsOf(text)
    for (const shown of [
      'Amount due ₦11,475.00 Due on 1 March 2026',
      'Invoice number INV-000001 Billed to Chidi &lt;b&gt;Eze&lt;/b&gt;',
      'Ankara &lt;fabric&gt; ₦10,000.00 2 × ₦5,000.00 · plus 7.5% VAT',
      'Sewing ₦2,000.00 1 × ₦2,000.00',
      'Subtotal ₦12,000.00 Discount (10%) −₦1,200.00 VAT ₦675.00 Total ₦11,475.00',
      'Amount due ₦11,475.00',
      'Thank you for your order',
      'RC 1234567',
      'Pay ₦11,475.00',
    ])
      expect(words).toContain(shown)
    const [, nonce] = /script-src 'nonce-([^']+)'/.exec(headers.get('content-security-policy')!)!
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none';script-src 'nonce-${nonce}';style-src 'nonce-${nonce}';img-src data:;connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'`,
    )
    const names = ['cache-control', 'referrer-policy', 'x-frame-options', 'content-type'] as const
    expect(names.map((name) => headers.get(name))).toEqual([
      'no-store',
      'no-referrer',
      'DENY',
      'text/html; charset=utf-8',
    ])
    expect(text).toContain('<meta name="robots" content="noindex,nofollow">')
    expect(text).not.toMatch(/ style="| on[a-z]+="/)
  })

  test('shows instalments with their state, and when one is late', async () => {
    const { ask, invoice, press, payIn } = await openShop()
    const inDays = (days: number) =>
      new Date(clock.now().getTime() + days * 86_400_000).toISOString()
    const made = await invoice({
      instalments: [
        { amount: 600_000, dueAt: inDays(40) },
        { amount: 400_000, dueAt: inDays(10) },
      ],
    })
    const words = wordsOf((await page(made.url)).text)
    expect(words).toContain('Pay the next instalment: ₦4,000.00')
    expect(words).toContain('Pay all that is due: ₦10,000.00')
    expect(words).toMatch(/Instalments .*₦4,000.00 To be paid .*₦6,000.00 To be paid/)
    const session = await press(made, 'next')
    expect(session.amount).toBe(400_000)
    await payIn(session.bankTransfer.accountNumber, 500_000)
    const after = wordsOf((await page(made.url)).text)
    expect(after).toMatch(/₦4,000.00 Paid .*₦6,000.00 ₦5,000.00 to be paid/)
    expect(after).toContain('Paid −₦5,000.00 Amount due ₦5,000.00')
    await ask('POST', '/v1/test/clock/advance', { seconds: 41 * 86_400 })
    const late = wordsOf((await page(made.url)).text)
    expect(late).toMatch(/Was due on .*₦5,000.00 to be paid, overdue/)
    await expectAllProofs(db)
  })

  test('says that an invoice is void, and that it is paid', async () => {
    const { ask, invoice, press: open, payIn } = await openShop()
    const voided = await invoice()
    await ask('POST', `/v1/invoices/${voided.reference}/void`)
    const words = wordsOf((await page(voided.url)).text)
    expect(words).toContain('This invoice is void')
    expect(words).not.toContain('How to pay')
    const refused = await press(voided.url)
    expect([refused.status, refused.headers.get('location')]).toEqual([303, pathOf(voided.url)])
    const paid = await invoice()
    const { bankTransfer } = await open(paid)
    await payIn(bankTransfer.accountNumber, 1_000_000)
    const after = wordsOf((await page(paid.url)).text)
    expect(after).toContain('This invoice is paid')
    expect(after).not.toContain('How to pay')
    expect((await press(paid.url)).headers.get('location')).toBe(pathOf(paid.url))
  })

  test('shows the account of the customer, if there is one', async () => {
    const { ask, customer, invoice } = await openShop()
    const { accountReference, accountNumber } = await ask(
      'POST',
      '/v1/collections/dedicated-accounts',
      { externalReference: `own-${calls}` },
    )
    await ask('POST', `/v1/customers/${customer.reference}/accounts`, {
      account: accountReference,
    })
    const made = await invoice()
    const { text } = await page(made.url)
    expect(text).toContain(`data-copy="${accountNumber}"`)
    expect(text).toContain('data-copy="10000.00"')
    expect(wordsOf(text)).toContain('It stays the same for every invoice.')
    expect(text).not.toContain('<form')
    expect((await press(made.url)).headers.get('location')).toBe(pathOf(made.url))
  })

  test('offers nothing that cannot be paid', async () => {
    const { ask, invoice } = await openShop()
    await ask('PATCH', '/v1/settings', {
      paymentMethods: { bankTransfer: false, crypto: true },
      checkout: { supportEmail: 'help@shop.example' },
    })
    const { url } = await invoice()
    const { text } = await page(url)
    expect(wordsOf(text)).toContain(
      'This invoice cannot be paid here. Ask Ada Stores how to pay it.',
    )
    expect(text).toContain('mailto:help@shop.example')
    expect((await press(url)).headers.get('location')).toBe(pathOf(url))
  })
})

describe('the PDF of an invoice', () => {
  test('is one, also with a logo and many lines', async () => {
    const { ask, invoice } = await openShop()
    const lines = Array.from({ length: 60 }, (_, index) => ({
      description: `Ẹ̀kọ́ fún Ọláńrewájú ${index}`,
      unitAmount: 10_000,
    }))
    const made = await invoice({ lines, footer: 'RC 1234567', memo: 'Ẹ ṣé\nẸ ṣé púpọ̀' })
    const read = async () => {
      const response = await fetch(`${service.url}${pathOf(made.url)}/invoice.pdf`)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/pdf')
      expect(response.headers.get('content-disposition')).toBe('inline; filename="INV-000001.pdf"')
      expect(response.headers.get('referrer-policy')).toBe('no-referrer')
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
      expect(bytes.toString('latin1')).toContain('%%EOF')
      return bytes
    }
    expect((await read()).toString('latin1').match(/\/Type \/Page\b/g)!.length).toBe(4)
    await ask('PATCH', '/v1/settings', { checkout: { colour: '#0a7d4f' } })
    await read()
  })

  test('has the logo, and does without one that cannot be drawn', async () => {
    const { ask, invoice } = await openShop()
    const { url } = await invoice()
    const sizeWith = async (logo: string | null) => {
      await ask('PATCH', '/v1/settings', { checkout: { logo } })
      const response = await fetch(`${service.url}${pathOf(url)}/invoice.pdf`)
      expect(response.status, logo ?? 'none').toBe(200)
      return (await response.arrayBuffer()).byteLength
    }
    const bare = await sizeWith(null)
    expect(await sizeWith(toDataUrl(drawPng()))).toBeGreaterThan(bare)
    expect(await sizeWith(toDataUrl(drawPng({ colourType: 6 })))).toBeGreaterThan(bare)
    for (const logo of [
      toDataUrl(drawPng().subarray(0, 60)),
      toDataUrl(drawPng({ pixels: Buffer.alloc(40) })),
      'data:image/jpeg;base64,/9j/4AAQ',
    ])
      expect(await sizeWith(logo)).toBe(bare)
  })

  test('of a draft is for the merchant only, and says so', async () => {
    const { key, ask, customer } = await openShop()
    const { reference } = await ask('POST', '/v1/invoices', {
      customer: customer.reference,
      lines: [{ description: 'Fabric', unitAmount: 500_000 }],
    })
    const [row] = await db.rows(sql<{ token: string }>`
      select page_token as token from invoices order by created_at desc limit 1`)
    const open = await fetch(`${service.url}/i/${row!.token}/invoice.pdf`)
    expect(open.status).toBe(404)
    const path = `/v1/invoices/${reference}/pdf`
    const { status, headers, text } = await service.ask('GET', path, {
      key,
    })
    expect([status, headers.get('content-type'), text.slice(0, 5)]).toEqual([
      200,
      'application/pdf',
      '%PDF-',
    ])
    const other = await service.addMerchant('Other')
    expect((await service.ask('GET', path, { key: other.test.secret })).status).toBe(404)
  })
})

describe('a receipt', () => {
  test('is a PDF, for the merchant and on the page of the session', async () => {
    const { key, ask, invoice, press, payIn } = await openShop()
    const session = await press(await invoice())
    const path = `/checkout/${session.reference}/receipt.pdf`
    expect((await service.ask('GET', path)).status).toBe(404)
    expect((await service.ask('GET', '/checkout/x/receipt.pdf')).status).toBe(404)
    const { reference } = await payIn(session.bankTransfer.accountNumber, 1_000_000)
    const page = await service.ask('GET', `/checkout/${session.reference}`)
    expect(page.text).toContain(`href="${path}"`)
    for (const [at, given] of [
      [path, {}],
      [`/v1/collections/payments/${reference}/receipt`, { key }],
    ] as const) {
      const { status, headers, text } = await service.ask('GET', at, given)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf'])
      expect(text.slice(0, 5)).toBe('%PDF-')
    }
    const held = await ask('POST', '/v1/collections/virtual-accounts', {
      merchantReference: 'order-1',
      amount: 500_000,
    })
    await ask('PATCH', '/v1/settings', { policies: { bank: { underpayment: 'hold' } } })
    const part = await payIn(held.accountNumber, 100_000)
    const none = await service.ask('GET', `/v1/collections/payments/${part.reference}/receipt`, {
      key,
    })
    expect(none.json).toMatchObject({ code: 'payment_action_failed', reason: 'invalid_state' })
  })
})

describe('an unknown invoice', () => {
  test('shows the same page: a draft, an unknown and a malformed token', async () => {
    const { ask, customer } = await openShop()
    const { reference } = await ask('POST', '/v1/invoices', {
      customer: customer.reference,
      lines: [{ description: 'Fabric', unitAmount: 500_000 }],
    })
    const [draft] = await db.rows(
      sql<{ token: string }>`select page_token as token from invoices where status = 'DRAFT'`,
    )
    const bare = (text: string) => text.replace(/nonce="[^"]+"/g, '')
    const unknown = await page(`http://x/i/${newPageToken()}`)
    expect(wordsOf(unknown.text)).toContain('Invoice not found')
    for (const token of [draft!.token, reference, 'x', '%00', '%zz', 'a/b', 'c'.repeat(500), '']) {
      const { status, text, headers } = await service.ask('GET', `/i/${token}`)
      expect([token, status, bare(text)]).toEqual([token, 404, bare(unknown.text)])
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      if (token !== '' && !token.includes('/'))
        expect((await service.ask('POST', `/i/${token}/pay`)).status).toBe(404)
    }
  })
})

describe('a session for an invoice', () => {
  test('is used again for the same amount, also if two press at once', async () => {
    const { ask, invoice, press: open } = await openShop()
    const made = await invoice()
    const answers = await Promise.all([press(made.url), press(made.url), press(made.url)])
    const locations = new Set(answers.map(({ headers }) => headers.get('location')))
    expect(locations.size).toBe(1)
    const first = await open(made)
    expect([...locations]).toEqual([`/checkout/${first.reference}`])
    expect(first).toMatchObject({
      amount: 1_000_000,
      description: 'Invoice INV-000001',
      merchantReference: 'INV-000001',
      successUrl: made.url,
      cancelUrl: made.url,
    })
    // Too short a time to pay in.
    await ask('POST', '/v1/test/clock/advance', { seconds: 86_400 - 599 })
    expect((await open(made)).reference).not.toBe(first.reference)
  })

  test('takes parts, and is paid once they cover it; what is too much is credit', async () => {
    const { ask, invoice, press, payIn, read, credit } = await openShop()
    const made = await invoice()
    const session = await press(made)
    const { accountNumber } = session.bankTransfer
    await payIn(accountNumber, 300_000)
    expect(await read(made)).toMatchObject({ status: 'PARTIALLY_PAID', amountDue: 700_000 })
    const path = `/v1/checkout/sessions/${session.reference}`
    expect(await ask('GET', path)).toMatchObject({
      status: 'pending',
      amountReceived: 300_000,
      amountAccepted: 300_000,
      payments: [{ variance: 'UNDERPAID', amountAccepted: 300_000 }],
    })
    const checkout = wordsOf((await service.ask('GET', `/checkout/${session.reference}`)).text)
    expect(checkout).toContain('Send ₦7,000.00')
    expect(checkout).toContain('We received ₦3,000.00.')
    expect(checkout).toContain('₦7,000.00 is still to be paid, into the same account.')
    expect(checkout).not.toMatch(/[Ee]xact/)
    // The rest has a session of its own; both stay open.
    const rest = await press(made)
    expect(rest).toMatchObject({ amount: 700_000, status: 'pending' })
    await payIn(accountNumber, 700_000)
    expect(await ask('GET', path)).toMatchObject({ status: 'paid', amountAccepted: 1_000_000 })
    expect(await read(made)).toMatchObject({ status: 'PAID', amountPaid: 1_000_000 })
    expect(await credit()).toBe(0)
    await payIn(rest.bankTransfer.accountNumber, 50_000)
    await payIn(accountNumber, 20_000)
    expect(await credit()).toBe(70_000)
    expect((await ask('GET', path)).payments[0]).toMatchObject({
      variance: 'DUPLICATE',
      amountAccepted: 20_000,
    })
    const { items } = await ask('GET', '/v1/events?limit=100')
    const types: string[] = items.map(({ type }: { type: string }) => type)
    // Those of one moment are listed in any order.
    expect(types.filter((type) => /^(invoice|checkout|customer)\./.test(type)).toSorted()).toEqual([
      'checkout.session.paid',
      'customer.created',
      'customer.credited',
      'customer.credited',
      'invoice.finalized',
      'invoice.paid',
      'invoice.partially_paid',
    ])
    await expectAllProofs(db)
  })

  test('accepts too much at once, late money, and money for an invoice that is void', async () => {
    const { ask, invoice, press, payIn, read, credit } = await openShop()
    // The customer has no address: no receipt is sent.
    await ask('PATCH', '/v1/settings', { mails: { receipts: true } })
    const over = await invoice()
    await payIn((await press(over)).bankTransfer.accountNumber, 1_200_000)
    expect(await read(over)).toMatchObject({ status: 'PAID', amountPaid: 1_000_000 })
    expect(await credit()).toBe(200_000)
    const late = await invoice()
    const session = await press(late)
    await ask('POST', '/v1/test/clock/advance', { seconds: 90_000 })
    await service.work()
    await payIn(session.bankTransfer.accountNumber, 1_000_000)
    expect(await read(late)).toMatchObject({ status: 'PAID' })
    expect(await ask('GET', `/v1/checkout/sessions/${session.reference}`)).toMatchObject({
      status: 'paid',
      payments: [{ variance: 'LATE', amountAccepted: 1_000_000 }],
    })
    const voided = await invoice()
    const { bankTransfer } = await press(voided)
    await ask('POST', `/v1/invoices/${voided.reference}/void`)
    await payIn(bankTransfer.accountNumber, 1_000_000)
    expect(await read(voided)).toMatchObject({ status: 'VOID', amountPaid: 0 })
    expect(await credit()).toBe(1_200_000)
    expect((await ask('GET', '/v1/mails')).items).toEqual([])
    await expectAllProofs(db)
  })
})
