import { expect, test } from 'vitest'
import { runSchedules } from '../../../src/customers/schedules/run-schedules.js'
import { resumeMerchant, suspendMerchant } from '../../../src/merchants/suspension.js'
import { sql } from '../../../src/postgres/sql.js'
import { openInvoicedShop } from '../../support/invoiced-shop.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { expectAllProofs } from '../../support/sound-books.js'

const service = await openWithBank()
const { db, clock } = service
const dayMs = 86_400_000
const runOnce = () => runSchedules({ db, mode: 'test' }, clock.now())

/** As a worker does: until nothing is due. */
async function run(): Promise<void> {
  while ((await runOnce()) > 0);
}

const advanceTo = (time: Date) => clock.advance(time.getTime() - clock.now().getTime())

const dateIn = (days: number) =>
  new Date(clock.now().getTime() + 3_600_000 + days * dayMs).toISOString().slice(0, 10)

async function openShop() {
  const shop = await openInvoicedShop(service)
  const { ask, customer } = shop
  const path = '/v1/invoice-schedules'
  const lines = [{ description: 'Rent', unitAmount: 500_000 }]
  return {
    ...shop,
    lines,
    create: (body: object = {}) =>
      ask('POST', path, { customer: customer.reference, frequency: 'weekly', lines, ...body }),
    change: (of: { reference: string }, body: object) =>
      ask('PATCH', `${path}/${of.reference}`, body),
    readSchedule: (of: { reference: string }) => ask('GET', `${path}/${of.reference}`),
    /** By period: invoices of one moment are listed in any order. */
    made: async (of: { reference: string }) =>
      (await ask('GET', `/v1/invoices?schedule=${of.reference}`)).items.toSorted(
        (one: { period: string }, other: { period: string }) =>
          one.period < other.period ? -1 : 1,
      ),
  }
}

test('the timeline of a schedule says what it made', async () => {
  const { create, change, ask, customer } = await openShop()
  const schedule = await create({ startsOn: dateIn(0) })
  await run()
  await change(schedule, { status: 'ENDED' })
  const { reference } = schedule
  const { items, truncated } = await ask('GET', `/v1/timeline/${reference}`)
  const [made] = (await ask('GET', `/v1/invoices?customer=${customer.reference}`)).items
  expect(truncated).toBe(false)
  expect(items.toReversed()).toMatchObject([
    { kind: 'schedule_created', title: 'Schedule created', reference },
    {
      kind: 'invoice_created',
      title: `INV-000001 made for ${dateIn(0)}`,
      reference: made.reference,
    },
    { kind: 'schedule_ended', title: 'Schedule ended', reference },
  ])
  const other = await service.addMerchant('Other')
  const seen = await service.ask('GET', `/v1/timeline/${reference}`, { key: other.test.secret })
  expect(seen.status).toBe(404)
})

test('a schedule makes one final invoice for each period, at 06:00 in Lagos', async () => {
  const { create, made, readSchedule, eventsOf } = await openShop()
  const schedule = await create({ startsOn: dateIn(3), dueAfterDays: 5, memo: 'Thank you' })
  expect(schedule).toMatchObject({
    status: 'ACTIVE',
    frequency: 'weekly',
    every: 1,
    day: null,
    nextOn: dateIn(3),
    runs: 0,
    total: 500_000,
  })
  await run()
  expect(await made(schedule)).toEqual([])
  const startsOn = schedule.nextOn
  advanceTo(new Date(`${startsOn}T05:00:00.000Z`))
  await run()
  const [invoice, ...more] = await made(schedule)
  expect(more).toEqual([])
  expect(invoice).toMatchObject({
    number: 'INV-000001',
    status: 'OPEN',
    schedule: schedule.reference,
    period: startsOn,
    memo: 'Thank you',
    total: 500_000,
    dueAt: new Date(Date.parse(`${startsOn}T23:00:00.000Z`) + 5 * dayMs).toISOString(),
  })
  expect(invoice.url).toMatch(/\/i\/\w+$/)
  expect(await eventsOf(invoice.reference)).toEqual(['invoice.finalized'])
  expect(await readSchedule(schedule)).toMatchObject({ runs: 1, nextOn: dateIn(7) })
  await expectAllProofs(db)
})

test('a first day that is today makes an invoice at once; earlier days are refused', async () => {
  const { create, made, send, customer, lines } = await openShop()
  const schedule = await create()
  expect(schedule.startsOn).toBe(dateIn(0))
  advanceTo(new Date(`${schedule.nextOn}T20:00:00.000Z`))
  await run()
  expect(await made(schedule)).toHaveLength(1)
  const refused = await send('POST', '/v1/invoice-schedules', {
    customer: customer.reference,
    frequency: 'weekly',
    lines,
    startsOn: dateIn(-1),
  })
  expect(refused.json.message).toBe('startsOn must not be in the past.')
})

test('workers that were down make each missed period, in order; prepaid credit pays', async () => {
  const { create, made, pay, credit } = await openShop()
  await pay(1_200_000)
  const schedule = await create({ startsOn: dateIn(1) })
  clock.advance(23 * dayMs)
  await Promise.all([runOnce(), runOnce(), runOnce()])
  await run()
  const invoices = await made(schedule)
  const first = schedule.nextOn
  const later = (weeks: number) =>
    new Date(Date.parse(first) + weeks * 7 * dayMs).toISOString().slice(0, 10)
  expect(invoices.map(({ period }: { period: string }) => period)).toEqual([0, 1, 2, 3].map(later))
  expect(invoices.map(({ status }: { status: string }) => status)).toEqual([
    'PAID',
    'PAID',
    'PARTIALLY_PAID',
    'OPEN',
  ])
  expect(await credit()).toBe(0)
  await expectAllProofs(db)
})

test('a paused schedule does not make the periods that it missed', async () => {
  const { create, change, made } = await openShop()
  const schedule = await create({ startsOn: dateIn(1) })
  expect(await change(schedule, { status: 'PAUSED' })).toMatchObject({
    status: 'PAUSED',
    nextOn: null,
  })
  clock.advance(16 * dayMs)
  await run()
  expect(await made(schedule)).toEqual([])
  const resumed = await change(schedule, { status: 'ACTIVE' })
  expect(resumed.nextOn > dateIn(0)).toBe(true)
  expect((Date.parse(resumed.nextOn) - Date.parse(schedule.nextOn)) % (7 * dayMs)).toBe(0)
  await run()
  expect(await made(schedule)).toEqual([])
  clock.advance(7 * dayMs)
  await run()
  expect(await made(schedule)).toMatchObject([{ period: resumed.nextOn }])
  await expectAllProofs(db)
})

test('a schedule ends after its last day, or when it is ended', async () => {
  const { create, change, made, readSchedule, send } = await openShop()
  const schedule = await create({ startsOn: dateIn(1), endsOn: dateIn(9) })
  clock.advance(30 * dayMs)
  await run()
  expect(await made(schedule)).toHaveLength(2)
  const ended = await readSchedule(schedule)
  expect(ended).toMatchObject({ status: 'ENDED', nextOn: null, runs: 2 })
  expect(ended.endedAt).not.toBeNull()
  expect(await change(schedule, { status: 'ENDED' })).toEqual(ended)
  const path = `/v1/invoice-schedules/${schedule.reference}`
  const refused = await send('PATCH', path, { status: 'ACTIVE' })
  expect(refused.json).toMatchObject({ code: 'invoice_failed', reason: 'invalid_state' })
  const other = await create({ startsOn: dateIn(1) })
  await change(other, { status: 'ENDED' })
  clock.advance(30 * dayMs)
  await run()
  expect(await made(other)).toEqual([])
})

test('changed lines are those of later invoices; an earlier end ends it', async () => {
  const { create, change, made } = await openShop()
  const schedule = await create({ startsOn: dateIn(1), discount: { percent: '10' } })
  clock.advance(2 * dayMs)
  await run()
  const lines = [{ description: 'Rent, larger room', unitAmount: 800_000 }]
  expect(await change(schedule, { lines, discount: null })).toMatchObject({ total: 800_000 })
  clock.advance(7 * dayMs)
  await run()
  const totals = (await made(schedule)).map(({ total }: { total: number }) => total)
  expect(totals).toEqual([450_000, 800_000])
  expect(await change(schedule, { endsOn: dateIn(1) })).toMatchObject({ status: 'ENDED' })
})

test('a schedule does not end before an invoice that it made', async () => {
  const { create, change, made, send } = await openShop()
  const schedule = await create({ startsOn: dateIn(1) })
  const refusal = async (endsOn: string) => {
    const path = `/v1/invoice-schedules/${schedule.reference}`
    const { json } = await send('PATCH', path, { endsOn })
    return json.message
  }
  const first = schedule.nextOn
  expect(await refusal(dateIn(0))).toBe(`endsOn must be on or after the first invoice, ${first}.`)
  clock.advance(9 * dayMs)
  await run()
  const [, last] = await made(schedule)
  expect(await refusal(first)).toBe(`endsOn must be on or after the last invoice, ${last.period}.`)
  expect(await change(schedule, { endsOn: last.period })).toMatchObject({ status: 'ENDED' })
  await expectAllProofs(db)
})

test('the test clock brings periods forward', async () => {
  const { ask, create, made } = await openShop()
  const schedule = await create({ startsOn: dateIn(40) })
  await ask('POST', '/v1/test/clock/advance', { seconds: 41 * 86_400 })
  await run()
  expect(await made(schedule)).toMatchObject([{ period: schedule.nextOn }])
})

test('a suspended merchant makes no invoices until it is resumed', async () => {
  const { merchant, create, made } = await openShop()
  const schedule = await create({ startsOn: dateIn(1) })
  const { merchantId } = merchant.environments.test
  await db.transaction((tx) => suspendMerchant(tx, clock.now(), merchantId))
  clock.advance(2 * dayMs)
  await run()
  await db.transaction((tx) => resumeMerchant(tx, merchantId))
  clock.advance(3_600_000)
  await run()
  expect(await made(schedule)).toMatchObject([{ period: schedule.nextOn }])
})

test('a schedule of an erased customer ends', async () => {
  const { ask, customer, create, made, readSchedule, send, lines } = await openShop()
  const schedule = await create({ startsOn: dateIn(1) })
  await ask('DELETE', `/v1/customers/${customer.reference}`)
  expect(await readSchedule(schedule)).toMatchObject({ status: 'ENDED', runs: 0 })
  clock.advance(2 * dayMs)
  await run()
  expect(await made(schedule)).toEqual([])
  const body = { customer: customer.reference, frequency: 'weekly', lines }
  expect((await send('POST', '/v1/invoice-schedules', body)).json.code).toBe('customer_failed')
})

test('a period has one invoice, by constraint', async () => {
  const { create, made } = await openShop()
  const schedule = await create({ startsOn: dateIn(1) })
  clock.advance(9 * dayMs)
  await run()
  expect(await made(schedule)).toHaveLength(2)
  const change = db.rows(sql`
    update invoices i set period = o.period from invoices o
    where o.schedule_id = i.schedule_id and o.period < i.period`)
  await expect(change).rejects.toThrow('schedule_makes_one_invoice_per_period')
})

test.each([
  [{ frequency: 'weekly', day: 5 }, 'day is for monthly schedules.'],
  [{ frequency: 'monthly', weekday: 'monday' }, 'weekday is for weekly schedules.'],
  [{ startsOn: '2036-02-30' }, 'startsOn must be a date such as 2026-01-05.'],
  [{ startsOn: '2036-01-05', endsOn: '2036-01-04' }, 'endsOn must be on or after the first'],
  [{ startsOn: '9999-12-31' }, 'startsOn must be at most 5000 days ahead.'],
  [{ every: 0 }, 'every must be'],
])('%j is refused', async (body, message) => {
  const { send, customer, lines } = await openShop()
  const whole = { customer: customer.reference, frequency: 'weekly', lines, ...body }
  const { json } = await send('POST', '/v1/invoice-schedules', whole)
  expect(json.code).toBe('validation_failed')
  expect(json.message).toContain(message)
})

test('schedules are listed, and those of other merchants do not exist', async () => {
  const { ask, create, change, customer, send } = await openShop()
  const first = await create()
  const second = await create()
  await change(first, { status: 'PAUSED' })
  const path = '/v1/invoice-schedules'
  const list = async (query: string) =>
    (await ask('GET', path + query)).items.map(({ reference }: { reference: string }) => reference)
  expect(await list('')).toEqual([second.reference, first.reference])
  expect(await list('?status=PAUSED')).toEqual([first.reference])
  expect(await list(`?customer=${customer.reference}&status=ACTIVE`)).toEqual([second.reference])
  const other = await openShop()
  expect((await other.send('GET', `${path}/${first.reference}`)).status).toBe(404)
  const paused = { status: 'PAUSED' }
  expect((await other.send('PATCH', `${path}/${first.reference}`, paused)).status).toBe(404)
  expect((await send('GET', `${path}/ivs_nothing`)).status).toBe(404)
})
