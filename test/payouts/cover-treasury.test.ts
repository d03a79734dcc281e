import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { createFunding } from '../../src/simulation/test-funding.js'
import { newWallet } from '../simulation/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/sessions.js'
import { brokenMint, openSolanaHouse, untilFinal } from './solana-house.js'

/** Whoever has the money in the books is paid out, at once: the treasury has it too. */

const options = { isCounting: true, slotMs: 100 }

test('what was just funded can be paid out at once', async () => {
  const world = await openSolanaHouse(await freshDatabase(), options)
  for (const amount of ['10', '20', '30']) {
    expect((await world.fund(amount)).status).toBe(201)
    const { status, text } = await world.pay(await newWallet(), { amount: String(+amount - 1) })
    expect([status, text]).toEqual([201, expect.anything()])
  }
})

// The funding is committed, and its process died before it minted or answered.
test('coins that are noted are minted for whoever comes before the worker', async () => {
  const db = await freshDatabase()
  const world = await openSolanaHouse(db, options)
  const { clock, house } = world
  const { id: environmentId } = house.merchant.environments.test
  const id = newId(clock.now())
  const funding = { environmentId, id, asset: 'USDC', amount: 100_000_000n } as const
  await db.transaction((tx) =>
    createFunding(brokenMint)(tx, clock.now(), [{ ...funding, purpose: 'test_funding' }]),
  )
  expect((await world.pay(await newWallet(), { amount: '99' })).status).toBe(201)
})

// Blocks are made by hand. The first payout takes nearly all, the second what came after it.
test('a payout that has landed and is not settled takes nothing from the next one', async () => {
  const world = await openSolanaHouse(await freshDatabase(), { isCounting: true })
  const { chain } = world
  await world.fund('100')
  await chain.advance()
  const { data } = (await world.pay(await newWallet(), { amount: '90' })).json
  await until(async () => {
    await chain.advance()
    return (await world.landings(data.reference)).length > 0
  })
  await world.fund('50')
  await chain.advance()
  const pay = async (amount: string) => (await world.pay(await newWallet(), { amount })).status
  expect(await pay('40')).toBe(201)
  await chain.advance(untilFinal)
  expect(await pay('10')).toBe(201)
  expect((await world.find(data.reference)).status).toBe('SUBMITTED')
})

// Thirty want a tenth each, with its fee, of a balance that is all that the treasury has: ten get
// it, and twenty do not have the money. Whether the treasury has it does not matter to them.
test('racing for a balance is lost for want of balance, never of treasury', async () => {
  const world = await openSolanaHouse(await freshDatabase(), options)
  const wallets = await Promise.all(Array.from({ length: 30 }, newWallet))
  await world.fund('110')
  const race = await Promise.all(wallets.map((wallet) => world.pay(wallet, { amount: '10' })))
  const count = (wanted: number) => race.filter(({ status }) => status === wanted).length
  expect([count(201), count(402), race.length]).toEqual([10, 20, 30])
})

// The first merchant asks for more than all merchants have. The second asks for its own.
test('a merchant that asks for too much takes nothing from another one', async () => {
  const world = await openSolanaHouse(await freshDatabase(), options)
  const other = await world.house.hire('Bola')
  const body = { asset: 'USDC', amount: '110' }
  await world.fund('110')
  await world.house.ask('POST', '/v1/test/balances/fund', { key: other.test.secret, body })
  const wallets = await Promise.all(Array.from({ length: 40 }, newWallet))
  const greedy = wallets.slice(10).map((wallet) => world.pay(wallet, { amount: '10' }))
  const modest = wallets.slice(0, 10).map((destinationAddress) =>
    world.house.ask('POST', '/v1/disbursements/crypto', {
      key: other.test.secret,
      headers: { 'idempotency-key': destinationAddress },
      body: { amount: '10', asset: 'USDC', network: 'SOLANA', destinationAddress },
    }),
  )
  const statusesOf = async (replies: typeof modest) =>
    (await Promise.all(replies)).map(({ status }) => status).toSorted()
  expect(await statusesOf(modest)).toEqual(Array(10).fill(201))
  expect(await statusesOf(greedy)).toEqual([...Array(10).fill(201), ...Array(20).fill(402)])
})

test('a treasury that lacks the money is named, and the operator is told', async () => {
  const world = await openSolanaHouse(await freshDatabase(), { ...options, mintsLate: true })
  await world.fund('100')
  const { status, json } = await world.pay(await newWallet())
  expect([status, json.reason]).toEqual([503, 'treasury_short'])
  expect(world.house.log.join()).toContain('the hot wallet is short')
})
