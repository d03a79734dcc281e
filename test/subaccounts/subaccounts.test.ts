import { expect, test } from 'vitest'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { moveAll } from '../../src/ledger/move.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { keyLimits } from '../../src/merchants/limits.js'
import { suspendMerchant } from '../../src/merchants/suspension.js'
import { fundingOf, now, transferTo } from '../support/movements.js'
import { openSession, untilBlocked } from '../support/sessions.js'
import { expectAllProofs, expectLowerProofs } from '../support/sound-books.js'
import { openMarket } from './shop.js'

const { db, clock, service, openShop } = await openMarket()

test('a sub-account is created, read, listed and changed', async () => {
  const shop = await openShop()
  const created = await shop.addSeller({
    name: 'Ada Fabrics',
    externalReference: 'seller-17',
    email: 'ada@example.com',
    bankAccount: { bankCode: '058', accountNumber: '0123456789' },
  })
  expect(created).toMatchObject({
    name: 'Ada Fabrics',
    externalReference: 'seller-17',
    email: 'ada@example.com',
    status: 'ACTIVE',
    bankAccount: { bankCode: '058', accountNumber: '0123456789' },
    walletAddress: null,
    closedAt: null,
  })
  expect(created.bankAccount.accountName).not.toBe('')
  expect(created.balances).toEqual([
    { asset: 'NGN', available: 0, held: 0, pending: 0, owed: 0 },
    { asset: 'USDC', available: '0', held: '0', pending: '0', owed: '0' },
    { asset: 'USDT', available: '0', held: '0', pending: '0', owed: '0' },
  ])
  expect(await shop.get(`/v1/subaccounts/${created.reference}`)).toEqual(created)
  // Ids of one millisecond are in any order.
  clock.advance(1)
  const second = await shop.addSeller({ name: 'Bola Shoes' })
  const { items } = await shop.get('/v1/subaccounts')
  expect(items).toEqual([second, created])
  const found = await shop.get('/v1/subaccounts?externalReference=seller-17')
  expect(found.items).toEqual([created])
  const { json } = await shop.patch(`/v1/subaccounts/${created.reference}`, {
    status: 'PAUSED',
    email: null,
    bankAccount: null,
  })
  expect(json.data).toEqual({ ...created, status: 'PAUSED', email: null, bankAccount: null })
  expect((await shop.get('/v1/subaccounts?status=PAUSED')).items).toEqual([json.data])
  const events = await shop.get('/v1/events?type=subaccount.created')
  expect(events.items.map(({ data }: { data: object }) => data)).toEqual([second, created])
})

test('money moves between the merchant and sub-accounts, exact on every statement', async () => {
  const shop = await openShop()
  await shop.fund(1_000_000)
  const ada = await shop.addSeller()
  const bola = await shop.addSeller({ name: 'Bola Shoes' })
  const path = (of: { reference: string }) => `/v1/subaccounts/${of.reference}/transfers`
  const first = await shop.post(path(ada), { from: 'merchant', asset: 'NGN', amount: 600_000 })
  expect(first.status).toBe(201)
  expect(first.json.data).toMatchObject({ from: 'merchant', to: ada.reference, amount: 600_000 })
  await shop.post(path(ada), { to: bola.reference, asset: 'NGN', amount: 250_000 })
  await shop.post(path(bola), { to: 'merchant', asset: 'NGN', amount: 50_000 })
  expect(await shop.balanceOf(ada)).toMatchObject({ available: 350_000 })
  expect(await shop.balanceOf(bola)).toMatchObject({ available: 200_000 })
  expect(await shop.balance()).toMatchObject({ available: 450_000, held: 0, pending: 0 })
  const entries = await shop.get(`/v1/balance-entries?asset=NGN&subaccount=${ada.reference}`)
  expect(
    entries.items.map(({ number, amount, balanceAfter, type }: Record<string, unknown>) => ({
      number,
      amount,
      balanceAfter,
      type,
    })),
  ).toEqual([
    { number: 2, amount: -250_000, balanceAfter: 350_000, type: 'subaccount_transfer_back' },
    { number: 1, amount: 600_000, balanceAfter: 600_000, type: 'subaccount_transfer' },
  ])
  await expectAllProofs(db)
})

test('a transfer that is not covered, or names no other end, moves nothing', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller()
  const path = `/v1/subaccounts/${ada.reference}/transfers`
  const refusals = [
    [{ from: 'merchant', asset: 'NGN', amount: 1 }, 'insufficient_balance'],
    [{ to: 'merchant', asset: 'NGN', amount: 1 }, 'insufficient_balance'],
    [{ asset: 'NGN', amount: 1 }, 'validation_failed'],
    [{ from: 'merchant', to: 'merchant', asset: 'NGN', amount: 1 }, 'validation_failed'],
    [{ from: ada.reference, asset: 'NGN', amount: 1 }, 'validation_failed'],
    [{ from: 'sub_unknown', asset: 'NGN', amount: 1 }, 'not_found'],
    [{ from: 'merchant', asset: 'USDC', amount: 5 }, 'validation_failed'],
    [{ from: 'merchant', asset: 'NGN', amount: '5' }, 'validation_failed'],
  ] as const
  for (const [body, code] of refusals) {
    const { json } = await shop.post(path, body)
    expect([body, json.code]).toEqual([body, code])
  }
  await expectAllProofs(db)
})

test('a closed sub-account gave its money to the merchant, and takes none', async () => {
  const shop = await openShop()
  await shop.fund(100_000)
  const ada = await shop.addSeller()
  const path = `/v1/subaccounts/${ada.reference}`
  await shop.post(`${path}/transfers`, { from: 'merchant', asset: 'NGN', amount: 60_000 })
  const { json } = await shop.post(`${path}/close`)
  expect(json.data).toMatchObject({ status: 'CLOSED' })
  expect(json.data.closedAt).not.toBeNull()
  expect(await shop.balance()).toMatchObject({ available: 100_000 })
  const again = await shop.post(`${path}/transfers`, {
    from: 'merchant',
    asset: 'NGN',
    amount: 1,
  })
  expect(again.json).toMatchObject({ code: 'subaccount_failed', reason: 'invalid_state' })
  const changed = await shop.patch(path, { status: 'ACTIVE' })
  expect(changed.json).toMatchObject({ code: 'subaccount_failed', reason: 'invalid_state' })
  await expectAllProofs(db)
})

test('an external reference belongs to one sub-account', async () => {
  const shop = await openShop()
  await shop.addSeller({ name: 'Ada Fabrics', externalReference: 'seller-17' })
  const { status, json } = await shop.post('/v1/subaccounts', {
    name: 'Bola Shoes',
    externalReference: 'seller-17',
  })
  expect([status, json.reason, json.message]).toEqual([
    409,
    'duplicate_reference',
    'externalReference seller-17 belongs to another sub-account.',
  ])
})

// Both requests find the external reference unused, and then wait before they write.
test.each([
  ['created', 201],
  ['changed', 200],
])('of two sub-accounts that are %s at once, one gets the external reference', async (how, ok) => {
  const shop = await openShop()
  const sellers = [await shop.addSeller(), await shop.addSeller({ name: 'Bola Shoes' })]
  const externalReference = 'seller-17'
  const blocker = await openSession(db)
  await blocker.query('begin')
  await blocker.query('lock table subaccounts in share row exclusive mode')
  const replies = sellers.map(({ name, reference }) =>
    how === 'created'
      ? shop.post('/v1/subaccounts', { name, externalReference })
      : shop.patch(`/v1/subaccounts/${reference}`, { externalReference }),
  )
  await untilBlocked(db, 2)
  await blocker.query('commit')
  const [first, second] = (await Promise.all(replies)).toSorted((a, b) => a.status - b.status)
  expect([first!.status, first!.json.data?.externalReference]).toEqual([ok, externalReference])
  expect([second!.status, second!.json.reason]).toEqual([409, 'duplicate_reference'])
  const { items } = await shop.get(`/v1/subaccounts?externalReference=${externalReference}`)
  expect(items).toEqual([first!.json.data])
})

test('a suspended merchant neither creates nor changes sub-accounts', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller()
  const { merchantId } = shop.merchant.environments.test
  await db.transaction((tx) => suspendMerchant(tx, clock.now(), merchantId))
  const bankAccount = { bankCode: '058', accountNumber: '0123456789' }
  const path = `/v1/subaccounts/${ada.reference}`
  clock.advance(keyLimits.cacheMs)
  for (const { status, json } of [
    await shop.post('/v1/subaccounts', { name: 'Bola Shoes' }),
    await shop.patch(path, { bankAccount }),
  ])
    expect([status, json.reason]).toEqual([403, 'merchant_suspended'])
  expect(await shop.get(path)).toEqual(ada)
})

// Closing moves one balance per asset. If one of them does not fit, none may move: a refusal is an
// answer, and what was written before it would be committed with it.
test('a sub-account that cannot be closed keeps all its money', async () => {
  const shop = await openShop()
  await shop.fund(100_000)
  const ada = await shop.addSeller()
  const path = `/v1/subaccounts/${ada.reference}`
  await shop.post(`${path}/transfers`, { from: 'merchant', asset: 'NGN', amount: 10_000 })
  const environmentId = shop.merchant.environments.test.id
  const id = fromReference(prefixes.subaccount, ada.reference)!
  const coins = { environmentId, asset: 'USDC' } as const
  const naira = { environmentId, asset: 'NGN' } as const
  await db.transaction((tx) =>
    moveAll(tx, now, [
      fundingOf(coins, 5_000_000n),
      transferTo(coins, id, 5_000_000n),
      // The balance of the merchant is then as large as it may be.
      fundingOf(naira, BigInt(Number.MAX_SAFE_INTEGER) - 90_000n),
    ]),
  )
  const { json } = await shop.post(`${path}/close`)
  expect(json).toMatchObject({ code: 'subaccount_failed', reason: 'balance_limit' })
  expect(await shop.get(path)).toMatchObject({ status: 'ACTIVE' })
  expect(await shop.balanceOf(ada, 'NGN')).toMatchObject({ available: 10_000 })
  expect(await shop.balanceOf(ada, 'USDC')).toMatchObject({ available: '5' })
  await expectLowerProofs(db)
})

test('a key that may not pay out does not choose where money goes', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller()
  const { environments } = shop.merchant
  const { key } = await db.transaction((tx) =>
    issueKey(tx, clock.now(), {
      seal: service.seal,
      kind: 'secret',
      environment: environments.test,
      name: 'sellers',
      expiresAt: null,
      allowedAddresses: [],
      permissions: ['subaccounts.see', 'subaccounts.change'],
    }),
  )
  const ask = (method: string, path: string, body: object) =>
    service.ask(method, path, { key: key.reveal(), body })
  const bankAccount = { bankCode: '058', accountNumber: '0123456789' }
  const path = `/v1/subaccounts/${ada.reference}`
  for (const body of [{ bankAccount }, { settlement: { schedule: 'daily' } }]) {
    const created = await ask('POST', '/v1/subaccounts', { name: 'Bola', ...body })
    const changed = await ask('PATCH', path, body)
    for (const { status, json } of [created, changed])
      expect([status, json.reason]).toEqual([403, 'key_permission'])
  }
  expect((await ask('POST', '/v1/subaccounts', { name: 'Bola' })).status).toBe(201)
})
