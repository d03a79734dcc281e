import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { createSimulatedBank } from '../../src/simulation/sandbox-bank/simulated-bank.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { type Merchant, openManilla, type TestService } from '../support/open-manilla.js'
import { readPayoutRows } from '../support/payout-rows.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const db = await freshDatabase()
const clock = manualClock()
const logger = createLogger('silent')
const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
const secret = new Secret(randomBytes(32).toString('hex'))
const shared = { beside: { db, clock, secret } }
const simulatedRails = [createSimulatedBank(bank)]
const service = await openManilla({
  ...shared,
  simulatedRails,
  rails: new Rails({ test: { payoutBank: bank } }),
})
/** Payouts are committed but not sent at once. */
const cut = await openManilla({
  ...shared,
  simulatedRails,
  rails: new Rails({ test: { payoutBank: { ...bank, send: async () => {} } } }),
})
const real = await openManilla({ ...shared, rails: new Rails({ test: { payoutBank: bank } }) })

const path = '/v1/disbursements/bank-transfer'
const ordinary = '0123456789'
const unknownForEver = '9900000065'

let merchant: Merchant
let count = 0
beforeEach(async () => {
  merchant = await service.addMerchant('Ada')
  const body = { asset: 'NGN', amount: 10_000_000 }
  await service.ask('POST', '/v1/test/balances/fund', { key: merchant.test.secret, body })
})

async function pay(accountNumber: string, at: TestService = service): Promise<string> {
  const headers = { 'idempotency-key': `bank ${count++}` }
  const body = { amount: 1_000_000, bankCode: '058', accountNumber }
  const { json } = await at.ask('POST', path, { key: merchant.test.secret, headers, body })
  return json.data.reference
}

/** A transfer that the bank has received. */
async function payAndWait(accountNumber: string): Promise<string> {
  const reference = await pay(accountNumber)
  const from = new Date(clock.now().getTime() - 60_000)
  const to = new Date(clock.now().getTime() + 60_000)
  await until(async () => {
    const { lines } = await bank.statement({ from, to, after: undefined })
    return lines.some((line) => line.reference === reference)
  })
  return reference
}

function settle(
  reference: string,
  outcome: unknown,
  more: { key?: string; at?: TestService } = {},
) {
  const headers: Record<string, string> = more.key ? { 'idempotency-key': more.key } : {}
  const where = `/v1/test/disbursements/${reference}/settle`
  const question = { key: merchant.test.secret, headers, body: { outcome } }
  return (more.at ?? service).ask('POST', where, question)
}

const get = (where: string) => service.ask('GET', where, { key: merchant.test.secret })
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

const all = 10_000_000
const less = all - 1_002_500

describe('a test outcome decides', () => {
  test.each([
    ['complete', unknownForEver, ['COMPLETED'], less],
    ['fail', unknownForEver, ['FAILED'], all],
    ['reverse', unknownForEver, ['COMPLETED', 'REVERSED'], all],
    ['stay_unknown', ordinary, [], less],
    ['lose', ordinary, ['COMPLETED'], less],
  ])('%s', async (outcome, accountNumber, ends, left) => {
    const unheard = (number: string) => pay(number, cut)
    for (const payOne of [payAndWait, unheard]) {
      const reference = await payOne(accountNumber)
      const before = await shown(reference)
      const rows = await readPayoutRows(db)
      const reply = await settle(reference, outcome)
      expect([reply.status, reply.json.data]).toEqual([200, before])
      expect(await readPayoutRows(db)).toBe(rows)
      await pass(20)
      const end = ends.at(-1) ?? 'SUBMITTED'
      expect((await shown(reference)).status).toBe(end)
      const events = (await get(`/v1/events?resource=${reference}`)).json.data.items
      const types = events.map((event: { type: string }) => event.type).toReversed()
      const words = ['submitted', ...ends.map((one) => one.toLowerCase())]
      expect(types).toEqual(words.map((word) => `bank_transfer.${word}`))
    }
    expect(await available()).toBe(all - 2 * (all - left))
    await expectAllProofs(db)
  })

  test('a completed transfer can be reversed; repeating it is idempotent', async () => {
    const reference = await pay(ordinary)
    await pass(5)
    expect((await shown(reference)).status).toBe('COMPLETED')
    expect((await settle(reference, 'reverse')).json.data.status).toBe('COMPLETED')
    await pass(2)
    expect((await settle(reference, 'reverse')).json.data.status).toBe('REVERSED')
    expect(await available()).toBe(all)
  })

  test('a transfer of unknown status can be completed later', async () => {
    const reference = await pay(ordinary)
    await settle(reference, 'stay_unknown')
    await pass(60)
    expect((await shown(reference)).status).toBe('SUBMITTED')
    await settle(reference, 'complete')
    await pass(5)
    expect((await shown(reference)).status).toBe('COMPLETED')
  })
})

describe('what is refused', () => {
  test.each(['fail', 'lose', 'stay_unknown'])('%s, of one that is completed', async (outcome) => {
    const reference = await pay(ordinary)
    await pass(5)
    const rows = await readPayoutRows(db)
    const { status, json } = await settle(reference, outcome)
    expect([status, json.code, json.reason]).toEqual([409, 'bank_transfer_failed', 'invalid_state'])
    expect(await readPayoutRows(db)).toBe(rows)
  })

  test.each([
    ['a word of chains', 'land'],
    ['no word', 'COMPLETE'],
    ['nothing', undefined],
  ])('%s', async (_name, outcome) => {
    const { status, json } = await settle(await pay(ordinary), outcome)
    expect([status, json.code, json.details[0].field]).toEqual([
      400,
      'validation_failed',
      'outcome',
    ])
  })

  test('an unknown transfer, or one of another environment', async () => {
    const reference = await pay(ordinary)
    const unknown = `bt_${'0'.repeat(26)}`
    for (const none of [unknown, `bt_x`, `evt_${reference.slice(3)}`, `ct_${reference.slice(3)}`])
      expect((await settle(none, 'fail')).status).toBe(404)
    const ada = merchant
    merchant = await service.addMerchant('Bola')
    const { status, json } = await settle(reference, 'fail')
    expect([status, json.code]).toEqual([404, 'not_found'])
    merchant = ada
    await pass(5)
    expect((await shown(reference)).status).toBe('COMPLETED')
  })

  test('live keys and public keys', async () => {
    const where = `/v1/test/disbursements/${await pay(ordinary)}/settle`
    const body = { outcome: 'fail' }
    const live = await service.ask('POST', where, { key: merchant.live.secret, body })
    expect([live.status, live.json.reason]).toEqual([403, 'test_mode_only'])
    const visitor = await service.ask('POST', where, { key: merchant.test.public, body })
    expect(visitor.status).toBe(401)
  })

  test('a real bank', async () => {
    const { status, json } = await settle(await pay(ordinary), 'fail', { at: real })
    expect([status, json.code, json.reason]).toEqual([422, 'bank_transfer_failed', 'not_simulated'])
  })
})

describe('under a key', () => {
  test('the first answer is replayed, whatever the state of the transfer', async () => {
    const reference = await pay(unknownForEver)
    const first = await settle(reference, 'fail', { key: 'once' })
    await pass(5)
    const again = await settle(reference, 'fail', { key: 'once' })
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await settle(reference, 'complete', { key: 'once' })
    expect([other.status, other.json.reason]).toEqual([422, 'idempotency_key_reused'])
  })

  test('a refusal is remembered; not_found is not', async () => {
    const reference = await pay(ordinary)
    await pass(5)
    const first = await settle(reference, 'fail', { key: 'late' })
    const again = await settle(reference, 'fail', { key: 'late' })
    expect([again.status, again.text]).toEqual([409, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    for (let times = 0; times < 2; times += 1) {
      const none = await settle(`bt_${'0'.repeat(26)}`, 'fail', { key: 'none' })
      expect([none.status, none.headers.get('idempotent-replayed')]).toEqual([404, null])
    }
  })

  test('twenty copies are one instruction with one answer', async () => {
    const reference = await payAndWait(unknownForEver)
    const copies = Array.from({ length: 20 }, () => settle(reference, 'fail', { key: 'copies' }))
    const replies = await Promise.all(copies)
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(19)
  })
})
