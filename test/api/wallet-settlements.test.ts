import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Rails } from '../../src/collections/rails.js'
import { createExchange } from '../../src/conversions/exchange.js'
import { setCeiling } from '../../src/conversions/positions.js'
import { settlementLimits } from '../../src/payouts/limits.js'
import { createFeeBook } from '../../src/payouts/requests/fee-book.js'
import { createPayoutPreparation } from '../../src/payouts/requests/prepare-payouts.js'
import { createSendAfterCommit } from '../../src/payouts/requests/send-new.js'
import { settlementProofs } from '../../src/payouts/settlements/proofs.js'
import { settleDue } from '../../src/payouts/settlements/settle-due.js'
import { sql } from '../../src/postgres/sql.js'
import { createRateBook, type RateBook } from '../../src/rates/rate-book.js'
import { simulatedRates } from '../../src/simulation/simulated-rates.js'
import { backCoins, createPendingMint } from '../../src/simulation/test-funding.js'
import { type Merchant, standardNaira } from '../support/open-manilla.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, rail, bank, mint } = service
const logger = createLogger('silent')
const rails = new Rails({ test: { payoutBank: bank, chain: rail } })
const send = createSendAfterCommit({ rails, clock, logger })
const book = createRateBook({ db, clock, simulated: simulatedRates })
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
await service.chain.advance(40)
// The hot wallet has coins of other merchants.
for (const asset of ['USDC', 'USDT'])
  await service.ask('POST', '/v1/test/balances/fund', {
    key: service.merchant.test.secret,
    body: { asset, amount: '1000' },
    headers: { 'idempotency-key': randomUUID() },
  })
await service.chain.advance(2)

let merchant: Merchant
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
})
afterEach(() => expectAllProofs(db))

const ask = (method: string, path: string, body?: object, headers = {}) =>
  service.ask(method, path, { key: merchant.test.secret, headers, ...(body && { body }) })
const post = (path: string, body: object, key = randomUUID()) =>
  ask('POST', path, body, { 'idempotency-key': key })
const read = async (path: string) => (await ask('GET', path)).json.data
const fund = (amount: number) => post('/v1/test/balances/fund', { asset: 'NGN', amount })
const settings = (settlement: object) => ask('PATCH', '/v1/settings', { settlement })
const toWallet = { payTo: 'wallet', asset: 'USDC', walletAddress: wallet }

async function available(asset: string): Promise<number> {
  const { items } = await read('/v1/balances')
  return Number(items.find((one: { asset: string }) => one.asset === asset).available)
}

function runWorker(rates: RateBook = book) {
  const fees = createFeeBook({ db, clock })
  const preparation = createPayoutPreparation({ db, rails, fees, logger })
  const mintPending = createPendingMint({ db, mint, logger })
  const exchange = createExchange({ db, rates, backCoins, mintPending })
  const tools = { db, clock, mode: 'test', preparation, exchange, send, logger } as const
  return settleDue({ ...tools, naira: standardNaira }, clock.now())
}

describe('a settlement to a wallet', () => {
  test('converts the naira above the reserve and pays the coins, in one call', async () => {
    await fund(50_000_000)
    expect((await settings({ ...toWallet, reserve: 1_000_000 })).status).toBe(200)
    const key = randomUUID()
    const made = await post('/v1/settlements', {}, key)
    expect(made.status, made.text).toBe(201)
    const shown = made.json.data
    expect(shown).toMatchObject({
      status: 'SUBMITTED',
      amount: 48_755_000,
      fee: 245_000,
      currency: 'NGN',
      asset: 'USDC',
      walletAddress: wallet,
      bankCode: null,
      accountNumber: null,
      transferReference: expect.stringMatching(/^ct_/),
      period: { firstEntry: 1, lastEntry: 3 },
      report: {
        opening: 0,
        credits: 50_000_000,
        debits: 0,
        closing: 1_000_000,
        lines: [{ type: 'test_funding', effect: 'post', count: 1, amount: 50_000_000 }],
      },
    })
    expect((await post('/v1/settlements', {}, key)).text).toBe(made.text)
    const conversion = await read(`/v1/conversions/${shown.conversion}`)
    expect(conversion).toMatchObject({
      from: 'NGN',
      to: 'USDC',
      sourceAmount: 49_000_000,
      transferReference: shown.transferReference,
    })
    const { assetAmount, assetFee } = shown
    expect(Number(assetAmount) + Number(assetFee)).toBeCloseTo(Number(conversion.targetAmount), 6)
    expect([await available('NGN'), await available('USDC')]).toEqual([1_000_000, 0])
    const entries = await read(`/v1/settlements/${shown.reference}/entries`)
    const types = entries.items.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['conversion_fee', 'conversion', 'test_funding'])

    await service.settle()
    expect(await read(`/v1/settlements/${shown.reference}`)).toMatchObject({
      status: 'PAID',
      conversion: shown.conversion,
    })
    const { items } = await read(`/v1/events?resource=${shown.reference}`)
    const events = items.map(({ type }: { type: string }) => type)
    expect(events.toSorted()).toEqual(['settlement.created', 'settlement.paid'])

    // The next one, to a bank, begins where this one ends.
    await settings({ payTo: 'bank' })
    expect((await post('/v1/settlements', {})).json.reason).toBe('no_bank_account')
    expect((await post('/v1/settlements', { amount: 2_000_000 })).json.reason).toBe(
      'no_bank_account',
    )
  })

  test('refuses what the balance or the operator does not cover, and changes nothing', async () => {
    await fund(2_000_000)
    await settings(toWallet)
    const short = await post('/v1/settlements', { amount: 2_000_001 })
    expect(short.json.code).toBe('insufficient_balance')
    // A few naira do not cover the fee of the transfer.
    expect((await post('/v1/settlements', { amount: 10_000 })).json).toMatchObject({
      code: 'crypto_transfer_failed',
      reason: 'nothing_to_settle',
    })
    const limit = (ceiling: bigint | null) =>
      db.transaction((tx) => setCeiling(tx, { mode: 'test', asset: 'NGN', ceiling }))
    await limit(1n)
    expect((await post('/v1/settlements', {})).json).toMatchObject({
      code: 'conversion_failed',
      reason: 'capacity',
    })
    await limit(null)
    expect([await available('NGN'), await available('USDC')]).toEqual([2_000_000, 0])
    expect(await read('/v1/settlements')).toMatchObject({ items: [] })
    expect(await read('/v1/conversions')).toMatchObject({ items: [] })
    const part = await post('/v1/settlements', { amount: 1_500_000 })
    expect(part.json.data).toMatchObject({ amount: 1_492_500, fee: 7_500 })
    expect(await available('NGN')).toBe(500_000)
  })

  test('on schedule waits for a rate, and is then made once by any number of workers', async () => {
    await fund(20_000_000)
    await settings({ ...toWallet, asset: 'USDT', schedule: 'daily' })
    await post('/v1/test/clock/advance', { seconds: 86_400 })
    const none: RateBook = {
      find: async () => undefined,
      get: async () => {
        const refusal = await book
          .get({ mode: 'live' }, 'USDT', clock.now())
          .catch((error: unknown) => error)
        throw refusal
      },
    }
    expect(await runWorker(none)).toBe(1)
    expect(await read('/v1/settlements')).toMatchObject({ items: [] })
    const [waiting] = await db.rows(sql<{ lastRefusal: string }>`
      select last_refusal from settlement_schedules
      where environment_id = ${merchant.environments.test.id}`)
    expect(waiting!.lastRefusal).toContain('No rate for USDT is available.')
    clock.advance(settlementLimits.retryMs)
    const due = await Promise.all([runWorker(), runWorker(), runWorker()])
    expect(due.reduce((sum, one) => sum + one)).toBe(1)
    // The worker sends without waiting, so the first poll may find nothing.
    await service.settle()
    await service.settle()
    const { items } = await read('/v1/settlements')
    expect(items).toMatchObject([{ status: 'PAID', asset: 'USDT', report: { closing: 0 } }])
    expect(items[0].scheduledFor).not.toBeNull()
  })

  test('is found by the proofs if its conversion or its report is another', async () => {
    await fund(5_000_000)
    await settings(toWallet)
    const { reference } = (await post('/v1/settlements', {})).json.data
    expect(reference).toMatch(/^set_/)
    const failing = async (change: string) => {
      const found: string[] = []
      const undone = new Error('undone')
      await db
        .transaction(async (tx) => {
          await tx.rows(sql`set local session_replication_role = replica`)
          await tx.rows(sql.raw(change))
          for (const { claim, counterexamples } of settlementProofs)
            if ((await tx.rows(sql.raw(counterexamples))).length > 0) found.push(claim)
          throw undone
        })
        .catch((error: unknown) => {
          if (error !== undone) throw error
        })
      return found
    }
    const own = `where environment_id = ${merchant.environments.test.id}`
    const conversions = /^Every settlement to a wallet/
    for (const change of [
      `update conversions set payout_id = null ${own}`,
      `update conversions set source_amount = source_amount + 1 ${own}`,
      `update conversions set target_amount = 1 ${own}`,
      `delete from conversions ${own}`,
      `update settlements set last_entry = last_entry + 1 ${own}`,
    ])
      expect(await failing(change)).toContainEqual(expect.stringMatching(conversions))
    for (const change of [
      `update settlements set closing = closing + 1 ${own}`,
      `update settlements set converted_amount = converted_amount + 1 ${own}`,
    ])
      expect(await failing(change)).toContainEqual(expect.stringMatching(/^The report of every/))
    // A settlement to a bank without its transfer is no settlement to a wallet.
    const bankOne = `update settlements set conversion_id = null, converted_amount = null,
      conversion_fee = null ${own}`
    expect(await failing(bankOne)).toContainEqual(
      expect.stringMatching(/^Every settlement to a bank/),
    )
  })
})
