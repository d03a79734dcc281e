import { expect, test } from 'vitest'
import { expectAllProofs } from '../support/sound-books.js'
import { accounts, openMarket } from './shop.js'

const { db, openShop, pass } = await openMarket()

const seller = (accountNumber: string) => ({
  name: 'Ada Fabrics',
  bankAccount: { bankCode: '058', accountNumber },
  settlement: { schedule: 'daily', reserve: 100_000 },
})

const balance = 'pay_out'

test('all money is paid out, then it is closed; less than a naira goes to the merchant', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_050, seller(accounts.completes))
  const path = `/v1/subaccounts/${ada.reference}`
  const { status, json, text } = await shop.post(`${path}/close`, { balance })
  expect(status, text).toBe(200)
  expect(json.data).toMatchObject({ status: 'PAUSED', closing: true, closedAt: null })
  // Nothing changes it meanwhile, and it is not closed twice.
  for (const reply of [
    await shop.patch(path, { status: 'ACTIVE' }),
    await shop.post(`${path}/close`, { balance: 'move' }),
    await shop.post(`${path}/close`, { balance }),
  ])
    expect(reply.json).toMatchObject({ code: 'subaccount_failed', reason: 'invalid_state' })
  await pass(5)
  const closed = await shop.get(path)
  expect(closed).toMatchObject({ status: 'CLOSED', closing: false })
  expect(closed.settlement).toMatchObject({ schedule: 'off', nextAt: null })
  const events = await shop.get(`/v1/events?resource=${ada.reference}&type=subaccount.closed`)
  expect(events.items.map(({ data }: { data: object }) => data)).toEqual([closed])
  const { items } = await shop.get(`/v1/settlements?subaccount=${ada.reference}`)
  expect(items).toMatchObject([{ status: 'PAID', reserve: 0 }])
  const rest = 1_000_050 - items[0].amount - items[0].fee
  expect(rest).toBeLessThan(100)
  expect(await shop.balance()).toMatchObject({ available: rest })
  await expectAllProofs(db)
})

test('it stays paused with its money if the payout fails, and an event reports it', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, seller(accounts.fails))
  const path = `/v1/subaccounts/${ada.reference}`
  await shop.post(`${path}/close`, { balance })
  await pass(5)
  const paused = await shop.get(path)
  expect(paused).toMatchObject({ status: 'PAUSED', closing: false, closedAt: null })
  expect(paused.settlement).toEqual(ada.settlement)
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 1_000_000, held: 0 })
  const { items } = await shop.get('/v1/events?type=subaccount.closing_failed')
  expect(items.map(({ data }: { data: object }) => data)).toEqual([paused])
  const bankAccount = { bankCode: '058', accountNumber: accounts.completes }
  await shop.patch(path, { status: 'ACTIVE', bankAccount })
  await shop.post(`${path}/close`, { balance })
  await pass(5)
  expect(await shop.get(path)).toMatchObject({ status: 'CLOSED' })
  await expectAllProofs(db)
})

test('it stays paused if more than the rest came meanwhile', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, seller(accounts.completes))
  const path = `/v1/subaccounts/${ada.reference}`
  await shop.post(`${path}/close`, { balance })
  await shop.fund(50_000)
  await shop.post(`${path}/transfers`, { from: 'merchant', asset: 'NGN', amount: 50_000 })
  await pass(5)
  expect(await shop.get(path)).toMatchObject({ status: 'PAUSED', closing: false })
  expect((await shop.balanceOf(ada)).available).toBeGreaterThanOrEqual(50_000)
  expect((await shop.get('/v1/events?type=subaccount.closing_failed')).items).toHaveLength(1)
  await expectAllProofs(db)
})

test('closing it with `move` is an event, too, and emits it once', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, seller(accounts.completes))
  const path = `/v1/subaccounts/${ada.reference}`
  const { json } = await shop.post(`${path}/close`)
  expect((await shop.post(`${path}/close`)).json.data).toEqual(json.data)
  const { items } = await shop.get('/v1/events?type=subaccount.closed')
  expect(items.map(({ data }: { data: object }) => data)).toEqual([json.data])
  expect(json.data.balances[0]).toEqual({
    asset: 'NGN',
    available: 0,
    held: 0,
    pending: 0,
    owed: 0,
  })
  expect(await shop.get(path)).toEqual(json.data)
})

test('it is not paid out without a bank account, or with open payouts', async () => {
  const shop = await openShop()
  const ada = await shop.addFunded(1_000_000, { name: 'Ada Fabrics' })
  const path = `/v1/subaccounts/${ada.reference}`
  const none = await shop.post(`${path}/close`, { balance })
  expect(none.json).toMatchObject({ reason: 'no_bank_account' })
  await shop.patch(path, seller(accounts.completes))
  const open = { from: ada.reference, accountNumber: accounts.staysOpen }
  await shop.payOut(open)
  const held = await shop.post(`${path}/close`, { balance })
  expect(held.json).toMatchObject({
    code: 'subaccount_failed',
    message: expect.stringContaining('is reserved for open payouts'),
  })
  expect(await shop.get(path)).toMatchObject({ status: 'ACTIVE', closing: false })
  await expectAllProofs(db)
})
