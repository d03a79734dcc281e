import { expect, test } from 'vitest'
import { expectAllProofs } from '../support/sound-books.js'
import { accounts, openMarket } from './shop.js'

const { db, clock, openShop, pass } = await openMarket()

type Shop = Awaited<ReturnType<typeof openShop>>

async function summarize(shop: Shop, query: string) {
  const summary = await shop.get(`/v1/balance-entries/summary?asset=NGN&${query}`)
  const { opening, received, added, converted, moved, refunded, paidOut, fees } = summary
  const sum = opening + received + added + converted - moved - refunded - paidOut - fees
  expect(sum - summary.setAside, query).toBe(summary.closing)
  return summary
}

// Payouts in every state, and money both ways; also cut into two periods that must join.
test('the statement of a sub-account adds up, whole and in parts', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(2_000_000)
  const bola = await shop.addFunded(500_000, { name: 'Bola Shoes' })
  const of = `subaccount=${ada.reference}`
  const from = ada.reference
  const { fee } = (await shop.payOut({ from })).json.data
  await shop.payOut({ from, accountNumber: accounts.fails })
  await pass(5)
  const middle = clock.now().toISOString()
  await shop.payOut({ from, accountNumber: accounts.reverses })
  await pass(20)
  await shop.payOut({ from, accountNumber: accounts.staysOpen })
  const transfers = `/v1/subaccounts/${ada.reference}/transfers`
  await shop.post(transfers, { to: 'merchant', asset: 'NGN', amount: 100_000 })
  await shop.post(transfers, { from: bola.reference, asset: 'NGN', amount: 40_000 })

  const whole = await summarize(shop, of)
  expect(whole).toMatchObject({
    opening: 0,
    received: 0,
    moved: -2_000_000 + 100_000 - 40_000,
    paidOut: 300_000,
    fees: 2 * fee,
    setAside: 300_000,
    firstNumber: 1,
  })
  const { available } = await shop.balanceOf(ada)
  expect(whole.closing).toBe(available)
  const early = await summarize(shop, `${of}&to=${middle}`)
  const late = await summarize(shop, `${of}&from=${middle}`)
  expect(late.opening).toBe(early.closing)
  expect(late.firstNumber).toBe(early.lastNumber + 1)
  expect(late.closing).toBe(whole.closing)
  expect(early.paidOut + late.paidOut).toBe(whole.paidOut)

  const merchant = await summarize(shop, '')
  expect(merchant).toMatchObject({ paidOut: 0, fees: 0, setAside: 0, closing: 100_000 })
  await expectAllProofs(db)
})

test('balances of a sub-account are read alone', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(700_000)
  await shop.fund(5_000)
  const { items } = await shop.get(`/v1/balances?subaccount=${ada.reference}`)
  expect(items).toEqual([
    { asset: 'NGN', available: 700_000, held: 0, pending: 0, owed: 0 },
    { asset: 'USDC', available: '0', held: '0', pending: '0', owed: '0' },
    { asset: 'USDT', available: '0', held: '0', pending: '0', owed: '0' },
  ])
  const { balances } = await shop.get(`/v1/subaccounts/${ada.reference}`)
  expect(items).toEqual(balances)
  expect(await shop.balance()).not.toHaveProperty('owed')
  expect((await shop.balance()).available).toBe(5_000)
  const other = await openShop()
  expect(await other.get(`/v1/balances?subaccount=${ada.reference}`)).toBeUndefined()
  expect(await other.get(`/v1/balance-entries/summary?asset=NGN&subaccount=${ada.reference}`)).toBe(
    undefined,
  )
})
