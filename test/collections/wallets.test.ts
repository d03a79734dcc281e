import { beforeEach, expect, test } from 'vitest'
import { listOpenNotices } from '../../src/collections/notices/find-notices.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import { sql } from '../../src/postgres/sql.js'
import { createSeedSigner, makeMnemonic } from '../../src/rails/solana/keys/seed.js'
import { assertSameSeed } from '../../src/wallets/troubled-wallets.js'
import {
  balanceOf,
  newPayer,
  signTransfer,
  tokenAccountOf,
  unchecked,
  usdt,
} from '../simulation/localnet/transfers.js'
import { noRails } from '../support/open-manilla.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithWallets()
const { db, clock, chain, rail } = service

/** A new merchant for each test; earlier deposits are swept first. */
let shop: ReturnType<typeof shopOf>
beforeEach(async () => {
  await service.sweep()
  await service.settle()
  shop = shopOf(service, await service.addMerchant('Ada'))
})

const treasury = () => balanceOf(chain, rail.treasuryAddress)

async function expectAgreement(): Promise<void> {
  const rails = { solana: { test: rail, live: undefined }, rails: noRails }
  const [result] = await reconcile({ db, rails }, clock.now())
  expect(result!.differences).toEqual([])
  await expectAllProofs(db)
}

test('a deposit is credited when final, emits events and is swept', async () => {
  const created = await shop.open({ metadata: { order: 7 } })
  expect(created.status).toBe(201)
  const { reference, address, ...rest } = created.json.data
  expect(rest).toMatchObject({
    merchantReference: 'order-1',
    asset: 'USDC',
    network: 'SOLANA',
    amount: '25',
    status: 'ACTIVE',
    variance: 'NONE',
    amountReceived: '0',
    payments: [],
    metadata: { order: 7 },
  })

  const sent = await shop.deposit(address, '25')
  expect(sent).toMatchObject({ status: 201, json: { data: { address, amount: '25' } } })
  await service.watch()
  expect(await shop.verify(reference), 'not final yet').toMatchObject({ status: 'ACTIVE' })

  await service.settle()
  const paid = await shop.verify(reference)
  expect(paid).toMatchObject({
    status: 'PAID',
    amountReceived: '25',
    amountAccepted: '25',
    amountHeld: '0',
    payments: [{ source: 'crypto_wallet', currency: 'USDC', fee: '0.125', status: 'ACCEPTED' }],
  })
  expect(paid.payments[0].sender.address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
  expect(await shop.eventsOf(reference)).toEqual(['crypto_wallet.paid'])
  expect(await shop.balance()).toMatchObject({ available: '24.875', pending: '0' })
  const { items } = await shop.get('/v1/balance-entries?asset=USDC')
  expect(items.map(({ amount }: { amount: string }) => amount)).toEqual(['-0.125', '25'])

  const before = await treasury()
  expect(await service.sweep()).toBe(1)
  expect((await treasury()) - before).toBe(25_000_000n)
  expect(await balanceOf(chain, address)).toBe(0n)
  await service.settle()
  expect(await service.sweep(), 'nothing remains').toBe(0)
  expect(await shop.balance()).toMatchObject({ available: '24.875' })
  await expectAgreement()
})

test.each([
  [
    'underpaid',
    ['24.999999'],
    { amountHeld: '24.999999', variance: 'UNDERPAID', status: 'ACTIVE' },
  ],
  ['overpaid', ['30'], { amountAccepted: '25', amountHeld: '5', status: 'PAID' }],
  ['duplicate_payment', ['25', '25'], { amountAccepted: '25', amountHeld: '25', status: 'PAID' }],
])('%s: held by default, with the right amounts', async (what, amounts, expected) => {
  const { reference, address } = (await shop.open()).json.data
  for (const amount of amounts) {
    await shop.deposit(address, amount)
    await service.settle()
  }
  expect(await shop.verify(reference)).toMatchObject(expected)
  expect(await shop.eventsOf(reference)).toContain(`crypto_wallet.${what}`)
  const held = (await shop.paymentsOf(reference))[0]
  expect(held.status).toBe('HELD')
  expect(await shop.eventsOf(held.reference)).toEqual(['payment.held'])
  await service.sweep()
  await service.settle()
  await expectAgreement()
})

test.each([
  // The workers' clock is ahead of the chain's, so for the chain it was moved long ago.
  ['expired', () => shop.post('/v1/test/clock/advance', { seconds: 86_400 })],
  [
    'cancelled',
    (reference: string) => shop.post(`/v1/collections/crypto-wallets/${reference}/cancel`, {}),
  ],
])('a deposit to a wallet that is %s is late and held', async (end, endIt) => {
  const { reference, address } = (await shop.open()).json.data
  expect((await endIt(reference)).status).toBe(200)
  await db.rows(sql`update clock_moves set moved_at = to_timestamp(0)`)
  await shop.deposit(address, '25')
  await service.settle()
  expect(await shop.verify(reference)).toMatchObject({
    status: end.toUpperCase(),
    variance: 'LATE',
    amountHeld: '25',
  })
  expect(await shop.eventsOf(reference)).toEqual([
    `crypto_wallet.${end}`,
    'crypto_wallet.late_payment',
  ])
  await expectAgreement()
})

test('a dedicated wallet accepts any amount of either coin, even after a sweep', async () => {
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
  await service.settle()
  expect(await shop.balance('USDC')).toMatchObject({ available: '4.975001' })
  expect(await shop.balance('USDT')).toMatchObject({ available: '7.4625' })
  expect(await service.sweep()).toBe(2)
  // The same amount again before the next poll: the balance equals the last one read.
  await shop.deposit(address, '5.000001')
  await service.settle()
  await service.settle()
  expect(await shop.paymentsOf(reference)).toHaveLength(4)
  expect(await shop.eventsOf(reference)).toEqual([
    'dedicated_crypto_wallet.created',
    ...Array.from({ length: 4 }, () => 'dedicated_crypto_wallet.credited'),
  ])
  await service.sweep()
  await service.settle()
  await expectAgreement()
  const again = await shop.openDedicated('customer-77')
  expect(again).toMatchObject({ status: 409, json: { reason: 'duplicate_reference' } })
})

test('a coin the wallet is not for is shown, but neither credited nor swept', async () => {
  const { reference, address } = (await shop.open()).json.data
  await shop.deposit(address, '25', { asset: 'USDT' })
  await service.settle()
  expect(await shop.verify(reference)).toMatchObject({
    status: 'ACTIVE',
    amountReceived: '0',
    otherDeposits: [{ asset: 'USDT', units: '25000000', reason: 'another_currency' }],
  })
  expect(await shop.balance('USDT')).toMatchObject({ available: '0', pending: '0' })
  const kept = await listOpenNotices(db, 100)
  expect(kept.filter(({ accountNumber }) => accountNumber === address)).toMatchObject([
    { state: 'REFUSED', reason: 'another_currency', amount: 25_000_000n },
  ])
  expect(await service.sweep()).toBe(0)
  await expectAgreement()
})

// Both deposits arrive before the wallet is polled, so one batch refuses one and books the other.
test('events of a wallet equal its verify operation, also when it got other coins', async () => {
  const one = (await shop.open()).json.data
  const dedicated = (await shop.openDedicated('customer-78')).json.data
  await shop.deposit(one.address, '25', { asset: 'USDT' })
  await service.settle()
  await shop.deposit(one.address, '1', { asset: 'USDT' })
  await shop.deposit(one.address, '24')
  await service.settle()
  const lastEvent = async (type: string) => (await shop.get(`/v1/events?type=${type}`)).items[0]
  const wallet = await shop.verify(one.reference)
  expect(wallet.otherDeposits).toHaveLength(2)
  expect((await lastEvent('crypto_wallet.underpaid')).data).toEqual(wallet)
  await shop.post(`/v1/collections/payments/${wallet.payments[0].reference}/resolve`, {
    action: 'accept',
  })
  expect((await lastEvent('crypto_wallet.paid')).data).toEqual(await shop.verify(one.reference))

  const other = (await shop.open()).json.data
  await shop.deposit(other.address, '3', { asset: 'USDT' })
  await service.settle()
  await shop.post(`/v1/collections/crypto-wallets/${other.reference}/cancel`, {})
  expect((await lastEvent('crypto_wallet.cancelled')).data).toEqual(
    await shop.verify(other.reference),
  )
  await shop.deposit(dedicated.address, '2')
  await service.settle()
  const { payment, ...credited } = (await lastEvent('dedicated_crypto_wallet.credited')).data
  expect(payment.amount).toBe('2')
  expect(credited).toEqual(
    await shop.get(`/v1/collections/dedicated-crypto-wallets/${dedicated.reference}`),
  )
})

test('an independent client pays and is shown as the sender', async () => {
  const [one, other] = await Promise.all([shop.openDedicated('a'), shop.openDedicated('b')])
  const payer = await newPayer(chain)
  for (const { address } of [one.json.data, other.json.data]) {
    const { wire } = await signTransfer(chain, { payer, to: address, amount: 3_000_000n })
    await chain.call('sendTransaction', wire, unchecked)
  }
  await service.settle()
  expect(await shop.balance()).toMatchObject({ available: '5.97' })
  const [payment] = await shop.paymentsOf(one.json.data.reference)
  expect(payment.sender).toEqual({ address: payer.address })
  await expectAgreement()
})

test('repeated requests get one wallet; different requests get different ones', async () => {
  const key = { 'idempotency-key': 'one' }
  const body = { merchantReference: 'copied', asset: 'USDC', network: 'SOLANA', amount: '1' }
  const path = '/v1/collections/crypto-wallets'
  const replies = await Promise.all(Array.from({ length: 20 }, () => shop.post(path, body, key)))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  const others = await Promise.all(Array.from({ length: 20 }, () => shop.post(path, body)))
  expect(new Set(others.map(({ json }) => json.data.address)).size).toBe(20)
  const [count] = await db.rows(sql<{ accounts: bigint }>`
    select count(*) as accounts from collection_accounts where merchant_reference = 'copied'`)
  expect(count!.accounts).toBe(21n)
})

test('a sweep with a failing part is retried part by part', async () => {
  const opened = await Promise.all([shop.open(), shop.open(), shop.open()])
  const addresses = opened.map(({ json }) => json.data.address)
  for (const address of addresses) await shop.deposit(address, '25')
  await service.settle()
  // Unseen when the sweep is signed: an account that is not empty cannot be closed.
  await shop.deposit(addresses[1], '1')
  const before = await treasury()
  expect(await service.sweep()).toBe(3)
  expect(service.log.join('')).toContain('a sweep failed')
  expect(await treasury()).toBe(before)
  await service.settle()
  expect(await service.sweep()).toBe(3)
  expect((await treasury()) - before).toBe(76_000_000n)
  await service.settle()
  await expectAgreement()
})

test('two workers sweep every token account once', async () => {
  const opened = await Promise.all(Array.from({ length: 12 }, () => shop.open()))
  const addresses = opened.map(({ json }) => json.data.address)
  for (const address of addresses) await shop.deposit(address, '25')
  await service.settle()
  await Promise.all([service.sweep(), service.sweep(), service.sweep()])
  const parts = await db.rows(sql<{ count: bigint }>`
    select count(*) as count from sweep_parts p join sweeps s on s.id = p.sweep_id
    join token_accounts t on t.address = p.token_account
    where s.state = 'LANDED' and t.wallet = any(${addresses}) group by p.token_account`)
  expect(parts.map(({ count }) => Number(count))).toEqual(Array.from({ length: 12 }, () => 1))
  await service.settle()
  await expectAgreement()
})

test('a simulated deposit with a repeated key is sent once', async () => {
  const { reference, address } = (await shop.open()).json.data
  const body = { address, asset: 'USDC', amount: '25' }
  const key = { 'idempotency-key': 'deposit' }
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => shop.post('/v1/test/crypto-deposits', body, key)),
  )
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  await service.settle()
  expect((await shop.verify(reference)).payments).toHaveLength(1)
  const strange = await shop.deposit(usdt, '1')
  expect(strange.status).toBe(404)
})

test('a seed that derives other wallets is refused', async () => {
  await shop.open()
  await assertSameSeed(db, service.wallets)
  const other = await service.openRail(createSeedSigner(makeMnemonic()))
  await expect(assertSameSeed(db, other.wallets!)).rejects.toThrow(/^The seed is not the one/)
})

// The deposit was in a block before the clock moved, but final only afterwards.
test('a deposit in time is not late because the clock moved before it was final', async () => {
  // A clock of its own: by now, the file's is too far ahead of the block times to believe them.
  const service = await openWithWallets()
  const { clock } = service
  const shop = shopOf(service, await service.addMerchant('Ada'))
  const { reference, address } = (await shop.open()).json.data
  await shop.deposit(address, '25')
  clock.advance(5_000)
  await shop.post('/v1/test/clock/advance', { seconds: 86_400 })
  await shop.post('/v1/test/clock/advance', { seconds: 86_400 })
  await service.settle()
  expect(await shop.verify(reference)).toMatchObject({ status: 'PAID', variance: 'NONE' })
  const late = (await shop.open()).json.data
  clock.advance(1_000)
  await shop.post('/v1/test/clock/advance', { seconds: 86_400 })
  await service.settle()
  expect((await shop.verify(late.reference)).status).toBe('EXPIRED')
})

test('an amount is shown as written, and one that cannot be paid is refused', async () => {
  const written = await shop.open({ amount: '0025.500' })
  expect(written.json.data).toMatchObject({ amount: '0025.500', amountReceived: '0' })
  await shop.deposit(written.json.data.address, '25.5')
  await service.settle()
  expect(await shop.verify(written.json.data.reference)).toMatchObject({
    status: 'PAID',
    amount: '0025.500',
    amountReceived: '25.5',
  })
  expect((await shop.open({ amount: '9007199254.740991' })).status).toBe(201)
  const beyond = await shop.open({ amount: '9007199254.740992' })
  expect([beyond.status, beyond.json.details[0].field]).toEqual([400, 'amount'])
})

// Otherwise the coins would come in again as a payment to the wallet's merchant.
test('a payout to a deposit wallet of any merchant is refused', async () => {
  const other = shopOf(service, await service.addMerchant('Bola'))
  await shop.post('/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
  const { address } = (await other.open()).json.data
  const tokenAccount: string = await tokenAccountOf(address)
  const own = (await shop.open()).json.data.address
  for (const destinationAddress of [address, own, tokenAccount]) {
    const body = { amount: '5', asset: 'USDC', network: 'SOLANA', destinationAddress }
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const refused = await shop.post('/v1/disbursements/crypto', body, headers)
    expect([refused.status, refused.json.reason]).toEqual([422, 'destination_is_ours'])
  }
  expect(await shop.balance()).toMatchObject({ available: '100' })

  const person = await addPerson(service, { role: 'owner' })
  const body = { payTo: 'wallet', asset: 'USDC', walletAddress: address }
  const chosen = await person.ask('PATCH', '/v1/settings/settlement-destination', {
    mode: 'test',
    body,
  })
  expect([chosen.status, chosen.json.details]).toMatchObject([400, [{ field: 'walletAddress' }]])
})

test('a requery polls a wallet at once, however long it has been idle', async () => {
  const { reference, address } = (await shop.open()).json.data
  await shop.deposit(address, '25')
  await chain.advance(33)
  await db.rows(sql`
    update token_accounts set due_at = ${new Date(8e12)}, busy_until = to_timestamp(0)
    where wallet = ${address}`)
  await service.watch()
  expect(await shop.verify(reference)).toMatchObject({ amountReceived: '0' })
  const path = `/v1/collections/crypto-wallets/${reference}/requery`
  expect((await shop.post(path, {})).status).toBe(200)
  await service.watch()
  expect(await shop.verify(reference)).toMatchObject({ amountReceived: '25' })
})
