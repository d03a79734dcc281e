import { expect, test } from 'vitest'
import { sql } from '../../../src/postgres/sql.js'
import { openInvoicedShop } from '../../support/invoiced-shop.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { expectAllProofs } from '../../support/sound-books.js'

const service = await openWithBank()
const { db } = service
const openShop = () => openInvoicedShop(service)

test('an exact amount pays its invoice; any other the oldest first; the rest is credit', async () => {
  const { invoice, pay, read, credit, events } = await openShop()
  const old = await invoice(500_000, { dueAt: '2026-03-01' })
  const recent = await invoice(300_000, { dueAt: '2026-04-01' })
  await pay(300_000)
  expect(await read(recent)).toMatchObject({ status: 'PAID', amountPaid: 300_000, amountDue: 0 })
  expect(await read(old)).toMatchObject({ status: 'OPEN', amountPaid: 0 })
  await pay(200_000)
  expect(await read(old)).toMatchObject({ status: 'PARTIALLY_PAID', amountDue: 300_000 })
  await pay(400_000)
  const paid = await read(old)
  expect(paid).toMatchObject({ status: 'PAID', amountPaid: 500_000, amountDue: 0 })
  expect(paid.paidAt).not.toBeNull()
  expect(await credit()).toBe(100_000)
  expect(await events()).toEqual([
    'invoice.paid',
    'invoice.partially_paid',
    'invoice.paid',
    'customer.credited',
  ])
  await expectAllProofs(db)
})

test('what was paid and is given up becomes credit of the customer', async () => {
  const { ask, invoice, pay, credit } = await openShop()
  const one = await invoice(500_000)
  await pay(400_000)
  const path = `/v1/invoices/${one.reference}/credit`
  expect(await ask('POST', path, { amount: 250_000 })).toMatchObject({
    status: 'PAID',
    amountDue: 0,
    amountPaid: 250_000,
    amountCredited: 250_000,
  })
  expect(await credit()).toBe(150_000)
})

test('payments at once pay each unit once', async () => {
  const { invoice, pay, read, credit } = await openShop()
  const invoices = []
  for (let count = 0; count < 4; count += 1) invoices.push(await invoice(100_000 + count))
  await Promise.all([70_000, 130_000, 90_000, 160_000].map(pay))
  const after = await Promise.all(invoices.map(read))
  const paid = after.reduce((sum, { amountPaid }) => sum + amountPaid, 0)
  expect(paid + (await credit())).toBe(450_000)
  const [sums] = await db.rows(sql<{ allocated: bigint; paid: bigint }>`
    select (select sum(amount) from payment_allocations where invoice_id is not null)::int8
        as allocated,
      (select sum(amount_paid) from invoices)::int8 as paid`)
  expect(sums!.allocated).toBeGreaterThanOrEqual(sums!.paid)
  await expectAllProofs(db)
})

const closedAccount = { bankCode: '999', accountNumber: '9900000027' }

test('a refund takes credit first, then what was paid last; it is not due again', async () => {
  const { ask, invoice, pay, read, credit } = await openShop()
  const one = await invoice(500_000, { dueAt: '2026-03-01' })
  const { reference } = await pay(600_000)
  expect(await credit()).toBe(100_000)
  const refund = (body: object) => ask('POST', `/v1/collections/payments/${reference}/refund`, body)
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  await refund({ amount: 60_000 })
  expect(await credit()).toBe(40_000)
  expect(await read(one)).toMatchObject({ amountPaid: 500_000, amountRefunded: 0 })
  await refund({ amount: 140_000 })
  expect(await credit()).toBe(0)
  expect(await read(one)).toMatchObject({
    status: 'PAID',
    amountDue: 0,
    amountPaid: 400_000,
    amountRefunded: 100_000,
  })
  await service.pass(40)
  expect(await read(one)).toMatchObject({ amountPaid: 400_000, amountRefunded: 100_000 })
  await expectAllProofs(db)
})

test('a refund that fails leaves everything as before', async () => {
  const { ask, invoice, pay, read, credit, events } = await openShop()
  const one = await invoice(500_000)
  const { reference } = await pay(600_000)
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  const before = await read(one)
  await ask('POST', `/v1/collections/payments/${reference}/refund`, { destination: closedAccount })
  expect(await credit()).toBe(0)
  expect(await read(one)).toMatchObject({ amountPaid: 0, amountRefunded: 500_000 })
  await service.pass(40)
  expect(await credit()).toBe(100_000)
  expect(await read(one)).toEqual(before)
  expect(await events()).toEqual(['invoice.paid', 'customer.credited', 'customer.credited'])
  await expectAllProofs(db)
})

test('the timeline of an invoice says what was paid, refunded and credited', async () => {
  const { ask, invoice, pay } = await openShop()
  const { reference } = await invoice(500_000)
  const payment = await pay(400_000)
  await ask('POST', `/v1/invoices/${reference}/credit`, { amount: 30_000, reason: 'Damaged' })
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  await ask('POST', `/v1/collections/payments/${payment.reference}/refund`, { amount: 50_000 })
  const { items } = await ask('GET', `/v1/timeline/${reference}`)
  const steps = items.filter(({ kind }: { kind: string }) => kind.startsWith('invoice_'))
  expect(steps.toReversed()).toMatchObject([
    { kind: 'invoice_created', title: 'Draft created', reference },
    { kind: 'invoice_finalized', title: 'Finalized as INV-000001' },
    { kind: 'invoice_paid', title: '₦4,000.00 paid', reference: payment.reference },
    { kind: 'invoice_credited', title: '₦300.00 credited', details: { note: 'Damaged' } },
    { kind: 'invoice_refunded', title: '₦500.00 refunded', amount: 50_000 },
  ])
  expect(items.filter(({ kind }: { kind: string }) => kind === 'event')).toHaveLength(4)
  const other = await service.addMerchant('Other')
  const seen = await service.ask('GET', `/v1/timeline/${reference}`, { key: other.test.secret })
  expect(seen.status).toBe(404)
})
