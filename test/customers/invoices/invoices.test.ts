import { expect, test } from 'vitest'
import type { EnvironmentId } from '../../../src/base/environment.js'
import { fromReference, prefixes } from '../../../src/base/ids.js'
import { deleteInvoice } from '../../../src/customers/invoices/store-invoices.js'
import { sql } from '../../../src/postgres/sql.js'
import { openWithBank } from '../../support/open-with-bank.js'

const service = await openWithBank()
const { db, clock } = service
const dayMs = 86_400_000

let calls = 0
async function openShop() {
  const merchant = await service.addMerchant('Shop')
  const key = merchant.test.secret
  const ask = (method: string, path: string, body?: object) => {
    calls += 1
    // Rows of one moment are listed in any order.
    clock.advance(1)
    const headers = { 'idempotency-key': `call ${calls}` }
    return service.ask(method, path, { key, headers, ...(body && { body }) })
  }
  const make = async (path: string, body?: object) => {
    const { status, json, text } = await ask('POST', path, body)
    expect(status, text).toBeLessThan(300)
    return json.data
  }
  const customer = await make('/v1/customers', { name: 'Ada Obi', email: 'ada@example.com' })
  const draft = (body: object = {}) =>
    make('/v1/invoices', {
      customer: customer.reference,
      lines: [{ description: 'Fabric', unitAmount: 500_000 }],
      ...body,
    })
  const act = (of: { reference: string }, action: string, body?: object) =>
    make(`/v1/invoices/${of.reference}/${action}`, body)
  const list = async (query: string) =>
    (await ask('GET', `/v1/invoices${query}`)).json.data.items.map(
      ({ number }: { number: string }) => number,
    )
  return { merchant, ask, make, customer, draft, act, list }
}

test('a draft is written, changed, finalized and read', async () => {
  const { ask, customer, draft, act } = await openShop()
  const first = await draft({
    lines: [
      { description: 'Fabric', quantity: '1.5', unitAmount: 333, vatPercent: '7.5' },
      { description: 'Sewing', unitAmount: 100_000 },
    ],
    discount: { percent: '10' },
    memo: 'Thank you\nAda',
    metadata: { order: 'a-1' },
  })
  expect(first).toMatchObject({
    number: null,
    status: 'DRAFT',
    customer: customer.reference,
    asset: 'NGN',
    lines: [
      { quantity: '1.5', unitAmount: 333, vatPercent: '7.5', amount: 500 },
      { quantity: '1', unitAmount: 100_000, vatPercent: null, amount: 100_000 },
    ],
    discount: { percent: '10', amount: 10_050 },
    subtotal: 100_500,
    vat: 34,
    total: 90_484,
    amountDue: 90_484,
    metadata: { order: 'a-1' },
  })
  const path = `/v1/invoices/${first.reference}`
  const changed = (await ask('PATCH', path, { discount: null, dueAt: '2026-03-01' })).json.data
  expect(changed).toMatchObject({
    total: 100_538,
    discount: null,
    // A date includes that day in Lagos.
    dueAt: '2026-03-01T23:00:00.000Z',
    memo: 'Thank you\nAda',
  })
  const final = await act(first, 'finalize')
  expect(final).toMatchObject({ number: 'INV-000001', status: 'OPEN', amountDue: 100_538 })
  expect((await ask('GET', path)).json.data).toEqual(final)
  expect(await act(first, 'finalize')).toEqual(final)
  expect((await ask('PATCH', path, { memo: null })).json.code).toBe('invoice_failed')
  const events = await ask('GET', '/v1/events?type=invoice.*')
  expect(events.json.data.items).toMatchObject([{ type: 'invoice.finalized', data: final }])
})

test('numbers have no gaps, in each series, also when many finalize at once', async () => {
  const { ask, draft } = await openShop()
  const drafts = []
  for (let count = 0; count < 12; count += 1)
    drafts.push(await draft({ series: count % 3 === 0 ? 'CN' : 'INV' }))
  // Each is finalized twice, and takes one number.
  const finals = await Promise.all(
    [...drafts, ...drafts].map((one) => ask('POST', `/v1/invoices/${one.reference}/finalize`)),
  )
  const numbers = [...new Set(finals.map(({ json }) => json.data.number))].sort()
  expect(numbers).toEqual([
    ...[1, 2, 3, 4].map((number) => `CN-00000${number}`),
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `INV-00000${number}`),
  ])
})

test('an invoice is overdue when a part of it should have been paid', async () => {
  const { merchant, ask, draft, act, list } = await openShop()
  const inDays = (days: number) => new Date(clock.now().getTime() + days * dayMs).toISOString()
  const whole = await draft({ dueAt: inDays(2) })
  const parts = await draft({
    instalments: [
      { amount: 300_000, dueAt: inDays(30) },
      { amount: 200_000, dueAt: inDays(1) },
    ],
  })
  await act(whole, 'finalize')
  const { dueAt } = await act(parts, 'finalize')
  expect(dueAt).toBe(parts.instalments[0].dueAt)
  expect(await list('?status=OVERDUE')).toEqual([])
  expect(await list('?status=OPEN')).toEqual(['INV-000002', 'INV-000001'])
  clock.advance(1.5 * dayMs)
  expect(await list('?status=OVERDUE')).toEqual(['INV-000002'])
  const read = await ask('GET', `/v1/invoices/${parts.reference}`)
  expect(read.json.data.status).toBe('OVERDUE')
  const counts = await ask('GET', '/v1/invoices/counts')
  expect(counts.json.data).toEqual({
    total: 2,
    byStatus: { DRAFT: 0, OPEN: 2, PARTIALLY_PAID: 0, PAID: 0, VOID: 0, OVERDUE: 1 },
  })
  clock.advance(dayMs)
  expect(await list('?status=OVERDUE')).toEqual(['INV-000002', 'INV-000001'])
  expect(merchant).toBeDefined()
})

test('a total that no payment can carry is refused', async () => {
  const { ask, customer } = await openShop()
  const line = { description: 'Fabric', quantity: '999999', unitAmount: 9_007_199_254_740_991 }
  const body = { customer: customer.reference, lines: [line] }
  const schedule = { ...body, frequency: 'weekly' }
  const calls = [
    await ask('POST', '/v1/invoices', body),
    await ask('POST', '/v1/invoice-schedules', schedule),
  ]
  for (const { json } of calls)
    expect(json).toMatchObject({
      code: 'validation_failed',
      message: 'lines must add up to at most ₦90,071,992,547,409.91.',
    })
})

test('instalments must add up to the total', async () => {
  const { ask, customer } = await openShop()
  const { json } = await ask('POST', '/v1/invoices', {
    customer: customer.reference,
    lines: [{ description: 'Fabric', unitAmount: 500_000 }],
    instalments: [{ amount: 300_000, dueAt: '2026-03-01' }],
  })
  expect(json).toMatchObject({
    code: 'validation_failed',
    message: 'instalments must add up to the total of ₦5,000.00; they are ₦3,000.00.',
    details: [{ field: 'instalments' }],
  })
})

test('an unpaid invoice is voided, and keeps its number', async () => {
  const { ask, draft, act, list } = await openShop()
  const one = await draft()
  expect((await ask('POST', `/v1/invoices/${one.reference}/void`)).json.code).toBe('invoice_failed')
  await act(one, 'finalize')
  const voided = await act(one, 'void')
  expect(voided).toMatchObject({
    number: 'INV-000001',
    status: 'VOID',
    amountDue: 0,
    amountCredited: 500_000,
  })
  expect(await act(one, 'void')).toEqual(voided)
  expect(await list('?status=VOID')).toEqual(['INV-000001'])
})

test('a draft is deleted, and its series has no gap', async () => {
  const { ask, draft, act, list } = await openShop()
  const remove = ({ reference }: { reference: string }) =>
    ask('DELETE', `/v1/invoices/${reference}`)
  const [first, gone, last] = [await draft(), await draft({ series: 'INV' }), await draft()]
  expect(await act(first, 'finalize')).toMatchObject({ number: 'INV-000001', series: 'INV' })
  const { status, json } = await remove(gone)
  expect([status, json.data]).toEqual([200, gone])
  expect(await act(last, 'finalize')).toMatchObject({ number: 'INV-000002' })
  expect(await list('')).toEqual(['INV-000002', 'INV-000001'])
  for (const [method, action] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/finalize'],
  ] as const) {
    const body = method === 'PATCH' ? { memo: 'Thank you' } : undefined
    const reply = await ask(method, `/v1/invoices/${gone.reference}${action}`, body)
    expect([method, action, reply.status]).toEqual([method, action, 404])
  }
  // No event names a draft, and none says that it is gone.
  const events = await ask('GET', '/v1/events?type=invoice.*')
  expect(events.json.data.items).toHaveLength(2)
})

test('an invoice with a number is not deleted, by a call or by the statement', async () => {
  const { ask, draft, act, list } = await openShop()
  const one = await draft()
  const [row] = await db.rows(sql<{ environmentId: EnvironmentId; id: string }>`
    select environment_id, id from invoices
    where id = ${fromReference(prefixes.invoice, one.reference)!}`)
  for (const action of ['finalize', 'void']) {
    await act(one, action)
    const { status, json } = await ask('DELETE', `/v1/invoices/${one.reference}`)
    expect([status, json]).toMatchObject([
      409,
      {
        code: 'invoice_failed',
        reason: 'invalid_state',
        message:
          'INV-000001 cannot be changed like this. Only drafts can be deleted: void it instead.',
      },
    ])
    await db.transaction(async (tx) => deleteInvoice(tx, row!))
  }
  expect(await list('')).toEqual(['INV-000001'])
})

test('a draft that is deleted and finalized at once has a number, or is gone', async () => {
  const { ask, draft, list } = await openShop()
  const drafts = []
  for (let count = 0; count < 12; count += 1) drafts.push(await draft())
  await Promise.all(
    drafts.flatMap(({ reference }, index) => {
      const finalize = () => ask('POST', `/v1/invoices/${reference}/finalize`)
      const remove = () => ask('DELETE', `/v1/invoices/${reference}`)
      return index % 2 === 0 ? [finalize(), remove()] : [remove(), finalize()]
    }),
  )
  const numbers = await list('')
  expect(numbers.toSorted()).toEqual(
    numbers.map((_: string, index: number) => `INV-${String(index + 1).padStart(6, '0')}`),
  )
})

test('a draft moves to another series until it is finalized', async () => {
  const { ask, draft, act } = await openShop()
  const one = await draft()
  expect(one).toMatchObject({ series: 'INV', number: null })
  const path = `/v1/invoices/${one.reference}`
  expect((await ask('PATCH', path, { series: 'SHOP' })).json.data.series).toBe('SHOP')
  expect(await act(one, 'finalize')).toMatchObject({ series: 'SHOP', number: 'SHOP-000001' })
  expect((await ask('PATCH', path, { series: 'INV' })).json.code).toBe('invoice_failed')
  expect(await act(await draft(), 'finalize')).toMatchObject({ number: 'INV-000001' })
})

test('credit gives up what is due; then the invoice is settled', async () => {
  const { ask, draft, act } = await openShop()
  const one = await draft()
  await act(one, 'finalize')
  expect(await act(one, 'credit', { amount: 200_000, reason: 'damaged' })).toMatchObject({
    status: 'OPEN',
    amountDue: 300_000,
    amountCredited: 200_000,
  })
  const more = await ask('POST', `/v1/invoices/${one.reference}/credit`, { amount: 300_001 })
  expect(more.json.message).toBe('amount must be at most ₦3,000.00, what is due or was paid.')
  expect(await act(one, 'credit', { amount: 300_000 })).toMatchObject({
    status: 'PAID',
    amountDue: 0,
    amountCredited: 500_000,
  })
  const types = (await ask('GET', '/v1/events?type=invoice.*')).json.data.items.map(
    ({ type }: { type: string }) => type,
  )
  expect(types.toSorted()).toEqual([
    'invoice.credited',
    'invoice.credited',
    'invoice.finalized',
    'invoice.paid',
  ])
})

test('invoices in coins have decimals', async () => {
  const { draft } = await openShop()
  const one = await draft({
    asset: 'USDC',
    lines: [{ description: 'Design', quantity: '3', unitAmount: '12.5' }],
  })
  expect(one).toMatchObject({ total: '37.5', lines: [{ amount: '37.5' }] })
})

test('the amounts of a stored invoice must add up', async () => {
  const { draft, act } = await openShop()
  await act(await draft(), 'finalize')
  for (const change of [
    sql`amount_paid = 1`,
    sql`total = total + 1`,
    sql`status = 'PAID'`,
    sql`number = null`,
    sql`amount_due = -1, amount_paid = total + 1`,
  ])
    await expect(db.rows(sql`update invoices set ${change} where status = 'OPEN'`)).rejects.toThrow(
      /check constraint/,
    )
})

test('invoices and customers of other merchants do not exist', async () => {
  const [shop, other] = [await openShop(), await openShop()]
  const one = await shop.draft()
  for (const [method, action] of [
    ['GET', ''],
    ['POST', '/finalize'],
    ['POST', '/void'],
    ['DELETE', ''],
  ] as const) {
    const { status } = await other.ask(method, `/v1/invoices/${one.reference}${action}`)
    expect([method, action, status]).toEqual([method, action, 404])
  }
  const { status, json } = await other.ask('POST', '/v1/invoices', {
    customer: shop.customer.reference,
    lines: [{ description: 'Fabric', unitAmount: 1 }],
  })
  expect([status, json.code]).toEqual([404, 'not_found'])
})

test('an erased customer gets no invoice', async () => {
  const { ask, customer } = await openShop()
  await ask('DELETE', `/v1/customers/${customer.reference}`)
  const { json } = await ask('POST', '/v1/invoices', {
    customer: customer.reference,
    lines: [{ description: 'Fabric', unitAmount: 1 }],
  })
  expect(json).toMatchObject({ code: 'customer_failed', reason: 'invalid_state' })
})

test('an invoice without a due date is due at the end of a day in Lagos, a week later', async () => {
  const { draft, act } = await openShop()
  const final = await act(await draft(), 'finalize')
  const lagosDay = new Date(Date.parse(final.finalizedAt) + 3_600_000).toISOString().slice(0, 10)
  expect(final.dueAt).toBe(
    new Date(Date.parse(`${lagosDay}T23:00:00.000Z`) + 7 * dayMs).toISOString(),
  )
})

test('instalments have due dates of their own, also in a change', async () => {
  const { ask, draft } = await openShop()
  const instalments = [{ amount: 500_000, dueAt: '2036-03-01' }]
  const { reference } = await draft({ instalments })
  const path = `/v1/invoices/${reference}`
  const { json } = await ask('PATCH', path, { dueAt: '2036-04-01' })
  expect(json.details).toEqual([
    { field: 'dueAt', issue: 'cannot be combined with instalments, which have their own' },
  ])
  const changed = await ask('PATCH', path, { dueAt: '2036-04-01', instalments: [] })
  expect(changed.json.data.dueAt).toBe('2036-04-01T23:00:00.000Z')
})

test.each([
  [{ lines: [] }, 'lines'],
  [{ lines: [{ description: 'A', unitAmount: 1.5 }] }, 'lines.0.unitAmount'],
  [{ lines: [{ description: 'A', unitAmount: '1' }] }, 'lines.0.unitAmount'],
  [{ lines: [{ description: 'A', unitAmount: 1, quantity: '0' }] }, 'lines.0.quantity'],
  [{ lines: [{ description: 'A', unitAmount: 1, quantity: '1.2345' }] }, 'lines.0.quantity'],
  [{ lines: [{ description: 'A', unitAmount: 1, vatPercent: '101' }] }, 'lines.0.vatPercent'],
  [{ lines: [{ description: '\u200b', unitAmount: 1 }] }, 'lines.0.description'],
  [{ memo: ' \n\u200b' }, 'memo'],
  [{ footer: 'Pay \u202eadA' }, 'footer'],
  [{ discount: {} }, 'discount'],
  [{ discount: { amount: 500_001 } }, 'discount.amount'],
  [{ discount: { percent: '5', amount: 1 } }, 'discount'],
  [{ series: 'inv' }, 'series'],
  [{ dueAt: 'tomorrow' }, 'dueAt'],
  [{ dueAt: '1999-12-31T22:59:59Z' }, 'dueAt'],
  [{ instalments: [{ amount: 500_000, dueAt: '0001-01-01' }] }, 'instalments.0.dueAt'],
  [{ dueAt: '2036-03-01', instalments: [{ amount: 500_000, dueAt: '2036-03-01' }] }, 'dueAt'],
  [{ instalments: [{ amount: 0, dueAt: '2026-03-01' }] }, 'instalments.0.amount'],
])('%j is refused at %s', async (body, field) => {
  const { ask, customer } = await openShop()
  const { status, json } = await ask('POST', '/v1/invoices', {
    customer: customer.reference,
    lines: [{ description: 'Fabric', unitAmount: 500_000 }],
    ...body,
  })
  expect([status, json.code, json.details[0].field]).toEqual([400, 'validation_failed', field])
})
