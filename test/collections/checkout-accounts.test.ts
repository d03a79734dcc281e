import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Opened,
  openWithBankAndChain,
  twoWayShopOf,
} from '../support/open-with-bank-and-chain.js'
import { expectAllProofs } from '../support/sound-books.js'
import { openTwoWayNotices } from '../support/two-way-notices.js'

const service = await openWithBankAndChain()
const { db, clock } = service
const { bankNotice, coinNotice, keep } = openTwoWayNotices(service)
let shop: ReturnType<typeof twoWayShopOf>
beforeEach(async () => {
  shop = twoWayShopOf(service, await service.addMerchant('Ada Stores'))
})
afterEach(() => expectAllProofs(db))

/** Final statuses and the session's events. */
async function endOf({ reference, virtualAccount, cryptoWallet }: Opened) {
  return {
    session: await shop.status(reference),
    account: (await shop.account(virtualAccount)).status,
    wallet: (await shop.wallet(cryptoWallet)).status,
    events: await shop.eventTypesOf(reference),
  }
}

const paidByBank = {
  session: 'paid',
  account: 'PAID',
  wallet: 'CANCELLED',
  events: ['checkout.session.paid'],
}
const paidInCoins = {
  session: 'paid',
  account: 'CANCELLED',
  wallet: 'PAID',
  events: ['checkout.session.paid'],
}

describe('a session that can be paid in coins', () => {
  test('is paid when they are final, and its virtual account is cancelled', async () => {
    const opened = await shop.open({ metadata: { order: 7 }, merchantReference: 'order-7' })
    const [account, wallet] = [
      await shop.account(opened.virtualAccount),
      await shop.wallet(opened.cryptoWallet),
    ]
    const { merchantReference, metadata, expiresAt } = account
    expect(wallet).toMatchObject({ merchantReference, metadata, expiresAt, amount: '3.20' })
    await shop.send(opened.address)
    await service.settle()
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

  test('can still be paid by bank, and later coins are held', async () => {
    const opened = await shop.open()
    await shop.pay(opened.number)
    expect(await endOf(opened)).toEqual(paidByBank)
    expect(await shop.eventsOf(opened.cryptoWallet)).toEqual(['crypto_wallet.cancelled'])
    await shop.send(opened.address)
    await service.settle()
    const [late] = await shop.paymentsOf(opened.cryptoWallet)
    expect(late).toMatchObject({ status: 'HELD', variance: 'LATE', amountHeld: '3.2' })
    expect(await endOf(opened)).toEqual(paidByBank)
  })

  test('stays pending after an underpayment in coins, which is held', async () => {
    const opened = await shop.open()
    await shop.send(opened.address, '3.199999')
    await service.settle()
    expect((await endOf(opened)).session).toBe('pending')
    await shop.pay(opened.number)
    expect(await endOf(opened)).toEqual(paidByBank)
    expect(await shop.eventsOf(opened.cryptoWallet)).toEqual([
      'crypto_wallet.underpaid',
      'crypto_wallet.cancelled',
    ])
  })

  test('is paid when an underpayment is accepted, and the other account is cancelled', async () => {
    const opened = await shop.open()
    await shop.send(opened.address, '3')
    await service.settle()
    const [short] = await shop.paymentsOf(opened.cryptoWallet)
    await shop.post(`/v1/collections/payments/${short.reference}/resolve`, { action: 'accept' })
    expect(await endOf(opened)).toEqual(paidInCoins)
    expect(await shop.eventsOf(opened.virtualAccount)).toEqual(['virtual_account.cancelled'])
  })

  test('has no wallet without a price in coins', async () => {
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
    events: ['checkout.session.cancelled'],
  }

  test('cancelled: both accounts are cancelled, with one event', async () => {
    const opened = await shop.open()
    expect((await shop.cancel(opened.reference)).json.data).toMatchObject({ status: 'cancelled' })
    expect((await shop.cancel(opened.reference)).status).toBe(200)
    expect(await endOf(opened)).toEqual(cancelled)
    expect(await shop.eventsOf(opened.virtualAccount)).toEqual(['virtual_account.cancelled'])
    expect(await shop.eventsOf(opened.cryptoWallet)).toEqual(['crypto_wallet.cancelled'])
    await shop.send(opened.address)
    await service.settle()
    expect(await shop.paymentsOf(opened.cryptoWallet)).toMatchObject([{ status: 'HELD' }])
    expect(await endOf(opened)).toEqual(cancelled)
  })

  test.each(['virtualAccount', 'cryptoWallet'] as const)('cancelled by its %s', async (name) => {
    const opened = await shop.open()
    const path = name === 'cryptoWallet' ? 'crypto-wallets' : 'virtual-accounts'
    await shop.post(`/v1/collections/${path}/${opened[name]}/cancel`, {})
    expect(await endOf(opened)).toEqual(cancelled)
  })

  test.each(['account', 'wallet'] as const)(
    'expired: accepting a late payment into its %s pays it once',
    async (paid) => {
      const opened = await shop.open({ expiresAt: shop.soon() })
      clock.advance(61_000)
      await service.work()
      const expired = { session: 'expired', account: 'EXPIRED', wallet: 'EXPIRED' }
      expect(await endOf(opened)).toEqual({ ...expired, events: ['checkout.session.expired'] })
      await keep([bankNotice(opened), coinNotice(opened)])
      const [naira] = await shop.paymentsOf(opened.virtualAccount)
      const [coins] = await shop.paymentsOf(opened.cryptoWallet)
      for (const { reference } of paid === 'account' ? [naira, coins] : [coins, naira])
        await shop.post(`/v1/collections/payments/${reference}/resolve`, { action: 'accept' })
      const events = ['checkout.session.expired', 'checkout.session.paid']
      expect(await endOf(opened)).toEqual({ ...expired, session: 'paid', events, [paid]: 'PAID' })
      expect((await shop.paymentsOf(opened.virtualAccount))[0].status).toBe('ACCEPTED')
      expect((await shop.paymentsOf(opened.cryptoWallet))[0].status).toBe('ACCEPTED')
    },
  )

  // Both notices are late, but both payments were in time: the first one judged pays.
  test('expired: late notices of payments in time pay it', async () => {
    const opened = await shop.open({ expiresAt: shop.soon() })
    const inTime = clock.now()
    clock.advance(61_000)
    await service.work()
    await keep([coinNotice(opened, inTime)])
    await keep([bankNotice(opened, inTime)])
    expect(await endOf(opened)).toMatchObject({
      session: 'paid',
      account: 'EXPIRED',
      wallet: 'PAID',
      events: ['checkout.session.expired', 'checkout.session.paid'],
    })
    expect(await shop.paymentsOf(opened.virtualAccount)).toMatchObject([
      { status: 'HELD', variance: 'LATE' },
    ])
  })
})

describe('a session paid to both accounts', () => {
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

  // A test clock can be ahead of real time. Chains report real time, the sandbox bank test time.
  test('uses the time of the environment, even if it is ahead of the chain', async () => {
    const expiresAt = new Date(clock.now().getTime() + 7_200_000).toISOString()
    const opened = await shop.open({ expiresAt })
    await shop.post('/v1/test/clock/advance', { seconds: 3_600 })
    const world = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000)
    await keep([coinNotice(opened, world(2)), bankNotice(opened, world(3_601))])
    expect(await endOf(opened)).toEqual(paidByBank)
  })
})
