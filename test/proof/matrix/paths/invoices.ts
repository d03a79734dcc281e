import { strict as assert } from 'node:assert'
import { day } from '../../../../src/base/clock.js'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import { type Account, type Collector, collectorOf, failingAccount, funded } from './collecting.js'
import { untilReceived } from './sandbox-transfers.js'

const settings: WorldSettings = { bank: 'sandbox' }

type Shop = { collector: Collector; account: Account; customer: string; invoices: string[] }

const [older, newer, paid] = [500_000, 300_000, 900_000]

/** A customer with two invoices and, unless it is not given to them, an account. */
async function openShop(world: World, { isGiven = true } = {}): Promise<Shop> {
  const collector = collectorOf(world)
  await collector.fund('NGN', funded)
  const account = await collector.openDedicated()
  const { reference: customer } = await collector.post('/v1/customers', { name: 'Ada Obi' })
  if (isGiven)
    await collector.post(`/v1/customers/${customer}/accounts`, { account: account.reference })
  const invoices: string[] = []
  for (const [index, unitAmount] of [older, newer].entries()) {
    const lines = [{ description: 'Fabric', unitAmount }]
    const draft = { customer, lines, dueAt: `2036-0${index + 1}-01` }
    const { reference } = await collector.post('/v1/invoices', draft)
    invoices.push(reference)
  }
  return { collector, account, customer, invoices }
}

async function finalizeAll({ collector, invoices }: Shop): Promise<void> {
  for (const reference of invoices) await collector.post(`/v1/invoices/${reference}/finalize`, {})
}

async function checkAmounts(
  { collector, customer, invoices }: Shop,
  expected: { paid: number[]; refunded: number[]; credit: number },
): Promise<void> {
  const read = await Promise.all(invoices.map((one) => collector.get(`/v1/invoices/${one}`)))
  assert.deepEqual(
    read.map(({ amountPaid }) => amountPaid),
    expected.paid,
  )
  assert.deepEqual(
    read.map(({ amountRefunded }) => amountRefunded),
    expected.refunded,
  )
  const { credit } = await collector.get(`/v1/customers/${customer}`)
  assert.equal(credit[0].amount, expected.credit)
  assert.deepEqual(read.map(({ number }) => number).sort(), ['INV-000001', 'INV-000002'])
}

const recipient = 'ada@example.com'

type Tenancy = { collector: Collector; customer: string }

/** A customer who paid in advance, and gets invoices by mail. */
async function openTenancy(world: World): Promise<Tenancy> {
  const collector = collectorOf(world)
  await collector.patch('/v1/settings', { mails: { invoices: true, testAddresses: [recipient] } })
  const account = await collector.openDedicated()
  const person = { name: 'Ada Obi', email: recipient }
  const { reference: customer } = await collector.post('/v1/customers', person)
  await collector.post(`/v1/customers/${customer}/accounts`, { account: account.reference })
  await collector.pay(account, { amount: prepaid })
  return { collector, customer }
}

const [rent, prepaid] = [500_000, 700_000]

type Made = { reference: string; period: string; status: string; amountPaid: number }

/** Oldest first. */
const listMade = async ({ collector }: Tenancy): Promise<Made[]> =>
  (await collector.get('/v1/invoices')).items.toSorted((one: Made, other: Made) =>
    one.period < other.period ? -1 : 1,
  )

/** Presses the button of the page, and returns the account of the session it opens. */
async function openFromPage(
  world: World,
  { collector, invoices: [reference] }: Shop,
): Promise<Account> {
  const { url } = await collector.get(`/v1/invoices/${reference}`)
  const { status } = await world.call('POST', `${new URL(url).pathname}/pay`, { body: {} })
  assert(status < 400, `the button answers ${status}`)
  const { items } = await collector.get('/v1/checkout/sessions')
  assert.equal(items.length, 1, 'the button opens one session')
  const [{ reference: session, virtualAccount, bankTransfer }] = items
  return { reference: virtualAccount, accountNumber: bankTransfer.accountNumber, session }
}

export const invoicePaths: Path[] = [
  definePath<Shop>({
    name: 'payment pays two invoices, and a refund takes a part back',
    settings,
    prepare: openShop,
    async run(world, shop) {
      const { collector, account } = shop
      await finalizeAll(shop)
      await collector.pay(account, { amount: paid })
      const [payment] = await collector.paymentsInto(account.reference)
      await collector.refund(payment!.reference, { amount: 200_000 })
      await untilReceived(world, 1)
    },
    check: async (_world, shop) =>
      checkAmounts(shop, { paid: [older, newer - 100_000], refunded: [0, 100_000], credit: 0 }),
  }),
  definePath<Shop>({
    name: 'refund of a payment of invoices fails, and they are paid as before',
    settings,
    prepare: openShop,
    async run(world, shop) {
      const { collector, account } = shop
      await finalizeAll(shop)
      await collector.pay(account, { amount: paid, senderAccountNumber: failingAccount })
      const [payment] = await collector.paymentsInto(account.reference)
      await collector.refund(payment!.reference)
      await untilReceived(world, 1)
      await world.untilQuiet()
    },
    check: async (_world, shop) =>
      checkAmounts(shop, { paid: [older, newer], refunded: [0, 0], credit: 100_000 }),
  }),
  definePath<Tenancy>({
    name: 'schedule makes two invoices, credit pays them, and one is overdue',
    settings: { ...settings, sendsMails: true },
    prepare: openTenancy,
    async run(world, tenancy) {
      const { collector, customer } = tenancy
      await collector.post('/v1/invoice-schedules', {
        customer,
        frequency: 'weekly',
        startsOn: '2026-03-03',
        endsOn: '2026-03-10',
        dueAfterDays: 1,
        lines: [{ description: 'Rent', unitAmount: rent }],
      })
      // Both periods have passed.
      world.clock.advance(8 * day)
      await world.untilQuiet(async () => (await listMade(tenancy)).length === 2)
      world.clock.advance(2 * day)
      const [, second] = await listMade(tenancy)
      await world.untilQuiet(async () =>
        (await collector.eventTypes(second!.reference)).includes('invoice.overdue'),
      )
    },
    async check(world, tenancy) {
      const { collector, customer } = tenancy
      const made = await listMade(tenancy)
      assert.deepEqual(
        made.map(({ period, status, amountPaid }) => [period, status, amountPaid]),
        [
          ['2026-03-03', 'PAID', rent],
          ['2026-03-10', 'OVERDUE', prepaid - rent],
        ],
      )
      const types = await Promise.all(made.map(({ reference }) => collector.eventTypes(reference)))
      assert.deepEqual(types, [
        ['invoice.finalized', 'invoice.paid', 'invoice.sent'],
        ['invoice.finalized', 'invoice.partially_paid', 'invoice.sent', 'invoice.overdue'],
      ])
      const { credit } = await collector.get(`/v1/customers/${customer}`)
      assert.equal(credit[0].amount, 0)
      const { items: mails } = await collector.get('/v1/mails')
      assert.deepEqual(
        mails.map(({ kind, status }: { kind: string; status: string }) => [kind, status]),
        [
          ['invoice', 'SENT'],
          ['invoice', 'SENT'],
        ],
      )
      // They are sent at the same time: a kill after the relay's answers lets each be sent once more.
      const ids = world.mails!.received.map(({ headers }) => headers.get('message-id'))
      assert.equal(new Set(ids).size, 2)
      for (const id of new Set(ids)) {
        const sent = ids.filter((other) => other === id).length
        assert(sent <= 2, `a mail was sent ${sent} times`)
      }
    },
  }),
  definePath<Shop>({
    name: 'invoice is paid in parts, through the session that its page opens',
    settings,
    prepare: (world) => openShop(world, { isGiven: false }),
    async run(world, shop) {
      await finalizeAll(shop)
      const account = await openFromPage(world, shop)
      await shop.collector.pay(account, { amount: 200_000 })
      await shop.collector.pay(account, { amount: 400_000 })
    },
    async check(_world, shop) {
      await checkAmounts(shop, { paid: [older, 0], refunded: [0, 0], credit: 100_000 })
      const { items } = await shop.collector.get('/v1/checkout/sessions')
      assert.deepEqual(
        items.map(({ status, amountAccepted }: Record<string, unknown>) => [
          status,
          amountAccepted,
        ]),
        [['paid', 600_000]],
      )
    },
  }),
]
