import { afterEach, beforeEach, expect, test } from 'vitest'
import { expireAccounts } from '../../src/collections/accounts/end-accounts.js'
import { sql } from '../../src/postgres/sql.js'
import {
  type Opened,
  openWithBankAndChain,
  twoWayShopOf,
} from '../support/open-with-bank-and-chain.js'
import { openSession, untilBlocked } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'
import { openTwoWayNotices } from '../support/two-way-notices.js'

const service = await openWithBankAndChain()
const { db, clock } = service
const { bankNotice, coinNotice, write, take } = openTwoWayNotices(service)
let shop: ReturnType<typeof twoWayShopOf>
beforeEach(async () => {
  shop = twoWayShopOf(service, await service.addMerchant('Ada Stores'))
})
afterEach(async () => {
  await expectAllProofs(db)
  const counted = await db.rows(sql<{ deadlocks: bigint }>`
    select deadlocks from pg_stat_database where datname = current_database()`)
  expect(counted).toEqual([{ deadlocks: 0n }])
})

// A third transaction holds one of the two accounts. Notices of the bank and of the chain both lock
// the pair in the same order, so the second waits behind the first.
test.each([
  ...(['number', 'address'] as const).flatMap((held) => [
    { held, first: 'bank' as const },
    { held, first: 'chain' as const },
  ]),
])('two transactions pay one session once: %j', async ({ held, first }) => {
  const opened = await shop.open()
  const notices = { bank: bankNotice(opened), chain: coinNotice(opened) }
  await write(Object.values(notices))
  const holder = await openSession(db)
  await holder.query('begin')
  await holder.query('select from collection_accounts where number = $1 for no key update', [
    opened[held],
  ])
  const judging = [take([notices[first]])]
  await untilBlocked(db)
  judging.push(take([notices[first === 'bank' ? 'chain' : 'bank']]))
  await untilBlocked(db, 2)
  await holder.query('commit')
  await Promise.all(judging)
  expect(await shop.status(opened.reference)).toBe('paid')
  expect(await shop.eventTypesOf(opened.reference)).toEqual(['checkout.session.paid'])
  const accounts = [
    await shop.account(opened.virtualAccount),
    await shop.wallet(opened.cryptoWallet),
  ]
  expect(accounts.map(({ status }) => status).sort()).toEqual(['CANCELLED', 'PAID'])
  const late = accounts.find(({ status }) => status === 'CANCELLED')
  expect(late).toMatchObject({ variance: 'LATE', payments: [{ status: 'HELD' }] })
})

// Batches name the sessions in opposite orders and by either account, while others cancel them by
// either account and all of them expire.
test.each([1, 2, 3])('with everything at once, every session ends once (%i)', async () => {
  const opened: Opened[] = []
  for (let made = 0; made < 12; made += 1) opened.push(await shop.open({ expiresAt: shop.soon() }))
  const byBank = opened.map((one) => bankNotice(one))
  const byChain = opened.map((one) => coinNotice(one)).reverse()
  await write([...byBank, ...byChain])
  const halves = <Item>(all: Item[]) => [all.slice(0, 6), all.slice(6)]
  const cancel = (one: Opened, index: number) =>
    index % 2 === 0
      ? shop.post(`/v1/collections/crypto-wallets/${one.cryptoWallet}/cancel`, {})
      : shop.cancel(one.reference)
  const replies = Promise.all(opened.filter((_one, index) => index % 3 === 0).map(cancel))
  const judging = [...halves(byBank), ...halves(byChain)].map(take)
  clock.advance(61_000)
  const expiring = Array.from({ length: 3 }, () => expireAccounts(db, clock.now()))
  const advancing = shop.post('/v1/test/clock/advance', { seconds: 60 })
  await Promise.all([...judging, ...expiring, advancing])
  const statuses = [...(await replies), await advancing].map(({ status }) => status)
  expect(statuses.filter((status) => status >= 500)).toEqual([])
  for (const { reference } of opened) {
    const events = await shop.eventTypesOf(reference)
    expect(events.filter((type) => type === 'checkout.session.paid').length).toBeLessThanOrEqual(1)
    expect(new Set(events).size).toBe(events.length)
  }
})

// Held money of both accounts is accepted at once: one acceptance pays the session.
test('two concurrent acceptances pay a session once', async () => {
  const opened = await shop.open({ expiresAt: shop.soon() })
  clock.advance(61_000)
  await service.work()
  const notices = [bankNotice(opened), coinNotice(opened)]
  await write(notices)
  await take(notices)
  const held = [
    ...(await shop.paymentsOf(opened.virtualAccount)),
    ...(await shop.paymentsOf(opened.cryptoWallet)),
  ]
  const replies = await Promise.all(
    held.map(({ reference }) =>
      shop.post(`/v1/collections/payments/${reference}/resolve`, { action: 'accept' }),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual([200, 200])
  expect(await shop.eventTypesOf(opened.reference)).toEqual([
    'checkout.session.expired',
    'checkout.session.paid',
  ])
})
