import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { after } from '../../src/base/clock.js'
import type { NairaLimits } from '../../src/base/config.js'
import { fromReference, prefixes } from '../../src/base/ids.js'
import { createLogger } from '../../src/base/log.js'
import { Refusal } from '../../src/base/refusal.js'
import { Rails } from '../../src/collections/rails.js'
import { createExchange } from '../../src/conversions/exchange.js'
import { keyLimits } from '../../src/merchants/limits.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import { resumeMerchant, suspendMerchant } from '../../src/merchants/suspension.js'
import { verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { settlementLimits } from '../../src/payouts/limits.js'
import { createFeeBook } from '../../src/payouts/requests/fee-book.js'
import { createPayoutPreparation } from '../../src/payouts/requests/prepare-payouts.js'
import { createSendAfterCommit } from '../../src/payouts/requests/send-new.js'
import { createSettlement } from '../../src/payouts/settlements/create-settlement.js'
import { prepareSettlement } from '../../src/payouts/settlements/prepare-settlement.js'
import { settlementProofs } from '../../src/payouts/settlements/proofs.js'
import { settleDue } from '../../src/payouts/settlements/settle-due.js'
import { sql } from '../../src/postgres/sql.js'
import type { Queryable, Source } from '../../src/postgres/transactions/tx.js'
import { createRateBook } from '../../src/rates/rate-book.js'
import { simulatedRates } from '../../src/simulation/simulated-rates.js'
import { openManilla, standardNaira } from '../support/open-manilla.js'
import { openWithBank } from '../support/open-with-bank.js'
import { behaves, type Desk, keyed, openDesk } from '../support/payment-desk.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, bank, clock, pass } = service
const logger = createLogger('silent')
const rails = new Rails({ test: { payoutBank: bank } })
const rates = createRateBook({ db, clock, simulated: simulatedRates })
const exchange = createExchange({ db, rates, backCoins: undefined, mintPending: async () => {} })
const sendNow = createSendAfterCommit({ rails, clock, logger })

type Operation = {
  operationId: string
  responses: object
  requestBody?: { content: { 'application/json': { example: object } } }
}
const openapi: { paths: Record<string, { post: Operation }> } = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
)

const bigintText = (_: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value

let desk: Desk
let count = 0
beforeEach(async () => {
  desk = await openDesk(service)
})
afterEach(() => expectAllProofs(db))

type Shown = {
  reference: string
  status: string
  scheduledFor: string | null
  amount: number
  fee: number
  transferReference: string
  period: { firstEntry: number; lastEntry: number }
  report: { opening: number; credits: number; debits: number; closing: number; lines: Line[] }
}
type Line = { type: string; effect: string; count: number; amount: number }

/** A worker. Without `send` it is killed between the commit and the bank. */
function runWorker({ send = sendNow, naira = standardNaira.test as NairaLimits } = {}) {
  const fees = createFeeBook({ db, clock })
  const preparation = createPayoutPreparation({ db, rails, fees, logger })
  const tools = { db, clock, mode: 'test', preparation, exchange, send, logger } as const
  return settleDue({ ...tools, naira: { ...standardNaira, test: naira } }, clock.now())
}

async function setPrimary(
  accountNumber: string,
  bankCode = '058',
  usableFrom: Date | null = null,
): Promise<void> {
  const account = { environmentId: desk.environmentId, bankCode, accountNumber, accountName: 'Ada' }
  await db.transaction(async (tx) =>
    makePrimary(tx, await addBankAccount(tx, clock.now(), account), usableFrom),
  )
}

const settings = (settlement: object) => desk.patch('/v1/settings', { settlement })
const advance = (seconds: number) => desk.post('/v1/test/clock/advance', { seconds })
const day = 86_400
const settleNow = (key = `now ${count++}`) => desk.post('/v1/settlements', {}, keyed(key))
const list = async (): Promise<Shown[]> => (await desk.get('/v1/settlements')).json.data.items
const read = async (reference: string): Promise<Shown> =>
  (await desk.get(`/v1/settlements/${reference}`)).json.data

async function fund(amount: number): Promise<void> {
  await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount })
}

/** What the bank has paid to the account. */
async function arrivedAt(accountNumber: string): Promise<number[]> {
  const rows = await db.rows(sql<{ amount: bigint; order: string }>`
    select amount, instruction as order from sandbox_transfers
    where ending = 'completed' order by received_at`)
  return rows
    .filter(({ order }) => order.includes(accountNumber))
    .map(({ amount }) => Number(amount))
}

function expectAddsUp({ amount, fee, report }: Shown): void {
  const { opening, credits, debits, closing, lines } = report
  expect(opening + credits - debits).toBe(amount + fee + closing)
  expect(lines.reduce((sum, line) => sum + line.amount, 0)).toBe(credits - debits)
}

test('settlements are filtered by status and time, and summed up', async () => {
  await setPrimary('0000000014')
  await fund(1_000_000)
  const first = (await settleNow()).json.data as Shown
  await pass(4)
  await advance(day)
  await setPrimary(behaves.failing, '999')
  await fund(500_000)
  const second = (await settleNow()).json.data as Shown & { createdAt: string }
  await pass(4)
  const of = async (query: string): Promise<string[]> => {
    const { json } = await desk.get(`/v1/settlements?${query}`)
    return json.data.items.map(({ reference }: Shown) => reference)
  }
  expect(await of('')).toEqual([second.reference, first.reference])
  expect(await of('status=PAID')).toEqual([first.reference])
  expect(await of('status=FAILED')).toEqual([second.reference])
  expect(await of('status=SUBMITTED')).toEqual([])
  expect(await of(`from=${second.createdAt}`)).toEqual([second.reference])
  expect(await of(`to=${second.createdAt}`)).toEqual([first.reference])
  const page = (await desk.get('/v1/settlements?limit=1')).json.data
  expect(await of(`cursor=${page.nextCursor}`)).toEqual([first.reference])
  const unknown = await desk.get('/v1/settlements?status=COMPLETED')
  expect([unknown.status, unknown.json.details]).toMatchObject([400, [{ field: 'status' }]])

  const sums = async (query = '') => (await desk.get(`/v1/settlements/summary${query}`)).json.data
  const sumOf = ({ amount, fee }: Shown) => ({ count: 1, amount, fee, levy: 0, feeVat: 0 })
  const none = { count: 0, amount: 0, fee: 0, levy: 0, feeVat: 0 }
  expect(await sums()).toEqual({
    count: 2,
    // The money of the second came back.
    amount: first.amount,
    fee: first.fee,
    levy: 0,
    feeVat: 0,
    byStatus: {
      PENDING: none,
      SUBMITTED: none,
      PAID: sumOf(first),
      FAILED: sumOf(second),
      REVERSED: none,
    },
  })
  expect(await sums(`?to=${second.createdAt}`)).toMatchObject(sumOf(first))
})

// Every day three customers pay, one is refunded, and three workers compete; one of them is killed
// after its commit each day.
test('three days of payments are settled once each, and every report adds up', async () => {
  const number = '0123456789'
  await setPrimary(number)
  await settings({ schedule: 'daily', time: '06:00', reserve: 200_050 })
  const account = (await desk.openDedicated('till')).json.data
  for (let today = 1; today <= 3; today += 1) {
    const paid = []
    for (const amount of [500_000, 300_000, 200_033 * today])
      paid.push(await desk.pay(account.accountNumber, { amount }))
    await desk.refund(paid[1].reference, {}, keyed(`refund ${today}`))
    await pass(3)
    await advance(day)
    const dead = { send: () => {} }
    const due = await Promise.all([runWorker(dead), runWorker(dead), runWorker(dead)])
    expect(due.reduce((sum, one) => sum + one)).toBe(1)
    expect(await runWorker()).toBe(0)
    await pass(4)
    const settlements = await list()
    expect(settlements).toHaveLength(today)
    const [latest, earlier] = settlements
    expect(latest).toMatchObject({
      status: 'PAID',
      scheduledFor: `2026-01-0${5 + today}T05:00:00.000Z`,
    })
    expectAddsUp(latest!)
    expect(latest!.report).toMatchObject({
      opening: earlier?.report.closing ?? 0,
      lines: [
        { type: 'payment', effect: 'post', count: 3, amount: 800_000 + 200_033 * today },
        { type: 'payment_fee', effect: 'post', count: 3 },
        { type: 'payment_refund', effect: 'hold', count: 1, amount: -300_000 },
      ],
    })
    expect(latest!.report.closing).toBeGreaterThanOrEqual(200_050)
    expect(latest!.report.closing).toBeLessThan(200_050 + 100)
    expect(await read(latest!.reference)).toEqual(latest)
    expect(await desk.eventTypes(latest!.reference)).toEqual([
      'settlement.created',
      'settlement.paid',
    ])
    expect(await desk.lastEventData(latest!.reference)).toEqual(latest)
    expect(await arrivedAt(number)).toEqual(settlements.map(({ amount }) => amount).toReversed())
    expect((await desk.naira()).available).toBe(latest!.report.closing)

    const { period, transferReference, reference } = latest!
    const transfer = await desk.get(`/v1/disbursements/bank-transfer/${transferReference}`)
    expect(transfer.json.data).toMatchObject({ merchantReference: reference, status: 'COMPLETED' })
    const first = await desk.get(`/v1/settlements/${reference}/entries?limit=5`)
    const { items, nextCursor } = first.json.data
    const rest = await desk.get(`/v1/settlements/${reference}/entries?cursor=${nextCursor}`)
    const numbers = [...items, ...rest.json.data.items].map((entry) => entry.number)
    const size = period.lastEntry - period.firstEntry + 1
    expect(numbers).toEqual(Array.from({ length: size }, (_, index) => period.lastEntry - index))
    expect(rest.json.data.nextCursor).toBeNull()
    expect(items.slice(0, 2).map((entry: Line) => entry.type)).toEqual([
      'bank_payout_fee',
      'bank_payout',
    ])
  }
})

describe('a scheduled settlement', () => {
  beforeEach(async () => {
    await settings({ schedule: 'daily', minimum: 100_000 })
    await fund(1_000_000)
  })

  test('is made once by two workers of which one outlives its lease', async () => {
    await setPrimary('0123456789')
    await advance(day)
    let wake = () => {}
    const sleeping = new Promise<void>((resolve) => {
      wake = resolve
    })
    const fees = createFeeBook({ db, clock })
    const preparation = createPayoutPreparation({ db, rails, fees, logger })
    const slow = {
      ...preparation,
      prepare: async (...input: Parameters<typeof preparation.prepare>) => {
        const prepared = await preparation.prepare(...input)
        await sleeping
        return prepared
      },
    }
    const shared = { db, clock, exchange, naira: standardNaira, logger }
    const tools = { ...shared, mode: 'test', send: sendNow } as const
    const late = settleDue({ ...tools, preparation: slow }, clock.now())
    while ((await dueAt()) <= clock.now()) await new Promise((resolve) => setImmediate(resolve))
    expect(await runWorker()).toBe(0)
    clock.advance(settlementLimits.retryMs)
    await runWorker()
    wake()
    await late
    expect(await list()).toHaveLength(1)
  })

  test('is tried again if another payout takes some of its money meanwhile', async () => {
    await setPrimary('0123456789')
    await advance(day)
    const fees = createFeeBook({ db, clock })
    const preparation = createPayoutPreparation({ db, rails, fees, logger })
    const overtaken = {
      ...preparation,
      prepare: async (...input: Parameters<typeof preparation.prepare>) => {
        const prepared = await preparation.prepare(...input)
        const transfer = { amount: 100_000, bankCode: '058', accountNumber: '0123456789' }
        await desk.post('/v1/disbursements/bank-transfer', transfer, keyed(`overtakes ${count++}`))
        return prepared
      },
    }
    const shared = { db, clock, exchange, naira: standardNaira, logger }
    const tools = { ...shared, mode: 'test', send: sendNow } as const
    await settleDue({ ...tools, preparation: overtaken }, clock.now())
    expect(await list()).toEqual([])
    clock.advance(settlementLimits.retryMs)
    await runWorker()
    expect(await list()).toMatchObject([
      { amount: 896_500, scheduledFor: '2026-01-06T05:00:00.000Z' },
    ])
  })

  async function dueAt(): Promise<Date> {
    const [row] = await db.rows(sql<{ dueAt: Date }>`
      select due_at from settlement_schedules
      where environment_id = ${desk.environmentId}`)
    return row!.dueAt
  }

  test('waits for a bank that does not answer, and is then made for its own time', async () => {
    await setPrimary(behaves.unreachable, '999')
    await advance(day)
    for (let tries = 0; tries < 3; tries += 1) {
      expect(await runWorker()).toBe(1)
      expect(await runWorker()).toBe(0)
      clock.advance(settlementLimits.retryMs)
    }
    expect(await list()).toEqual([])
    await setPrimary('0123456789')
    await runWorker()
    expect(await list()).toMatchObject([
      { amount: 997_500, scheduledFor: '2026-01-06T05:00:00.000Z' },
    ])
  })

  test('that fails or is reversed is part of the next one', async () => {
    await setPrimary(behaves.failing, '999')
    await advance(day)
    await runWorker()
    await pass(4)
    const [failed] = await list()
    expect(failed).toMatchObject({ status: 'FAILED', failureReason: expect.any(String) })
    expect(await desk.naira()).toMatchObject({ available: 1_000_000, held: 0 })
    expect(await desk.eventTypes(failed!.reference)).toEqual([
      'settlement.created',
      'settlement.failed',
    ])

    await setPrimary(behaves.reversing, '999')
    await advance(day)
    await runWorker()
    await pass(10)
    const [reversed] = await list()
    expect(reversed).toMatchObject({
      status: 'REVERSED',
      report: {
        opening: 0,
        lines: [{ type: 'bank_payout', effect: 'release', amount: 1_000_000 }],
      },
    })
    expect(await desk.eventTypes(reversed!.reference)).toEqual([
      'settlement.created',
      'settlement.paid',
      'settlement.reversed',
    ])

    await setPrimary('0123456789')
    await advance(day)
    await runWorker()
    const [latest] = await list()
    expectAddsUp(latest!)
    expect(latest!.report.lines.map(({ type }) => type)).toEqual([
      'bank_payout_fee_reversal',
      'bank_payout_reversal',
    ])
  })

  test('that one transfer cannot carry is several, at once', async () => {
    await setPrimary('0123456789')
    await advance(day)
    const naira = { min: 1n, max: 400_000n }
    for (const isDue of [1, 1, 1, 0]) expect(await runWorker({ naira })).toBe(isDue)
    const settlements = await list()
    expect(settlements.map(({ amount }) => amount)).toEqual([197_000, 400_000, 400_000])
    expect(new Set(settlements.map((one) => one.scheduledFor)).size).toBe(1)
    settlements.forEach(expectAddsUp)
  })

  test('is skipped below the minimum, without an account and while off', async () => {
    await settings({ reserve: 900_000 })
    await setPrimary('0123456789')
    await advance(day)
    expect(await runWorker()).toBe(1)
    await settings({ reserve: 0 })
    expect(await runWorker()).toBe(0)
    await settings({ schedule: 'off' })
    await advance(day)
    expect(await runWorker()).toBe(0)
    expect(await list()).toEqual([])
  })

  test('waits until a new bank account becomes usable, and is then made for its own time', async () => {
    await settings({ schedule: 'weekly', weekday: 'monday' })
    const usableFrom = new Date(clock.now().getTime() + 9 * day * 1_000)
    await setPrimary('0123456789', '058', usableFrom)
    await advance(8 * day)
    expect([await runWorker(), await runWorker()]).toEqual([1, 0])
    expect(await list()).toEqual([])
    await advance(day + 60)
    expect(await runWorker()).toBe(1)
    expect(await list()).toMatchObject([{ scheduledFor: '2026-01-12T05:00:00.000Z' }])
  })

  // The clock of the tests starts on a Monday.
  test('is made on its weekday, and missed times become one settlement', async () => {
    await setPrimary('0123456789')
    await settings({ schedule: 'weekly', weekday: 'wednesday', time: '23:30' })
    await advance(day)
    expect(await runWorker()).toBe(0)
    await advance(20 * day)
    expect([await runWorker(), await runWorker()]).toEqual([1, 0])
    expect(await list()).toMatchObject([{ scheduledFor: '2026-01-07T22:30:00.000Z' }])
    expect(after(await dueAt(), 21 * day * 1_000)).toEqual(new Date('2026-01-28T22:30:00Z'))
  })
})

describe('a settlement on request', () => {
  test('is refused without an account and without money, and remembers why', async () => {
    const refused = await settleNow('none')
    expect([refused.status, refused.json.reason]).toEqual([422, 'no_bank_account'])
    await setPrimary('0123456789')
    expect((await settleNow('none')).text).toBe(refused.text)
    expect((await settleNow()).json.reason).toBe('nothing_to_settle')
    const unkeyed = await desk.post('/v1/settlements', {})
    expect(unkeyed.json.details[0].field).toBe('Idempotency-Key')
  })

  test('pays once for each key, and never below the reserve', async () => {
    await setPrimary('0123456789')
    await settings({ reserve: 400_000 })
    await fund(1_000_000)
    const replies = await Promise.all([
      ...Array.from({ length: 5 }, () => settleNow('same')),
      ...Array.from({ length: 5 }, () => settleNow()),
    ])
    const paid = replies.filter(({ status }) => status === 201)
    const others = replies.filter(({ status }) => status !== 201)
    for (const { status, json } of others)
      expect([status, json.reason ?? json.code]).toEqual([422, 'nothing_to_settle'])
    expect(new Set(paid.map(({ text }) => text)).size).toBe(1)
    expect(await list()).toMatchObject([{ amount: 597_500, scheduledFor: null }])
    expect(await desk.naira()).toMatchObject({ available: 400_000, held: 600_000 })
    await pass(3)
    expect(await list()).toMatchObject([{ status: 'PAID' }])
  })

  // The largest transfer is ₦10,000,000: what remains is settled by workers, down to the minimum.
  test('of more than one transfer carries says so, and the rest follows at once', async () => {
    await setPrimary('0123456789')
    await fund(2_500_000_000)
    const { max } = standardNaira.test
    for (const isScheduled of [false, true]) {
      if (isScheduled) {
        await settings({ schedule: 'daily', time: '06:00', minimum: 10_000_000 })
        await fund(2_500_000_000)
      }
      const before = (await list()).length
      const made = await settleNow()
      expect(made.json).toMatchObject({
        message: expect.stringMatching(
          /^Settlement of ₦10,000,000.00 submitted, .* The rest follows/,
        ),
        data: { amount: Number(max), scheduledFor: null },
      })
      for (const isDue of [1, 1, 0])
        expect([isScheduled, await runWorker()]).toEqual([isScheduled, isDue])
      const settlements = (await list()).slice(0, -before || undefined)
      expect(settlements).toHaveLength(3)
      expect(settlements.every((one) => one.scheduledFor === null)).toBe(true)
      settlements.forEach(expectAddsUp)
    }
    // The schedule goes on.
    await fund(50_000_000)
    await advance(day)
    expect([await runWorker(), await runWorker()]).toEqual([1, 0])
    expect((await list())[0]).toMatchObject({ scheduledFor: expect.any(String) })
    // A requested amount is settled alone, and a rest below the minimum stays.
    await fund(1_005_000_000)
    const { json } = await settleNow()
    expect(json.message).toBe('Settlement submitted')
    await fund(2_000_000_000)
    const part = await desk.post('/v1/settlements', { amount: 100_000 }, keyed('part of much'))
    expect(part.json.message).toBe('Settlement submitted')
    expect(await runWorker()).toBe(0)
  })

  test('keeps its rest if the schedule is changed meanwhile', async () => {
    await setPrimary('0123456789')
    await fund(2_500_000_000)
    await settings({ schedule: 'daily' })
    await settleNow()
    await settings({ schedule: 'off' })
    for (const isDue of [1, 1, 0]) expect(await runWorker()).toBe(isDue)
    expect(await list()).toHaveLength(3)
    const [left] = await db.rows(sql<{ count: bigint }>`
      select count(*) as count from settlement_schedules
      where environment_id = ${desk.environmentId}`)
    expect(left!.count).toBe(0n)
  })

  test('settles a part of the balance, and refuses more than is above the reserve', async () => {
    await setPrimary('0123456789')
    await settings({ reserve: 400_000 })
    await fund(1_000_000)
    const settle = (amount: number) =>
      desk.post('/v1/settlements', { amount }, keyed(`part ${count++}`))
    expect((await settle(597_501)).json.code).toBe('insufficient_balance')
    expect((await settle(2_000_000_000)).json.details[0].field).toBe('amount')
    expect((await settle(200_050)).json.data).toMatchObject({ amount: 200_050, fee: 1_000 })
    const rest: Shown = (await settleNow()).json.data
    expect(rest).toMatchObject({ report: { opening: 798_950, credits: 0, debits: 0, lines: [] } })
    expectAddsUp(rest)
  })

  // The second request has read the end of the statement when the first one commits.
  test('reports only entries after the settlement before it, also in a race', async () => {
    await setPrimary('0123456789')
    await fund(1_000_000)
    const environment = desk.merchant.environments.test
    const fees = createFeeBook({ db, clock })
    const preparation = createPayoutPreparation({ db, rails, fees, logger })
    let isFirst = true
    const overtaken: Queryable = {
      async rows<Row>(source: Source<Row>) {
        const found = await db.rows<Row>(source)
        const isEnd = JSON.stringify(found, bigintText).includes('entryNumber')
        if (isEnd && isFirst) {
          isFirst = false
          await desk.post('/v1/settlements', { amount: 200_000 }, keyed(`first ${count++}`))
        }
        return found
      },
    }
    const tools = { db: overtaken, preparation, naira: standardNaira, exchange }
    const request = {
      environment,
      subaccount: null,
      requestedBy: { createdByKey: null, createdByUser: null },
      scheduledFor: null,
      hasMinimum: false,
      requestedAmount: 100_000n,
    }
    const prepared = await prepareSettlement(tools, clock.now(), request)
    if (prepared instanceof Refusal) throw prepared
    const created = await db.transaction((tx) => createSettlement(tx, clock.now(), prepared))
    prepared.payout.finish()
    expect(isFirst).toBe(false)
    expect(created).toMatchObject({ settlement: { opening: 799_000n, lines: [] } })
  })

  // What was prepared for the old account must not pass because the new one may be paid.
  test('is refused if the primary account changes before it is committed', async () => {
    await setPrimary('0123456789')
    await fund(1_000_000)
    const fees = createFeeBook({ db, clock })
    const preparation = createPayoutPreparation({ db, rails, fees, logger })
    const prepared = await prepareSettlement(
      { db, preparation, naira: standardNaira, exchange },
      clock.now(),
      {
        environment: desk.merchant.environments.test,
        subaccount: null,
        requestedBy: { createdByKey: null, createdByUser: null },
        scheduledFor: null,
        hasMinimum: false,
        requestedAmount: 100_000n,
      },
    )
    if (prepared instanceof Refusal) throw prepared
    await setPrimary('0123456780')
    const created = await db.transaction((tx) => createSettlement(tx, clock.now(), prepared))
    prepared.payout.finish()
    expect(created).toMatchObject({ code: 'bank_transfer_failed', reason: 'invalid_state' })
    expect(await list()).toEqual([])
  })

  test('belongs to its environment', async () => {
    await setPrimary('0123456789')
    await fund(1_000_000)
    const { reference } = (await settleNow()).json.data
    const other = await openDesk(service)
    for (const path of [reference, `${reference}/entries`, 'set_1'])
      expect((await other.get(`/v1/settlements/${path}`)).status).toBe(404)
    expect((await other.get('/v1/settlements')).json.data.items).toEqual([])
  })
})

describe('a suspended merchant', () => {
  const suspend = () =>
    db.transaction((tx) =>
      suspendMerchant(tx, clock.now(), desk.merchant.environments.test.merchantId),
    )
  const resume = () =>
    db.transaction((tx) => resumeMerchant(tx, desk.merchant.environments.test.merchantId))
  const transfer = { amount: 1_000, bankCode: '058', accountNumber: '0123456789' }
  const pay = (key: string) => desk.post('/v1/disbursements/bank-transfer', transfer, keyed(key))

  const stopped = Object.entries(openapi.paths).flatMap(([path, { post }]) =>
    JSON.stringify(post?.responses ?? {}).includes('merchant_suspended') ? [{ path, post }] : [],
  )

  test('creates and pays nothing within a second, in every process', async () => {
    await setPrimary('0123456789')
    await fund(1_000_000)
    const beside = { db, clock, secret: service.secret }
    const other = await openManilla({ beside, rails })
    await desk.get('/v1/balances')
    const key = desk.merchant.test.secret
    expect((await other.ask('GET', '/v1/balances', { key })).status).toBe(200)
    await suspend()
    clock.advance(keyLimits.cacheMs)
    expect(stopped.map(({ post }) => post.operationId).toSorted()).toEqual([
      'closeSubaccount',
      'createBankTransfer',
      'createCheckoutSession',
      'createClaim',
      'createConversion',
      'createCryptoTransfer',
      'createCryptoWallet',
      'createDedicatedAccount',
      'createDedicatedCryptoWallet',
      'createPaymentLink',
      'createPayoutBatch',
      'createRecipient',
      'createSettlement',
      'createSplitRule',
      'createSplitRuleVersion',
      'createSubaccount',
      'createVirtualAccount',
      'decideTestDisbursement',
      'enableRecipient',
      'giveAccountToCustomer',
      'refundPayment',
      'resolvePayment',
      'retryPayoutBatch',
      'sendInvoice',
      'settleSubaccount',
      'submitPayoutBatch',
      'transferToSubaccount',
    ])
    for (const { path, post } of stopped)
      for (const { ask } of [service, other]) {
        const headers = keyed(`suspended ${count++}`)
        const body = post.requestBody?.content['application/json'].example ?? {}
        const reply = await ask('POST', path.replace('{reference}', 'x'), { key, body, headers })
        expect([path, reply.status, reply.json.reason]).toEqual([path, 403, 'merchant_suspended'])
      }
    await resume()
    clock.advance(keyLimits.cacheMs)
    expect((await pay('suspended again')).status).toBe(201)
  })

  test('still reads, receives money and finishes open payouts; nothing is settled', async () => {
    await setPrimary('0123456789')
    await settings({ schedule: 'daily', minimum: 0 })
    const account = (await desk.openDedicated('open')).json.data
    await fund(1_000_000)
    const open = await pay('open payout')
    await suspend()
    clock.advance(keyLimits.cacheMs)
    const paid = await desk.pay(account.accountNumber, { amount: 500_000 })
    expect(paid).toMatchObject({ status: 'ACCEPTED' })
    expect((await desk.refund(paid.reference, {}, keyed('refund'))).json.reason).toBe(
      'merchant_suspended',
    )
    expect((await pay('open payout')).text).toBe(open.text)
    await pass(3)
    const { reference } = open.json.data
    expect((await desk.get(`/v1/disbursements/bank-transfer/${reference}`)).json.data.status).toBe(
      'COMPLETED',
    )
    await advance(day)
    expect(await runWorker()).toBe(1)
    expect(await list()).toEqual([])
    await resume()
    await advance(day)
    expect(await runWorker()).toBe(1)
    expect(await list()).toHaveLength(1)
  })
})

// As in test/payouts/proofs.test.ts: each damage makes claims untrue, and verify-ledger names them.
test('every damage to a settlement is found', async () => {
  await setPrimary('0123456789')
  await fund(1_000_000)
  await settleNow()
  await fund(500_000)
  const { reference } = (await settleNow()).json.data
  const where = `id = '${fromReference(prefixes.settlement, reference)}'`
  const damage = async (...statements: string[]) => {
    await db.transaction(async (tx) => {
      tx.write(sql`set local session_replication_role = replica`)
      for (const text of statements) tx.write({ text, values: [] })
    })
    const findings = await verifyLedger(db, settlementProofs)
    return findings.map(({ counterexamples }) => counterexamples.length > 0)
  }
  const repair = ['truncate settlements', 'insert into settlements select * from sound_settlements']
  await damage('create table sound_settlements as table settlements')
  const [payouts, chain, sums, events] = [0, 1, 2, 3]
  const cases: [string, number][] = [
    [`update settlements set payout_id = gen_random_uuid() where ${where}`, payouts],
    [`update settlements set opening = opening + 1 where ${where}`, chain],
    [`update settlements set closing = closing + 1 where ${where}`, sums],
    [`update settlements set lines = '[]' where ${where}`, sums],
    [`update settlements set first_entry = first_entry + 1 where ${where}`, chain],
    [`delete from settlements where ${where}`, events],
  ]
  for (const [statement, claim] of cases) {
    expect((await damage(statement))[claim], statement).toBe(true)
    expect(await damage(...repair)).toEqual([false, false, false, false, false])
  }
  await damage('drop table sound_settlements')
})
