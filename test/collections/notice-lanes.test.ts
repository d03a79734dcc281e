import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { collectionLimits } from '../../src/collections/limits.js'
import { createNoticeLane, type NoticeLane } from '../../src/collections/notices/notice-lanes.js'
import type { NewNotice } from '../../src/collections/notices/store-notices.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { openNoticeBoard, payer } from '../support/notices.js'
import { openWithBank } from '../support/open-with-bank.js'
import { type Desk, openDesk } from '../support/payment-desk.js'
import { openSession, until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, bank, clock } = service
const { noticeOf, post, stateOf } = openNoticeBoard(service)
let desk: Desk
beforeEach(async () => {
  desk = await openDesk(service)
})
afterEach(() => expectAllProofs(db))

/** The lane of another API process. */
function openNoticeLane(): NoticeLane {
  const lane = createNoticeLane({
    connect: () => connect(db.url, 'test notices'),
    clock,
    rails: new Map([[bank.name, bank]]),
  })
  onTestFinished(() => lane.close())
  return lane
}

function newNotice(railAccount: string, change: object = {}): NewNotice {
  const id = `sbp_${randomUUID().replaceAll('-', '')}`
  const reported = {
    id,
    railAccount,
    amount: 500_000n,
    currency: 'NGN',
    sender: payer,
    bankSessionId: null,
    narration: null,
    receivedAt: clock.now(),
    ...change,
  }
  return { rail: bank.name, mode: 'test', id, reported, body: null }
}

async function paymentsOf(): Promise<Record<string, unknown>[]> {
  return (await desk.get('/v1/collections/payments?limit=100')).json.data.items
}

test('a notice is judged when it is acknowledged', async () => {
  const { reference, accountNumber } = await desk.open()
  const notice = noticeOf(accountNumber)
  expect((await post(notice.body)).status).toBe(200)
  expect(await stateOf(notice.id)).toBe('BOOKED')
  expect(await desk.verify(reference)).toMatchObject({ status: 'PAID' })
})

// Storing a notice must not wait for what judging it needs.
test.each(['collection_accounts', 'ledger_accounts'])(
  'a notice is acknowledged while its rows of %s are held, and judged after',
  async (table) => {
    const [paid, held] = [await desk.open(), await desk.open()]
    const neighbour = await openDesk(service)
    const free = await neighbour.open()
    await desk.pay(paid.accountNumber)
    const holder = await openSession(db)
    await holder.query('begin')
    await holder.query(
      `select from ${table} where environment_id = ${desk.environmentId} for no key update`,
    )
    const [first, second] = [noticeOf(held.accountNumber), noticeOf(free.accountNumber)]
    const replies = await Promise.all([post(first.body), post(second.body)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(['WAITING', 'BOOKED'])
    await holder.query('commit')
    await until(async () => (await stateOf(first.id)) === 'BOOKED')
    expect(await desk.verify(held.reference)).toMatchObject({ status: 'PAID' })
  },
)

// A naira balance is limited to safe JSON integers. The payment that does not fit is stored.
test('a notice that cannot be posted is acknowledged, and so are its neighbours', async () => {
  const most = 9_007_199_254_740_991n
  const { accountNumber } = (await desk.openDedicated('rich')).json.data
  const neighbour = await openDesk(service)
  const others = await Promise.all(Array.from({ length: 8 }, () => neighbour.open()))
  expect((await post(noticeOf(accountNumber, { amount: `${most}` }).body)).status).toBe(200)
  const poison = noticeOf(accountNumber, { amount: `${most}` })
  const notices = [poison, ...others.map((other) => noticeOf(other.accountNumber))]
  const replies = await Promise.all(notices.map(({ body }) => post(body)))
  expect(replies.map(({ status }) => status)).toEqual(notices.map(() => 200))
  const states = await Promise.all(notices.map(({ id }) => stateOf(id)))
  expect(states).toEqual(['WAITING', ...others.map(() => 'BOOKED')])
})

// Two processes receive the same forty notices in opposite orders, half of them for unknown accounts.
test('two processes that receive the same notices store and post each once', async () => {
  const accounts = await Promise.all(Array.from({ length: 20 }, () => desk.open()))
  const notices = accounts.flatMap(({ accountNumber }, index) => [
    newNotice(accountNumber),
    newNotice(`00000000${String(index).padStart(2, '0')}`),
  ])
  const [one, other] = [openNoticeLane(), openNoticeLane()]
  for (let round = 0; round < 5; round += 1) {
    const received = await Promise.all([
      ...notices.map((notice) => one.run(notice)),
      ...notices.toReversed().map((notice) => other.run(notice)),
    ])
    expect(received).toHaveLength(80)
  }
  await service.pass(2)
  const rows = await db.rows(sql<{ state: string; count: number }>`
    select state, count(*)::int as count from notices
    where id = any (${notices.map(({ id }) => id)}) group by state order by state`)
  expect(rows).toEqual([
    { state: 'BOOKED', count: 20 },
    { state: 'UNMATCHED', count: 20 },
  ])
  expect(await paymentsOf()).toHaveLength(20)
  expect((await desk.sums())[0]).toBe(20 * 495_000)
})

test('a lane reports whether it judged a notice or found it stored', async () => {
  const lane = openNoticeLane()
  const notice = newNotice((await desk.open()).accountNumber)
  const { rail, mode, id } = notice
  const copies = await Promise.all([lane.run(notice), lane.run(notice)])
  expect(copies).toEqual(copies.map(() => ({ rail, mode, id, isJudged: true })))
  expect(await lane.run(notice)).toEqual({ rail, mode, id, isJudged: false })
  expect(await paymentsOf()).toHaveLength(1)
})

// A bank must not wait for a ledger that is behind.
test('a notice that has waited for long is only stored', async () => {
  const { accountNumber } = await desk.open()
  const notice = newNotice(accountNumber)
  const receiving = openNoticeLane().run(notice)
  clock.advance(collectionLimits.noticeJudgeWaitMaxMs + 1)
  expect(await receiving).toMatchObject({ isJudged: false })
  expect(await stateOf(notice.id)).toBe('WAITING')
  await service.pass(2)
  expect(await stateOf(notice.id)).toBe('BOOKED')
})

// Terms are read ahead for the environments of the previous batch, but never kept.
test('a payment is judged by the policy of its own time, whatever was read before', async () => {
  const lane = openNoticeLane()
  const neighbour = await openDesk(service)
  const pay = async (...desks: Desk[]) => {
    const accounts = await Promise.all(desks.map((one) => one.open()))
    clock.advance(1_000)
    const underpaid = { amount: 499_999n }
    await Promise.all(accounts.map((one) => lane.run(newNotice(one.accountNumber, underpaid))))
  }
  await pay(desk)
  await desk.setPolicy({ underpayment: 'hold' })
  await pay(desk, neighbour)
  await desk.setPolicy({ underpayment: 'return' })
  await pay(neighbour, desk)
  expect((await paymentsOf()).map(({ status }) => status)).toEqual([
    'RETURNING',
    'HELD',
    'RETURNING',
  ])
})

// A rail may pass on texts that PostgreSQL stores in json but cannot read back.
test('a payment has the texts that its notice is stored with', async () => {
  const { accountNumber } = await desk.open()
  const narration = 'a\0b \ud800'
  await openNoticeLane().run(newNotice(accountNumber, { narration }))
  expect(await paymentsOf()).toMatchObject([{ narration: 'a b \ufffd', status: 'ACCEPTED' }])
})
