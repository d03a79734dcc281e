import { afterEach, beforeEach, expect, test } from 'vitest'
import { deleteOldKeys } from '../../src/idempotency/delete-old-keys.js'
import { idempotencyLimits } from '../../src/idempotency/limits.js'
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
const wallet = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
const [returning, refunded] = ['payment.returning', 'payment.refunded']

/** An accepted payment of ₦5,000; a funding covers the fee of ₦50 unless turned off. */
async function accepted({ sender = {}, funded = 5_000, amount = 500_000 } = {}) {
  const account = await desk.open()
  const paid = await desk.pay(account.accountNumber, { amount, sender })
  if (funded > 0) await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: funded })
  return { account, paid }
}

test('a full refund returns the accepted amount; the fee is kept', async () => {
  const { account, paid } = await accepted()
  const { status, json } = await desk.refund(paid.reference, {})
  expect([status, json.data]).toMatchObject([
    201,
    { status: 'RETURNING', amountAccepted: 0, amountReturning: 500_000, fee: 5_000 },
  ])
  expect(await desk.sums()).toEqual([0, 500_000, 0])
  await service.pass(4)
  const back = await desk.payment(paid.reference)
  expect(back).toMatchObject({ status: 'RETURNED', amountReturned: 500_000, fee: 5_000 })
  expect(await desk.eventTypes(paid.reference)).toEqual([returning, refunded])
  expect(await desk.lastEventData(paid.reference)).toEqual(back)
  expect(await desk.verify(account.reference)).toMatchObject({
    status: 'PAID',
    variance: 'NONE',
    amountAccepted: 0,
    amountReturned: 500_000,
  })
  expect(await desk.sums()).toEqual([0, 0, 0])
  expect(await desk.statement()).toEqual([
    ['payment', 'post', 500_000],
    ['payment_fee', 'post', -5_000],
    ['test_funding', 'post', 5_000],
    ['payment_refund', 'hold', -500_000],
  ])
  const { sender } = paid
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    {
      kind: 'refund',
      amount: 500_000,
      currency: 'NGN',
      status: 'RETURNED',
      destination: { accountNumber: sender.accountNumber, bankCode: sender.bankCode },
    },
  ])
})

test('a refund says why, wherever it is shown', async () => {
  const { paid } = await accepted()
  const { reference } = paid
  const why = { reason: 'duplicate', note: 'Paid twice for order 1001' }
  const { status, json } = await desk.refund(reference, { amount: 200_000, ...why })
  const [made] = await desk.returnsOf(reference)
  expect(made).toMatchObject({ kind: 'refund', ...why })
  const refund = { reference: made.reference, amount: 200_000, ...why }
  expect([status, json.data.refund]).toEqual([201, refund])
  await service.pass(4)
  expect(await desk.payment(reference)).toMatchObject({ refund })
  expect(await desk.lastEventData(reference)).toMatchObject({ refund })
  const list = '/v1/collections/payments'
  expect((await desk.get(list)).json.data.items).toMatchObject([{ reference, refund }])
  const key = desk.merchant.test.secret
  const exported = await service.ask('GET', list, { key, headers: { accept: 'text/csv' } })
  expect(exported.text).toMatch(
    /,refund\.reason,refund\.note,feeVatMajor,feeVatMinor\n.*,duplicate,Paid twice for order 1001,0\.00,0\n$/,
  )
  const { items } = (await desk.get(`/v1/timeline/${reference}`)).json.data
  expect(items).toContainEqual(
    expect.objectContaining({
      title: 'Refund of ₦2,000.00 decided: paid twice',
      details: why,
    }),
  )
})

test('a failed refund says why in its event, and no longer in the payment', async () => {
  const sender = { accountNumber: behaves.failing, bankCode: '999' }
  const { paid } = await accepted({ sender })
  await desk.refund(paid.reference, { reason: 'other' })
  await service.pass(4)
  expect(await desk.lastEventData(paid.reference)).toMatchObject({
    refund: { amount: 500_000, reason: 'other', note: null },
  })
  expect(await desk.payment(paid.reference)).toEqual(paid)
})

test('money that was never accepted is returned without a reason', async () => {
  const { paid } = await accepted({ amount: 700_000 })
  await service.pass(4)
  expect(await desk.payment(paid.reference)).not.toHaveProperty('refund')
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    { kind: 'return', reason: null, note: null },
  ])
})

test.each([
  ['reason', 'because'],
  ['reason', ''],
  ['reason', null],
  ['note', ''],
  ['note', 'x'.repeat(501)],
  ['note', 'two\nlines'],
])('a refund with the %s %j is refused', async (field, value) => {
  const { paid } = await accepted()
  const { status, json } = await desk.refund(paid.reference, { [field]: value })
  expect([status, json.code, json.details]).toMatchObject([400, 'validation_failed', [{ field }]])
  expect(await desk.payment(paid.reference)).toEqual(paid)
})

test('partial refunds never exceed the accepted amount', async () => {
  const { paid } = await accepted()
  for (const amount of [100_000, 200_000]) {
    service.clock.advance(1)
    const { status } = await desk.refund(paid.reference, { amount, destination: elsewhere })
    expect(status).toBe(201)
  }
  const { status, json } = await desk.refund(paid.reference, { amount: 200_001 })
  expect([status, json.code, json.reason]).toEqual([
    422,
    'payment_action_failed',
    'amount_too_large',
  ])
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({
    status: 'ACCEPTED',
    amountAccepted: 200_000,
    amountReturned: 300_000,
    amountReturning: 0,
  })
  expect((await desk.refund(paid.reference, {})).status).toBe(201)
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
  expect(
    (await desk.returnsOf(paid.reference)).map((one: { amount: number }) => one.amount),
  ).toEqual([200_000, 200_000, 100_000])
  expect((await desk.refund(paid.reference, {})).status).toBe(409)
  expect((await desk.eventTypes(paid.reference)).toSorted()).toEqual([
    refunded,
    refunded,
    refunded,
    returning,
    returning,
    returning,
  ])
  expect(await desk.sums()).toEqual([0, 0, 0])
})

test('refunds are listed with the reference of the bank', async () => {
  const { paid } = await accepted()
  for (const amount of [1, 2, 3]) {
    service.clock.advance(1)
    await desk.refund(paid.reference, { amount, destination: elsewhere })
  }
  const path = `/v1/collections/payments/${paid.reference}/returns?limit=2`
  const first = (await desk.get(path)).json.data
  const second = (await desk.get(`${path}&cursor=${first.nextCursor}`)).json.data
  const items = [...first.items, ...second.items]
  expect(items.map(({ amount }: { amount: number }) => amount)).toEqual([3, 2, 1])
  expect([first.items.length, second.nextCursor]).toEqual([2, null])
  for (const { destination } of items) {
    expect(destination).toMatchObject(elsewhere)
    expect(destination.accountName).not.toBe('')
    expect(destination.bankName).not.toBe('')
  }
})

test('a refund beyond the balance is refused', async () => {
  const { paid } = await accepted({ funded: 0 })
  const { status, json } = await desk.refund(paid.reference, {})
  expect([status, json.code]).toEqual([402, 'insufficient_balance'])
  expect(await desk.payment(paid.reference)).toEqual(paid)
  expect(await desk.returnsOf(paid.reference)).toEqual([])
  expect((await desk.refund(paid.reference, { amount: 495_000 })).status).toBe(201)
  expect(await desk.sums()).toEqual([0, 495_000, 0])
})

// The fields depend on the payment's asset: a mistake must not send anything or use up the key.
test.each([
  [{ amount: '1000' }, 'amount'],
  [{ amount: '0' }, 'amount'],
  [{ destination: { address: wallet } }, 'destination.address'],
  [{ destination: { ...elsewhere, address: wallet } }, 'destination.address'],
  [{ destination: { bankCode: '058' } }, 'destination.accountNumber'],
  [{ destination: { ...elsewhere, bankCode: 'G-B' } }, 'destination.bankCode'],
])('%j is refused for naira', async (body, field) => {
  const { paid } = await accepted()
  const { status, json } = await desk.refund(paid.reference, body, keyed('refund-1'))
  expect([status, json.code]).toEqual([400, 'validation_failed'])
  expect(json.details.map((one: { field: string }) => one.field)).toContain(field)
  expect((await desk.refund(paid.reference, {}, keyed('refund-1'))).status).toBe(201)
})

test('of two concurrent full refunds one succeeds', async () => {
  const { paid } = await accepted({ funded: 1_000_000 })
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => desk.refund(paid.reference, {})),
  )
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  expect(await desk.returnsOf(paid.reference)).toHaveLength(1)
  expect(await desk.sums()).toEqual([995_000, 500_000, 0])
})

// Each alone fits the accepted amount; together only two do.
test('concurrent partial refunds never exceed the payment', async () => {
  const { paid } = await accepted({ funded: 1_000_000 })
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => desk.refund(paid.reference, { amount: 200_000 })),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(2)
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({
    amountAccepted: 100_000,
    amountReturned: 400_000,
  })
})

test('twenty copies of a refund are one payout, also much later', async () => {
  const { paid } = await accepted()
  const ask = () => desk.refund(paid.reference, { amount: 100_000 }, keyed('refund-1'))
  const replies = await Promise.all(Array.from({ length: 20 }, ask))
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies.filter(({ headers }) => headers.get('idempotent-replayed'))).toHaveLength(19)
  await desk.refund(paid.reference, {})
  await service.pass(4)
  expect((await ask()).text).toBe(replies[0]!.text)
  const [sent] = await service.db.rows(sql<{ payouts: bigint; orders: bigint }>`
    select count(*) as payouts, count(t.reference) as orders from payouts p
    left join payout_attempts a on a.environment_id = p.environment_id and a.payout_id = p.id
    left join sandbox_transfers t on t.reference = a.token
    where p.environment_id = ${desk.environmentId}`)
  expect(sent).toEqual({ payouts: 2n, orders: 2n })
  const other = await desk.refund(paid.reference, { amount: 1 }, keyed('refund-1'))
  expect([other.status, other.json.reason]).toEqual([422, 'idempotency_key_reused'])
})

test('a refused refund is remembered under its key, even if it would now succeed', async () => {
  const { paid } = await accepted({ funded: 0 })
  const ask = () => desk.refund(paid.reference, {}, keyed('refund-1'))
  const first = await ask()
  expect(first.status).toBe(402)
  await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: 5_000 })
  const again = await ask()
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([402, 'true'])
  expect(again.text).toBe(first.text)
})

// The key of a payout is kept forever: a client that retries after a year must not pay twice. The key
// of a refusal expires.
test('the key of a refund is never forgotten, unless it was refused', async () => {
  const { paid } = await accepted()
  const ask = () => desk.refund(paid.reference, { amount: 100_000 }, keyed('refund-1'))
  const tooMuch = () => desk.refund(paid.reference, { amount: 500_001 }, keyed('refund-2'))
  const [first, refused] = [await ask(), await tooMuch()]
  expect([first.status, refused.status]).toEqual([201, 422])
  service.clock.advance(idempotencyLimits.retentionMs)
  await deleteOldKeys(service.db, service.clock.now())
  expect((await ask()).text).toBe(first.text)
  expect((await tooMuch()).headers.get('idempotent-replayed')).toBeNull()
  expect(await desk.returnsOf(paid.reference)).toHaveLength(1)
})

// Keys expire in real time; an advanced test clock must not keep them longer.
test('an answer is remembered for thirty days of real time', async () => {
  await desk.post('/v1/test/clock/advance', { seconds: 90 * 86_400 })
  const fund = () =>
    desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: 1 }, keyed('fund-1'))
  const first = await fund()
  service.clock.advance(idempotencyLimits.retentionMs)
  await deleteOldKeys(service.db, service.clock.now())
  expect((await fund()).text).not.toBe(first.text)
})

test('a refund without a destination is remembered as refused', async () => {
  const { accountNumber } = await desk.open()
  const order = { id: 'sbp_nowhere', accountNumber, amount: 500_000n, sender: null, copies: 1 }
  await service.bank.receivePayment({ ...order, paidAt: service.clock.now() })
  await service.bank.sendNoticesNow('sbp_nowhere')
  await expect.poll(async () => (await desk.sums())[0]).toBe(495_000)
  const [paid] = (await desk.get('/v1/collections/payments')).json.data.items
  const ask = () => desk.refund(paid.reference, { amount: 1 }, keyed('refund-1'))
  const first = await ask()
  expect([first.status, first.json.reason]).toEqual([422, 'no_destination'])
  const again = await ask()
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
})

// An insufficient balance is reported first, before the bank is asked.
test.each(['absent', 'unreachable'] as const)('the balance comes before an %s bank', async (to) => {
  const { paid } = await accepted({ funded: 0 })
  const destination = { bankCode: '999', accountNumber: behaves[to] }
  const { status, json } = await desk.refund(paid.reference, { destination })
  expect([status, json.code]).toEqual([402, 'insufficient_balance'])
})

test('a refund of a partly returned payment is limited to the accepted part', async () => {
  const { paid } = await accepted({ amount: 700_000 })
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({
    status: 'ACCEPTED',
    amountAccepted: 500_000,
    amountReturned: 200_000,
  })
  expect((await desk.refund(paid.reference, { amount: 500_001 })).status).toBe(422)
  await desk.refund(paid.reference, {})
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({
    status: 'RETURNED',
    amountReturned: 700_000,
    amountAccepted: 0,
  })
  expect(await desk.eventTypes(paid.reference)).toEqual([
    returning,
    'payment.returned',
    returning,
    refunded,
  ])
})

test('a failed refund is accepted money again', async () => {
  const sender = { accountNumber: behaves.failing, bankCode: '999' }
  const { account, paid } = await accepted({ sender })
  await desk.refund(paid.reference, { amount: 200_000 })
  expect(await desk.sums()).toEqual([300_000, 200_000, 0])
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toEqual(paid)
  expect(await desk.verify(account.reference)).toMatchObject({ amountAccepted: 500_000 })
  expect(await desk.sums()).toEqual([500_000, 0, 0])
  expect(await desk.returnsOf(paid.reference)).toMatchObject([
    { kind: 'refund', status: 'FAILED', failureReason: expect.any(String) },
  ])
  await desk.refund(paid.reference, { destination: elsewhere })
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
  expect(await desk.eventTypes(paid.reference)).toEqual([
    returning,
    'payment.refund_failed',
    returning,
    refunded,
  ])
})

test('a reversed refund is accepted money again', async () => {
  const sender = { accountNumber: behaves.reversing, bankCode: '999' }
  const { paid } = await accepted({ sender })
  await desk.refund(paid.reference, {})
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
  await service.pass(6)
  expect(await desk.payment(paid.reference)).toEqual(paid)
  expect(await desk.sums()).toEqual([500_000, 0, 0])
  expect((await desk.statement()).slice(-2)).toEqual([
    ['payment_refund', 'hold', -500_000],
    ['payment_refund_reversal', 'post', 500_000],
  ])
  expect(await desk.returnsOf(paid.reference)).toMatchObject([{ status: 'REVERSED' }])
})

test('a masked sender is refunded by payment reference, in parts', async () => {
  const sender = { accountNumber: '0123456789', bankCode: '058', masked: true }
  const { paid } = await accepted({ sender })
  await desk.refund(paid.reference, { amount: 100_000 })
  await desk.refund(paid.reference, { amount: 400_000 })
  await service.pass(4)
  expect(await desk.payment(paid.reference)).toMatchObject({ status: 'RETURNED' })
})

test.each([
  { to: { bankCode: '000', accountNumber: '0123456789' }, reason: 'unknown_bank', answer: 422 },
  {
    to: { bankCode: '999', accountNumber: behaves.absent },
    reason: 'account_not_found',
    answer: 422,
  },
  { to: { ...elsewhere, accountName: 'Zebedee Quux' }, reason: 'name_mismatch', answer: 422 },
  {
    to: { bankCode: '999', accountNumber: behaves.unreachable },
    reason: 'rail_unavailable',
    answer: 503,
  },
])('a refund that the bank refuses ($reason) moves nothing', async ({ to, reason, answer }) => {
  const { paid } = await accepted()
  const { status, json } = await desk.refund(paid.reference, { destination: to })
  expect([status, json.code, json.reason]).toEqual([answer, 'payment_action_failed', reason])
  expect(await desk.payment(paid.reference)).toEqual(paid)
  expect(await desk.sums()).toEqual([500_000, 0, 0])
})

test('a refund completes after the clock was advanced', async () => {
  await desk.post('/v1/test/clock/advance', { seconds: 10 * 86_400 })
  const sender = { accountNumber: behaves.slow, bankCode: '999' }
  const { paid } = await accepted({ sender })
  await desk.refund(paid.reference, {})
  for (let round = 0; round < 5; round += 1) {
    service.clock.advance(20_000)
    await service.work()
  }
  const back = await desk.payment(paid.reference)
  expect(back.status).toBe('RETURNED')
  const [{ createdAt }] = await desk.returnsOf(paid.reference)
  expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(Date.parse(back.createdAt))
})
