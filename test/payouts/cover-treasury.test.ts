import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { examineShortfalls } from '../../src/operations/doctor/examine-rails.js'
import { createFunding } from '../../src/simulation/test-funding.js'
import { newWallet } from '../simulation/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/sessions.js'
import { brokenMint, openSolanaService, untilFinal } from './open-solana.js'

/** A merchant with a balance is paid out at once: the treasury holds the money, too. */

const options = { isCounting: true, slotMs: 100 }

test('a balance can be paid out right after it was funded', async () => {
  const solana = await openSolanaService(await freshDatabase(), options)
  for (const amount of ['10', '20', '30']) {
    expect((await solana.fund(amount)).status).toBe(201)
    const { status, text } = await solana.pay(await newWallet(), { amount: String(+amount - 1) })
    expect([status, text]).toEqual([201, expect.anything()])
  }
})

// The funding is committed, but its process died before it minted or answered.
test('a payout mints the funded coins that the worker has not minted yet', async () => {
  const db = await freshDatabase()
  const solana = await openSolanaService(db, options)
  const { clock, service } = solana
  const { id: environmentId } = service.merchant.environments.test
  const id = newId(clock.now())
  const funding = { environmentId, id, asset: 'USDC', amount: 100_000_000n } as const
  await db.transaction((tx) =>
    createFunding(brokenMint)(tx, clock.now(), [{ ...funding, purpose: 'test_funding' }]),
  )
  expect((await solana.pay(await newWallet(), { amount: '99' })).status).toBe(201)
})

// Blocks are made by hand. The first payout takes nearly all, the second what was funded later.
test('a payout that has landed and is not settled is not deducted twice', async () => {
  const solana = await openSolanaService(await freshDatabase(), { isCounting: true })
  const { chain } = solana
  await solana.fund('100')
  await chain.advance()
  const { data } = (await solana.pay(await newWallet(), { amount: '90' })).json
  await until(async () => {
    await chain.advance()
    return (await solana.landings(data.reference)).length > 0
  })
  await solana.fund('50')
  await chain.advance()
  const pay = async (amount: string) => (await solana.pay(await newWallet(), { amount })).status
  expect(await pay('40')).toBe(201)
  await chain.advance(untilFinal)
  expect(await pay('10')).toBe(201)
  expect((await solana.find(data.reference)).status).toBe('SUBMITTED')
})

// Thirty payouts of 10 and a fee compete for a balance of 110, which is all that the treasury has:
// ten succeed, and twenty are refused because of the balance, not because of the treasury.
test('payouts that race for a balance are refused as uncovered, never as treasury_short', async () => {
  const solana = await openSolanaService(await freshDatabase(), options)
  const wallets = await Promise.all(Array.from({ length: 30 }, newWallet))
  await solana.fund('110')
  const race = await Promise.all(wallets.map((wallet) => solana.pay(wallet, { amount: '10' })))
  const count = (wanted: number) => race.filter(({ status }) => status === wanted).length
  expect([count(201), count(402), race.length]).toEqual([10, 20, 30])
})

// The first merchant requests more than all merchants have, the second only what it has.
test('a merchant that requests too much takes nothing from another one', async () => {
  const solana = await openSolanaService(await freshDatabase(), options)
  const other = await solana.service.addMerchant('Bola')
  const body = { asset: 'USDC', amount: '110' }
  await solana.fund('110')
  await solana.service.ask('POST', '/v1/test/balances/fund', { key: other.test.secret, body })
  const wallets = await Promise.all(Array.from({ length: 40 }, newWallet))
  const greedy = wallets.slice(10).map((wallet) => solana.pay(wallet, { amount: '10' }))
  const modest = wallets.slice(0, 10).map((destinationAddress) =>
    solana.service.ask('POST', '/v1/disbursements/crypto', {
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

test('a short treasury is reported to the caller and to the operator', async () => {
  const solana = await openSolanaService(await freshDatabase(), { ...options, mintsLate: true })
  await solana.fund('100')
  const wallet = await newWallet()
  const { status, json } = await solana.pay(wallet)
  expect([status, json.reason]).toEqual([503, 'treasury_short'])
  expect(solana.service.log.join()).toContain('the treasury is short')
  // A quote does not mention the treasury, although the chain would refuse it.
  const quote = await solana.service.ask('POST', '/v1/disbursements/crypto/quote', {
    key: solana.service.merchant.test.secret,
    body: { amount: '1', asset: 'USDC', network: 'SOLANA', destinationAddress: wallet },
  })
  expect([quote.status, quote.json.data.fee]).toEqual([200, '1'])
  const { db, clock } = solana.service
  expect(await examineShortfalls({ db, clock })).toMatchObject([
    { check: 'Funds', state: 'error', message: expect.stringContaining('USDC') },
  ])
})
