import { expect, test } from 'vitest'
import { releaseShares } from '../../src/subaccounts/shares/release-shares.js'
import { expectAllProofs } from '../support/sound-books.js'
import { closedAccount, openSplitMarket } from './split-market.js'

const { db, clock, openShop, work } = await openSplitMarket()

test('a payment is split in the transaction that books it', async () => {
  const shop = await openShop()
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  const { reference, fee } = await shop.sell({
    lines: [
      { subaccount: ada, flat: 50_000 },
      { subaccount: bola, percent: '33.33' },
    ],
  })
  const third = Math.floor(500_000 * 0.3333)
  expect(await shop.balanceOf(ada)).toEqual({ available: 50_000, held: 0, pending: 0, owed: 0 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: third })
  expect(await shop.naira()).toMatchObject({ available: 500_000 - fee - 50_000 - third })
  const shown = await shop.payment(reference)
  expect(shown.shares).toMatchObject([
    { subaccount: ada, amount: 50_000, fee: 0, net: 50_000, status: 'POSTED', takenBack: 0 },
    { subaccount: bola, amount: third, fee: 0, net: third, status: 'POSTED', takenBack: 0 },
  ])
  const { json } = await shop.get('/v1/events?type=split.posted')
  expect(json.data.items[0].data).toMatchObject({
    payment: reference,
    amount: 500_000,
    fee,
    feeBearer: 'merchant',
    shares: shown.shares,
    merchant: {
      amount: 450_000 - third,
      fee,
      net: 450_000 - third - fee,
    },
  })
  await expectAllProofs(db)
})

test('the sellers bear the fee in proportion, and the rest goes to the remainder', async () => {
  const shop = await openShop()
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  const { fee } = await shop.sell({
    feeBearer: 'subaccounts',
    lines: [
      { subaccount: ada, percent: '25' },
      { subaccount: bola, remainder: true },
    ],
  })
  const adas = 125_000 - Math.floor(fee / 4)
  expect(await shop.balanceOf(ada)).toMatchObject({ available: adas })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 500_000 - fee - adas })
  expect(await shop.naira()).toMatchObject({ available: 0 })
  await expectAllProofs(db)
})

test('held money is split when it is accepted, as if all had been accepted at once', async () => {
  const shop = await openShop()
  await shop.setPolicy({ overpayment: 'hold' })
  const ada = await shop.addSeller('Ada')
  const account = await shop.open({
    splits: { lines: [{ subaccount: ada, flat: 40_000 }] },
  })
  const dear = await shop.open({
    merchantReference: 'order-2',
    splits: { lines: [{ subaccount: ada, percent: '10' }] },
  })
  const flat = await shop.pay(account.accountNumber, { amount: 700_000 })
  const part = await shop.pay(dear.accountNumber, { amount: 700_000 })
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 40_000 + 50_000 })
  for (const { reference } of [flat, part])
    await shop.resolve(reference, { action: 'accept' }, { 'idempotency-key': reference })
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 40_000 + 70_000 })
  expect((await shop.payment(part.reference)).shares).toMatchObject([
    { amount: 50_000 },
    { amount: 20_000 },
  ])
  await expectAllProofs(db)
})

test('a share that is released later is pending until then', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const { reference } = await shop.sell({
    lines: [{ subaccount: ada, percent: '50', releaseAfterDays: 2 }],
  })
  expect(await shop.balanceOf(ada)).toEqual({
    available: 0,
    held: 0,
    pending: 250_000,
    owed: 0,
  })
  await shop.post('/v1/test/clock/advance', { seconds: 2 * 86_400 - 60 })
  await work()
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, pending: 250_000 })
  await shop.post('/v1/test/clock/advance', { seconds: 60 })
  await work()
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 250_000, pending: 0 })
  const [share] = (await shop.payment(reference)).shares
  expect(share).toMatchObject({ status: 'POSTED', releasedAt: expect.any(String) })
  const { json } = await shop.get('/v1/events?type=split.released')
  expect(json.data.items.map(({ data }: { data: object }) => data)).toEqual([share])
  await expectAllProofs(db)
})

test('refunds take shares back in proportion, and leave nothing after the last one', async () => {
  const shop = await openShop()
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  const { reference, fee } = await shop.sell({
    lines: [
      { subaccount: ada, percent: '33.33' },
      { subaccount: bola, percent: '10', releaseAfterDays: 1 },
    ],
  })
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: fee })
  for (const amount of [100_001, 77, 399_922]) {
    const { status, json } = await shop.refund(reference, { amount })
    expect([status, json.message]).toEqual([201, 'Refund submitted'])
    await expectAllProofs(db)
  }
  await work()
  expect(await shop.balanceOf(ada)).toEqual({ available: 0, held: 0, pending: 0, owed: 0 })
  expect(await shop.balanceOf(bola)).toEqual({ available: 0, held: 0, pending: 0, owed: 0 })
  expect(await shop.naira()).toMatchObject({ available: 0, held: 0 })
  const { shares } = await shop.payment(reference)
  for (const { amount, takenBack } of shares) expect(takenBack).toBe(amount)
  await expectAllProofs(db)
})

test('a seller who has spent the money owes it, and its next credits pay that first', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const lines = [{ subaccount: ada, percent: '50' }]
  const { reference, fee } = await shop.sell({ lines })
  await shop.move(ada, { to: 'merchant', amount: 200_000 })
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: fee })
  expect((await shop.refund(reference)).status).toBe(201)
  expect(await shop.balanceOf(ada)).toEqual({ available: 0, held: 0, pending: 0, owed: 200_000 })
  const { json } = await shop.get('/v1/events?type=subaccount.receivable')
  expect(json.data.items[0].data).toMatchObject({ reference: ada })
  expect(json.data.items[0].data.balances[0]).toMatchObject({ available: 0, owed: 200_000 })
  await expectAllProofs(db)
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: 50_000 })
  await shop.move(ada, { from: 'merchant', amount: 50_000 })
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, owed: 150_000 })
  await shop.sell({ lines }, { merchantReference: 'order-2' })
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 100_000, owed: 0 })
  await expectAllProofs(db)
})

test('a refund that fails gives sellers back what it took, and ends what they owe', async () => {
  const shop = await openShop()
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  const { reference, fee } = await shop.sell({
    lines: [
      { subaccount: ada, percent: '50' },
      { subaccount: bola, percent: '10', releaseAfterDays: 3 },
    ],
  })
  await shop.move(ada, { to: 'merchant', amount: 200_000 })
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: fee })
  const refunded = await shop.refund(reference, { destination: closedAccount })
  expect([refunded.status, refunded.json.message]).toEqual([201, 'Refund submitted'])
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, owed: 200_000 })
  expect(await shop.balanceOf(bola)).toMatchObject({ pending: 0 })
  await work()
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 50_000, owed: 0 })
  expect(await shop.balanceOf(bola)).toMatchObject({ pending: 50_000, owed: 0 })
  for (const { takenBack } of (await shop.payment(reference)).shares) expect(takenBack).toBe(0)
  await expectAllProofs(db)
})

test('the line of a seller who was closed since goes to the merchant', async () => {
  const shop = await openShop()
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  const account = await shop.open({
    splits: {
      lines: [
        { subaccount: ada, percent: '50' },
        { subaccount: bola, percent: '10' },
      ],
    },
  })
  await shop.post(`/v1/subaccounts/${ada}/close`, {})
  const { fee } = await shop.pay(account.accountNumber)
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 50_000 })
  expect(await shop.naira()).toMatchObject({ available: 450_000 - fee })
  await expectAllProofs(db)
})

test('a refund takes nothing from a seller who was closed since', async () => {
  const shop = await openShop()
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  const { reference, fee } = await shop.sell({
    lines: [
      { subaccount: ada, percent: '50' },
      { subaccount: bola, percent: '10' },
    ],
  })
  await shop.post(`/v1/subaccounts/${ada}/close`, {})
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: fee })
  expect((await shop.refund(reference)).status).toBe(201)
  const nothing = { available: 0, held: 0, pending: 0, owed: 0 }
  expect(await shop.balanceOf(ada)).toEqual(nothing)
  expect(await shop.balanceOf(bola)).toEqual(nothing)
  expect(await shop.naira()).toMatchObject({ available: 0, held: 500_000 })
  const { shares } = await shop.payment(reference)
  expect(shares).toMatchObject([{ takenBack: 0 }, { takenBack: 50_000 }])
  await expectAllProofs(db)
})

test('a refund that fails after the release of the share gives back what was pending', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const { reference, fee } = await shop.sell({
    lines: [{ subaccount: ada, percent: '50', releaseAfterDays: 1 }],
  })
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: fee })
  await shop.refund(reference, { destination: closedAccount })
  await shop.post('/v1/test/clock/advance', { seconds: 2 * 86_400 })
  await releaseShares({ db, mode: 'test' }, clock.now())
  const [share] = (await shop.payment(reference)).shares
  expect(share).toMatchObject({ status: 'POSTED', takenBack: 250_000 })
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 0, pending: 0 })
  await work()
  expect(await shop.balanceOf(ada)).toEqual({ available: 250_000, held: 0, pending: 0, owed: 0 })
  await expectAllProofs(db)
})
