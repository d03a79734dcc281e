import { expect, test } from 'vitest'
import { sql } from '../../../src/postgres/sql.js'
import { type InvoicedShop, openInvoicedShop } from '../../support/invoiced-shop.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { type Random, seededRandom } from '../../support/seed.js'
import { expectAllProofs } from '../../support/sound-books.js'

const service = await openWithBank()
const { db } = service
const openShop = () => openInvoicedShop(service)

test('credit pays a new invoice at once, as far as it goes', async () => {
  const { invoice, pay, credit, eventsOf } = await openShop()
  await pay(700_000)
  const first = await invoice(500_000)
  expect(first).toMatchObject({ status: 'PAID', amountPaid: 500_000, amountDue: 0 })
  expect(first.paidAt).toBe(first.finalizedAt)
  expect(await credit()).toBe(200_000)
  const second = await invoice(300_000)
  expect(second).toMatchObject({
    status: 'PARTIALLY_PAID',
    amountPaid: 200_000,
    amountDue: 100_000,
  })
  expect(await credit()).toBe(0)
  expect(await invoice(300_000)).toMatchObject({ status: 'OPEN', amountPaid: 0 })
  expect(await eventsOf(first.reference)).toEqual(['invoice.finalized', 'invoice.paid'])
  expect(await eventsOf(second.reference)).toEqual(['invoice.finalized', 'invoice.partially_paid'])
  await pay(100_000)
  await expectAllProofs(db)
})

test('credit stays if the setting says so, and pays no invoice in another asset', async () => {
  const { ask, invoice, pay, credit } = await openShop()
  await pay(700_000)
  const lines = [{ description: 'Design', unitAmount: '2.5' }]
  expect(await invoice(0, { asset: 'USDC', lines })).toMatchObject({ status: 'OPEN' })
  await ask('PATCH', '/v1/settings', { invoices: { applyCredit: false } })
  expect(await invoice(500_000)).toMatchObject({ status: 'OPEN', amountDue: 500_000 })
  expect(await credit()).toBe(700_000)
  await expectAllProofs(db)
})

test('a voided invoice gives credit back, unless a payment paid a part', async () => {
  const { send, act, invoice, pay, credit, eventsOf, customer } = await openShop()
  await pay(200_000)
  const first = await invoice(500_000)
  expect(await act(first, 'void')).toMatchObject({
    status: 'VOID',
    amountPaid: 0,
    amountCredited: 500_000,
  })
  expect(await credit()).toBe(200_000)
  expect(await eventsOf(customer.reference)).toEqual([
    'customer.created',
    'customer.credited',
    'customer.credited',
  ])
  const second = await invoice(500_000)
  await pay(100_000)
  const refused = await send('POST', `/v1/invoices/${second.reference}/void`)
  expect(refused.json.message).toContain('It was paid: credit it instead.')
  await expectAllProofs(db)
})

test('the timeline says whether a payment still pays an invoice, which then is not voided', async () => {
  const { send, ask, act, invoice, pay } = await openShop()
  const one = await invoice(500_000)
  const payment = await pay(200_000)
  const paidSteps = async () =>
    (await ask('GET', `/v1/timeline/${one.reference}`)).items
      .filter(({ kind }: { kind: string }) => kind === 'invoice_paid')
      .map(({ reference, details }: { reference: string; details: object }) => [reference, details])
  expect(await paidSteps()).toEqual([[payment.reference, {}]])
  const refused = await send('POST', `/v1/invoices/${one.reference}/void`)
  expect(refused.json).toMatchObject({ code: 'invoice_failed', reason: 'invalid_state' })
  const allocations = `/v1/collections/payments/${payment.reference}/allocations`
  await ask('POST', allocations, { allocations: [{ invoice: one.reference, amount: 150_000 }] })
  expect(await paidSteps()).toEqual([[payment.reference, {}]])
  await ask('POST', allocations, { allocations: [] })
  expect(await paidSteps()).toEqual([[payment.reference, { moved: true }]])
  expect(await act(one, 'void')).toMatchObject({ status: 'VOID' })
  await expectAllProofs(db)
})

test('a credited invoice gives back what credit paid of it', async () => {
  const { act, invoice, pay, credit } = await openShop()
  await pay(200_000)
  const first = await invoice(500_000)
  expect(await act(first, 'credit', { amount: 400_000 })).toMatchObject({
    status: 'PAID',
    amountPaid: 100_000,
    amountCredited: 400_000,
  })
  expect(await credit()).toBe(100_000)
  expect(await act(first, 'void')).toMatchObject({ amountPaid: 0, amountCredited: 500_000 })
  expect(await credit()).toBe(200_000)
  await expectAllProofs(db)
})

const closedAccount = { bankCode: '999', accountNumber: '9900000027' }

test('a refund of spent credit is taken from the invoice it paid; if it fails, given back', async () => {
  const { ask, invoice, pay, read, credit } = await openShop()
  const older = await invoice(500_000)
  const { reference } = await pay(800_000)
  const newer = await invoice(200_000)
  expect(newer).toMatchObject({ status: 'PAID', amountPaid: 200_000 })
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  const path = `/v1/collections/payments/${reference}/refund`
  await ask('POST', path, { amount: 250_000, destination: closedAccount })
  expect(await credit()).toBe(0)
  expect(await read(newer)).toMatchObject({ amountPaid: 50_000, amountRefunded: 150_000 })
  expect(await read(older)).toMatchObject({ amountPaid: 500_000, amountRefunded: 0 })
  await expectAllProofs(db)
  await service.pass(40)
  expect(await credit()).toBe(100_000)
  expect(await read(newer)).toMatchObject({ amountPaid: 200_000, amountRefunded: 0 })
  await ask('POST', path, { amount: 350_000 })
  expect(await read(newer)).toMatchObject({
    status: 'PAID',
    amountPaid: 0,
    amountRefunded: 200_000,
  })
  expect(await read(older)).toMatchObject({ amountPaid: 450_000, amountRefunded: 50_000 })
  await service.pass(40)
  await expectAllProofs(db)
})

test('applied credit names the invoice, and is taken', async () => {
  const { customer, invoice, pay } = await openShop()
  await pay(100_000)
  await invoice(100_000)
  const entry = (kind: string, amount: number, withInvoice: boolean) =>
    db.rows(sql`
      insert into customer_credit_entries (environment_id, customer_id, asset, number, kind, amount,
        balance_after, cause_id, invoice_id, created_at)
      select e.environment_id, e.customer_id, e.asset, 90, ${kind}, ${amount}::int8, 5, e.cause_id,
        case when ${withInvoice} then e.invoice_id end, e.created_at
      from customer_credit_entries e where e.kind = 'applied' order by e.created_at desc limit 1`)
  expect(customer.reference).toMatch(/^cus_/)
  await expect(entry('applied', -5, false)).rejects.toThrow('applied_credit_names_its_invoice')
  await expect(entry('payment', 5, true)).rejects.toThrow('applied_credit_names_its_invoice')
  await expect(entry('applied', 5, true)).rejects.toThrow('applied_credit_is_taken')
  await expect(entry('unapplied', -5, true)).rejects.toThrow('applied_credit_is_taken')
})

// Payments, invoices, credit notes, voids and refunds in any order, some of which fail. Every
// refund must find its money, wherever credit has taken it.
test('money of a customer adds up after any sequence', async () => {
  const random = seededRandom('credit of customers')
  for (let round = 0; round < 6; round += 1) await playRound(random)
}, 120_000)

async function playRound(random: Random): Promise<void> {
  const shop = await openShop()
  await shop.ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 100_000_000 })
  const payments: string[] = []
  const invoices: { reference: string }[] = []
  for (let step = 0; step < 40; step += 1) {
    const kind = random.pick(['pay', 'pay', 'invoice', 'invoice', 'note', 'void', 'refund', 'wait'])
    const amount = random.integer(1, 9) * 10_000
    if (kind === 'pay') payments.push((await shop.pay(amount)).reference)
    else if (kind === 'invoice') invoices.push(await shop.invoice(amount))
    else if (kind === 'wait') await service.pass(15)
    else await tryTo(shop, kind, { random, payments, invoices, amount })
  }
  await service.pass(60)
  for (const reference of payments) await refundAll(shop, reference)
  await service.pass(60)
  await expectAllProofs(db)
  const rest = await Promise.all(invoices.map(shop.read))
  expect(rest.reduce((sum, { amountPaid }) => sum + amountPaid, 0)).toBe(0)
  expect(await shop.credit()).toBe(0)
}

type Step = {
  random: Random
  payments: string[]
  invoices: { reference: string }[]
  amount: number
}

/** May be refused: nothing may be left of it, or nothing was paid. */
async function tryTo(
  shop: InvoicedShop,
  kind: string,
  { random, payments, invoices, amount }: Step,
) {
  if (kind === 'refund') {
    if (payments.length === 0) return
    const path = `/v1/collections/payments/${random.pick(payments)}/refund`
    const destination = random.integer(0, 1) === 1 ? { destination: closedAccount } : {}
    await expectAnswer(shop, path, { amount, ...destination })
    return
  }
  if (invoices.length === 0) return
  const { reference } = random.pick(invoices)
  if (kind === 'void') await expectAnswer(shop, `/v1/invoices/${reference}/void`)
  else await expectAnswer(shop, `/v1/invoices/${reference}/credit`, { amount })
}

async function refundAll(shop: InvoicedShop, reference: string): Promise<void> {
  await expectAnswer(shop, `/v1/collections/payments/${reference}/refund`, {})
}

async function expectAnswer(shop: InvoicedShop, path: string, body?: object): Promise<void> {
  const { status, text } = await shop.send('POST', path, body)
  expect(status, text).toBeLessThan(500)
}
