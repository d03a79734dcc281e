import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { limits } from '../../src/base/limits.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { keyLimits } from '../../src/merchants/limits.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { markForReview } from '../../src/payouts/attempts/review-payouts.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { type Merchant, openManilla } from '../support/open-manilla.js'
import { PaperRail } from '../support/paper-rail.js'
import { expectAllProofs } from '../support/sound-books.js'

const db = await freshDatabase()
const clock = manualClock()
const logger = createLogger('silent')
const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
const paper = new PaperRail()
const shared = { db, clock, secret: new Secret(randomBytes(32).toString('hex')) }
const service = await openManilla({
  beside: shared,
  rails: new Rails({ test: { payoutBank: bank, chain: paper } }),
})

let merchant: Merchant
let count = 0
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  await fund()
})

const path = '/v1/test/clock/advance'
const post = (where: string, body: object, headers: Record<string, string> = {}) =>
  service.ask('POST', where, { key: merchant.test.secret, body, headers })
const get = (where: string) => service.ask('GET', where, { key: merchant.test.secret })
const advance = (seconds: unknown, headers = {}) => post(path, { seconds }, headers)
const iso = (aheadMs: number) => after(clock.now(), aheadMs).toISOString()

async function fund(): Promise<{ createdAt: string }> {
  await post('/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
  const reply = await post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  return reply.json.data
}

const transfers = '/v1/disbursements/bank-transfer'
async function pay(accountNumber: string) {
  const headers = { 'idempotency-key': `clock ${count++}` }
  const body = { amount: 1_000_000, bankCode: '058', accountNumber }
  return (await post(transfers, body, headers)).json.data
}
const shown = async (reference: string) => (await get(`${transfers}/${reference}`)).json.data

/** Advances real time and runs the workers. */
async function pass(seconds: number) {
  for (let passed = 0; passed < seconds; passed += 1) {
    clock.advance(1_000)
    for (const rail of [bank, paper]) await pollPayouts({ db, rail, clock, logger }, clock.now())
    await followReversals({ db, rail: bank, logger }, clock.now())
  }
}

const unknownForEver = '9900000065'

describe('the clock of an environment', () => {
  test('advances, and this process uses the new time at once', async () => {
    expect((await fund()).createdAt).toBe(iso(0))
    const reply = await advance(3_600)
    const data = { now: iso(hour), advancedBySeconds: 3_600, aheadBySeconds: 3_600 }
    expect([reply.status, reply.json.data]).toEqual([200, data])
    expect((await fund()).createdAt).toBe(iso(hour))
    expect((await advance(60)).json.data).toMatchObject({ advancedBySeconds: 60 })
    expect((await fund()).createdAt).toBe(iso(hour + 60_000))
  })

  test('belongs to one environment: other merchants keep real time', async () => {
    await advance(3_600)
    merchant = await service.addMerchant('Bola')
    expect((await fund()).createdAt).toBe(iso(0))
  })

  // The other process has cached the key and is not notified.
  test('is known to other processes within a second', async () => {
    const other = await openManilla({ beside: shared })
    const fundThere = async () => {
      const question = { key: merchant.test.secret, body: { asset: 'NGN', amount: 1 } }
      const reply = await other.ask('POST', '/v1/test/balances/fund', question)
      return reply.json.data.createdAt
    }
    expect(await fundThere()).toBe(iso(0))
    await advance(3_600)
    clock.advance(keyLimits.cacheMs)
    expect(await fundThere()).toBe(iso(hour))
  })

  test('advances once for a request sent twice', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await advance(60, headers)
    const again = await advance(60, headers)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.text).toBe(first.text)
    expect((await fund()).createdAt).toBe(iso(60_000))
  })

  // Twenty at once: none may overwrite another, and each returns a different time.
  test('advances by the sum of concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => advance(60)))
    const ahead = replies.map(({ json }) => json.data.aheadBySeconds).sort((a, b) => a - b)
    expect(ahead).toEqual(Array.from({ length: 20 }, (_, index) => 60 * (index + 1)))
    expect((await fund()).createdAt).toBe(iso(20 * 60_000))
  })

  test('is in test mode only', async () => {
    const question = { key: merchant.live.secret, body: { seconds: 60 } }
    const reply = await service.ask('POST', path, question)
    expect([reply.status, reply.json.reason]).toEqual([403, 'test_mode_only'])
    const { id } = merchant.environments.live
    const moved = db.rows(sql`update environments set clock_offset_ms = 1 where id = ${id}`)
    await expect(moved).rejects.toThrow('only_test_clocks_move')
  })

  test.each([0, -60, 1.5, '60', limits.testClock.advanceMaxMs / 1_000 + 1])(
    'refuses %s seconds',
    async (seconds) => {
      const reply = await advance(seconds)
      expect([reply.status, reply.json.details[0].field]).toEqual([400, 'seconds'])
      expect((await fund()).createdAt).toBe(iso(0))
    },
  )

  test('has a maximum, beyond which it answers 409', async () => {
    const { offsetMaxMs } = limits.testClock
    const { id } = merchant.environments.test
    const almost = offsetMaxMs - 60_000
    await db.rows(sql`update environments set clock_offset_ms = ${almost} where id = ${id}`)
    const reply = await advance(61)
    expect([reply.status, reply.json.code]).toEqual([409, 'clock_advance_failed'])
    expect((await advance(60)).json.data.aheadBySeconds).toBe(offsetMaxMs / 1_000)
  })
})

describe('real time is kept by', () => {
  test('events, not by the statement', async () => {
    await advance(3_600)
    await pay('0123456789')
    const [entry] = (await get('/v1/balance-entries?asset=NGN')).json.data.items
    const [event] = (await get('/v1/events')).json.data.items
    expect([entry.createdAt, event.timestamp]).toEqual([iso(hour), iso(0)])
    expect(event.data.createdAt).toBe(iso(hour))
  })

  test('the expiry of keys', async () => {
    const order = { seal: service.seal, environment: merchant.environments.test, name: 'Short' }
    const expiresAt = after(clock.now(), hour)
    const { key } = await db.transaction((tx) =>
      issueKey(tx, clock.now(), { ...order, kind: 'secret', expiresAt, allowedAddresses: [] }),
    )
    await advance(2 * 3_600)
    expect((await service.ask('GET', '/v1/balances', { key: key.reveal() })).status).toBe(200)
  })

  // Judged by the age of its payout, an attempt would be polled every second for years.
  test('attempts, whose age decides when they are polled', async () => {
    await advance(30 * 24 * 3_600)
    const destinationAddress = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
    const transfer = { amount: '25', asset: 'USDC', network: 'SOLANA', destinationAddress }
    const headers = { 'idempotency-key': `clock ${count++}` }
    const { json } = await post('/v1/disbursements/crypto', transfer, headers)
    const sentAt = iso(0)
    expect(json.data).toMatchObject({ createdAt: iso(30 * day), submittedAt: iso(30 * day) })
    expect(json.data.attempts).toMatchObject([{ submittedAt: sentAt }])
    await pass(2)
    const done = (await get(`/v1/disbursements/crypto/${json.data.reference}`)).json.data
    expect(done.status).toBe('CONFIRMED')
    expect(done.confirmedAt > done.createdAt).toBe(true)
    expect(done.attempts).toMatchObject([{ submittedAt: sentAt }])
  })
})

describe('a transfer in an environment whose clock is ahead', () => {
  test.each([
    ['9900000027', ['failedAt']],
    ['9900000034', ['completedAt', 'reversedAt']],
  ])('ends after it began, in its row and in its events: %s', async (accountNumber, fields) => {
    await advance(30 * 24 * 3_600)
    const { reference, createdAt } = await pay(accountNumber)
    await pass(10)
    const transfer = await shown(reference)
    for (const field of fields) expect(transfer[field] > createdAt, field).toBe(true)
    const [event] = (await get(`/v1/events?resource=${reference}`)).json.data.items
    expect(event.data).toEqual(transfer)
    await expectAllProofs(db)
  })

  test('needs review once the clock passes its deadline; others do not', async () => {
    const { reference } = await pay(unknownForEver)
    await advance(payoutLimits.reviewAfterMs / 1_000 - 1)
    expect(await shown(reference)).toMatchObject({ reviewRequired: false })
    const ada = merchant
    merchant = await service.addMerchant('Bola')
    await fund()
    const other = (await pay(unknownForEver)).reference
    await advance(payoutLimits.reviewAfterMs / 1_000 - 1)

    const bola = merchant
    merchant = ada
    await advance(1)
    expect(await shown(reference)).toMatchObject({ status: 'SUBMITTED', reviewRequired: true })
    merchant = bola
    expect(await shown(other)).toMatchObject({ reviewRequired: false })
  })

  test('needs review after three days of its own clock', async () => {
    await advance(30 * 24 * 3_600)
    const { reference } = await pay(unknownForEver)
    clock.advance(payoutLimits.reviewAfterMs - 1)
    await markForReview({ db, logger }, clock.now())
    expect(await shown(reference)).toMatchObject({ reviewRequired: false })
    clock.advance(1)
    await markForReview({ db, logger }, clock.now())
    expect(await shown(reference)).toMatchObject({ reviewRequired: true })
  })
})

describe('virtual accounts', () => {
  test('expire sooner if open and in this environment', async () => {
    const { id } = merchant.environments.test
    const other = (await service.addMerchant('Bola')).environments.test.id
    await openAccounts(id, 3)
    await openAccounts(other, 1)
    await db.rows(sql`
      update collection_accounts set status = 'PAID', paid_at = created_at, due_at = null
      where id = (select id from collection_accounts where environment_id = ${id} limit 1)`)
    await advance(600)
    await advance(600)
    const dues = async (environmentId: EnvironmentId) => {
      const rows = await db.rows(sql<{ dueAt: Date | null }>`
        select due_at from collection_accounts
        where environment_id = ${environmentId} order by due_at`)
      return rows.map(({ dueAt }) => dueAt?.toISOString())
    }
    const sooner = iso(hour - 1_200_000)
    expect(await dues(id)).toEqual([sooner, sooner, undefined])
    expect(await dues(other)).toEqual([iso(hour)])
  })

  test('too many for one statement keep the clock unchanged', async () => {
    const { id } = merchant.environments.test
    await openAccounts(id, limits.testClock.openAccountsMax + 1)
    const reply = await advance(60)
    expect([reply.status, reply.json.code]).toEqual([409, 'clock_advance_failed'])
    expect((await fund()).createdAt).toBe(iso(0))
    await db.rows(sql`
      delete from collection_accounts where id =
        (select id from collection_accounts where environment_id = ${id} limit 1)`)
    expect((await advance(60)).status).toBe(200)
    const [moved] = await db.rows(sql<{ count: bigint }>`
      select count(*) as count from collection_accounts
      where environment_id = ${id} and due_at = ${after(clock.now(), hour - 60_000)}`)
    expect(moved!.count).toBe(BigInt(limits.testClock.openAccountsMax))
  })
})

/** Expires in one hour of real time. */
async function openAccounts(environmentId: EnvironmentId, howMany: number): Promise<void> {
  const [now, dueAt, batch] = [clock.now(), after(clock.now(), hour), newId(clock.now())]
  await db.rows(sql`
    insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
      account_name, bank_code, bank_name, asset, amount, merchant_reference, metadata, status, expires_at,
      created_at, due_at)
    select ${environmentId}::int, gen_random_uuid(), 'virtual_account', 'paper',
      ${batch}::text || n, ${batch}::text || n, 'Ada', '999', 'Paper', 'NGN', 1, 'order', '{}', 'ACTIVE',
      ${dueAt}::timestamptz, ${now}::timestamptz, ${dueAt}::timestamptz
    from generate_series(1, ${howMany}::int) n`)
}
