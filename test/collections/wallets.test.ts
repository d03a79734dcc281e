import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { listOpenNotices } from '../../src/collections/find-notices.js'
import { reconcile } from '../../src/reconcile.js'
import { balanceOf, newPayer, signTransfer, unchecked, usdt } from '../rails/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { expectSoundBooks } from '../support/sound-books.js'
import { openWalletHouse, shopOf, type WalletHouse } from '../support/wallet-house.js'

async function openShop() {
  const db = await freshDatabase()
  const house = await openWalletHouse(db)
  return { db, house, shop: shopOf(house, house.merchant) }
}

async function expectAgreement({ db, clock, rail }: WalletHouse): Promise<void> {
  const rails = { solana: { test: rail, live: undefined }, sandboxBank: undefined }
  const [result] = await reconcile({ db, rails }, clock.now())
  expect(result!.differences).toEqual([])
  await expectSoundBooks(db)
}

test('what is sent to a wallet is credited when it is final, told of, and swept', async () => {
  const { house, shop } = await openShop()
  const created = await shop.open({ metadata: { order: 7 } })
  expect(created.status).toBe(201)
  const { reference, address, ...rest } = created.json.data
  expect(rest).toMatchObject({
    ...{ merchantReference: 'order-1', asset: 'USDC', network: 'SOLANA', amount: '25' },
    ...{ status: 'ACTIVE', variance: 'NONE', amountReceived: '0', payments: [] },
    metadata: { order: 7 },
  })

  const sent = await shop.deposit(address, '25')
  expect(sent).toMatchObject({ status: 201, json: { data: { address, amount: '25' } } })
  await house.watch()
  expect(await shop.verify(reference), 'not final yet').toMatchObject({ status: 'ACTIVE' })

  await house.settle()
  const paid = await shop.verify(reference)
  expect(paid).toMatchObject({
    ...{ status: 'PAID', amountReceived: '25', amountAccepted: '25', amountHeld: '0' },
    payments: [{ source: 'crypto_wallet', currency: 'USDC', fee: '0.125', status: 'ACCEPTED' }],
  })
  expect(paid.payments[0].sender.address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
  expect(await shop.eventsOf(reference)).toEqual(['crypto_wallet.paid'])
  expect(await shop.balance()).toMatchObject({ available: '24.875', pending: '0' })
  const { items } = await shop.get('/v1/balance-entries?asset=USDC')
  expect(items.map(({ amount }: { amount: string }) => amount)).toEqual(['-0.125', '25'])

  expect(await house.sweep()).toBe(1)
  expect(await balanceOf(house.chain, house.rail.treasuryAddress)).toBe(25_000_000n)
  expect(await balanceOf(house.chain, address)).toBe(0n)
  await house.settle()
  expect(await house.sweep(), 'there is nothing left').toBe(0)
  expect(await shop.balance()).toMatchObject({ available: '24.875' })
  await expectAgreement(house)
})

test.each([
  [
    'underpaid',
    ['24.999999'],
    { amountHeld: '24.999999', variance: 'UNDERPAID', status: 'ACTIVE' },
  ],
  ['overpaid', ['30'], { amountAccepted: '25', amountHeld: '5', status: 'PAID' }],
  ['duplicate_payment', ['25', '25'], { amountAccepted: '25', amountHeld: '25', status: 'PAID' }],
])('%s: held by default, and the rest is as it should be', async (what, amounts, expected) => {
  const { house, shop } = await openShop()
  const { reference, address } = (await shop.open()).json.data
  for (const amount of amounts) {
    await shop.deposit(address, amount)
    await house.settle()
  }
  expect(await shop.verify(reference)).toMatchObject(expected)
  expect(await shop.eventsOf(reference)).toContain(`crypto_wallet.${what}`)
  const held = (await shop.paymentsOf(reference))[0]
  expect(held.status).toBe('HELD')
  expect(await shop.eventsOf(held.reference)).toEqual(['payment.held'])
  await house.sweep()
  await house.settle()
  await expectAgreement(house)
})

test('late by the time of the chain: after expiry, and after a cancellation', async () => {
  const { house, shop } = await openShop()
  const [expired, cancelled] = await Promise.all([shop.open(), shop.open()])
  const wallets = [expired.json.data, cancelled.json.data]
  await shop.post('/v1/test/clock/advance', { seconds: 3_600 })
  await shop.post(`/v1/collections/crypto-wallets/${wallets[1].reference}/cancel`, {})
  for (const { address } of wallets) await shop.deposit(address, '25')
  await house.settle()
  for (const [index, end] of ['expired', 'cancelled'].entries()) {
    const { reference } = wallets[index]
    expect(await shop.verify(reference)).toMatchObject({ variance: 'LATE', amountHeld: '25' })
    const types = await shop.eventsOf(reference)
    expect(types).toContain('crypto_wallet.late_payment')
    expect(types[0]).toBe(`crypto_wallet.expired`)
    expect([end, types.length]).toEqual([end, 2])
  }
  await expectAgreement(house)
})

test('a dedicated wallet takes any amount of either coin, also after it was swept', async () => {
  const { house, shop } = await openShop()
  const created = await shop.openDedicated('customer-77')
  expect(created.status).toBe(201)
  const { reference, address, assets } = created.json.data
  expect(assets).toEqual(['USDC', 'USDT'])
  for (const [asset, amount] of [
    ['USDC', '5'],
    ['USDT', '7.5'],
    ['USDC', '0.000001'],
  ])
    await shop.deposit(address, amount!, { asset })
  await house.settle()
  expect(await shop.balance('USDC')).toMatchObject({ available: '4.975001' })
  expect(await shop.balance('USDT')).toMatchObject({ available: '7.4625' })
  expect(await house.sweep()).toBe(2)
  // The same amount again, before anybody looks: the balance is what it was when it was read.
  await shop.deposit(address, '5.000001')
  await house.settle()
  await house.settle()
  expect(await shop.paymentsOf(reference)).toHaveLength(4)
  expect(await shop.eventsOf(reference)).toEqual([
    'dedicated_crypto_wallet.created',
    ...Array.from({ length: 4 }, () => 'dedicated_crypto_wallet.credited'),
  ])
  await house.sweep()
  await house.settle()
  await expectAgreement(house)
  const again = await shop.openDedicated('customer-77')
  expect(again).toMatchObject({ status: 422, json: { reason: 'duplicate_reference' } })
})

test('another coin than the wallet is for is kept and shown, not credited and not swept', async () => {
  const { db, house, shop } = await openShop()
  const { reference, address } = (await shop.open()).json.data
  await shop.deposit(address, '25', { asset: 'USDT' })
  await house.settle()
  expect(await shop.verify(reference)).toMatchObject({ status: 'ACTIVE', amountReceived: '0' })
  expect(await shop.balance('USDT')).toMatchObject({ available: '0', pending: '0' })
  const kept = await listOpenNotices(db, 10)
  expect(kept).toMatchObject([
    { state: 'REFUSED', reason: 'another_currency', accountNumber: address, amount: 25_000_000n },
  ])
  expect(await house.sweep()).toBe(0)
  await expectAgreement(house)
})

test('an independent client pays, two wallets in one transaction', async () => {
  const { house, shop } = await openShop()
  const [one, other] = await Promise.all([shop.openDedicated('a'), shop.openDedicated('b')])
  const payer = await newPayer(house.chain)
  for (const { address } of [one.json.data, other.json.data]) {
    const { wire } = await signTransfer(house.chain, { payer, to: address, amount: 3_000_000n })
    await house.chain.call('sendTransaction', wire, unchecked)
  }
  await house.settle()
  expect(await shop.balance()).toMatchObject({ available: '5.97' })
  const [payment] = await shop.paymentsOf(one.json.data.reference)
  expect(payment.sender).toEqual({ address: payer.address })
  await expectAgreement(house)
})

test('copies of a request are given one wallet; other requests others', async () => {
  const { db, shop } = await openShop()
  const key = { 'idempotency-key': 'one' }
  const body = { merchantReference: 'o', asset: 'USDC', network: 'SOLANA', amount: '1' }
  const path = '/v1/collections/crypto-wallets'
  const replies = await Promise.all(Array.from({ length: 20 }, () => shop.post(path, body, key)))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  const others = await Promise.all(Array.from({ length: 20 }, () => shop.post(path, body)))
  expect(new Set(others.map(({ json }) => json.data.address)).size).toBe(20)
  const [count] = await db.rows(sql<{ wallets: bigint }>`select count(*) as wallets from wallets`)
  expect(count!.wallets).toBe(21n)
})

test('a sweep in which one part fails is tried again part by part', async () => {
  const { house, shop } = await openShop()
  const opened = await Promise.all([shop.open(), shop.open(), shop.open()])
  const addresses = opened.map(({ json }) => json.data.address)
  for (const address of addresses) await shop.deposit(address, '25')
  await house.settle()
  // Nobody has seen it when the sweep is signed: an account that is not empty cannot be closed.
  await shop.deposit(addresses[1], '1')
  expect(await house.sweep()).toBe(3)
  expect(house.log.join('')).toContain('a sweep failed')
  expect(await balanceOf(house.chain, house.rail.treasuryAddress)).toBe(0n)
  await house.settle()
  expect(await house.sweep()).toBe(3)
  expect(await balanceOf(house.chain, house.rail.treasuryAddress)).toBe(76_000_000n)
  await house.settle()
  await expectAgreement(house)
})

test('two workers sweep every token account once', async () => {
  const { db, house, shop } = await openShop()
  const opened = await Promise.all(Array.from({ length: 12 }, () => shop.open()))
  for (const { json } of opened) await shop.deposit(json.data.address, '25')
  await house.settle()
  await Promise.all([house.sweep(), house.sweep(), house.sweep()])
  const parts = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from sweep_parts p join sweeps s on s.id = p.sweep_id
    where s.state = 'LANDED' group by p.token_account`)
  expect(parts.map(({ count }) => Number(count))).toEqual(Array.from({ length: 12 }, () => 1))
  await house.settle()
  await expectAgreement(house)
})

test('what a tester sends twice under one key is sent once', async () => {
  const { house, shop } = await openShop()
  const { reference, address } = (await shop.open()).json.data
  const body = { address, asset: 'USDC', amount: '25' }
  const key = { 'idempotency-key': 'deposit' }
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => shop.post('/v1/test/crypto-deposits', body, key)),
  )
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  await house.settle()
  expect((await shop.verify(reference)).payments).toHaveLength(1)
  const strange = await shop.deposit(usdt, '1')
  expect(strange.status).toBe(404)
})
