import { expect, test } from 'vitest'
import { planDeadlines } from '../../../src/customers/invoices/deadlines.js'
import type { Invoice } from '../../../src/customers/invoices/invoice.js'
import { runDeadlines } from '../../../src/customers/invoices/run-deadlines.js'
import type { MailContent } from '../../../src/mail/content.js'
import { listAllMails, openContent } from '../../../src/mail/store-mails.js'
import { keyLimits } from '../../../src/merchants/limits.js'
import { resumeMerchant, suspendMerchant } from '../../../src/merchants/suspension.js'
import { sql } from '../../../src/postgres/sql.js'
import { openInvoicedShop } from '../../support/invoiced-shop.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { addPerson } from '../../support/people.js'
import { expectAllProofs } from '../../support/sound-books.js'

const service = await openWithBank()
const { db, clock, seal } = service
const dayMs = 86_400_000
const run = () => runDeadlines({ db, mode: 'test' }, clock.now())
const inDays = (days: number) => new Date(clock.now().getTime() + days * dayMs).toISOString()

async function openShop(settings: object = {}) {
  const shop = await openInvoicedShop(service)
  const email = 'ada@example.com'
  await shop.ask('PATCH', `/v1/customers/${shop.customer.reference}`, { email })
  await shop.ask('PATCH', '/v1/settings', settings)
  return {
    ...shop,
    /** The mails of this merchant, oldest first. */
    mails: async (): Promise<(MailContent & { kind: string; recipient: string })[]> => {
      const own = await db.rows(sql<{ id: string }>`
        select m.id from mails m join environments e on e.id = m.environment_id
        where e.id = ${shop.merchant.environments.test.id}`)
      const ids = new Set(own.map(({ id }) => id))
      return (await listAllMails(db, { limit: 100 }))
        .filter(({ id }) => ids.has(id))
        .map((mail) => ({
          ...openContent(seal, mail),
          kind: mail.kind,
          recipient: mail.recipient,
        }))
        .toReversed()
    },
  }
}

const textOf = (mail: MailContent | undefined) => JSON.stringify(mail)

test('an invoice is overdue once, unless it was paid', async () => {
  const { invoice, pay, eventsOf, ask } = await openShop()
  const late = await invoice(500_000, { dueAt: inDays(2) })
  const paid = await invoice(300_000, { dueAt: inDays(2) })
  await pay(300_000)
  await run()
  expect(await eventsOf(late.reference)).toEqual(['invoice.finalized'])
  clock.advance(3 * dayMs)
  expect(await run()).toBe(2)
  expect(await run()).toBe(0)
  expect(await eventsOf(late.reference)).toEqual(['invoice.finalized', 'invoice.overdue'])
  expect(await eventsOf(paid.reference)).toEqual(['invoice.finalized', 'invoice.paid'])
  const { items } = await ask('GET', '/v1/events?type=invoice.overdue')
  expect(items[0].data).toMatchObject({ reference: late.reference, status: 'OVERDUE' })
  await expectAllProofs(db)
})

test('each instalment that is not paid in time is overdue, once', async () => {
  const { invoice, pay, eventsOf } = await openShop()
  const amounts = [100_000, 200_000, 300_000]
  const parts = await invoice(600_000, {
    instalments: amounts.map((amount, index) => ({ amount, dueAt: inDays(index * 10 + 1) })),
  })
  const overdue = async () =>
    (await eventsOf(parts.reference)).filter((type) => type === 'invoice.overdue').length
  clock.advance(2 * dayMs)
  await run()
  expect(await overdue()).toBe(1)
  // Pays the first and the second.
  await pay(300_001)
  clock.advance(10 * dayMs)
  await run()
  expect(await overdue()).toBe(1)
  clock.advance(10 * dayMs)
  await run()
  expect(await overdue()).toBe(2)
})

test('the test clock brings deadlines forward', async () => {
  const { ask, invoice, eventsOf } = await openShop()
  const late = await invoice(500_000)
  await ask('POST', '/v1/test/clock/advance', { seconds: 8 * 86_400 })
  expect(await run()).toBe(1)
  expect(await eventsOf(late.reference)).toEqual(['invoice.finalized', 'invoice.overdue'])
})

test('workers at the same time say it once', async () => {
  const { invoice, eventsOf } = await openShop()
  const invoices = []
  for (let count = 0; count < 5; count += 1) invoices.push(await invoice(100, { dueAt: inDays(1) }))
  clock.advance(2 * dayMs)
  const ran = await Promise.all([run(), run(), run()])
  expect(ran.reduce((sum, count) => sum + count, 0)).toBe(5)
  for (const { reference } of invoices)
    expect(await eventsOf(reference)).toEqual(['invoice.finalized', 'invoice.overdue'])
})

test('an invoice is mailed when it is finalized, if the merchant wants it', async () => {
  const off = await openShop()
  expect(await off.invoice(500_000)).toMatchObject({ sentAt: null })
  expect(await off.mails()).toEqual([])
  const checkout = { displayName: "Ada's Fabrics", supportEmail: 'help@ada.example' }
  const shop = await openShop({ mails: { invoices: true }, checkout })
  const { invoice, mails, eventsOf } = shop
  const sent = await invoice(500_000, { dueAt: '2036-01-31', memo: 'Thank you' })
  expect(sent.sentAt).toBe(sent.finalizedAt)
  const [mail, ...more] = await mails()
  expect(more).toEqual([])
  expect(mail).toMatchObject({
    kind: 'invoice',
    recipient: 'ada@example.com',
    subject: "Test: Invoice INV-000001 from Ada's Fabrics: ₦5,000.00",
    sender: { name: "Ada's Fabrics", replyTo: 'help@ada.example' },
  })
  for (const part of ['31 January 2036', '₦5,000.00', 'Thank you', sent.url])
    expect(textOf(mail)).toContain(part)
  expect(await eventsOf(sent.reference)).toEqual(['invoice.finalized', 'invoice.sent'])
  // Anyone with the link can open the invoice, so only its recipient sees it.
  const owner = await addPerson(service, { role: 'owner', merchant: shop.merchant.reference })
  const [{ reference }] = (await owner.ask('GET', '/v1/mails')).json.data.items
  const shown = (await owner.ask('GET', `/v1/mails/${reference}`)).json.data
  expect(shown.text).toContain('See the invoice and pay: the link is shown to the recipient only.')
  expect(`${shown.text} ${shown.html}`).not.toContain(sent.url)
})

test('a suspended merchant mails no invoice', async () => {
  const { merchant, invoice, send, mails } = await openShop({ mails: { invoices: true } })
  const { merchantId } = merchant.environments.test
  await db.transaction((tx) => suspendMerchant(tx, clock.now(), merchantId))
  clock.advance(keyLimits.cacheMs)
  const final = await invoice(500_000)
  expect(final).toMatchObject({ status: 'OPEN', sentAt: null })
  const path = `/v1/invoices/${final.reference}/send`
  expect((await send('POST', path)).json.reason).toBe('merchant_suspended')
  expect(await mails()).toEqual([])
  await db.transaction((tx) => resumeMerchant(tx, merchantId))
  clock.advance(keyLimits.cacheMs)
  expect((await send('POST', path)).status).toBe(200)
  expect(await mails()).toHaveLength(1)
})

test('a prepaid invoice says that nothing is due', async () => {
  const { invoice, pay, mails, eventsOf } = await openShop({ mails: { invoices: true } })
  await pay(500_000)
  const { reference } = await invoice(500_000)
  expect(textOf((await mails())[0])).toContain('Nothing is due')
  expect(await eventsOf(reference)).toEqual(['invoice.finalized', 'invoice.paid', 'invoice.sent'])
})

test('an invoice is sent again at most ten times, and only to an address', async () => {
  const { ask, send, act, invoice, mails, customer } = await openShop()
  const draft = await ask('POST', '/v1/invoices', {
    customer: customer.reference,
    lines: [{ description: 'Fabric', unitAmount: 100 }],
  })
  const path = (of: { reference: string }) => `/v1/invoices/${of.reference}/send`
  expect((await send('POST', path(draft))).json.reason).toBe('invalid_state')
  const final = await invoice(500_000)
  for (let count = 0; count < 10; count += 1) await act(final, 'send')
  expect(await mails()).toHaveLength(10)
  const more = await send('POST', path(final))
  expect(more.json).toMatchObject({ code: 'invoice_failed', reason: 'too_many' })
  const other = await invoice(100)
  await ask('PATCH', `/v1/customers/${customer.reference}`, { email: null })
  expect((await send('POST', path(other))).json.message).toContain('has no e-mail address')
})

test('a repeated call sends one mail', async () => {
  const { merchant, invoice, mails } = await openShop()
  const { reference } = await invoice(500_000)
  const headers = { 'idempotency-key': 'send once' }
  const call = { key: merchant.test.secret, headers }
  for (let count = 0; count < 2; count += 1)
    expect((await service.ask('POST', `/v1/invoices/${reference}/send`, call)).status).toBe(200)
  expect(await mails()).toHaveLength(1)
})

test('customers are reminded before, on and after the due date, until they paid', async () => {
  const { invoice, pay, mails } = await openShop({ mails: { reminders: true } })
  await invoice(500_000, { dueAt: inDays(10) })
  const subjects = async () => (await mails()).map(({ subject }) => subject)
  clock.advance(8 * dayMs)
  await run()
  expect(await subjects()).toEqual([expect.stringContaining('₦5,000.00 of invoice INV-000001 is')])
  clock.advance(2 * dayMs)
  await run()
  expect(await subjects()).toHaveLength(2)
  await pay(200_000)
  clock.advance(7 * dayMs)
  await run()
  const [, , last] = await subjects()
  expect(last).toContain('₦3,000.00 of invoice INV-000001 was due on')
  await invoice(100_000, { dueAt: inDays(10) })
  await pay(400_000)
  clock.advance(30 * dayMs)
  await run()
  expect(await subjects()).toHaveLength(3)
})

test('after a long pause of the workers, one reminder is sent', async () => {
  const { invoice, mails } = await openShop({ mails: { reminders: true } })
  await invoice(500_000, { dueAt: inDays(10) })
  clock.advance(60 * dayMs)
  await run()
  expect(await mails()).toHaveLength(1)
})

test('reminders stop when the merchant switches them off', async () => {
  const { ask, invoice, mails } = await openShop({
    mails: { reminders: true, reminderDays: [1, 5] },
  })
  await invoice(500_000, { dueAt: inDays(1) })
  clock.advance(3 * dayMs)
  await run()
  await ask('PATCH', '/v1/settings', { mails: { reminders: false } })
  clock.advance(5 * dayMs)
  await run()
  expect(await mails()).toHaveLength(1)
})

test('reminders are planned for mornings in Lagos, from the day that is due', () => {
  const invoice = {
    total: 500n,
    amountDue: 500n,
    instalments: [],
    dueAt: new Date('2026-03-01T23:00:00Z'),
  } as unknown as Invoice
  const planned = planDeadlines(new Date('2026-02-27T00:00:00Z'), invoice, [-3, 0, 7])
  expect(planned.map(({ kind, plannedFor }) => [kind, plannedFor.toISOString()])).toEqual([
    ['overdue', '2026-03-01T23:00:00.001Z'],
    ['reminder', '2026-03-01T07:00:00.000Z'],
    ['reminder', '2026-03-08T07:00:00.000Z'],
  ])
})
