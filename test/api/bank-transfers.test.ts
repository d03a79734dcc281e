import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { decidePayout } from '../../src/payouts/attempts/decide-payout.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { markForReview } from '../../src/payouts/attempts/review-payouts.js'
import { sql } from '../../src/postgres/sql.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { type Merchant, openManilla, standardNaira } from '../support/open-manilla.js'
import { openSession } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const db = await freshDatabase()
const clock = manualClock()
const logger = createLogger('silent')
const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
const secret = new Secret(randomBytes(32).toString('hex'))
const service = await openManilla({
  beside: { db, clock, secret },
  rails: new Rails({ test: { payoutBank: bank } }),
})
const { ask } = service
const path = '/v1/disbursements/bank-transfer'
const account = { bankCode: '058', accountNumber: '0123456789' }

let merchant: Merchant
let count = 0
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  const body = { asset: 'NGN', amount: 10_000_000 }
  await ask('POST', '/v1/test/balances/fund', { key: merchant.test.secret, body })
})

function pay(change: object = {}) {
  const headers = { 'idempotency-key': `bank ${count++}` }
  const body = { amount: 1_000_000, ...account, ...change }
  return ask('POST', path, { key: merchant.test.secret, headers, body })
}

const get = (where: string) => ask('GET', where, { key: merchant.test.secret })
const shown = async (reference: string) => (await get(`${path}/${reference}`)).json.data

async function available(): Promise<number> {
  const { json } = await get('/v1/balances')
  return json.data.items.find((item: { asset: string }) => item.asset === 'NGN').available
}

/** Advances the clock and runs the workers. */
async function pass(seconds: number) {
  for (let passed = 0; passed < seconds; passed += 1) {
    clock.advance(1_000)
    await pollPayouts({ db, rail: bank, logger, clock }, clock.now())
    await followReversals({ db, rail: bank, logger }, clock.now())
  }
}

test('a bank transfer is answered with every field, and completed', async () => {
  const reply = await pay({ narration: 'Rent', merchantReference: 'rent-1', metadata: { a: 1 } })
  const createdAt = clock.now().toISOString()
  expect([reply.status, reply.json.data]).toEqual([
    201,
    {
      reference: expect.stringMatching(/^bt_[0-9a-z]{26}$/),
      merchantReference: 'rent-1',
      amount: 1_000_000,
      fee: 2_500,
      levy: 0,
      feeVat: 0,
      totalDebit: 1_002_500,
      currency: 'NGN',
      ...account,
      bankName: expect.any(String),
      accountName: expect.stringMatching(/^[A-Z' -]+$/),
      narration: 'Rent',
      status: 'SUBMITTED',
      sessionId: null,
      failureReason: null,
      reviewRequired: false,
      submittedAt: createdAt,
      completedAt: null,
      failedAt: null,
      reversedAt: null,
      createdAt,
      metadata: { a: 1 },
    },
  ])
  expect(await available()).toBe(10_000_000 - 1_002_500)
  await pass(5)
  const done = await shown(reply.json.data.reference)
  expect(done).toMatchObject({ status: 'COMPLETED', completedAt: expect.any(String) })
  expect(done.sessionId).toMatch(/^\d{30}$/)
  expect(await available()).toBe(10_000_000 - 1_002_500)
  await expectAllProofs(db)
})

describe('magic accounts reach every outcome', () => {
  const all = 10_000_000
  const less = all - 1_002_500
  test.each([
    ['9900000010', ['FAILED'], all, 'insufficient_liquidity'],
    ['9900000027', ['FAILED'], all, 'account_closed'],
    ['9900000034', ['COMPLETED', 'REVERSED'], all, null],
    ['9900000041', ['COMPLETED'], less, null],
    ['9900000058', ['FAILED'], all, 'bank_declined'],
    ['9900000065', [], less, null],
    ['9900000072', ['COMPLETED'], less, null],
  ])('%s', async (accountNumber, ends, left, failureReason) => {
    const { reference } = (await pay({ accountNumber })).json.data
    await pass(90)
    const transfer = await shown(reference)
    expect(transfer).toMatchObject({ status: ends.at(-1) ?? 'SUBMITTED', failureReason })
    expect(await available()).toBe(left)
    const events = (await get(`/v1/events?resource=${reference}`)).json.data.items
    const types = events.map((event: { type: string }) => event.type).toReversed()
    const expected = ['submitted', ...ends.map((end) => end.toLowerCase())]
    expect(types).toEqual(expected.map((word) => `bank_transfer.${word}`))
    await expectAllProofs(db)
  })
})

// The bank has been silent for three days. The hold stays until the operator asks the bank and decides.
test.each([
  ['completed', 'COMPLETED', 10_000_000 - 1_002_500],
  ['failed', 'FAILED', 10_000_000],
])('a transfer of unknown status is reviewed and decided: %s', async (said, status, left) => {
  const { reference } = (await pay({ accountNumber: '9900000065' })).json.data
  await pass(2)
  clock.advance(3 * 24 * 3_600_000)
  await markForReview({ db, logger }, clock.now())
  expect(await shown(reference)).toMatchObject({ status: 'SUBMITTED', reviewRequired: true })
  const order = { reference, hasLanded: said === 'completed' }
  const decide = () => db.transaction((tx) => decidePayout(tx, clock.now(), order))
  await decide()
  expect((await shown(reference)).status).toBe(status)
  expect(await available()).toBe(left)
  await expect(decide()).rejects.toThrow('has already ended')
  await expectAllProofs(db)
})

test.each([
  ['an unknown bank', { bankCode: '000' }, 422, 'unknown_bank'],
  ['an unknown account', { accountNumber: '9900000089' }, 422, 'account_not_found'],
  ['a bank that is away', { accountNumber: '9900000096' }, 503, 'rail_unavailable'],
  ['another name', { accountName: 'Somebody Else Entirely' }, 422, 'name_mismatch'],
  ['nine digits', { accountNumber: '012345678' }, 400, undefined],
  ['dollars', { currency: 'USD' }, 400, undefined],
  ['an amount as text', { amount: '1000' }, 400, undefined],
])('%s is refused and nothing is held', async (_name, change, status, reason) => {
  const reply = await pay(change)
  expect([reply.status, reply.json.reason]).toEqual([status, reason])
  expect(await available()).toBe(10_000_000)
})

describe('naira amounts have bounds', () => {
  const quote = (amount: number, mode: 'test' | 'live' = 'test') =>
    ask('POST', `${path}/quote`, { key: merchant[mode].secret, body: { amount, ...account } })

  test('in test mode from one kobo; the message formats the maximum', async () => {
    const body = { asset: 'NGN', amount: 1_000_000_001 }
    const funded = await ask('POST', '/v1/test/balances/fund', { key: merchant.test.secret, body })
    expect(funded.status).toBe(201)
    const replies = [await pay({ amount: 1_000_000_001 }), await quote(1_000_000_001)]
    const issue = 'must be at most ₦10,000,000.00 (1000000000 kobo)'
    for (const { status, json } of replies) {
      const details = [{ field: 'amount', issue }]
      expect([status, json.code]).toEqual([400, 'validation_failed'])
      expect([json.message, json.details]).toEqual([`amount ${issue}.`, details])
    }
    const taken = [await pay({ amount: 1_000_000_000 }), await pay({ amount: 1 })]
    expect(taken.map(({ status }) => status)).toEqual([201, 201])
    expect((await quote(1_000_000_000)).status).toBe(200)
  })

  // Live mode has no bank here: a valid amount gets as far as that refusal.
  test('in live mode from a hundred naira', async () => {
    const [small, enough] = [await quote(9_999, 'live'), await quote(10_000, 'live')]
    const issue = 'must be at least ₦100.00 (10000 kobo)'
    expect([small.status, small.json.details]).toEqual([400, [{ field: 'amount', issue }]])
    expect([enough.status, enough.json.reason]).toEqual([503, 'rail_unavailable'])
    const headers = { 'idempotency-key': 'small' }
    const body = { amount: 9_999, ...account }
    const paid = await ask('POST', path, { key: merchant.live.secret, headers, body })
    expect([paid.status, paid.json.details]).toEqual([400, [{ field: 'amount', issue }]])
  })

  // The operator lowered the limit, and the caller never received the first answer.
  test('and a retry of a transfer accepted before the change gets its first answer', async () => {
    const strict = await openManilla({
      beside: { db, clock, secret },
      rails: new Rails({ test: { payoutBank: bank } }),
      naira: { ...standardNaira, test: { min: 1n, max: 999_999n } },
    })
    const request = (key: string) => ({
      key: merchant.test.secret,
      headers: { 'idempotency-key': key },
      body: { amount: 1_000_000, ...account },
    })
    const first = await ask('POST', path, request('before'))
    const again = await strict.ask('POST', path, request('before'))
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    expect((await strict.ask('POST', path, request('after'))).status).toBe(400)

    // Nor may it be refused while the first answer cannot be read.
    const blocker = await openSession(db)
    await blocker.query('begin; lock table idempotency_keys in access exclusive mode')
    const unread = await strict.ask('POST', path, request('before'))
    expect([unread.status, unread.json.reason]).toEqual([503, 'unavailable'])
  })
})

test('banks are listed, account names resolved, and a quote includes both', async () => {
  const banks = (await get('/v1/banks')).json.data.items
  expect(banks).toContainEqual({ code: '058', name: expect.any(String) })
  const query = `bankCode=${account.bankCode}&accountNumber=${account.accountNumber}`
  const resolved = await get(`/v1/banks/resolve?${query}`)
  const { accountName } = (await pay()).json.data
  expect(resolved.json.data).toMatchObject({ ...account, accountName })
  const missing = await get('/v1/banks/resolve?bankCode=058&accountNumber=9900000089')
  expect([missing.status, missing.json.reason]).toEqual([422, 'account_not_found'])
  const body = { amount: 100_000, ...account }
  const quote = await ask('POST', `${path}/quote`, { key: merchant.test.secret, body })
  expect(quote.json.data).toMatchObject({ amount: 100_000, fee: 1_000, totalDebit: 101_000 })
})

test('a quote takes no Idempotency-Key: the header is ignored and nothing is stored', async () => {
  const key = merchant.test.secret
  const headers = { 'idempotency-key': 'a quote' }
  for (const amount of [100_000, 200_000, 100_000]) {
    const quote = await ask('POST', `${path}/quote`, { key, headers, body: { amount, ...account } })
    expect([quote.status, quote.json.data.amount]).toEqual([200, amount])
    expect(quote.headers.get('idempotent-replayed')).toBeNull()
  }
  const stored = await db.rows(sql`select from idempotency_keys where key = 'a quote'`)
  expect(stored).toEqual([])
})

test('banks are read page by page with limit and cursor, or all at once without', async () => {
  const all = (await get('/v1/banks')).json.data
  expect(all.nextCursor).toBeNull()
  const seen: unknown[] = []
  let at = '/v1/banks?limit=7'
  for (let pages = 0; at !== ''; pages += 1) {
    expect(pages).toBeLessThan(100)
    const { items, nextCursor } = (await get(at)).json.data
    expect(items.length).toBeLessThanOrEqual(7)
    seen.push(...items)
    at = nextCursor === null ? '' : `/v1/banks?limit=7&cursor=${nextCursor}`
  }
  expect(seen).toEqual(all.items)
  expect(seen.length).toBeGreaterThan(7)
  for (const wrong of ['limit=0', 'limit=101', 'cursor=058', 'cursor=eyJhZnRlciI6IngifQ'])
    expect([wrong, (await get(`/v1/banks?${wrong}`)).status]).toEqual([wrong, 400])
})
