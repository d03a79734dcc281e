import { expect, test } from 'vitest'
import { day } from '../../src/base/clock.js'
import { createConsole } from '../operations/commands/commands.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'
import { accounts, openMarket } from './shop.js'

const { db, clock, service, openShop, pass } = await openMarket()

type Shop = Awaited<ReturnType<typeof openShop>>
type Seller = { reference: string }

const seller = (more: object = {}) => ({
  name: 'Ada Fabrics',
  bankAccount: { bankCode: '058', accountNumber: accounts.completes },
  ...more,
})

const settle = (shop: Shop, { reference }: Seller, body: object = {}) =>
  shop.post(`/v1/subaccounts/${reference}/settlements`, body)

const listOf = async (shop: Shop, { reference }: Seller) =>
  (await shop.get(`/v1/settlements?subaccount=${reference}`)).items

type Shown = {
  amount: number
  fee: number
  period: { firstEntry: number; lastEntry: number }
  report: { opening: number; credits: number; debits: number; closing: number }
}

/** Every report begins where the one before ends, and adds up. */
function expectJoined(newestFirst: Shown[]) {
  let [lastEntry, closing] = [0, 0]
  for (const { period, report, amount, fee } of newestFirst.toReversed()) {
    expect([period.firstEntry, report.opening]).toEqual([lastEntry + 1, closing])
    expect(report.opening + report.credits - report.debits).toBe(amount + fee + report.closing)
    lastEntry = period.lastEntry
    closing = report.closing
  }
}

test('a sub-account is settled on its schedule, above its reserve, to its bank account', async () => {
  const shop = await openShop()
  const settlement = { schedule: 'daily', reserve: 50_000, minimum: 200_000 }
  const ada = await shop.addFunded(1_000_000, seller({ settlement }))
  expect(ada.settlement).toMatchObject({ ...settlement, lastRefusal: null })
  clock.advance(day)
  await pass(5)
  const [first] = await listOf(shop, ada)
  expect(first).toMatchObject({
    status: 'PAID',
    subaccount: ada.reference,
    accountNumber: accounts.completes,
    reserve: 50_000,
    report: { opening: 0 },
  })
  expect(first.scheduledFor).not.toBeNull()
  expect(first.amount % 100).toBe(0)
  expect((await shop.balanceOf(ada)).available).toBe(1_000_000 - first.amount - first.fee)
  // Below the minimum nothing is settled; then one settlement covers all that happened since.
  await shop.fund(1_000_000)
  const transfers = `/v1/subaccounts/${ada.reference}/transfers`
  await shop.post(transfers, { from: 'merchant', asset: 'NGN', amount: 150_000 })
  clock.advance(day)
  await pass(5)
  expect(await listOf(shop, ada)).toHaveLength(1)
  await shop.post(transfers, { from: 'merchant', asset: 'NGN', amount: 150_000 })
  clock.advance(day)
  await pass(5)
  const both = await listOf(shop, ada)
  expect(both).toHaveLength(2)
  expectJoined(both)
  expect((await shop.get('/v1/settlements')).items).toEqual([])
  const entries = await shop.get(`/v1/settlements/${both[0].reference}/entries`)
  expect(entries.items).toHaveLength(both[0].period.lastEntry - both[0].period.firstEntry + 1)
  expect(entries.items[0]).toMatchObject({ number: both[0].period.lastEntry })
  const summary = await shop.get(`/v1/settlements/summary?subaccount=${ada.reference}`)
  expect(summary).toMatchObject({ count: 2, amount: both[0].amount + both[1].amount })
  const { items } = await shop.get(`/v1/events?resource=${first.reference}`)
  expect(items.map(({ type }: { type: string }) => type).toSorted()).toEqual([
    'subaccount_settlement.created',
    'subaccount_settlement.paid',
  ])
  await expectAllProofs(db)
})

test('settlements on request, of several sub-accounts, join without gaps', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, seller())
  const bola = await shop.addFunded(700_000, seller({ name: 'Bola Shoes' }))
  for (const of of [ada, bola, ada]) {
    const reply = await settle(shop, of, { amount: 200_000 })
    expect(reply.json.data, reply.text).toMatchObject({ amount: 200_000, scheduledFor: null })
    await pass(3)
  }
  const whole = await settle(shop, ada)
  expect(whole.status, whole.text).toBe(201)
  const again = await settle(shop, ada)
  expect(again.json).toMatchObject({
    reason: 'nothing_to_settle',
    nextStep: 'Wait for payments to the sub-account.',
  })
  const path = `/v1/subaccounts/${ada.reference}`
  await shop.patch(path, { settlement: { reserve: 50_000 } })
  expect((await settle(shop, ada)).json.nextStep).toContain(`\`PATCH ${path}\``)
  await pass(5)
  expectJoined(await listOf(shop, ada))
  expectJoined(await listOf(shop, bola))
  expect(await listOf(shop, ada)).toHaveLength(3)
  await expectAllProofs(db)
})

test('a settlement that fails or is reversed is in the next one', async () => {
  const shop = await openShop()
  const failing = { bankCode: '058', accountNumber: accounts.fails }
  const ada = await shop.addFunded(1_000_000, seller({ bankAccount: failing }))
  await settle(shop, ada)
  await pass(5)
  expect(await listOf(shop, ada)).toMatchObject([{ status: 'FAILED' }])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 1_000_000, held: 0 })
  const path = `/v1/subaccounts/${ada.reference}`
  await shop.patch(path, { bankAccount: { bankCode: '058', accountNumber: accounts.reverses } })
  await settle(shop, ada)
  await pass(20)
  await shop.patch(path, { bankAccount: { bankCode: '058', accountNumber: accounts.completes } })
  await settle(shop, ada)
  await pass(5)
  const all = await listOf(shop, ada)
  expect(all.map(({ status }: { status: string }) => status)).toEqual([
    'PAID',
    'REVERSED',
    'FAILED',
  ])
  expectJoined(all)
  await expectAllProofs(db)
})

test('nothing is settled without a bank account, and while it is paused', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, { name: 'Ada' })
  const path = `/v1/subaccounts/${ada.reference}`
  expect((await settle(shop, ada)).json).toMatchObject({
    reason: 'no_bank_account',
    nextStep: `Add one with \`PATCH ${path}\`.`,
  })
  const { bankAccount } = seller()
  await shop.patch(path, { bankAccount, status: 'PAUSED', settlement: { schedule: 'daily' } })
  expect((await settle(shop, ada)).json).toMatchObject({ code: 'subaccount_failed' })
  clock.advance(day)
  await pass(3)
  expect(await listOf(shop, ada)).toEqual([])
  await shop.patch(path, { status: 'ACTIVE' })
  clock.advance(day)
  await pass(3)
  expect(await listOf(shop, ada)).toHaveLength(1)
  await shop.patch(path, { settlement: { schedule: 'off' } })
  await shop.post(`${path}/close`)
  const schedules = await db.rows({
    text: 'select from settlement_schedules where environment_id = $1',
    values: [shop.merchant.environments.test.id],
  })
  expect(schedules).toHaveLength(0)
})

test('a schedule needs a bank account, when it is set and as long as it is', async () => {
  const shop = await openShop()
  const settlement = { schedule: 'daily' }
  const nowhere = await shop.post('/v1/subaccounts', { name: 'Ada', settlement })
  const bare = await shop.addSeller({ name: 'Ada' })
  const ada = await shop.addSeller(seller({ settlement }))
  for (const { status, json } of [
    nowhere,
    await shop.patch(`/v1/subaccounts/${bare.reference}`, { settlement }),
    await shop.patch(`/v1/subaccounts/${ada.reference}`, { bankAccount: null }),
  ])
    expect([status, json.details]).toEqual([
      400,
      [{ field: 'settlement.schedule', issue: expect.stringContaining('must be off without') }],
    ])
  const both = { bankAccount: null, settlement: { schedule: 'off' } }
  const ended = await shop.patch(`/v1/subaccounts/${ada.reference}`, both)
  expect(ended.json.data.settlement).toMatchObject({ schedule: 'off', nextAt: null })
})

test('a sub-account shows when it is settled next, and why it was not', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, seller({ settlement: { schedule: 'daily' } }))
  const path = `/v1/subaccounts/${ada.reference}`
  const first = ada.settlement.nextAt
  expect(Date.parse(first)).toBeGreaterThan(clock.now().getTime())
  expect((await shop.get(path)).settlement).toEqual(ada.settlement)
  await shop.patch(path, { status: 'PAUSED' })
  clock.advance(Date.parse(first) - clock.now().getTime())
  await pass(1)
  const refusedAt = clock.now().toISOString()
  const { settlement } = await shop.get(path)
  expect(settlement).toMatchObject({
    nextAt: new Date(Date.parse(first) + day).toISOString(),
    lastRefusal: { message: expect.stringContaining('is paused'), refusedAt },
  })
  expect((await shop.get('/v1/subaccounts')).items[0].settlement).toEqual(settlement)
  await shop.patch(path, { status: 'ACTIVE' })
  clock.advance(day)
  await pass(3)
  expect(await listOf(shop, ada)).toHaveLength(1)
  expect((await shop.get(path)).settlement.lastRefusal).toBeNull()
})

test('sub-accounts are settled at the new time and weekday of the merchant', async () => {
  const shop = await openShop()
  const daily = await shop.addSeller(seller({ settlement: { schedule: 'daily' } }))
  const weekly = await shop.addSeller(seller({ settlement: { schedule: 'weekly' } }))
  const nextOf = async ({ reference }: Seller) =>
    new Date((await shop.get(`/v1/subaccounts/${reference}`)).settlement.nextAt)
  const changed = await shop.patch('/v1/settings', {
    settlement: { time: '13:30', weekday: 'wednesday' },
  })
  expect(changed.status, changed.text).toBe(200)
  // Nigeria is one hour ahead of UTC.
  const inUtc = (time: Date) => time.toISOString().slice(11, 16)
  const [next, nextWeek] = [await nextOf(daily), await nextOf(weekly)]
  expect([inUtc(next), inUtc(nextWeek), nextWeek.getUTCDay()]).toEqual(['12:30', '12:30', 3])
  expect(next.getTime() - clock.now().getTime()).toBeLessThanOrEqual(day)
  // Its own schedule concerns the merchant only.
  await shop.patch('/v1/settings', { settlement: { schedule: 'daily' } })
  expect(await nextOf(weekly)).toEqual(nextWeek)
})

// Otherwise a member could move money to a sub-account with a bank account of their own.
test('settlements are no way around the approval rule', async () => {
  const shop = await openShop()
  const { reference: merchant } = shop.merchant
  const ada = await addPerson(service, { merchant, role: 'owner', name: 'Ada Obi' })
  await addPerson(service, { merchant, role: 'finance', name: 'Bola Ade' })
  const rule = { appliesTo: 'console', NGN: { each: 200_000, perDay: 250_000 } }
  const body = { ...rule, USDC: null, USDT: null }
  const changed = await ada.ask('PATCH', '/v1/settings/approvals', { body })
  expect(changed.status, changed.text).toBe(200)
  const created = await ada.ask('POST', '/v1/subaccounts', {
    body: seller({ settlement: { schedule: 'daily' } }),
  })
  const own = created.json.data
  await shop.fund(1_000_000)
  const transfers = `/v1/subaccounts/${own.reference}/transfers`
  await ada.ask('POST', transfers, { body: { from: 'merchant', asset: 'NGN', amount: 900_000 } })
  const path = `/v1/subaccounts/${own.reference}/settlements`
  const asked = await ada.ask('POST', path)
  expect(asked.json).toMatchObject({ reason: 'approval_required' })
  // Nor does a key settle what the member chose.
  expect((await settle(shop, own)).json).toMatchObject({ reason: 'approval_required' })
  // Below the rule it is settled, and counts for the sum of the day.
  const small = await ada.ask('POST', path, { body: { amount: 150_000 } })
  expect(small.status, small.text).toBe(201)
  const second = await ada.ask('POST', path, { body: { amount: 150_000 } })
  expect(second.json).toMatchObject({ reason: 'approval_required' })
  // Nor does the schedule.
  clock.advance(day)
  await pass(3)
  expect(await listOf(shop, own)).toMatchObject([{ amount: 150_000 }])
  await expectAllProofs(db)
})

test('two requests at once settle the money once', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, seller())
  const replies = await Promise.all([1, 2, 3].map(() => settle(shop, ada)))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  await pass(5)
  expect(await listOf(shop, ada)).toHaveLength(1)
  await expectAllProofs(db)
})

test('the operator sees when sub-accounts are settled next', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, seller({ settlement: { schedule: 'weekly' } }))
  const { out } = await createConsole(db).run('settlements', 'scheduled')
  expect(out).toMatch(new RegExp(`${shop.merchant.reference} +${ada.reference} +test`))
})
