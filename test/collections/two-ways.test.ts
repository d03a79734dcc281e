import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectSoundBooks } from '../support/sound-books.js'
import { type Opened, openTwoWayHouse, twoWayShopOf } from '../support/two-way-house.js'
import { openTwoWayNotices } from '../support/two-way-notices.js'

const house = await openTwoWayHouse()
const { db, clock } = house
const { bankNotice, coinNotice, keep } = openTwoWayNotices(house)
let shop: ReturnType<typeof twoWayShopOf>
beforeEach(async () => {
  shop = twoWayShopOf(house, await house.hire('Ada Stores'))
})
afterEach(() => expectSoundBooks(db))

/** What became of both, and all that was told of the session. */
async function endOf({ reference, virtualAccount, cryptoWallet }: Opened) {
  return {
    session: await shop.status(reference),
    account: (await shop.account(virtualAccount)).status,
    wallet: (await shop.wallet(cryptoWallet)).status,
    told: await shop.toldOf(reference),
  }
}

const paidByBank = {
  session: 'paid',
  account: 'PAID',
  wallet: 'CANCELLED',
  told: ['checkout.session.paid'],
}
const paidInCoins = {
  session: 'paid',
  account: 'CANCELLED',
  wallet: 'PAID',
  told: ['checkout.session.paid'],
}

describe('a session that can be paid in coins', () => {
  test('is paid when they are final, and its account takes no more', async () => {
    const opened = await shop.open({ metadata: { order: 7 }, merchantReference: 'order-7' })
    const [account, wallet] = [
      await shop.account(opened.virtualAccount),
      await shop.wallet(opened.cryptoWallet),
    ]
    const { merchantReference, metadata, expiresAt } = account
    expect(wallet).toMatchObject({ merchantReference, metadata, expiresAt, amount: '3.20' })
    await shop.send(opened.address)
    await house.settle()
    expect(await endOf(opened)).toEqual(paidInCoins)
    expect(await shop.eventsOf(opened.virtualAccount)).toEqual(['virtual_account.cancelled'])
    expect(await shop.eventsOf(opened.cryptoWallet)).toEqual(['crypto_wallet.paid'])

    await shop.pay(opened.number)
    const [late] = await shop.paymentsOf(opened.virtualAccount)
    expect(late).toMatchObject({ status: 'HELD', variance: 'LATE', amountHeld: 1_250_000 })
    const accepting = { action: 'accept' }
    await shop.post(`/v1/collections/payments/${late.reference}/resolve`, accepting)
    expect(await endOf(opened)).toEqual(paidInCoins)
  })

  test('is paid by bank all the same, and coins that come then are held', async () => {
    const opened = await shop.open()
    await shop.pay(opened.number)
    expect(await endOf(opened)).toEqual(paidByBank)
    expect(await shop.eventsOf(opened.cryptoWallet)).toEqual(['crypto_wallet.cancelled'])
    await shop.send(opened.address)
    await house.settle()
    const [late] = await shop.paymentsOf(opened.cryptoWallet)
    expect(late).toMatchObject({ status: 'HELD', variance: 'LATE', amountHeld: '3.2' })
    expect(await endOf(opened)).toEqual(paidByBank)
  })

  test('waits on after too little, and the coins that came stay held', async () => {
    const opened = await shop.open()
    await shop.send(opened.address, '3.199999')
    await house.settle()
    expect((await endOf(opened)).session).toBe('pending')
    await shop.pay(opened.number)
    expect(await endOf(opened)).toEqual(paidByBank)
    expect(await shop.eventsOf(opened.cryptoWallet)).toEqual([
      'crypto_wallet.underpaid',
      'crypto_wallet.cancelled',
    ])
  })

  test('is paid when too little is accepted, and the other way is closed', async () => {
    const opened = await shop.open()
    await shop.send(opened.address, '3')
    await house.settle()
    const [short] = await shop.paymentsOf(opened.cryptoWallet)
    await shop.post(`/v1/collections/payments/${short.reference}/resolve`, { action: 'accept' })
    expect(await endOf(opened)).toEqual(paidInCoins)
    expect(await shop.eventsOf(opened.virtualAccount)).toEqual(['virtual_account.cancelled'])
  })

  test('without a price in coins is as ever', async () => {
    const { data } = (await shop.create({ crypto: undefined })).json
    expect(data).not.toHaveProperty('crypto')
    expect(data).not.toHaveProperty('cryptoWallet')
  })
})

describe('a session that ends unpaid', () => {
  const cancelled = {
    session: 'cancelled',
    account: 'CANCELLED',
    wallet: 'CANCELLED',
    told: ['checkout.session.cancelled'],
  }

  test('cancelled: both are, and it is told once', async () => {
    const opened = await shop.open()
    expect((await shop.cancel(opened.reference)).json.data).toMatchObject({ status: 'cancelled' })
    expect((await shop.cancel(opened.reference)).status).toBe(200)
    expect(await endOf(opened)).toEqual(cancelled)
    expect(await shop.eventsOf(opened.virtualAccount)).toEqual(['virtual_account.cancelled'])
    expect(await shop.eventsOf(opened.cryptoWallet)).toEqual(['crypto_wallet.cancelled'])
    await shop.send(opened.address)
    await house.settle()
    expect(await shop.paymentsOf(opened.cryptoWallet)).toMatchObject([{ status: 'HELD' }])
    expect(await endOf(opened)).toEqual(cancelled)
  })

  test.each(['virtualAccount', 'cryptoWallet'] as const)('by its %s', async (way) => {
    const opened = await shop.open()
    const path = way === 'cryptoWallet' ? 'crypto-wallets' : 'virtual-accounts'
    await shop.post(`/v1/collections/${path}/${opened[way]}/cancel`, {})
    expect(await endOf(opened)).toEqual(cancelled)
  })

  test.each(['account', 'wallet'] as const)(
    'expired, and a late payment into its %s is accepted: it is paid, once',
    async (way) => {
      const opened = await shop.open({ expiresAt: shop.soon() })
      clock.advance(61_000)
      await house.work()
      const expired = { session: 'expired', account: 'EXPIRED', wallet: 'EXPIRED' }
      expect(await endOf(opened)).toEqual({ ...expired, told: ['checkout.session.expired'] })
      await keep([bankNotice(opened), coinNotice(opened)])
      const [naira] = await shop.paymentsOf(opened.virtualAccount)
      const [coins] = await shop.paymentsOf(opened.cryptoWallet)
      for (const { reference } of way === 'account' ? [naira, coins] : [coins, naira])
        await shop.post(`/v1/collections/payments/${reference}/resolve`, { action: 'accept' })
      const told = ['checkout.session.expired', 'checkout.session.paid']
      expect(await endOf(opened)).toEqual({ ...expired, session: 'paid', told, [way]: 'PAID' })
      expect((await shop.paymentsOf(opened.virtualAccount))[0].status).toBe('ACCEPTED')
      expect((await shop.paymentsOf(opened.cryptoWallet))[0].status).toBe('ACCEPTED')
    },
  )

  // The bank and the chain tell late of what came in time: the first to be told of pays.
  test('expired, and both turn out to have been paid in time', async () => {
    const opened = await shop.open({ expiresAt: shop.soon() })
    const inTime = clock.now()
    clock.advance(61_000)
    await house.work()
    await keep([coinNotice(opened, inTime)])
    await keep([bankNotice(opened, inTime)])
    expect(await endOf(opened)).toMatchObject({
      session: 'paid',
      account: 'EXPIRED',
      wallet: 'PAID',
      told: ['checkout.session.expired', 'checkout.session.paid'],
    })
    expect(await shop.paymentsOf(opened.virtualAccount)).toMatchObject([
      { status: 'HELD', variance: 'LATE' },
    ])
  })
})

describe('paid both ways', () => {
  test.each([
    ['the bank had it first', 0, 1, paidByBank],
    ['the chain had it first', 1, 0, paidInCoins],
  ])('in one batch: %s', async (_name, bankAfter, chainAfter, expected) => {
    const opened = await shop.open()
    const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000)
    await keep([
      coinNotice(opened, at(chainAfter)),
      bankNotice(opened, at(bankAfter)),
      coinNotice(opened, at(chainAfter + 5)),
      bankNotice(opened, at(bankAfter + 5)),
    ])
    expect(await endOf(opened)).toEqual(expected)
    const isBank = expected === paidByBank
    expect(await shop.eventsOf(opened.virtualAccount)).toEqual(
      isBank
        ? ['virtual_account.paid', 'virtual_account.duplicate_payment']
        : ['virtual_account.cancelled', ...Array(2).fill('virtual_account.late_payment')],
    )
    expect(await shop.eventsOf(opened.cryptoWallet)).toEqual(
      isBank
        ? ['crypto_wallet.cancelled', ...Array(2).fill('crypto_wallet.late_payment')]
        : ['crypto_wallet.paid', 'crypto_wallet.duplicate_payment'],
    )
  })

  // A test clock is ahead of the world, in which chains live; banks of test mode live in its time.
  test('by the time of the environment, also where it is ahead of the chain', async () => {
    const expiresAt = new Date(clock.now().getTime() + 7_200_000).toISOString()
    const opened = await shop.open({ expiresAt })
    await shop.post('/v1/test/clock/advance', { seconds: 3_600 })
    const world = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000)
    await keep([coinNotice(opened, world(2)), bankNotice(opened, world(3_601))])
    expect(await endOf(opened)).toEqual(paidByBank)
  })
})
