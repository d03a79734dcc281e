import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { createOpenPayoutTotals } from '../../src/payouts/reconciliation/treasury-books.js'
import { createKeySigner } from '../../src/rails/solana/keys/signer.js'
import { createSolanaRail } from '../../src/rails/solana/rail.js'
import { createCoinMint, giveLamports } from '../../src/simulation/embedded-chain.js'
import { magicRules, magicWallets } from '../../src/simulation/magic-wallets.js'
import { SimulatedChain } from '../../src/simulation/simulated-chain.js'
import { mintBackings } from '../../src/simulation/test-funding.js'
import { openChain, setFaults } from '../simulation/localnet/localnet.js'
import { balanceOf, newWallet, statusOf } from '../simulation/localnet/transfers.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { type Merchant, openManilla } from '../support/open-manilla.js'
import { readPayoutRows } from '../support/payout-rows.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const db = await freshDatabase()
const clock = manualClock()
const logger = createLogger('silent')
const chain = await openChain({ rules: magicRules() })
const signer = createKeySigner(new Secret(newKey()))
await giveLamports(chain.url, signer.address)
await chain.advance(40)
const rail = await createSolanaRail({
  nodeUrls: [chain.url],
  signer,
  clock,
  logger,
  isEmbedded: true,
  network: 'not-mainnet',
  findOurAddresses: async () => new Set<string>(),
  openPayouts: createOpenPayoutTotals(db, 'test'),
})
const mint = createCoinMint(chain.url, rail)
const service = await openManilla({
  beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
  rails: new Rails({ test: { chain: rail } }),
  simulatedRails: [new SimulatedChain(chain.url, rail)],
  mint,
})
const { ask } = service

const path = '/v1/disbursements/crypto'
const [, neverLands, landsLate] = magicWallets.map(({ address }) => address)

let merchant: Merchant
let count = 0
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  const body = { asset: 'USDC', amount: '100' }
  await ask('POST', '/v1/test/balances/fund', { key: merchant.test.secret, body })
  await mintBackings({ db, mint })
  await pass(5)
})

function newKey(): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const address = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return JSON.stringify([...seed, ...address])
}

async function pay(destinationAddress: string): Promise<string> {
  const headers = { 'idempotency-key': `crypto ${count++}` }
  const body = { amount: '25.50', asset: 'USDC', network: 'SOLANA', destinationAddress }
  const { json } = await ask('POST', path, { key: merchant.test.secret, headers, body })
  return json.data.reference
}

function settle(reference: string, outcome: unknown, key?: string) {
  const headers: Record<string, string> = key ? { 'idempotency-key': key } : {}
  const where = `/v1/test/disbursements/${reference}/settle`
  return ask('POST', where, { key: merchant.test.secret, headers, body: { outcome } })
}

const get = (where: string) => ask('GET', where, { key: merchant.test.secret })
const shown = async (reference: string) => (await get(`${path}/${reference}`)).json.data
const statesOf = (transfer: { attempts: { state: string }[] }) =>
  transfer.attempts.map(({ state }) => state)

async function available(): Promise<string> {
  const { json } = await get('/v1/balances')
  return json.data.items.find((item: { asset: string }) => item.asset === 'USDC').available
}

/** Advances chain and clock and runs the worker. */
async function pass(seconds: number) {
  for (let passed = 0; passed < seconds; passed += 1) {
    clock.advance(1_000)
    await chain.advance(10)
    await pollPayouts({ db, rail, logger, clock }, clock.now())
  }
}

describe('a test outcome decides', () => {
  test.each([
    ['land', neverLands!, 'CONFIRMED'],
    ['fail', neverLands!, 'FAILED'],
    ['land', landsLate!, 'CONFIRMED'],
    ['fail', landsLate!, 'FAILED'],
  ])('%s, to %s', async (outcome, wallet, end) => {
    const funds = await available()
    const held = await balanceOf(chain, wallet)
    const reference = await pay(wallet)
    const spent = await available()
    const before = await shown(reference)
    const rows = await readPayoutRows(db)
    const reply = await settle(reference, outcome)
    expect([reply.status, reply.json.data]).toEqual([200, before])
    expect(await readPayoutRows(db)).toBe(rows)
    await pass(6)
    expect((await shown(reference)).status).toBe(end)
    const hasLanded = end === 'CONFIRMED'
    expect(await balanceOf(chain, wallet)).toBe(held + (hasLanded ? 25_500_000n : 0n))
    expect(await available()).toBe(hasLanded ? spent : funds)
    await pass(12) // what was delayed and has been overtaken must not land on top of it
    expect(await balanceOf(chain, wallet)).toBe(held + (hasLanded ? 25_500_000n : 0n))
    await expectAllProofs(db)
  })

  // A transaction waiting in the chain must be dropped, too, or it would still land.
  test('expire: the hold is released when the last attempt can no longer land', async () => {
    const held = await balanceOf(chain, landsLate!)
    const reference = await pay(landsLate!)
    const before = await shown(reference)
    const rows = await readPayoutRows(db)
    const reply = await settle(reference, 'expire')
    expect([reply.status, reply.json.data]).toEqual([200, before])
    expect(await readPayoutRows(db)).toBe(rows)
    await pass(130)
    const failed = await shown(reference)
    expect(failed).toMatchObject({ status: 'FAILED', failureReason: 'expired' })
    expect(statesOf(failed)).toEqual(['DEAD', 'DEAD', 'DEAD', 'DEAD', 'DEAD'])
    expect(await balanceOf(chain, landsLate!)).toBe(held)
    expect(await available()).toBe('100')
    await expectAllProofs(db)
  })

  // Outcomes are lost with the chain's process; here they are removed, as by a restart.
  test('an outcome can be set again after the chain lost it', async () => {
    const reference = await pay(landsLate!)
    await settle(reference, 'expire')
    await setFaults(chain)
    expect((await settle(reference, 'expire')).status).toBe(200)
    await pass(25)
    expect(statesOf(await shown(reference))).toEqual(['DEAD', 'LIVE'])
  })

  test('an expiring transfer can land by a later attempt', async () => {
    const reference = await pay(landsLate!)
    await settle(reference, 'expire')
    await pass(25)
    expect(statesOf(await shown(reference))).toEqual(['DEAD', 'LIVE'])
    expect((await settle(reference, 'land')).status).toBe(200)
    await pass(6)
    expect(statesOf(await shown(reference))).toEqual(['DEAD', 'LANDED'])
  })

  test('only the named transfer is affected', async () => {
    const [named, other] = [await pay(neverLands!), await pay(neverLands!)]
    await settle(named, 'land')
    await pass(6)
    expect((await shown(named)).status).toBe('CONFIRMED')
    expect((await shown(other)).status).toBe('SUBMITTED')
    await settle(other, 'fail')
    await pass(6)
    expect((await shown(other)).status).toBe('FAILED')
  })
})

describe('what is refused', () => {
  test.each(['land', 'fail', 'expire'])('%s, of one that has landed', async (outcome) => {
    const reference = await pay(await newWallet())
    const { transactionSignature } = await shown(reference)
    await until(async () => (await statusOf(chain, transactionSignature)) !== null)
    const landed = await settle(reference, outcome)
    const code = [409, 'crypto_transfer_failed', 'invalid_state']
    expect([landed.status, landed.json.code, landed.json.reason]).toEqual(code)
    await pass(6)
    const rows = await readPayoutRows(db)
    const final = await settle(reference, outcome)
    expect([final.status, final.json.code, final.json.reason]).toEqual(code)
    expect(await readPayoutRows(db)).toBe(rows)
    expect((await shown(reference)).status).toBe('CONFIRMED')
  })

  test('an outcome other than its final state', async () => {
    const reference = await pay(neverLands!)
    await settle(reference, 'fail')
    expect((await settle(reference, 'land')).status).toBe(409)
    await pass(6)
    expect((await settle(reference, 'expire')).status).toBe(409)
    expect((await shown(reference)).status).toBe('FAILED')
  })

  test('a bank outcome, an unknown transfer, a live key', async () => {
    const reference = await pay(neverLands!)
    const word = await settle(reference, 'reverse')
    expect([word.status, word.json.details[0].field]).toEqual([400, 'outcome'])
    expect((await settle(`ct_${'0'.repeat(26)}`, 'land')).status).toBe(404)
    const where = `/v1/test/disbursements/${reference}/settle`
    const body = { outcome: 'land' }
    const live = await ask('POST', where, { key: merchant.live.secret, body })
    expect([live.status, live.json.reason]).toEqual([403, 'test_mode_only'])
    const { test: stranger } = await service.addMerchant('Bola')
    expect((await ask('POST', where, { key: stranger.secret, body })).status).toBe(404)
    await pass(6)
    expect((await shown(reference)).status).toBe('SUBMITTED')
  })
})

describe('under a key', () => {
  test('the first answer is replayed, whatever the state of the transfer', async () => {
    const reference = await pay(neverLands!)
    const first = await settle(reference, 'land', 'once')
    await pass(6)
    const again = await settle(reference, 'land', 'once')
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await settle(reference, 'fail', 'once')).json.reason).toBe('idempotency_key_reused')
  })

  test('twenty copies are one instruction with one answer', async () => {
    const reference = await pay(neverLands!)
    const copies = Array.from({ length: 20 }, () => settle(reference, 'land', 'copies'))
    const replies = await Promise.all(copies)
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(19)
  })

  // The last test of the file: the chain does not come back.
  test('an unreachable chain is not remembered', async () => {
    const reference = await pay(neverLands!)
    await chain.kill()
    for (let times = 0; times < 2; times += 1) {
      const { status, json, headers } = await settle(reference, 'land', 'away')
      expect([status, json.reason]).toEqual([503, 'rail_unavailable'])
      expect(headers.get('idempotent-replayed')).toBeNull()
    }
  })
})
