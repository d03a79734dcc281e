import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { invoiceReference } from '../../src/customers/invoices/invoice.js'
import { runDeadlines } from '../../src/customers/invoices/run-deadlines.js'
import { findInvoicesPaidBy } from '../../src/customers/invoices/store-invoices.js'
import { sql } from '../../src/postgres/sql.js'
import { openInvoicedShop } from '../support/invoiced-shop.js'
import { openWithBank } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, clock } = service
const closedAccount = { bankCode: '999', accountNumber: '9900000027' }

/** Credit stays credit until the merchant uses it. */
async function openShop() {
  const shop = await openInvoicedShop(service)
  await shop.ask('PATCH', '/v1/settings', { invoices: { applyCredit: false } })
  const pathOf = ({ reference }: { reference: string }) =>
    `/v1/collections/payments/${reference}/allocations`
  return {
    ...shop,
    allocate: (payment: { reference: string }, allocations: object[], reason?: string) =>
      shop.ask('POST', pathOf(payment), { allocations, ...(reason && { reason }) }),
    allocationsOf: (payment: { reference: string }) => shop.ask('GET', pathOf(payment)),
    /** An answer that is a refusal. */
    refused: async (payment: { reference: string }, allocations: object[]) => {
      const reply = await service.ask('POST', pathOf(payment), {
        key: shop.merchant.test.secret,
        body: { allocations },
      })
      expect(reply.status, reply.text).toBeGreaterThanOrEqual(400)
      return reply
    },
    statement: async () =>
      (await shop.ask('GET', `/v1/customers/${shop.customer.reference}/statement`)).items,
  }
}

test('what is due again is overdue, and customers are reminded of it', async () => {
  const { ask, invoice, pay, eventsOf, allocate, customer } = await openShop()
  await ask('PATCH', '/v1/settings', { mails: { reminders: true, reminderDays: [7] } })
  const email = 'ada@example.com'
  await ask('PATCH', `/v1/customers/${customer.reference}`, { email })
  const dayMs = 86_400_000
  const dueAt = (days: number) => new Date(clock.now().getTime() + days * dayMs).toISOString()
  const instalments = [2, 20].map((days) => ({ amount: 250_000, dueAt: dueAt(days) }))
  const late = await invoice(500_000, { instalments })
  const payment = await pay(500_000)
  const run = () => runDeadlines({ db, mode: 'test' }, clock.now())
  const overdue = async () =>
    (await eventsOf(late.reference)).filter((type) => type === 'invoice.overdue').length
  const reminders = async () =>
    (await db.rows(sql`select from mails where kind = 'invoice_reminder'`)).length
  clock.advance(3 * dayMs)
  await run()
  expect([await overdue(), await reminders()]).toEqual([0, 0])
  await allocate(payment, [])
  await run()
  expect([await overdue(), await reminders()]).toEqual([1, 0])
  // It stays overdue, which is said once.
  await allocate(payment, [{ invoice: late.reference, amount: 100_000 }])
  await allocate(payment, [])
  await run()
  expect(await overdue()).toBe(1)
  clock.advance(8 * dayMs)
  await run()
  expect(await reminders()).toBe(1)
  clock.advance(11 * dayMs)
  await run()
  expect(await overdue()).toBe(2)
  await expectAllProofs(db)
})

test('a receipt names the invoices that the payment pays now', async () => {
  const { merchant, invoice, pay, allocate } = await openShop()
  const [one, two] = [await invoice(500_000), await invoice(500_001)]
  const payment = await pay(500_000)
  const id = fromReference(prefixes.payment, payment.reference)!
  const named = async () =>
    (await findInvoicesPaidBy(db, { environmentId: merchant.environments.test.id, id })).map(
      invoiceReference,
    )
  expect(await named()).toEqual([one.reference])
  await allocate(payment, [{ invoice: two.reference, amount: 500_000 }])
  expect(await named()).toEqual([two.reference])
  await allocate(payment, [])
  expect(await named()).toEqual([])
})

test('a refund that failed gives credit back in the time of the environment', async () => {
  const { ask, pay, customer } = await openShop()
  await ask('POST', '/v1/test/clock/advance', { seconds: 40 * 86_400 })
  const payment = await pay(500_000)
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  const path = `/v1/collections/payments/${payment.reference}/refund`
  await ask('POST', path, { amount: 200_000, destination: closedAccount })
  await service.pass(40)
  const { creditEntries } = await ask('GET', `/v1/customers/${customer.reference}/export`)
  const [last, ...earlier] = creditEntries
  expect(last.kind).toBe('refund_reversal')
  expect(earlier).toHaveLength(2)
  for (const { createdAt } of earlier) expect(last.createdAt >= createdAt).toBe(true)
})

test('a merchant moves what a payment paid to another invoice, and the rest to credit', async () => {
  const { ask, invoice, pay, read, credit, allocate, allocationsOf } = await openShop()
  const january = await invoice(500_000, { dueAt: '2036-01-31' })
  const february = await invoice(300_000, { dueAt: '2036-02-28' })
  const payment = await pay(500_000)
  expect(await read(january)).toMatchObject({ status: 'PAID' })
  expect(await allocationsOf(payment)).toMatchObject({
    items: [{ invoice: january.reference, amount: 500_000 }],
  })
  const wanted = [{ invoice: february.reference, amount: 300_000 }]
  const changed = await allocate(payment, wanted, 'It was meant for February')
  const expected = [...wanted, { invoice: null, amount: 200_000 }]
  expect(changed).toMatchObject({ payment: payment.reference, asset: 'NGN', items: expected })
  expect(await allocationsOf(payment)).toEqual(changed)
  expect(await read(january)).toMatchObject({ status: 'OPEN', amountDue: 500_000, paidAt: null })
  expect(await read(february)).toMatchObject({ status: 'PAID', amountPaid: 300_000 })
  expect(await credit()).toBe(200_000)
  // A repeat changes nothing, and emits no event.
  const [before] = await db.rows(sql<{ count: bigint }>`select count(*) as count from events`)
  expect(await allocate(payment, wanted)).toEqual(changed)
  const [after] = await db.rows(sql<{ count: bigint }>`select count(*) as count from events`)
  expect(after).toEqual(before)
  const events = (await ask('GET', '/v1/events?limit=100')).items
  expect(
    events
      .slice(0, 3)
      .map(({ type }: { type: string }) => type)
      .toSorted(),
  ).toEqual(['customer.credited', 'invoice.paid', 'invoice.payment_moved'])
  const rows = await db.rows(sql<{ reason: string }>`
    select reason from reallocations where reason is not null`)
  expect(rows).toEqual([{ reason: 'It was meant for February' }])
  await expectAllProofs(db)
})

test('credit pays an invoice; credit that was used cannot be taken', async () => {
  const { invoice, pay, read, credit, allocate, refused } = await openShop()
  const payment = await pay(400_000)
  const one = await invoice(300_000)
  await allocate(payment, [{ invoice: one.reference, amount: 300_000 }])
  expect(await read(one)).toMatchObject({ status: 'PAID', amountPaid: 300_000 })
  expect(await credit()).toBe(100_000)
  const two = await invoice(500_000)
  const tooMuch = await refused(payment, [{ invoice: two.reference, amount: 500_000 }])
  expect(tooMuch.json).toMatchObject({ code: 'validation_failed' })
  expect(tooMuch.json.details[0]).toMatchObject({ field: 'allocations' })
  const notDue = await refused(payment, [{ invoice: one.reference, amount: 400_000 }])
  expect(notDue.json.details[0]).toEqual({
    field: 'allocations.0.amount',
    issue: 'must be at most ₦3,000.00, what is due',
  })
  await allocate(payment, [
    { invoice: one.reference, amount: 100_000 },
    { invoice: two.reference, amount: 300_000 },
  ])
  expect(await credit()).toBe(0)
  expect(await read(one)).toMatchObject({ status: 'PARTIALLY_PAID', amountDue: 200_000 })
  await expectAllProofs(db)
})

test('what a credit note turned into credit stays where it is', async () => {
  const { ask, invoice, pay, read, credit, allocate, refused } = await openShop()
  const one = await invoice(500_000)
  const payment = await pay(500_000)
  await ask('POST', `/v1/invoices/${one.reference}/credit`, { amount: 200_000 })
  const two = await invoice(400_000)
  const reply = await refused(payment, [{ invoice: two.reference, amount: 400_000 }])
  expect(reply.json).toMatchObject({
    code: 'payment_action_failed',
    reason: 'invalid_state',
    message: 'Only ₦3,000.00 can be taken from INV-000001.',
  })
  await allocate(payment, [
    { invoice: one.reference, amount: 200_000 },
    { invoice: two.reference, amount: 300_000 },
  ])
  expect(await read(one)).toMatchObject({ amountPaid: 0, amountCredited: 200_000 })
  expect(await read(two)).toMatchObject({ amountPaid: 300_000 })
  expect(await credit()).toBe(200_000)
  await expectAllProofs(db)
})

test('a refund takes from what the payment pays now, also if it fails', async () => {
  const { ask, invoice, pay, read, allocate } = await openShop()
  const [one, two] = [await invoice(500_000), await invoice(500_001)]
  const payment = await pay(500_000)
  await allocate(payment, [{ invoice: two.reference, amount: 500_000 }])
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  const path = `/v1/collections/payments/${payment.reference}/refund`
  await ask('POST', path, { amount: 200_000, destination: closedAccount })
  expect(await read(one)).toMatchObject({ amountPaid: 0, amountRefunded: 0 })
  expect(await read(two)).toMatchObject({ amountPaid: 300_000, amountRefunded: 200_000 })
  // What was not refunded moves while the refund is on its way.
  await allocate(payment, [{ invoice: one.reference, amount: 300_000 }])
  expect(await read(two)).toMatchObject({ amountPaid: 0, amountRefunded: 200_000 })
  await service.pass(40)
  expect(await read(one)).toMatchObject({ amountPaid: 300_000, amountRefunded: 0 })
  expect(await read(two)).toMatchObject({ amountPaid: 200_000, amountRefunded: 0 })
  await expectAllProofs(db)
})

test('only invoices of the customer, in the asset of the payment', async () => {
  const { ask, invoice, pay, refused, customer } = await openShop()
  const payment = await pay(500_000)
  const other = await ask('POST', '/v1/customers', { name: 'Bola' })
  const lines = [{ description: 'Fabric', unitAmount: 100_000 }]
  const foreign = await ask('POST', '/v1/invoices', { customer: other.reference, lines })
  const coins = await ask('POST', '/v1/invoices', {
    customer: customer.reference,
    asset: 'USDC',
    lines: [{ description: 'Fabric', unitAmount: '10' }],
  })
  const draft = await ask('POST', '/v1/invoices', { customer: customer.reference, lines })
  const own = await invoice(100_000)
  const to = (reference: string, amount: number | string = 100_000) => ({
    invoice: reference,
    amount,
  })
  const field = async (...allocations: object[]) =>
    (await refused(payment, allocations)).json.details[0].field
  expect(await field(to(foreign.reference))).toBe('allocations.0.invoice')
  expect(await field(to(coins.reference))).toBe('allocations.0.invoice')
  const issue = async (reference: string) =>
    (await refused(payment, [to(reference)])).json.details[0]
  const firstInvoice = 'allocations.0.invoice'
  expect(await issue(draft.reference)).toEqual({
    field: firstInvoice,
    issue: 'is a draft: finalize it before it is paid',
  })
  const voided = await invoice(100_000)
  await ask('POST', `/v1/invoices/${voided.reference}/void`)
  expect(await issue(voided.reference)).toEqual({
    field: firstInvoice,
    issue: 'is void, so nothing of it is due',
  })
  expect(await field(to(own.reference, 50_000), to(own.reference, 50_000))).toBe(
    'allocations.1.invoice',
  )
  expect((await refused(payment, [to('ivc_0000000000000000000000000a')])).status).toBe(404)
  const shop = await openShop()
  const strange = await shop.refused(payment, [])
  expect(strange.status).toBe(404)
})

test('a payment of no customer pays no invoices', async () => {
  const { merchant, ask } = await openShop()
  const account = await ask('POST', '/v1/collections/dedicated-accounts', {
    externalReference: 'nobody',
  })
  await ask('POST', '/v1/test/bank-transfers', {
    accountNumber: account.accountNumber,
    amount: 100_000,
  })
  await service.pass(3)
  const path = `/v1/collections/payments?accountReference=${account.accountReference}`
  const [payment] = (await ask('GET', path)).items
  expect(payment).not.toHaveProperty('customerReference')
  const reply = await service.ask(
    'GET',
    `/v1/collections/payments/${payment.reference}/allocations`,
    { key: merchant.test.secret },
  )
  expect(reply.json).toMatchObject({ code: 'payment_action_failed', reason: 'invalid_state' })
})

test('payments, refunds, credit notes and reallocations in any order keep the statement', async () => {
  const shop = await openShop()
  const { ask, invoice, pay, read, credit, statement, customer } = shop
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 50_000_000 })
  const invoices: { reference: string }[] = []
  const payments: { reference: string; amount: number }[] = []
  /** Calls that a random choice makes impossible are refused. */
  const attempt = (path: string, body: object) => {
    clock.advance(1)
    const headers = { 'idempotency-key': `random ${path} ${clock.now().getTime()}` }
    return service.ask('POST', path, { key: shop.merchant.test.secret, headers, body })
  }
  const steps = fc.sample(
    fc.record({
      kind: fc.constantFrom(
        'invoice',
        'pay',
        'allocate',
        'allocate',
        'allocate',
        'credit',
        'refund',
        'void',
      ),
      amount: fc.integer({ min: 1, max: 9 }).map((units) => units * 100_000),
      pick: fc.nat(),
      other: fc.nat(),
    }),
    { numRuns: 80, seed: 11 },
  )
  let moved = 0
  for (const { kind, amount, pick, other } of steps) {
    const one = invoices[pick % invoices.length]
    const payment = payments[pick % payments.length]
    if (kind === 'invoice') invoices.push(await invoice(amount))
    else if (kind === 'pay') payments.push({ ...(await pay(amount)), amount })
    else if (kind === 'allocate' && payment && one) {
      // Credit frees invoices, which other payments can pay then.
      const quarter = { invoice: one.reference, amount: payment.amount / 4 }
      const wanted = other % 3 === 0 ? [] : [quarter]
      const path = `/v1/collections/payments/${payment.reference}/allocations`
      const reply = await attempt(path, { allocations: wanted })
      if (reply.status === 200) moved += 1
    } else if (kind === 'credit' && one)
      await attempt(`/v1/invoices/${one.reference}/credit`, { amount: amount / 2 })
    else if (kind === 'void' && one) await attempt(`/v1/invoices/${one.reference}/void`, {})
    else if (kind === 'refund' && payment)
      await attempt(`/v1/collections/payments/${payment.reference}/refund`, { amount: amount / 4 })
  }
  expect(moved).toBeGreaterThan(3)
  await expectAllProofs(db)
  const all = await Promise.all(invoices.map(read))
  const due = all.reduce((sum, { amountDue }) => sum + amountDue, 0)
  const entries = await statement()
  const owed = due - (await credit())
  const first = await ask('GET', `/v1/customers/${customer.reference}/statement?limit=100`)
  expect(first.items[0].balance).toBe(owed)
  expect(entries[0]).toEqual(first.items[0])
  const numbers = first.items.map(({ number }: { number: number }) => number)
  expect(numbers).toEqual(numbers.map((_: number, index: number) => numbers.length - index))
})
