import { expect, test } from 'vitest'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { subaccountName } from '../../src/ledger/accounts.js'
import { sql } from '../../src/postgres/sql.js'
import { openSession, untilBlocked } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'
import { openMarket } from './shop.js'

// Closing reads what a sub-account has and owes, then marks it as closed. Nothing may credit it in
// between. Another session holds a ledger account of the merchant, so that the first request stops
// after it has locked its sub-accounts and before it commits; then the second request starts.

const { db, openShop } = await openMarket()

type Shop = Awaited<ReturnType<typeof openShop>>

/** Runs two requests so that the second starts while the first one is between lock and commit. */
async function interleave<First, Second>(
  shop: Shop,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const blocker = await openSession(db)
  await blocker.query('begin')
  const { rowCount } = await blocker.query(
    `select from ledger_accounts
     where environment_id = $1 and asset = 'NGN' and name = 'available' for update`,
    [shop.merchant.environments.test.id],
  )
  expect(rowCount).toBe(1)
  const firstReply = first()
  await untilBlocked(db, 1)
  const secondReply = second()
  await untilBlocked(db, 2)
  await blocker.query('commit')
  return Promise.all([firstReply, secondReply])
}

/** Closing locks ledger accounts of every asset. It would start over if it had to open one. */
async function openLedgerAccounts(shop: Shop, { reference }: { reference: string }) {
  const names = ['available', subaccountName(fromReference(prefixes.subaccount, reference)!)]
  await db.rows(sql`
    insert into ledger_accounts (environment_id, asset, name)
    select ${shop.merchant.environments.test.id}, asset, name
    from unnest(array['USDC', 'USDT']) asset cross join unnest(${names}::text[]) name`)
}

async function openShopWithSeller(amount: number) {
  const shop = await openShop()
  await shop.fund(100_000)
  const seller = await shop.addSeller()
  const path = `/v1/subaccounts/${seller.reference}`
  const credit = (given: number) =>
    shop.post(`${path}/transfers`, { from: 'merchant', asset: 'NGN', amount: given })
  expect((await credit(amount)).status).toBe(201)
  await openLedgerAccounts(shop, seller)
  return { shop, seller, path, credit, close: () => shop.post(`${path}/close`) }
}

test('money that is on its way to a sub-account is moved back when it is closed', async () => {
  const { shop, seller, credit, close } = await openShopWithSeller(10_000)
  const [credited, closed] = await interleave(shop, () => credit(30_000), close)
  expect([credited.status, closed.status]).toEqual([201, 200])
  expect(closed.json.data).toMatchObject({ status: 'CLOSED' })
  expect(await shop.balanceOf(seller)).toMatchObject({ available: 0 })
  expect(await shop.balance()).toMatchObject({ available: 100_000 })
  await expectAllProofs(db)
})

test('a sub-account that is being closed is not credited', async () => {
  const { shop, seller, credit, close } = await openShopWithSeller(10_000)
  const [closed, credited] = await interleave(shop, close, () => credit(30_000))
  expect(closed.json.data).toMatchObject({ status: 'CLOSED' })
  expect(credited.json).toMatchObject({ code: 'subaccount_failed', reason: 'invalid_state' })
  expect(await shop.balanceOf(seller)).toMatchObject({ available: 0 })
  expect(await shop.balance()).toMatchObject({ available: 100_000 })
  await expectAllProofs(db)
})

test('a sub-account that is closed twice at once gives its money back once', async () => {
  const { shop, path, close } = await openShopWithSeller(10_000)
  const replies = await interleave(shop, close, close)
  expect(replies.map(({ status }) => status)).toEqual([200, 200])
  expect(replies[1].json.data).toEqual(replies[0].json.data)
  expect((await shop.get(path)).status).toBe('CLOSED')
  expect(await shop.balance()).toMatchObject({ available: 100_000 })
  await expectAllProofs(db)
})

// Two transfers in opposite directions lock the same two sub-accounts.
test('transfers between two sub-accounts in both directions do not deadlock', async () => {
  const { shop, seller, path } = await openShopWithSeller(50_000)
  const other = await shop.addSeller({ name: 'Bola Shoes' })
  const otherPath = `/v1/subaccounts/${other.reference}`
  await shop.post(`${otherPath}/transfers`, { from: 'merchant', asset: 'NGN', amount: 50_000 })
  const [there, back] = await interleave(
    shop,
    () => shop.post(`${path}/transfers`, { to: other.reference, asset: 'NGN', amount: 7_000 }),
    () =>
      shop.post(`${otherPath}/transfers`, { to: seller.reference, asset: 'NGN', amount: 2_000 }),
  )
  expect([there.status, back.status]).toEqual([201, 201])
  expect(await shop.balanceOf(seller)).toMatchObject({ available: 45_000 })
  expect(await shop.balanceOf(other)).toMatchObject({ available: 55_000 })
  await expectAllProofs(db)
})
