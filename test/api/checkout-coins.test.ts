import { describe, expect, test } from 'vitest'
import { minute } from '../../src/base/clock.js'
import { insertRate } from '../../src/rates/store-rates.js'
import { openWithBankAndChain, order, twoWayShopOf } from '../support/open-with-bank-and-chain.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain()
const shop = twoWayShopOf(service, service.merchant)
const simulate = (reference: string, body?: object) =>
  service.ask('POST', `/public/checkout/${reference}/simulate`, body ? { body } : {})
const methodOf = (data: { paymentMethods: { code: string }[] }) =>
  data.paymentMethods.find(({ code }) => code === 'crypto')

describe('a session with a price in coins', () => {
  test('has a wallet and shows its address to payers', async () => {
    const { status, json } = await shop.create({ merchantReference: 'order-1' })
    expect(status).toBe(201)
    expect(json.data).toMatchObject({
      amount: 1_250_000,
      currency: 'NGN',
      status: 'pending',
      crypto: { asset: 'USDC', network: 'SOLANA', amount: '3.20' },
      virtualAccount: expect.stringMatching(/^va_/),
      cryptoWallet: expect.stringMatching(/^cw_/),
    })
    const { reference, cryptoWallet } = json.data
    expect(await shop.get(`/v1/checkout/sessions/${reference}`)).toEqual({
      ...json.data,
      serverTime: service.clock.now().toISOString(),
    })
    const wallet = await shop.wallet(cryptoWallet)
    expect(wallet).toMatchObject({ status: 'ACTIVE', merchantReference: 'order-1' })
    const shown = await shop.look(reference)
    expect(shown).toMatchObject({
      crypto: { address: wallet.address, asset: 'USDC', network: 'SOLANA', amount: '3.20' },
      cryptoAmounts: { asset: 'USDC', amount: '3.2', amountReceived: '0', amountAccepted: '0' },
      amountReceived: 0,
      amountAccepted: 0,
      received: [],
    })
    expect(shown).not.toHaveProperty('cryptoWallet')
    expect(shown.paymentMethods.map(({ code }: { code: string }) => code)).toEqual([
      'bank_transfer',
      'card',
      'crypto',
    ])
    expect(methodOf(shown)).toEqual({
      code: 'crypto',
      label: 'USDC',
      enabled: true,
      available: true,
      status: 'available',
    })
  })

  test('is priced at the current rate, until it expires, if it names no price', async () => {
    const { items } = await shop.get('/v1/rates')
    const { buy } = items.find(({ asset }: { asset: string }) => asset === 'USDC')
    const headers = { 'idempotency-key': 'by-rate' }
    const body = { ...order, crypto: { asset: 'USDC', network: 'SOLANA' } }
    const made = await shop.post('/v1/checkout/sessions', body, headers)
    expect(made.status, made.text).toBe(201)
    const { crypto, reference } = made.json.data
    expect(crypto).toMatchObject({ asset: 'USDC', rate: buy })
    // The smallest price in hundredths of a coin that is worth ₦12,500 at this rate.
    expect(crypto.amount).toMatch(/^\d+\.\d\d$/)
    const hundredths = Number(crypto.amount.replace('.', ''))
    expect(hundredths * Number(buy)).toBeGreaterThanOrEqual(order.amount)
    expect((hundredths - 1) * Number(buy)).toBeLessThan(order.amount)

    // The rate moves, the price stays: for readers, for a repeat of the call, and for the chain.
    service.clock.advance(10 * minute)
    expect((await shop.get('/v1/rates')).items[0].buy).not.toBe(buy)
    expect((await shop.get(`/v1/checkout/sessions/${reference}`)).crypto).toEqual(crypto)
    expect((await shop.look(reference)).crypto).toEqual(crypto)
    expect((await shop.post('/v1/checkout/sessions', body, headers)).text).toBe(made.text)
    await shop.send(crypto.address, crypto.amount)
    await service.settle()
    expect(await shop.status(reference)).toBe('paid')
    expect((await shop.create()).json.data.crypto.rate).toBeNull()
  })

  test('is refused in live mode while there is no rate', async () => {
    const body = { ...order, crypto: { asset: 'USDC', network: 'SOLANA' } }
    const create = () =>
      service.ask('POST', '/v1/checkout/sessions', { key: service.merchant.live.secret, body })
    const refused = await create()
    expect(refused.status).toBe(503)
    expect(refused.json).toMatchObject({
      code: 'checkout_session_failed',
      reason: 'rate_unavailable',
    })
    expect(refused.headers.get('retry-after')).toBe('60')
    const rate = { asset: 'USDC', buy: 1_580_000_000n, sell: 1_600_000_000n } as const
    const given = { origin: 'operator', givenBy: 'Ada', expiresAt: null } as const
    await service.db.transaction(async (tx) =>
      insertRate(tx, service.clock.now(), { ...rate, ...given }),
    )
    service.clock.advance(2_000)
    expect((await create()).json).toMatchObject({ reason: 'kyc_missing' })
  })

  test('shows and copies the price itself, however many zeros the merchant wrote', async () => {
    const { json } = await shop.create({ crypto: { ...order.crypto, amount: '1025.5000000' } })
    expect(json.data.crypto.amount).toBe('1025.5000000')
    const { text } = await service.ask('GET', `/checkout/${json.data.reference}`)
    expect(text).toMatch(/coins-only">1,025\.50 USDC/)
    expect(text).toContain('data-copy="1025.50"')
    expect(text).toMatch(
      /href="solana:\w{43,44}\?amount=1025\.5&amp;spl-token=\w{43,44}&amp;label=/,
    )
  })

  test('paid in coins, shows the received and accepted amounts', async () => {
    const { reference, number, address } = await shop.open()
    await shop.pay(number, { amount: 100 })
    await shop.send(address, '4')
    await service.settle()
    const shown = await shop.look(reference)
    expect(shown).toMatchObject({
      status: 'paid',
      successUrl: null,
      amountReceived: 100,
      amountAccepted: 0,
      cryptoAmounts: { amountReceived: '4', amountAccepted: '3.2' },
      received: [
        {
          amount: '4',
          currency: 'USDC',
          amountAccepted: '3.2',
          amountHeld: '0.8',
          variance: 'OVERPAID',
          sentBackTo: null,
        },
        { amount: 100, currency: 'NGN', variance: 'UNDERPAID' },
      ],
    })
    expect(shown).not.toHaveProperty('crypto')
    expect(shown).not.toHaveProperty('bankTransfer')
    expect(methodOf(shown)).toMatchObject({ available: false, status: 'unavailable' })
  })

  test('is listed by its own status, not by its account’s', async () => {
    const other = twoWayShopOf(service, await service.addMerchant('Bola'))
    const [coins, bank, cancelled] = [await other.open(), await other.open(), await other.open()]
    await other.send(coins.address)
    await other.pay(bank.number)
    await service.settle()
    await other.cancel(cancelled.reference)
    const listed = async (status: string) =>
      (await other.get(`/v1/checkout/sessions?status=${status}`)).items.map(
        ({ reference }: { reference: string }) => reference,
      )
    expect((await listed('paid')).sort()).toEqual([coins.reference, bank.reference].sort())
    expect(await listed('cancelled')).toEqual([cancelled.reference])
    expect(await listed('pending')).toEqual([])
    const again = await other.cancel(coins.reference)
    expect([again.status, again.json.code]).toEqual([409, 'checkout_session_failed'])
  })

  test('keeps its wallet after coins are disabled', async () => {
    const other = twoWayShopOf(service, await service.addMerchant('Chidi'))
    const { reference, address } = await other.open()
    await other.patch('/v1/settings', { paymentMethods: { crypto: false } })
    expect(methodOf(await other.look(reference))).toMatchObject({ enabled: true, available: true })
    await other.send(address)
    await service.settle()
    expect(await other.status(reference)).toBe('paid')
    expect(methodOf(await other.look(reference))).toMatchObject({ enabled: false })
  })

  // The wallet then decides everything that the virtual account decides otherwise.
  test('exists without a bank account if the merchant disabled bank transfers', async () => {
    const other = twoWayShopOf(service, await service.addMerchant('Ngozi'))
    await other.patch('/v1/settings', { paymentMethods: { bankTransfer: false } })
    const expiresAt = other.soon()
    const open = async (change: object = {}) => (await other.create(change)).json.data
    const [paid, cancelled, expired] = [await open(), await open(), await open({ expiresAt })]
    expect(paid).toMatchObject({ amount: 1_250_000, crypto: order.crypto, amountReceived: 0 })
    for (const field of ['virtualAccount', 'bankTransfer']) expect(paid).not.toHaveProperty(field)
    const { address } = paid.crypto
    const shown = await other.look(paid.reference)
    expect(shown).toMatchObject({ amount: 1_250_000, status: 'pending', crypto: { address } })
    expect(shown).not.toHaveProperty('bankTransfer')
    expect(shown.paymentMethods).toMatchObject([
      { code: 'bank_transfer', enabled: false, available: false, status: 'unavailable' },
      { code: 'card' },
      { code: 'crypto', enabled: true, available: true, status: 'available' },
    ])
    expect((await other.get('/v1/collections/virtual-accounts')).items).toEqual([])
    const refused = await simulate(paid.reference, { method: 'bank_transfer' })
    expect([refused.status, refused.json.reason]).toEqual([422, 'no_payment_method'])

    expect((await other.cancel(cancelled.reference)).json.data.status).toBe('cancelled')
    expect((await simulate(paid.reference)).json.message).toBe('Stablecoins sent')
    await service.settle()
    const session = await other.get(`/v1/checkout/sessions/${paid.reference}`)
    expect(session).toMatchObject({ status: 'paid', payments: [{ amountAccepted: '3.2' }] })
    expect((await other.cancel(paid.reference)).status).toBe(409)
    await other.post('/v1/test/clock/advance', { seconds: 61 })
    await service.work()
    expect(await other.status(expired.reference)).toBe('expired')
    for (const [one, end] of [
      [paid, 'paid'],
      [cancelled, 'cancelled'],
      [expired, 'expired'],
    ])
      expect(await other.eventTypesOf(one.reference)).toEqual([`checkout.session.${end}`])
    const list = await other.get('/v1/checkout/sessions?status=paid')
    expect(list.items.map((one: { reference: string }) => one.reference)).toEqual([paid.reference])
  })

  test('says why its other account was cancelled', async () => {
    const [paid, cancelled] = [await shop.open(), await shop.open()]
    await shop.send(paid.address)
    await service.settle()
    await shop.cancel(cancelled.reference)
    for (const [reference, cancellationReason] of [
      [paid.virtualAccount, 'session_paid'],
      [cancelled.virtualAccount, 'requested'],
    ]) {
      const account = await shop.account(reference!)
      expect(account).toMatchObject({ status: 'CANCELLED', cancellationReason })
      const { items } = await shop.get(`/v1/events?resource=${reference}`)
      expect(items).toMatchObject([{ type: 'virtual_account.cancelled', data: account }])
    }
    expect(await shop.wallet(cancelled.cryptoWallet)).toMatchObject({
      cancellationReason: 'requested',
    })
    expect(await shop.wallet(paid.cryptoWallet)).toMatchObject({ cancellationReason: null })
  })

  test('is created once with one wallet for concurrent copies of a request', async () => {
    const other = twoWayShopOf(service, await service.addMerchant('Dayo'))
    const headers = { 'idempotency-key': 'checkout-1' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => other.post('/v1/checkout/sessions', order, headers)),
    )
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect((await other.get('/v1/collections/crypto-wallets')).items).toHaveLength(1)
    expect((await other.get('/v1/collections/virtual-accounts')).items).toHaveLength(1)
  })
})

describe('what is refused', () => {
  test.each([
    [{ asset: 'SOL' }, 'crypto.asset'],
    [{ network: 'ETHEREUM' }, 'crypto.network'],
    [{ amount: '0' }, 'crypto.amount'],
    [{ amount: '0.0000001' }, 'crypto.amount'],
    [{ amount: '-1' }, 'crypto.amount'],
    [{ amount: 3.2 }, 'crypto.amount'],
    [{ memo: 'x' }, 'crypto.memo'],
  ])('%j', async (change, field) => {
    const { status, json } = await shop.create({ crypto: { ...order.crypto, ...change } })
    expect([status, json.code, json.details[0].field]).toEqual([400, 'validation_failed', field])
  })

  test('coins that the merchant has not enabled', async () => {
    const other = twoWayShopOf(service, await service.addMerchant('Emeka'))
    await other.patch('/v1/settings', { paymentMethods: { crypto: false } })
    const { status, json } = await other.create()
    expect([status, json.code, json.reason]).toEqual([
      422,
      'checkout_session_failed',
      'no_payment_method',
    ])
    const plain = await other.create({ crypto: undefined })
    expect(plain.status).toBe(201)
    expect(methodOf(plain.json.data)).toBeUndefined()
    expect((await other.get('/v1/collections/crypto-wallets')).items).toEqual([])
  })

  test('coins without a chain, before an account is opened at the bank', async () => {
    const dry = await openWithBankAndChain({ hasWallets: false })
    const other = twoWayShopOf(dry, dry.merchant)
    const { status, json } = await other.create()
    expect([status, json.code, json.reason]).toEqual([
      503,
      'checkout_session_failed',
      'rail_unavailable',
    ])
    expect((await other.get('/v1/collections/virtual-accounts')).items).toEqual([])
  })
})

describe('simulating a payment', () => {
  test('in coins sends one transfer, which counts when it is final', async () => {
    const { reference } = await shop.open()
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { status, json } = await simulate(reference, { method: 'crypto' })
      expect([status, json.message, json.data.status]).toEqual([200, 'Stablecoins sent', 'pending'])
    }
    await service.settle()
    const shown = await shop.look(reference)
    expect([shown.status, shown.received.length]).toEqual(['paid', 1])
  })

  test('is by bank transfer by default', async () => {
    const { reference } = await shop.open()
    const { json } = await simulate(reference)
    expect([json.message, json.data.status]).toEqual(['Paid', 'paid'])
    const { reference: other } = await shop.open()
    expect((await simulate(other, { method: 'bank_transfer' })).json.data.status).toBe('paid')
  })

  test('in coins needs a session that accepts them', async () => {
    const { reference } = (await shop.create({ crypto: undefined })).json.data
    const { status, json } = await simulate(reference, { method: 'crypto' })
    expect([status, json.code, json.reason]).toEqual([
      422,
      'checkout_session_failed',
      'no_payment_method',
    ])
    expect((await simulate(reference, { method: 'cash' })).status).toBe(400)
  })
})

test('the ledger verifies', () => expectAllProofs(service.db))

// The last test of the file: the chain stays down.
test('simulating coins while the chain is down is refused, and nothing is lost', async () => {
  const { reference } = await shop.open()
  await service.chain.kill()
  const { address, asset } = (await shop.look(reference)).crypto
  const body = { address, asset, amount: '1' }
  // The chain may have the deposit, so neither may answer that nothing was done.
  for (const { status, json } of [
    await simulate(reference, { method: 'crypto' }),
    await shop.post('/v1/test/crypto-deposits', body),
  ])
    expect([status, json.code, json.reason]).toEqual([503, 'internal_error', 'outcome_unknown'])
  expect((await simulate(reference)).json.data.status).toBe('paid')
})
