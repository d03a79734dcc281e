import { expect, test } from 'vitest'
import { after, day } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { sumUpReports } from '../../src/reports/sum-up.js'
import { sandboxBankLimits } from '../../src/simulation/sandbox-bank/limits.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { addPerson } from '../support/people.js'

const service = await openWithBank()
const { db, clock } = service

type Bucket = { from: string } & Record<string, unknown>

/** The buckets in which something happened, by the date on which they began in UTC. */
const nonEmpty = (buckets: Bucket[], field: string) =>
  buckets
    .filter((bucket) => bucket[field] !== 0)
    .map(({ from, ...rest }) => ({ from: from.slice(0, 16), ...rest }))

// At first it is ten o'clock on 5 January in Lagos.
test('two days with a test clock between them, before and after they were summed up', async () => {
  const merchant = await service.addMerchant('Bisi Stores')
  const shop = payersOf(service, merchant)
  const payIn = async (amount: number) => {
    const { json } = await shop.openVirtual({ merchantReference: `order-${amount}`, amount })
    await shop.payIn(json.data.accountNumber, { amount })
  }
  const session = async () => {
    const customer = { name: 'Ada Obi', email: 'ada@example.com' }
    const order = { amount: 100_000, description: 'Bread', customer }
    const { json } = await shop.post('/v1/checkout/sessions', order)
    return json.data.reference as string
  }
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  await payIn(500_000)
  await payIn(250_000)
  await session()
  await shop.post(`/v1/checkout/sessions/${await session()}/cancel`, {})
  const late = await session()
  const transfer = { amount: 3_000_000, bankCode: '058', accountNumber: '0123456789' }
  await shop.post('/v1/disbursements/bank-transfer', transfer, { 'idempotency-key': 'rent' })
  await service.pass(2)
  await shop.post('/v1/disbursements/bank-transfer', transfer, { 'idempotency-key': 'slow' })
  await shop.post('/v1/test/clock/advance', { seconds: day / 1000 })
  await service.pass(2)
  await payIn(300_000)

  const period = 'from=2026-01-05&to=2026-01-06'
  const paths = [
    `received?${period}&compare=previous`,
    `received?from=2026-01-06&to=2026-01-06&compare=previous`,
    `received?${period}&bucket=hour`,
    `received?${period}&currency=USDC`,
    `conversion?${period}`,
    `conversion?${period}&bucket=hour`,
    `balance?${period}`,
    `balance?${period}&bucket=hour`,
    `payout-times?${period}`,
    `payout-times?${period}&bucket=hour`,
    `payout-times?${period}&kind=crypto_transfer`,
  ]
  const read = async (path: string) => (await shop.get(`/v1/reports/${path}`)).json.data
  const readAll = () => Promise.all(paths.map(read))
  const reports = await readAll()
  const [received, second, hours, coins, conversion, , balance, , times, , crypto] = reports

  const nothing = { held: 0, returned: 0, refunded: 0 }
  const none = { amount: 0, count: 0, arrived: 0, ...nothing, fees: 0, net: 0 }
  // Fees of two payments and of two transfers.
  const total = {
    amount: 1_050_000,
    count: 3,
    arrived: 1_050_000,
    ...nothing,
    fees: 10_500 + 5_000,
    net: 1_034_500,
  }
  expect(received).toEqual({
    currency: 'NGN',
    total,
    previous: {
      from: '2026-01-02T23:00:00.000Z',
      to: '2026-01-04T23:00:00.000Z',
      ...none,
    },
    change: { amount: 1_050_000, count: 3, percent: null },
    bucket: 'day',
    timeZone: 'Africa/Lagos',
    from: '2026-01-04T23:00:00.000Z',
    to: '2026-01-06T23:00:00.000Z',
    buckets: [
      {
        from: '2026-01-04T23:00:00.000Z',
        amount: 750_000,
        count: 2,
        arrived: 750_000,
        ...nothing,
        fees: 12_500,
        net: 737_500,
      },
      {
        from: '2026-01-05T23:00:00.000Z',
        amount: 300_000,
        count: 1,
        arrived: 300_000,
        ...nothing,
        fees: 3_000,
        net: 297_000,
      },
    ],
  })
  expect(second.change).toEqual({ amount: -450_000, count: -1, percent: -60 })
  expect(hours.buckets).toHaveLength(48)
  expect(nonEmpty(hours.buckets, 'count')).toMatchObject([
    { from: '2026-01-05T09:00', amount: 750_000, count: 2 },
    { from: '2026-01-06T09:00', amount: 300_000, count: 1 },
  ])
  expect(coins).toMatchObject({ total: { amount: '0', count: 0 }, previous: null, change: null })
  // The clock passed the end of two sessions, both of the first day.
  expect(conversion.total).toEqual({ created: 3, opened: 0, paid: 0, expired: 2, cancelled: 1 })
  expect(nonEmpty(conversion.buckets, 'created')).toHaveLength(1)
  const { available } = await shop.naira()
  expect(balance).toMatchObject({ opening: 0, closing: available, lowest: { amount: 0 } })
  expect(times.total).toEqual({ count: 2, failed: 0 })
  expect(times.buckets[0].medianMs).toBeLessThan(sandboxBankLimits.processingMs * 3)
  expect(times.buckets[1].p95Ms).toBeGreaterThan(day)
  expect(crypto.buckets[1]).toMatchObject({ medianMs: null, p95Ms: null, count: 0, failed: 0 })

  await sumUpReports(db, after(clock.now(), 3 * day))
  const { id } = merchant.environments.test
  const [sums] = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from report_received where environment_id = ${id}`)
  expect(sums!.count).toBe(4n)
  expect(await readAll()).toEqual(reports)

  // Long after the end of their day, the bank reports another payment and the page is opened.
  await db.rows(sql`update checkout_sessions set opened_at = now() where reference = ${late}`)
  await payIn(10_000)
  expect((await read(paths[0]!)).total).toMatchObject({ amount: 1_060_000, count: 4 })
  expect((await read(paths[4]!)).total).toMatchObject({ created: 3, opened: 1 })
  const stranger = payersOf(service, await service.addMerchant('Chidi Stores'))
  const theirs = (await stranger.get(`/v1/reports/${paths[0]}`)).json.data
  expect(theirs.total).toEqual(none)
})

test('fees and net are for those who may see the statement', async () => {
  const totals = await Promise.all(
    (['finance', 'support'] as const).map(async (role) => {
      const person = await addPerson(service, { role })
      return (await person.ask('GET', '/v1/reports/received')).json.data.total
    }),
  )
  const [finance, support] = totals
  expect([typeof finance.fees, typeof finance.net]).toEqual(['number', 'number'])
  expect(support).toEqual({ ...finance, fees: null, net: null })
})

test('a period ends now unless it is given, and is made of whole buckets', async () => {
  const shop = payersOf(service, service.merchant)
  const periodOf = async (query: string) => {
    const { data } = (await shop.get(`/v1/reports/received?${query}`)).json
    return [data.from, data.to, data.buckets.length]
  }
  expect(await periodOf('')).toEqual(['2025-12-06T23:00:00.000Z', '2026-01-05T23:00:00.000Z', 30])
  expect(await periodOf('bucket=hour')).toEqual([
    '2026-01-04T10:00:00.000Z',
    '2026-01-05T10:00:00.000Z',
    24,
  ])
  const times = 'from=2026-01-01T22:59:59Z&to=2026-01-02T23:00:00%2B01:00'
  expect(await periodOf(times)).toEqual(['2025-12-31T23:00:00.000Z', '2026-01-02T23:00:00.000Z', 2])
  expect(await periodOf('from=2026-01-02&to=2026-01-02&bucket=hour')).toEqual([
    '2026-01-01T23:00:00.000Z',
    '2026-01-02T23:00:00.000Z',
    24,
  ])
})

test.each([
  ['received?from=2026-01-02&to=2026-01-01', 'from', 'must be before `to`'],
  ['received?from=tomorrow', 'from', 'ISO 8601'],
  ['received?from=2024-11-01&to=2026-01-01', 'from', '400 days'],
  ['balance?from=2025-12-01&to=2026-01-01&bucket=hour', 'from', '744 hours'],
  ['conversion?bucket=week', 'bucket', ''],
  ['received?currency=EUR', 'currency', ''],
  ['received?compare=next', 'compare', ''],
  ['payout-times?kind=bank_return', 'kind', ''],
  ['balance?currency=NGN', 'currency', ''],
])('%s is refused', async (path, field, issue) => {
  const shop = payersOf(service, service.merchant)
  const { status, json } = await shop.get(`/v1/reports/${path}`)
  expect([status, json.code]).toEqual([400, 'validation_failed'])
  expect(json.details[0].field).toBe(field)
  expect(json.details[0].issue).toContain(issue)
})
