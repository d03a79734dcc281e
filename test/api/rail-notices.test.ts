import { afterEach, beforeEach, expect, test } from 'vitest'
import { openNoticeBoard, payer } from '../support/notices.js'
import { openWithBank } from '../support/open-with-bank.js'
import { type Desk, openDesk } from '../support/payment-desk.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { announce, noticeOf, post, sign, stateOf } = openNoticeBoard(service)
let desk: Desk
beforeEach(async () => {
  desk = await openDesk(service)
})
afterEach(() => expectAllProofs(service.db))

async function paymentsOf(): Promise<Record<string, unknown>[]> {
  return (await desk.get('/v1/collections/payments?limit=100')).json.data.items
}

test.each([1, 5, 50])('a notice received %i times concurrently is one payment', async (copies) => {
  const { reference, accountNumber } = await desk.open()
  const notice = noticeOf(accountNumber)
  await Promise.all(Array.from({ length: copies }, () => announce(notice)))
  const found = await paymentsOf()
  expect(found).toMatchObject([{ amount: 500_000, status: 'ACCEPTED', sender: payer }])
  expect(await desk.eventTypes(reference)).toEqual(['virtual_account.paid'])
  expect(await desk.sums()).toEqual([495_000, 0, 0])
  await announce(notice)
  expect(await paymentsOf()).toEqual(found)
})

test('a repeated notice with another amount changes nothing', async () => {
  const { accountNumber } = await desk.open()
  const notice = noticeOf(accountNumber)
  await announce(notice)
  await announce(noticeOf(accountNumber, { id: notice.id, amount: '900000' }))
  expect(await paymentsOf()).toMatchObject([{ amount: 500_000 }])
})

test('an unsigned notice is refused and not stored', async () => {
  const { accountNumber } = await desk.open()
  const { id, body } = noticeOf(accountNumber)
  const { body: other } = noticeOf(accountNumber)
  const signature = sign(body)
  const forged: [string, string | null][] = [
    [body, null],
    [body, ''],
    [body, 'x'],
    [body, sign(body, Buffer.alloc(32))],
    [body, sign(other)],
    [body, signature.toUpperCase()],
    [body, `${signature}00`],
    [body.replace('500000', '900000'), signature],
    [`${body} `, signature],
    ['{}', signature],
  ]
  for (const [sent, signed] of forged) {
    const { status, json } = await post(sent, signed)
    expect([status, json.code]).toEqual([401, 'authentication_failed'])
  }
  expect(await stateOf(id)).toBeUndefined()
  expect(await paymentsOf()).toEqual([])
})

// Banks may send JSON that merchants may not: duplicate keys, lone surrogates, long numbers.
test('a signed notice is accepted however it is formatted', async () => {
  const { reference, accountNumber } = await desk.open()
  const { id, body } = noticeOf(accountNumber, {
    narration: 'half \ud800, nothing \0',
    sender: { ...payer, name: '\udc00OBI' },
  })
  const odd = body.replace('{', '{"event":"x", "rate": 0.12345678901234567890, ')
  await announce({ id, body: odd })
  expect(await desk.verify(reference)).toMatchObject({ status: 'PAID' })
  expect(await paymentsOf()).toMatchObject([
    { narration: 'half \ufffd, nothing ', sender: { name: '\ufffdOBI' } },
  ])
  for (const unreadable of ['null', '[]', '7', 'not JSON'])
    expect([(await post(unreadable)).status, (await post(unreadable, sign('x'))).status]).toEqual([
      200, 401,
    ])
})

test('notices are accepted only at the URL of their bank', async () => {
  const { id, body } = noticeOf((await desk.open()).accountNumber)
  for (const path of [
    'sandbox-bank/notices/live',
    'other/notices/test',
    'sandbox-bank/notices/x',
  ]) {
    const { status, json } = await post(body, sign(body), `/rails/${path}`)
    expect([status, json.code]).toEqual([404, 'not_found'])
  }
  expect(await stateOf(id)).toBeUndefined()
})

test('a signed notice about something else is acknowledged and dropped', async () => {
  for (const body of ['{"event":"transfer.completed","data":{}}', '{}', '{"event":7}']) {
    expect((await post(body)).status).toBe(200)
  }
})

test.each([
  ['another_currency', { currency: 'USD' }],
  ['not_positive', { amount: '0' }],
  ['not_positive', { amount: '-500000' }],
  ['too_large', { amount: '9007199254740992' }],
  ['too_large', { amount: '999999999999999999' }],
])('a notice with money that is %s is stored but not posted: %o', async (why, change) => {
  const { reference, accountNumber } = await desk.open()
  const notice = noticeOf(accountNumber, change)
  await announce(notice)
  expect(await stateOf(notice.id)).toBe(`REFUSED: ${why}`)
  expect(await paymentsOf()).toEqual([])
  await announce(noticeOf(accountNumber))
  expect(await desk.verify(reference)).toMatchObject({ status: 'PAID', amountReceived: 500_000 })
})

test('notices after expiry or cancellation are late payments', async () => {
  const [expired, cancelled] = [await desk.open(), await desk.open()]
  await desk.post(`/v1/collections/virtual-accounts/${cancelled.reference}/cancel`, {})
  await announce(noticeOf(cancelled.accountNumber))
  service.clock.advance(31 * 60 * 1_000)
  await service.work()
  await announce(noticeOf(expired.accountNumber))
  for (const [{ reference }, status] of [
    [expired, 'EXPIRED'],
    [cancelled, 'CANCELLED'],
  ] as const)
    expect(await desk.verify(reference)).toMatchObject({
      status,
      variance: 'LATE',
      amountHeld: 500_000,
      amountReceived: 500_000,
    })
  expect(await desk.sums()).toEqual([0, 0, 1_000_000])
})

test('a payment to an unknown account is stored, retried less and less often, and never shown', async () => {
  const notice = noticeOf('0000000000')
  await announce(notice)
  for (let days = 0; days < 30; days += 1) {
    service.clock.advance(86_400_000)
    await service.work()
  }
  expect(await stateOf(notice.id)).toBe('UNMATCHED')
  expect(await paymentsOf()).toEqual([])
  expect(await desk.sums()).toEqual([0, 0, 0])
})

test('of two payments the one judged first pays the account', async () => {
  const { reference, accountNumber } = await desk.open()
  const first = noticeOf(accountNumber)
  service.clock.advance(1_000)
  const second = noticeOf(accountNumber)
  await announce(second)
  service.clock.advance(1_000)
  await announce(first)
  expect(await desk.verify(reference)).toMatchObject({
    status: 'PAID',
    variance: 'DUPLICATE',
    amountAccepted: 500_000,
    amountReturning: 500_000,
  })
  expect((await paymentsOf()).map(({ variance }) => variance)).toEqual(['DUPLICATE', 'NONE'])
})

test('a requery finds a payment without a notice; a later notice does not repeat it', async () => {
  const { reference, accountNumber } = await desk.open()
  const id = `sbp_silent${desk.environmentId}`
  const paidAt = service.clock.now()
  const order = { id, accountNumber, amount: 500_000n, paidAt, copies: 1, isSilent: true }
  const announced = await service.bank.receivePayment(order)
  await service.pass(2)
  expect(await paymentsOf()).toEqual([])
  const requery = () => desk.post(`/v1/collections/virtual-accounts/${reference}/requery`, {})
  const replies = await Promise.all([requery(), requery(), requery()])
  for (const { status, json } of replies) expect([status, json.data.status]).toEqual([200, 'PAID'])
  const { receivedAt, amount, ...rest } = announced!
  const written = { ...rest, amount: amount.toString(), paidAt: receivedAt.toISOString() }
  await announce(noticeOf(accountNumber, written))
  await requery()
  expect(await paymentsOf()).toHaveLength(1)
  expect(await desk.sums()).toEqual([495_000, 0, 0])
})

test('a requery does not repeat a payment with a notice', async () => {
  const { reference, accountNumber } = await desk.open()
  await desk.pay(accountNumber, { copies: 5 })
  const { json } = await desk.post(`/v1/collections/virtual-accounts/${reference}/requery`, {})
  expect(json.data.payments).toHaveLength(1)
})
