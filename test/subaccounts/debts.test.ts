import { expect, test } from 'vitest'
import { expectAllProofs } from '../support/sound-books.js'
import { closedAccount, openSplitMarket } from './split-market.js'

const { db, service, openShop } = await openSplitMarket()

/** Its payout fails after a refund took the same money back: it has and owes the same amount. */
async function openWithDebt() {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const { reference, fee } = await shop.sell({ lines: [{ subaccount: ada, percent: '80' }] })
  await shop.fund(fee + 400_000)
  const payout = await shop.post('/v1/disbursements/bank-transfer', {
    amount: 300_000,
    from: ada,
    ...closedAccount,
  })
  expect((await shop.refund(reference)).status).toBe(201)
  await service.pass(40)
  const owed = 300_000 + payout.fee
  const path = `/v1/subaccounts/${ada}`
  expect(await shop.balanceOf(ada)).toEqual({ available: owed, held: 0, pending: 0, owed })
  return { shop, ada, path, owed, merchantHas: (await shop.naira()).available }
}

const nothing = { available: 0, held: 0, pending: 0, owed: 0 }

test('what a seller owes is not settled', async () => {
  const { shop, path, owed } = await openWithDebt()
  const key = shop.merchant.test.secret
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const bankAccount = { bankCode: '058', accountNumber: '0123456789' }
  await service.ask('PATCH', path, { key, body: { bankAccount } })
  const request = { key, headers, body: {} }
  const { status, json } = await service.ask('POST', `${path}/settlements`, request)
  expect([status, json.reason]).toEqual([422, 'nothing_to_settle'])
  const naira = (owed / 100).toLocaleString('en-NG', { minimumFractionDigits: 2 })
  expect(json.message).toContain(`after the ₦${naira} that it owes you`)
})

test('money that a seller gives the merchant pays what it owes', async () => {
  const { shop, ada, owed, merchantHas } = await openWithDebt()
  await shop.move(ada, { to: 'merchant', amount: 100_000 })
  expect(await shop.balanceOf(ada)).toMatchObject({
    available: owed - 100_000,
    owed: owed - 100_000,
  })
  await shop.move(ada, { to: 'merchant', amount: owed - 100_000 })
  expect(await shop.balanceOf(ada)).toEqual(nothing)
  expect((await shop.naira()).available).toBe(merchantHas + owed)
  await expectAllProofs(db)
})

test('a seller that can pay what it owes can be closed', async () => {
  const { shop, ada, path, owed, merchantHas } = await openWithDebt()
  expect(await shop.post(`${path}/close`, {})).toMatchObject({ status: 'CLOSED' })
  expect(await shop.balanceOf(ada)).toEqual(nothing)
  expect((await shop.naira()).available).toBe(merchantHas + owed)
  await expectAllProofs(db)
})
