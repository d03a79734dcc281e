import { base58 } from '@scure/base'
import { getFreezeAccountInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import { sql } from '../../src/postgres/sql.js'
import { magicWallets } from '../../src/simulation/magic-wallets.js'
import { claimMoney, enter } from '../payouts/claims/recipient.js'
import { land, openFaucet } from '../rails/solana/rail.js'
import { newWallet, tokenAccountOf, usdc } from '../simulation/localnet/transfers.js'
import { noRails } from '../support/open-manilla.js'
import { type CoinDesk, openCoinDesk, openWithChain } from '../support/open-with-chain.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithChain()
let desk: CoinDesk
let wallet: string
beforeEach(async () => {
  desk = await openCoinDesk(service)
  await desk.fund('100')
  await desk.fund('100', 'USDT')
  await service.pass(5)
  wallet = await newWallet()
})
afterEach(() => expectAllProofs(service.db))

const returning = 'payment.returning'
const [failing] = magicWallets.map(({ address }) => address)
const to = (address: string) => ({ destination: { address } })
const back = (address: string) => ({ action: 'return', ...to(address) })
const idOf = (reference: string) => fromReference(prefixes.paymentReturn, reference)
const typesOf = async (reference: string) => (await desk.events(reference)).map(({ type }) => type)

test.each(['USDC', 'USDT'] as const)(
  'held %s goes back once, and is seen by all',
  async (asset) => {
    const sender = await newWallet()
    const reference = await desk.deposit({ asset, held: '25.5', sender })
    expect(await desk.payment(reference)).toMatchObject({
      source: 'crypto_wallet',
      currency: asset,
      amountHeld: '25.5',
      sender: { address: sender },
    })
    const { status, json } = await desk.resolve(reference, back(wallet))
    expect([status, json.data]).toMatchObject([
      200,
      { status: 'RETURNING', amountHeld: '0', amountReturning: '25.5' },
    ])
    expect(await desk.returnsOf(reference)).toMatchObject([
      { kind: 'return', status: 'SENT', amount: '25.5', currency: asset, ...to(wallet) },
    ])
    expect(await desk.sums(asset)).toEqual(['100', '0', '0'])
    await expectAllProofs(service.db)
    await service.pass(6)

    const shown = await desk.payment(reference)
    expect(shown).toMatchObject({
      status: 'RETURNED',
      amountReturned: '25.5',
      amountReturning: '0',
    })
    const [one, ...others] = await desk.returnsOf(reference)
    expect([one, others]).toMatchObject([{ status: 'RETURNED', ...to(wallet) }, []])
    expect(await service.readWallet(wallet, asset)).toEqual({
      landings: [{ err: null, memo: expect.stringContaining(one.reference) }],
      balance: '25.5',
    })
    const [{ signature } = { signature: '' }] = await service.db.rows(sql<{ signature: string }>`
      select token as signature from payout_attempts where payout_id = ${idOf(one.reference)}`)
    expect(await desk.search(signature)).toMatchObject([
      { kind: 'return', reference: one.reference, status: 'RETURNED' },
    ])
    const events = await desk.events(reference)
    expect(events.map(({ type }) => type)).toEqual([returning, 'payment.returned'])
    expect(events.at(-1)!.data).toEqual(shown)
    expect(await desk.sums(asset)).toEqual(['100', '0', '0'])
    const rails = { solana: { test: service.rail, live: undefined }, rails: noRails }
    const [chain] = await reconcile({ db: service.db, rails }, service.clock.now())
    expect(chain!.differences).toEqual([])
  },
)

test('of many concurrent returns of the same coins, one succeeds', async () => {
  const reference = await desk.deposit({ held: '5' })
  const wallets = await Promise.all(Array.from({ length: 8 }, newWallet))
  const replies = await Promise.all(wallets.map((one) => desk.resolve(reference, back(one))))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
  await service.pass(6)
  const seen = await Promise.all(wallets.map((one) => service.readWallet(one)))
  expect(seen.flatMap(({ landings }) => landings)).toHaveLength(1)
  expect(await desk.payment(reference)).toMatchObject({ status: 'RETURNED' })
})

test('copies of a refund are one transaction', async () => {
  const reference = await desk.deposit({ accepted: '20' })
  const key = { 'idempotency-key': 'refund-1' }
  const ask = () => desk.refund(reference, { amount: '7.250', ...to(wallet) }, key)
  const replies = await Promise.all(Array.from({ length: 6 }, ask))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies[0]!.status).toBe(201)
  expect(await desk.sums()).toEqual(['112.75', '7.25', '0'])
  await expectAllProofs(service.db)
  await service.pass(6)
  expect((await ask()).text).toBe(replies[0]!.text)
  expect(await desk.payment(reference)).toMatchObject({
    status: 'ACCEPTED',
    amountAccepted: '12.75',
    amountReturned: '7.25',
  })
  expect(await typesOf(reference)).toEqual([returning, 'payment.refunded'])
  const seen = await service.readWallet(wallet)
  expect([seen.landings.length, seen.balance]).toEqual([1, '7.25'])
  expect(await desk.returnsOf(reference)).toMatchObject([{ kind: 'refund', amount: '7.25' }])
})

test('a refund is limited by the accepted and the available amount', async () => {
  const reference = await desk.deposit({ accepted: '150' })
  const tooMuch = await desk.refund(reference, { amount: '150.000001', ...to(wallet) })
  expect([tooMuch.status, tooMuch.json.reason]).toEqual([422, 'amount_too_large'])
  expect(tooMuch.json.message).toContain('150 USDC')
  expect(tooMuch.json.message).toContain('150.000001 USDC')
  await desk.fund('1000')
  await service.pass(1)
  const spend = {
    amount: '1150',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress: wallet,
  }
  const spent = await desk.post('/v1/disbursements/crypto', spend, { 'idempotency-key': 'spend' })
  expect(spent.status).toBe(201)
  const { status, json } = await desk.refund(reference, to(wallet))
  expect([status, json.code]).toEqual([402, 'insufficient_balance'])
  expect(await desk.returnsOf(reference)).toEqual([])
  const part = await desk.refund(reference, { amount: '90', ...to(await newWallet()) })
  expect([part.status, part.json.data.amountReturning]).toEqual([201, '90'])
  await service.pass(6)
})

test.each(['resolve', 'refund'] as const)('without a wallet, %s says why not', async (verb) => {
  const sender = await newWallet()
  const reference = await desk.deposit({ held: '5', accepted: '5', sender })
  const key = { 'idempotency-key': 'nowhere' }
  const ask = () => desk[verb](reference, verb === 'resolve' ? { action: 'return' } : {}, key)
  const first = await ask()
  expect([first.status, first.json.code, first.json.reason]).toEqual([
    422,
    'payment_action_failed',
    'no_destination',
  ])
  expect(first.json.message).toContain('exchange')
  expect((await ask()).headers.get('idempotent-replayed')).toBe('true')
  expect(await desk.payment(reference)).toMatchObject({ amountHeld: '5', amountAccepted: '5' })
})

describe('impossible destinations', () => {
  async function expectRefused(reference: string, address: string, expected: unknown[]) {
    const before = await desk.sums()
    for (const reply of [
      await desk.resolve(reference, back(address)),
      await desk.refund(reference, to(address)),
    ])
      expect([reply.status, reply.json.code, reply.json.reason, address]).toEqual([
        ...expected,
        address,
      ])
    expect(await desk.sums()).toEqual(before)
    expect(await desk.returnsOf(reference)).toEqual([])
    expect(await typesOf(reference)).toEqual([])
  }

  test('an address that is no wallet is refused with its kind', async () => {
    const reference = await desk.deposit({ held: '5', accepted: '5' })
    const owner = await newWallet()
    const refused: [string, string][] = [
      [usdc, 'destination_is_mint'],
      [TOKEN_PROGRAM_ADDRESS, 'destination_is_program'],
      [await tokenAccountOf(owner), 'destination_not_a_wallet'],
      [service.rail.treasuryAddress, 'destination_is_ours'],
    ]
    for (const [address, reason] of refused)
      await expectRefused(reference, address, [422, 'payment_action_failed', reason])
  })

  test('a frozen account is refused; if it freezes later, the coins are held', async () => {
    const reference = await desk.deposit({ held: '5', accepted: '5' })
    await desk.refund(reference, { amount: '1', ...to(wallet) })
    await service.pass(6)
    const later = await desk.deposit({ held: '3' })
    // The process dies before it sends the coins.
    const { send } = service.rail
    service.rail.send = async () => {}
    expect((await desk.resolve(later, back(wallet))).status).toBe(200)
    service.rail.send = send
    const faucet = await openFaucet(service.chain)
    const account = await tokenAccountOf(wallet)
    const freeze = getFreezeAccountInstruction({ account, mint: usdc, owner: faucet })
    await land(service.chain, faucet, [freeze])
    await service.pass(6)
    service.clock.advance(60_000)
    expect(await desk.payment(later)).toMatchObject({ status: 'HELD', amountHeld: '3' })
    expect(await typesOf(later)).toEqual([returning, 'payment.held'])
    expect(await desk.returnsOf(later)).toMatchObject([{ status: 'FAILED' }])
    const { status, json } = await desk.resolve(reference, back(wallet))
    expect([status, json.reason]).toEqual([422, 'destination_frozen'])
    expect((await service.readWallet(wallet)).balance).toBe('1')
  })

  test('a refund beyond the balance of the treasury is refused, and nothing is committed', async () => {
    const reference = await desk.deposit({ held: '1000000', accepted: '1000000' })
    await expectRefused(reference, wallet, [503, 'payment_action_failed', 'treasury_short'])
  })

  test('coins of another chain cannot be returned on this one', async () => {
    const reference = await desk.deposit({ held: '5', accepted: '5', rail: 'solana:elsewhere' })
    await expectRefused(reference, wallet, [503, 'payment_action_failed', 'rail_unavailable'])
  })

  test('an invalid or bank destination is named in the refusal', async () => {
    const reference = await desk.deposit({ held: '5', accepted: '5' })
    const bank = { bankCode: '058', accountNumber: '0123456789' }
    const bodies: [object, string][] = [
      [{ address: 'nonsense' }, 'destination.address'],
      [{ address: base58.encode(Buffer.alloc(31, 7)) }, 'destination.address'],
      [{ address: 5 }, 'destination.address'],
      [bank, 'destination.bankCode'],
      [{ bankCode: '058' }, 'destination.accountNumber'],
      [{ address: wallet, memo: 'x' }, 'destination.memo'],
    ]
    const key = { 'idempotency-key': 'mistyped' }
    for (const [destination, field] of bodies)
      for (const { status, json } of [
        await desk.resolve(reference, { action: 'return', destination }, key),
        await desk.refund(reference, { destination }, key),
      ])
        expect([status, json.code, json.details]).toMatchObject([
          400,
          'validation_failed',
          [{ field }],
        ])
    // A validation error does not use up the key.
    expect((await desk.refund(reference, to(wallet), key)).status).toBe(201)
    await service.pass(6)
  })
})

test.each([5, 5.5, '5,5', '0', '1.0000001', true, ''])(
  'an amount of %j is named',
  async (amount) => {
    const reference = await desk.deposit({ accepted: '5' })
    const { status, json } = await desk.refund(reference, { amount, ...to(wallet) })
    expect([status, json.code, json.details]).toMatchObject([
      400,
      'validation_failed',
      [{ field: 'amount' }],
    ])
  },
)

describe('a failed return of coins', () => {
  test('holds the coins again, and they can be sent elsewhere', async () => {
    const reference = await desk.deposit({ held: '25.5' })
    await desk.resolve(reference, back(failing!))
    await service.pass(6)
    expect(await desk.payment(reference)).toMatchObject({ status: 'HELD', amountHeld: '25.5' })
    expect(await desk.returnsOf(reference)).toMatchObject([
      { status: 'FAILED', failureReason: expect.any(String), ...to(failing!) },
    ])
    expect(await desk.sums()).toEqual(['100', '0', '25.5'])
    await desk.resolve(reference, back(wallet))
    await service.pass(6)
    expect(await typesOf(reference)).toEqual([
      returning,
      'payment.held',
      returning,
      'payment.returned',
    ])
    expect((await service.readWallet(wallet)).balance).toBe('25.5')
  })

  test('accepts them again if they were refunded (test outcome)', async () => {
    const reference = await desk.deposit({ accepted: '25.5' })
    await desk.refund(reference, to(failing!))
    const [one] = await desk.returnsOf(reference)
    const settle = (outcome: string) =>
      desk.post(`/v1/test/disbursements/${one.reference}/settle`, { outcome })
    expect((await settle('complete')).json.details).toMatchObject([{ field: 'outcome' }])
    await service.pass(6)
    expect(await desk.payment(reference)).toMatchObject({ amountAccepted: '25.5' })
    expect(await typesOf(reference)).toEqual([returning, 'payment.refund_failed'])
    expect((await settle('land')).status).toBe(409)
  })

  test('or arrives after all (test outcome)', async () => {
    const reference = await desk.deposit({ accepted: '25.5' })
    const never = magicWallets[1]!.address
    const before = await service.readWallet(never)
    await desk.refund(reference, to(never))
    const [one] = await desk.returnsOf(reference)
    const path = `/v1/test/disbursements/${one.reference}/settle`
    const { status, json } = await desk.post(path, { outcome: 'land' })
    expect([status, json.data]).toMatchObject([
      200,
      { reference: one.reference, asset: 'USDC', amount: '25.5', destinationAddress: never },
    ])
    await service.pass(6)
    expect(await typesOf(reference)).toEqual([returning, 'payment.refunded'])
    const { landings } = await service.readWallet(never)
    expect(landings).toHaveLength(before.landings.length + 1)
  })
})

test('coins go back by claim to the wallet that the payer enters', async () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })
  const held = await desk.deposit({ held: '25.5' })
  const body = { action: 'return', by: 'claim' }
  const { status, json, text } = await desk.resolve(held, body, key())
  expect([status, json.data?.claim], text).toMatchObject([
    200,
    { asset: 'USDC', amount: '25.5', feeMax: '0', payment: held },
  ])
  expect(await desk.sums()).toEqual(['100', '0', '0'])
  await expectAllProofs(service.db)
  const { url } = json.data.claim
  expect((await enter(url, { bankCode: '058', accountNumber: '0123456789' })).status).toBe(422)
  // The transfer to the first wallet fails, so the claim opens again.
  await claimMoney(url, { address: failing! })
  await expectAllProofs(service.db)
  await service.pass(10)
  expect(await desk.payment(held)).toMatchObject({ amountReturning: '25.5' })
  await claimMoney(url, { address: wallet })
  await service.pass(6)
  expect(await desk.payment(held)).toMatchObject({ status: 'RETURNED', amountReturned: '25.5' })
  expect(await service.readWallet(wallet, 'USDC')).toMatchObject({ balance: '25.5' })
  // Also the account that the wallet needed for the coin is free.
  expect(await desk.sums()).toEqual(['100', '0', '0'])
  expect(await typesOf(held)).toEqual([returning, 'payment.returned'])
  const rails = { solana: { test: service.rail, live: undefined }, rails: noRails }
  const [chain] = await reconcile({ db: service.db, rails }, service.clock.now())
  expect(chain!.differences).toEqual([])
})
