import { expect, test } from 'vitest'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { claimMoney } from '../payouts/claims/recipient.js'
import { expectAllProofs } from '../support/sound-books.js'
import { closedAccount, openSplitMarket } from './split-market.js'

const { db, clock, service, openShop, work, giveAllBack } = await openSplitMarket()

type Shop = Awaited<ReturnType<typeof openShop>>

/** A payment of 500,000: Ada gets 200,000, Bola 100,000 and the merchant the rest. */
async function sellForTwo(shop: Shop) {
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  const { reference, fee } = await shop.sell({
    lines: [
      { subaccount: ada, percent: '40' },
      { subaccount: bola, percent: '20' },
    ],
  })
  await shop.fund(fee)
  return { ada, bola, reference }
}

const takenBack = async (shop: Shop, reference: string) =>
  (await shop.payment(reference)).shares.map((share: { takenBack: number }) => share.takenBack)

test('a refund takes back what it names, and shows it', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  const splits = [
    { subaccount: bola, amount: 100_000 },
    { subaccount: ada, amount: 30_000 },
  ]
  const { status, json } = await shop.refund(reference, { amount: 150_000, splits })
  expect([status, json.message]).toEqual([201, 'Refund submitted'])
  const shown = [
    { subaccount: ada, amount: 30_000, owed: 0, status: 'TAKEN' },
    { subaccount: bola, amount: 100_000, owed: 0, status: 'TAKEN' },
  ]
  expect(json.data.refund.splits).toEqual(shown)
  expect((await shop.payment(reference)).refund.splits).toEqual(shown)
  const returns = await shop.get(`/v1/collections/payments/${reference}/returns`)
  expect(returns.json.data.items[0].splits).toEqual(shown)
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 170_000, owed: 0 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 0, owed: 0 })
  expect(await shop.naira()).toMatchObject({ available: 200_000 - 20_000 })
  await expectAllProofs(db)
})

test('a repeated refund answers the same and takes nothing again', async () => {
  const shop = await openShop()
  const { ada, reference } = await sellForTwo(shop)
  const body = { amount: 10_000, splits: [{ subaccount: ada, amount: 10_000 }] }
  const first = await shop.refund(reference, body, 'refund-1')
  const again = await shop.refund(reference, body, 'refund-1')
  expect(again.json).toEqual(first.json)
  expect(await takenBack(shop, reference)).toEqual([10_000, 0])
  await expectAllProofs(db)
})

test('without lines the merchant gives all, and sellers keep that when the rest is refunded', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  await shop.fund(100_002)
  const first = await shop.refund(reference, { amount: 300_000, splits: [] })
  expect([first.status, first.json.data.refund.splits]).toEqual([201, []])
  expect(await takenBack(shop, reference)).toEqual([0, 0])
  // 300,000 of shares stand against 200,000 of the payment: sellers give no more than is refunded.
  for (const amount of [100_001, 99_999])
    expect((await shop.refund(reference, { amount })).status).toBe(201)
  expect(await takenBack(shop, reference)).toEqual([133_333, 66_667])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 66_667, owed: 0 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 33_333, owed: 0 })
  await expectAllProofs(db)
})

test('a seller with several shares gives from the first one first', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const { reference } = await shop.sell({
    lines: [
      { subaccount: ada, flat: 50_000 },
      { subaccount: ada, percent: '10', releaseAfterDays: 2 },
    ],
  })
  const splits = [{ subaccount: ada, amount: 70_000 }]
  const { json } = await shop.refund(reference, { amount: 80_000, splits })
  expect(json.data.refund.splits).toEqual([
    { subaccount: ada, amount: 70_000, owed: 0, status: 'TAKEN' },
  ])
  expect(await takenBack(shop, reference)).toEqual([50_000, 20_000])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, pending: 30_000, owed: 0 })
  await expectAllProofs(db)
})

test('what a named seller does not have, it owes', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  await shop.move(ada, { to: 'merchant', amount: 150_000 })
  const splits = [{ subaccount: ada, amount: 80_000 }]
  const { json } = await shop.refund(reference, { amount: 80_000, splits })
  expect(json.data.refund.splits).toEqual([
    { subaccount: ada, amount: 80_000, owed: 30_000, status: 'TAKEN' },
  ])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, owed: 30_000 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 100_000 })
  await expectAllProofs(db)
})

test('a named refund that fails gives back exactly what it took', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  await shop.move(ada, { to: 'merchant', amount: 150_000 })
  const splits = [
    { subaccount: ada, amount: 80_000 },
    { subaccount: bola, amount: 5_000 },
  ]
  await shop.refund(reference, { amount: 90_000, splits, destination: closedAccount })
  await work()
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 50_000, owed: 0 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 100_000, owed: 0 })
  const returns = await shop.get(`/v1/collections/payments/${reference}/returns`)
  expect(returns.json.data.items[0].splits).toEqual([
    { subaccount: ada, amount: 80_000, owed: 30_000, status: 'GIVEN_BACK' },
    { subaccount: bola, amount: 5_000, owed: 0, status: 'GIVEN_BACK' },
  ])
  await expectAllProofs(db)
})

test('a refund that follows a failed one takes the shares again before a worker gave them back', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  await shop.refund(reference, { destination: closedAccount })
  await service.pass(40)
  expect(await takenBack(shop, reference)).toEqual([200_000, 100_000])
  const again = await shop.refund(reference)
  expect([again.status, again.json.message]).toEqual([201, 'Refund submitted'])
  // Otherwise the merchant could not pay for a share that is given back by mistake.
  await shop.fund(300_000)
  await giveAllBack()
  await work()
  expect(await takenBack(shop, reference)).toEqual([200_000, 100_000])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, owed: 0 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 0, owed: 0 })
  expect(await shop.naira()).toMatchObject({ available: 300_000, held: 0 })
  await expectAllProofs(db)
})

test('many small refunds take back as much as one large refund', async () => {
  const shop = await openShop()
  const { reference } = await sellForTwo(shop)
  for (let step = 0; step < 24; step += 1) await shop.refund(reference, { amount: 101 })
  // 24 × 101 = 2,424: 40 % and 20 % of it, rounded down once.
  expect(await takenBack(shop, reference)).toEqual([969, 484])
  await expectAllProofs(db)
})

test('the merchant gives the part of a seller who was closed since', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  await shop.post(`/v1/subaccounts/${ada}/close`, {})
  const named = await shop.refund(reference, { splits: [{ subaccount: ada, amount: 1 }] })
  expect(named.json.details).toEqual([
    {
      field: 'splits.0.subaccount',
      issue: 'names a closed sub-account, which has nothing to give back',
    },
  ])
  const { json } = await shop.refund(reference)
  expect(json.data.refund.splits).toMatchObject([{ subaccount: bola, amount: 100_000 }])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, owed: 0 })
  expect(await shop.naira()).toMatchObject({ available: 0 })
  await expectAllProofs(db)
})

test('what a failed refund gives back pays what the seller owes for another refund', async () => {
  const shop = await openShop()
  const { ada, reference } = await sellForTwo(shop)
  const other = await shop.sell(
    { lines: [{ subaccount: ada, percent: '10' }] },
    { merchantReference: 'order-2' },
  )
  await shop.fund(other.fee)
  await shop.refund(reference, {
    amount: 200_000,
    splits: [{ subaccount: ada, amount: 200_000 }],
    destination: closedAccount,
  })
  await shop.move(ada, { to: 'merchant', amount: 50_000 })
  await shop.refund(other.reference)
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, owed: 50_000 })
  await work()
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 150_000, owed: 0 })
  await expectAllProofs(db)
})

test('every refusal names the line and why', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  const stranger = await shop.addSeller('Chi')
  const plain = await shop.pay((await shop.open({ merchantReference: 'plain' })).accountNumber)
  await shop.refund(reference, { amount: 50_000, splits: [{ subaccount: ada, amount: 50_000 }] })
  const refusals: [object, string][] = [
    [
      { splits: [{ subaccount: 'sub_unknown', amount: 1 }] },
      'splits.0.subaccount names no sub-account; check the reference and the mode of your API key.',
    ],
    [
      { splits: [{ subaccount: stranger, amount: 1 }] },
      'splits.0.subaccount names a sub-account that got no share of it.',
    ],
    [
      {
        splits: [
          { subaccount: ada, amount: 1 },
          { subaccount: ada, amount: 1 },
        ],
      },
      'splits.1.subaccount is in an earlier line, too; add the amounts up in one line.',
    ],
    [
      { splits: [{ subaccount: ada, amount: 150_001 }] },
      'splits.0.amount is more than refunds have left of its shares: ₦1,500.00 of ₦2,000.00.',
    ],
    [
      {
        amount: 100_000,
        splits: [
          { subaccount: ada, amount: 60_000 },
          { subaccount: bola, amount: 40_001 },
        ],
      },
      'splits.1.amount brings all lines to ₦1,000.01, which is more than the refund of ₦1,000.00.',
    ],
    [
      { splits: [{ subaccount: ada, amount: '10.50' }] },
      'splits.0.amount must be an integer in kobo.',
    ],
  ]
  for (const [body, message] of refusals) {
    const { status, json } = await shop.refund(reference, body)
    expect([status, json.message]).toEqual([400, message])
  }
  const unsplit = await shop.refund(plain.reference, { splits: [] })
  expect([unsplit.status, unsplit.json.message]).toEqual([
    400,
    'splits cannot be sent: the payment was not split.',
  ])
  expect(await takenBack(shop, reference)).toEqual([50_000, 0])
  await expectAllProofs(db)
})

test('with the setting, a refund that sellers cannot cover is refused and names what is missing', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  await shop.move(ada, { to: 'merchant', amount: 150_000 })
  const refunds = { subaccountsMustCover: true }
  expect((await shop.patch('/v1/settings', { refunds })).json.data.refunds).toEqual(refunds)
  const all = await shop.refund(reference)
  expect([all.status, all.json]).toMatchObject([
    422,
    {
      reason: 'subaccount_not_covered',
      message: `amount needs ₦1,500.00 more than ${ada} has. Your settings require that sub-accounts cover refunds.`,
    },
  ])
  const splits = [
    { subaccount: bola, amount: 1 },
    { subaccount: ada, amount: 60_000 },
  ]
  const named = await shop.refund(reference, { splits })
  expect([named.status, named.json.details]).toEqual([
    422,
    [{ field: 'splits.1.amount', issue: `needs ₦100.00 more than ${ada} has` }],
  ])
  expect(await takenBack(shop, reference)).toEqual([0, 0])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 50_000, owed: 0 })
  await shop.move(ada, { from: 'merchant', amount: 10_000 })
  expect((await shop.refund(reference, { amount: 60_001, splits })).status).toBe(201)
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, owed: 0 })
  await expectAllProofs(db)
})

test('who may not see sub-accounts names none in a refund, and learns nothing of them', async () => {
  const shop = await openShop()
  const { ada, reference } = await sellForTwo(shop)
  await shop.move(ada, { to: 'merchant', amount: 150_000 })
  await shop.patch('/v1/settings', { refunds: { subaccountsMustCover: true } })
  const { key } = await db.transaction((tx) =>
    issueKey(tx, clock.now(), {
      seal: service.seal,
      kind: 'secret',
      environment: shop.merchant.environments.test,
      name: 'refunds',
      expiresAt: null,
      allowedAddresses: [],
      permissions: ['payments.see', 'payments.decide'],
    }),
  )
  const refund = (body: object) =>
    service.ask('POST', `/v1/collections/payments/${reference}/refund`, {
      key: key.reveal(),
      headers: { 'idempotency-key': crypto.randomUUID() },
      body,
    })
  const { status, json } = await refund({ splits: [{ subaccount: ada, amount: 1 }] })
  expect([status, json.reason]).toEqual([403, 'key_permission'])
  const all = await refund({})
  expect([all.status, all.json.reason]).toEqual([422, 'subaccount_not_covered'])
  expect(all.text).not.toMatch(/sub_|₦/)
})

test('sellers give to a refund by claim at once, and get it back if it is cancelled', async () => {
  const shop = await openShop()
  const { ada, bola, reference } = await sellForTwo(shop)
  await shop.move(bola, { to: 'merchant', amount: 90_000 })
  const { json } = await shop.refund(reference, { by: 'claim' })
  expect(json.data.refund.splits).toEqual([
    { subaccount: ada, amount: 200_000, owed: 0, status: 'TAKEN' },
    { subaccount: bola, amount: 100_000, owed: 90_000, status: 'TAKEN' },
  ])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, owed: 0 })
  expect(await shop.naira()).toMatchObject({ available: 0, held: 500_000 })
  await expectAllProofs(db)
  await shop.post(`/v1/claims/${json.data.claim.reference}/cancel`, {})
  await work()
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 200_000, owed: 0 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 10_000, owed: 0 })
  expect(await takenBack(shop, reference)).toEqual([0, 0])
  await expectAllProofs(db)

  const again = await shop.refund(reference, { by: 'claim' })
  const { url } = again.json.data.claim
  await claimMoney(url, closedAccount)
  await work()
  expect(await takenBack(shop, reference)).toEqual([200_000, 100_000])
  await claimMoney(url, { bankCode: '058', accountNumber: '0123456789' })
  await work()
  expect(await takenBack(shop, reference)).toEqual([200_000, 100_000])
  expect(await shop.payment(reference)).toMatchObject({ amountReturned: 500_000 })
  expect(await shop.naira()).toMatchObject({ available: 0, held: 0 })
  await expectAllProofs(db)
})

test('sellers who must cover refunds keep a refund by claim from being made', async () => {
  const shop = await openShop()
  const { bola, reference } = await sellForTwo(shop)
  await shop.move(bola, { to: 'merchant', amount: 90_000 })
  const key = shop.merchant.test.secret
  const body = { refunds: { subaccountsMustCover: true } }
  expect((await service.ask('PATCH', '/v1/settings', { key, body })).status).toBe(200)
  const before = await shop.payment(reference)
  const { json } = await shop.refund(reference, { by: 'claim' })
  expect(json.reason).toBe('subaccount_not_covered')
  expect(await shop.payment(reference)).toEqual(before)
  expect((await shop.get('/v1/claims')).json.data.items).toEqual([])
  await expectAllProofs(db)
})
