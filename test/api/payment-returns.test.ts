import { afterEach, beforeEach, expect, test } from 'vitest'
import { setFeeSchedule } from '../../src/merchants/settings/fee-schedules.js'
import { markForReview } from '../../src/payouts/attempts/review-payouts.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank } from '../support/open-with-bank.js'
import { behaves, type Desk, keyed, openDesk } from '../support/payment-desk.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
let desk: Desk
beforeEach(async () => {
  desk = await openDesk(service)
})
afterEach(() => expectAllProofs(service.db))

const elsewhere = { bankCode: '058', accountNumber: '0123456789' }
const [held, returning, returned] = ['held', 'returning', 'returned'].map((one) => `payment.${one}`)

/** A payment of ₦3,000 instead of ₦5,000, from an account with this magic behaviour. */
async function underpaidFrom(accountNumber: string) {
  const account = await desk.open()
  const sender = { accountNumber, bankCode: '999' }
  return { account, paid: await desk.pay(account.accountNumber, { amount: 300_000, sender }) }
}

async function heldPayment(amount = 300_000) {
  await desk.setPolicy({ underpayment: 'hold', overpayment: 'hold' })
  const account = await desk.open()
  return { account, paid: await desk.pay(account.accountNumber, { amount }) }
}

test('a failed return is held, and the merchant can redirect it', async () => {
  const { account, paid } = await underpaidFrom(behaves.failing)
  await service.pass(4)
  const kept = await desk.payment(paid.reference)
  expect(kept).toMatchObject({ status: 'HELD', amountHeld: 300_000, amountReturning: 0 })
  expect(await desk.eventTypes(paid.reference)).toEqual([returning, held])
  expect(await desk.lastEventData(paid.reference)).toEqual(kept)
  expect(await desk.sums()).toEqual([0, 0, 300_000])
  await service.pass(1)
  expect(
    (await desk.resolve(paid.reference, { action: 'return', destination: elsewhere })).json.data,
  ).toMatchObject({ status: 'RETURNING', amountReturning: 300_000 })
  await service.pass(4)
  expect(await desk.eventTypes(paid.reference)).toEqual([returning, held, returning, returned])
  expect(await desk.verify(account.reference)).toMatchObject({
    status: 'ACTIVE',
    amountHeld: 0,
    amountReturning: 0,
    amountReturned: 300_000,
  })
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    { kind: 'return', status: 'RETURNED', amount: 300_000, destination: elsewhere },
    { kind: 'return', status: 'FAILED', destination: { accountNumber: behaves.failing } },
  ])
  expect(await desk.sums()).toEqual([0, 0, 0])
})

test('a return to an account that does not exist is held before anything is sent', async () => {
  const { paid } = await underpaidFrom(behaves.absent)
  await service.pass(1)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'HELD' })
  expect(await desk.eventTypes(paid.reference)).toEqual([returning, held])
  expect(await desk.returnsOf(paid.reference)).toMatchObject([{ status: 'FAILED' }])
})

test('an unreachable bank is retried a limited number of times', async () => {
  const { paid } = await underpaidFrom(behaves.unreachable)
  for (let asked = 0; asked < 19; asked += 1) {
    await service.work()
    service.clock.advance(61_000)
  }
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNING' })
  await service.work()
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'HELD', amountHeld: 300_000 })
  expect(await desk.eventTypes(paid.reference)).toEqual([returning, held])
})

test.each([
  { account: 'slow', steps: 5 },
  { account: 'losing', steps: 1 },
] as const)('a return to a $account account is unknown, then done', async ({ account, steps }) => {
  const { paid } = await underpaidFrom(behaves[account])
  for (let step = 0; step < steps; step += 1) {
    await service.pass(1)
    expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNING' })
    expect(await desk.sums()).toEqual([0, 0, 0])
  }
  for (let round = 0; round < 6; round += 1) {
    service.clock.advance(30_000)
    await service.work()
  }
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
  expect(await desk.eventTypes(paid.reference)).toEqual([returning, returned])
})

test('a return of unknown status stays RETURNING until the bank decides', async () => {
  const { paid } = await underpaidFrom(behaves.silent)
  for (let hours = 0; hours < 12; hours += 1) {
    service.clock.advance(3_600_000)
    await service.work()
  }
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNING' })
  const [{ reference }] = await desk.returnsOf(paid.reference)
  await desk.post(`/v1/test/disbursements/${reference}/settle`, { outcome: 'fail' })
  service.clock.advance(3_600_000)
  await service.work()
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'HELD', amountHeld: 300_000 })
  expect(await desk.sums()).toEqual([0, 0, 300_000])
})

test('a reversed return is held again and can be accepted', async () => {
  const { account, paid } = await underpaidFrom(behaves.reversing)
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
  expect(await desk.sums()).toEqual([0, 0, 0])
  await service.pass(6)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'HELD', amountHeld: 300_000 })
  expect(await desk.eventTypes(paid.reference)).toEqual([returning, returned, held])
  expect(await desk.returnsOf(paid.reference)).toMatchObject([{ status: 'REVERSED' }])
  expect(await desk.sums()).toEqual([0, 0, 300_000])
  await desk.resolve(paid.reference, { action: 'accept' })
  expect(await desk.sums()).toEqual([297_000, 0, 0])
  expect(await desk.verify(account.reference)).toMatchObject({ status: 'PAID' })
})

test('if the bank masks the sender, money is returned by payment reference', async () => {
  const { accountNumber } = await desk.open()
  const sender = { accountNumber: '0123456789', bankCode: '058', masked: true }
  const paid = await desk.pay(accountNumber, { amount: 1, sender })
  expect(paid).toMatchObject({ status: 'RETURNING', sender: { accountNumber: '******6789' } })
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    { status: 'RETURNED', destination: { accountNumber: '******6789' } },
  ])
})

test('a payment without a sender is held and needs a destination', async () => {
  const { accountNumber } = await desk.open()
  const order = { id: 'sbp_nobody', accountNumber, amount: 1n, sender: null, copies: 1 }
  await service.bank.receivePayment({ ...order, paidAt: service.clock.now() })
  await service.bank.sendNoticesNow('sbp_nobody')
  await expect.poll(async () => (await desk.sums())[2]).toBe(1)
  const { json } = await desk.get('/v1/collections/payments')
  const [paid] = json.data.items
  expect(paid).toMatchObject({ status: 'HELD', variance: 'UNDERPAID' })
  expect(await desk.eventTypes(paid.reference)).toEqual([held])
  const refused = await desk.resolve(paid.reference, { action: 'return' })
  expect([refused.status, refused.json.reason]).toEqual([422, 'no_destination'])
  await desk.resolve(paid.reference, { action: 'return', destination: elsewhere })
  await service.pass(4)
  expect(await desk.eventTypes(paid.reference)).toEqual([held, returning, returned])
})

test('accepting held money pays the account and charges the usual fee', async () => {
  const { account, paid } = await heldPayment()
  const { status, json } = await desk.resolve(paid.reference, { action: 'accept' })
  expect([status, json.data]).toMatchObject([
    200,
    { status: 'ACCEPTED', amountAccepted: 300_000, amountHeld: 0, fee: 3_000 },
  ])
  const shown = await desk.verify(account.reference)
  expect(shown).toMatchObject({ status: 'PAID', variance: 'UNDERPAID', amountAccepted: 300_000 })
  expect(await desk.eventTypes(account.reference)).toEqual([
    'virtual_account.underpaid',
    'virtual_account.paid',
  ])
  expect(await desk.lastEventData(account.reference)).toEqual(shown)
  expect(await desk.sums()).toEqual([297_000, 0, 0])
  expect(await desk.statement()).toEqual([
    ['payment_accepted', 'post', 300_000],
    ['payment_accepted_fee', 'post', -3_000],
  ])
})

test('accepting an excess charges the fee of the whole payment', async () => {
  const { account, paid } = await heldPayment(30_000_000)
  expect(paid).toMatchObject({ amountAccepted: 500_000, amountHeld: 29_500_000, fee: 5_000 })
  const { json } = await desk.resolve(paid.reference, { action: 'accept' })
  expect(json.data).toMatchObject({ amountAccepted: 30_000_000, amountHeld: 0, fee: 200_000 })
  expect(await desk.sums()).toEqual([29_800_000, 0, 0])
  expect(await desk.eventTypes(account.reference)).toEqual([
    'virtual_account.overpaid',
    'virtual_account.paid',
  ])
})

// With tiered fees, the last kobo could cost more than itself: the difference would come out of money
// that the merchant may have spent.
test('accepting held money never reduces the balance', async () => {
  const tiers = [{ upTo: 500_000n, flat: 1_000n, basisPoints: 0 }]
  const schedule = { flat: 90_000n, basisPoints: 0, floor: 0n, cap: null, tiers }
  const order = {
    environmentId: desk.environmentId,
    operation: 'virtual_account' as const,
    schedule,
  }
  await service.db.transaction((tx) => setFeeSchedule(tx, service.clock.now(), order))
  const { paid } = await heldPayment(500_001)
  const payout = { ...elsewhere, amount: 498_000 }
  await desk.post('/v1/disbursements/bank-transfer', payout, keyed('all-of-it'))
  expect(await desk.sums()).toEqual([0, 499_000, 1])
  const { status, json } = await desk.resolve(paid.reference, { action: 'accept' })
  expect([status, json.data]).toMatchObject([200, { amountAccepted: 500_001, fee: 1_001 }])
  expect(await desk.sums()).toEqual([0, 499_000, 0])
})

test('the fee of a refunded payment is kept', async () => {
  const { paid } = await heldPayment(700_000)
  await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: 5_000 })
  await desk.refund(paid.reference, { amount: 500_000 })
  const { json } = await desk.resolve(paid.reference, { action: 'accept' })
  expect(json.data).toMatchObject({ amountAccepted: 200_000, amountReturning: 500_000, fee: 7_000 })
  expect(await desk.sums()).toEqual([198_000, 500_000, 0])
})

test.each([-367, 367])('a payment dated %i days ahead is refused', async (days) => {
  const { accountNumber } = await desk.open()
  const sentAt = new Date(service.clock.now().getTime() + days * 86_400_000).toISOString()
  const { status, json } = await desk.payIn(accountNumber, { sentAt })
  expect([status, json.code, json.details[0].field]).toEqual([400, 'validation_failed', 'sentAt'])
})

test('held money is resolved once', async () => {
  const { paid } = await heldPayment()
  const needless = await desk.resolve(paid.reference, { action: 'accept', destination: elsewhere })
  expect([needless.status, needless.json.code]).toEqual([400, 'validation_failed'])
  await desk.resolve(paid.reference, { action: 'return' })
  for (const action of ['return', 'accept']) {
    const { status, json } = await desk.resolve(paid.reference, { action })
    expect([status, json.code, json.reason]).toEqual([
      409,
      'payment_action_failed',
      'invalid_state',
    ])
  }
  expect(await desk.returnsOf(paid.reference)).toHaveLength(1)
})

// Ten accept and ten return the same money concurrently: the first decides.
test('of concurrent resolutions exactly one wins', async () => {
  const { paid } = await heldPayment()
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      desk.resolve(paid.reference, { action: index % 2 ? 'accept' : 'return' }),
    ),
  )
  const won = replies.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 409]))
  const { status } = won[0]!.json.data
  expect(await desk.payment(paid.reference)).toMatchObject({ status })
  // The return has not been sent yet: money on its way back is in no balance.
  expect(await desk.sums()).toEqual(status === 'ACCEPTED' ? [297_000, 0, 0] : [0, 0, 0])
})

test('a repeated resolve gets the first answer', async () => {
  const { paid } = await heldPayment()
  const ask = () => desk.resolve(paid.reference, { action: 'return' }, keyed('resolve-1'))
  const replies = await Promise.all(Array.from({ length: 10 }, ask))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  await service.pass(4)
  expect((await ask()).text).toBe(replies[0]!.text)
  expect(await desk.returnsOf(paid.reference)).toHaveLength(1)
  expect(await desk.eventTypes(paid.reference)).toEqual([held, returning, returned])
})

test('a return uses the clock of its environment', async () => {
  const days = 5 * 86_400
  await desk.post('/v1/test/clock/advance', { seconds: days })
  const { paid } = await underpaidFrom(behaves.silent)
  await service.pass(2)
  const [one] = await desk.returnsOf(paid.reference)
  expect(Date.parse(one.createdAt)).toBeGreaterThanOrEqual(Date.parse(paid.createdAt))
  const isReviewed = async () => {
    const [row] = await service.db.rows(sql<{ is: boolean }>`
      select is_review_required as is from payouts where environment_id = ${desk.environmentId}`)
    return row!.is
  }
  await markForReview(service, service.clock.now(), desk.environmentId)
  expect(await isReviewed()).toBe(false)
  await desk.post('/v1/test/clock/advance', { seconds: days })
  expect(await isReviewed()).toBe(true)
  await service.bank.instruct(one.reference, 'complete')
  service.clock.advance(600_000)
  await service.work()
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
})
