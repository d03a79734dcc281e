import { expect, test } from 'vitest'
import { addLevy } from '../../src/payouts/levies/store-levies.js'
import { behaves } from '../support/payment-desk.js'
import { expectAllProofs } from '../support/sound-books.js'
import { openSplitMarket } from './split-market.js'

const { db, clock, service, openShop } = await openSplitMarket()

const reversing = { bankCode: '058', accountNumber: behaves.reversing }

test('a payout that comes back pays first what the seller owes', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const { reference, fee } = await shop.sell({ lines: [{ subaccount: ada, percent: '80' }] })
  await shop.fund(fee + 400_000)
  const body = { amount: 300_000, from: ada, ...reversing }
  const payout = await shop.post('/v1/disbursements/bank-transfer', body)
  const spent = 300_000 + payout.fee
  await service.pass(3)
  expect((await shop.refund(reference)).status).toBe(201)
  expect(await shop.balanceOf(ada)).toEqual({ available: 0, held: 0, pending: 0, owed: spent })
  const before = (await shop.naira()).available
  await service.pass(40)
  expect(await shop.balanceOf(ada)).toEqual({ available: 0, held: 0, pending: 0, owed: 0 })
  expect((await shop.naira()).available).toBe(before + spent)
  const { json } = await shop.get(`/v1/balance-entries?asset=NGN&subaccount=${ada}`)
  const entries = json.data.items.map((entry: { type: string; reference: string }) => [
    entry.type,
    entry.reference,
  ])
  expect(entries[0]).toEqual(['payout_recovered', payout.reference])
  await expectAllProofs(db)
})

test('the levy of a payout that comes back to a closed seller goes to the merchant, too', async () => {
  await db.transaction((tx) =>
    addLevy(tx, clock.now(), {
      kind: 'stamp_duty',
      mode: 'test',
      rail: null,
      threshold: 1_000_000n,
      amount: 5_000n,
      exempts: [],
      holdsFrom: clock.now(),
      holdsUntil: null,
      createdBy: 'ada',
    }),
  )
  clock.advance(120_000)
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  await shop.fund(2_000_000)
  await shop.move(ada, { from: 'merchant', amount: 2_000_000 })
  const body = { amount: 1_500_000, from: ada, ...reversing }
  const payout = await shop.post('/v1/disbursements/bank-transfer', body)
  expect(payout).toMatchObject({ levy: 5_000 })
  await service.pass(3)
  await shop.post(`/v1/subaccounts/${ada}/close`, {})
  await service.pass(40)
  const read = await shop.get(`/v1/disbursements/bank-transfer/${payout.reference}`)
  expect(read.json.data).toMatchObject({ status: 'REVERSED' })
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, held: 0 })
  expect(await shop.naira()).toMatchObject({ available: 2_000_000 })
  await expectAllProofs(db)
})
