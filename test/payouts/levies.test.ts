import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { day, minute } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { Rails } from '../../src/collections/rails.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { createLevyBook } from '../../src/payouts/levies/levy-book.js'
import { addLevy } from '../../src/payouts/levies/store-levies.js'
import { batchLimits } from '../../src/payouts/limits.js'
import { createFeeBook } from '../../src/payouts/requests/fee-book.js'
import { createPayoutPreparation } from '../../src/payouts/requests/prepare-payouts.js'
import { createSendAfterCommit } from '../../src/payouts/requests/send-new.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank } from '../support/open-with-bank.js'
import { behaves, type Desk, openDesk } from '../support/payment-desk.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
const { db, bank, clock, pass } = service
const path = '/v1/disbursements/bank-transfer'
const batches = '/v1/disbursements/batches'
const account = { bankCode: '058', accountNumber: '0123456789' }
const own = { bankCode: '058', accountNumber: '0987654321' }

type Terms = Partial<Parameters<typeof addLevy>[2]>

/** The stamp duty of Nigeria, from now on, unless `change` differs. Read a second later. */
async function levy(change: Terms = {}): Promise<void> {
  const now = clock.now()
  await db.transaction((tx) =>
    addLevy(tx, now, {
      kind: 'stamp_duty',
      mode: 'test',
      rail: null,
      threshold: 1_000_000n,
      amount: 5_000n,
      exempts: ['salary', 'own_accounts'],
      holdsFrom: now,
      holdsUntil: null,
      createdBy: 'ada',
      ...change,
    }),
  )
  clock.advance(1_000)
}

const endLevies = () => levy({ amount: 0n, threshold: 0n })

let desk: Desk
const headers = () => ({ 'idempotency-key': randomUUID() })
const fund = (amount: number) => desk.post('/v1/test/balances/fund', { asset: 'NGN', amount })
const quote = async (body: object) =>
  (await desk.post(`${path}/quote`, { ...account, ...body })).json.data
const pay = (body: object) => desk.post(path, { ...account, ...body }, headers())
const read = async (reference: string) => (await desk.get(`${path}/${reference}`)).json.data

/** Kobo that the merchant's ledger account holds, posted and pending. */
async function levied(): Promise<[number, number]> {
  const [row] = await db.rows(sql<{ posted: bigint; pending: bigint }>`
    select credits_posted - debits_posted as posted, credits_pending as pending
    from ledger_accounts where environment_id = ${desk.environmentId} and name = 'levies'`)
  return row ? [Number(row.posted), Number(row.pending)] : [0, 0]
}

async function saveOwnAccount(): Promise<void> {
  const { environmentId } = desk
  await db.transaction(async (tx) => {
    const added = { environmentId, ...own, accountName: 'Ada' }
    await makePrimary(tx, await addBankAccount(tx, clock.now(), added))
  })
}

/** The words of the statement add up, with levies among them. */
async function expectSummaryAddsUp(): Promise<void> {
  const { json } = await desk.get('/v1/balance-entries/summary?asset=NGN')
  const { opening, closing, received, added, converted, levies, ...sums } = json.data
  const [posted, pending] = await levied()
  expect(levies).toBe(posted + pending)
  const left = sums.refunded + sums.paidOut + sums.fees + levies + sums.setAside
  expect(opening + received + added + converted - left).toBe(closing)
}

beforeEach(async () => {
  desk = await openDesk(service)
  await fund(100_000_000)
  await levy()
})
afterEach(async () => {
  await endLevies()
  await expectSummaryAddsUp()
  await expectAllProofs(db)
})

describe('a quote', () => {
  test('shows the levy beside the fee, from the threshold on', async () => {
    const owing = await quote({ amount: 1_000_000 })
    expect(owing).toMatchObject({ levy: 5_000, totalDebit: 1_000_000 + owing.fee + 5_000 })
    const free = await quote({ amount: 999_999 })
    expect(free).toMatchObject({ levy: 0, totalDebit: 999_999 + free.fee })
  })

  test.each<[string, Terms]>([
    ['of live mode', { mode: 'live' }],
    ['of another rail', { rail: 'paystack-test' }],
    ['that begins tomorrow', { holdsFrom: new Date(clock.now().getTime() + 30 * day) }],
    ['that was ended', { amount: 0n }],
  ])('has no levy %s', async (_name, change) => {
    await endLevies()
    await levy(change)
    expect(await quote({ amount: 1_000_000 })).toMatchObject({ levy: 0 })
  })

  test('has the levy of its rail, and of its time', async () => {
    const from = new Date(clock.now().getTime() + 10 * minute)
    const until = new Date(clock.now().getTime() + 20 * minute)
    await levy({ rail: bank.name, amount: 7_000n, holdsFrom: from, holdsUntil: until })
    expect(await quote({ amount: 1_000_000 })).toMatchObject({ levy: 5_000 })
    clock.advance(10 * minute)
    expect(await quote({ amount: 1_000_000 })).toMatchObject({ levy: 7_000 })
    clock.advance(10 * minute)
    expect(await quote({ amount: 1_000_000 })).toMatchObject({ levy: 5_000 })
  })

  test('has none for salaries and for own accounts, unless the levy is on them, too', async () => {
    await saveOwnAccount()
    expect(await quote({ amount: 1_000_000, purpose: 'salary' })).toMatchObject({ levy: 0 })
    expect(await quote({ amount: 1_000_000, ...own })).toMatchObject({ levy: 0 })
    await levy({ exempts: [] })
    expect(await quote({ amount: 1_000_000, purpose: 'salary' })).toMatchObject({ levy: 5_000 })
    expect(await quote({ amount: 1_000_000, ...own })).toMatchObject({ levy: 5_000 })
  })

  test('refuses an unknown purpose', async () => {
    const { status, json } = await desk.post(`${path}/quote`, {
      ...account,
      amount: 1_000_000,
      purpose: 'bonus',
    })
    expect([status, json.code]).toEqual([400, 'validation_failed'])
    expect(json.details).toMatchObject([{ field: 'purpose' }])
  })
})

describe('a transfer', () => {
  test('holds the levy, and settles it when it completes', async () => {
    const before = await desk.naira()
    const { status, json } = await pay({ amount: 1_000_000 })
    const { reference, fee, levy: owed, totalDebit } = json.data
    expect([status, owed, totalDebit]).toEqual([201, 5_000, 1_000_000 + fee + 5_000])
    expect(await desk.naira()).toMatchObject({ available: before.available - totalDebit })
    expect(await levied()).toEqual([0, 5_000])
    await expectAllProofs(db)
    await pass(5)
    expect(await read(reference)).toMatchObject({ status: 'COMPLETED', levy: 5_000, totalDebit })
    expect(await levied()).toEqual([5_000, 0])
    expect(await desk.statement()).toContainEqual(['bank_payout_levy', 'hold', -5_000])
    expect(await desk.lastEventData(reference)).toMatchObject({ levy: 5_000, totalDebit })
  })

  test('gives the levy back when it fails', async () => {
    const before = await desk.naira()
    const { json } = await pay({ amount: 1_000_000, accountNumber: behaves.failing })
    await pass(5)
    expect(await read(json.data.reference)).toMatchObject({ status: 'FAILED', levy: 5_000 })
    expect(await desk.naira()).toMatchObject(before)
    expect(await levied()).toEqual([0, 0])
    const { items } = (await desk.get('/v1/balance-entries?asset=NGN&limit=1')).json.data
    expect(items[0].released).toEqual({
      amount: 1_000_000,
      fee: json.data.fee,
      levy: 5_000,
      feeVat: 0,
    })
  })

  test('gives the levy back when the bank reverses it', async () => {
    const before = await desk.naira()
    const { json } = await pay({ amount: 1_000_000, accountNumber: behaves.reversing })
    await pass(5)
    expect(await levied()).toEqual([5_000, 0])
    await pass(30)
    expect(await read(json.data.reference)).toMatchObject({ status: 'REVERSED', levy: 5_000 })
    expect(await desk.naira()).toMatchObject(before)
    expect(await levied()).toEqual([0, 0])
  })

  test('keeps its purpose, and a salary is exempt', async () => {
    const { json } = await pay({ amount: 1_000_000, purpose: 'salary' })
    expect(json.data).toMatchObject({ purpose: 'salary', levy: 0 })
    expect(await read(json.data.reference)).toMatchObject({ purpose: 'salary' })
    expect((await pay({ amount: 1_000_000 })).json.data).not.toHaveProperty('purpose')
  })

  test('keeps the levy of the time at which it was made', async () => {
    const { json } = await pay({ amount: 1_000_000 })
    await endLevies()
    await pass(5)
    expect(await read(json.data.reference)).toMatchObject({ status: 'COMPLETED', levy: 5_000 })
  })

  test('is refused if the balance covers all but the levy', async () => {
    desk = await openDesk(service)
    const { fee } = await quote({ amount: 1_000_000 })
    await fund(1_000_000 + fee + 4_999)
    const { status, json } = await pay({ amount: 1_000_000 })
    expect(json.code, String(status)).toBe('insufficient_balance')
    expect(json.message).toContain('with its fee and stamp duty')
    await fund(1)
    expect((await pay({ amount: 1_000_000 })).status).toBe(201)
    expect(await desk.naira()).toMatchObject({ available: 0 })
  })

  test('that waits for approval is approved with its levy', async () => {
    const [ada, obi] = [
      await addPerson(service, { role: 'owner', merchant: desk.merchant.reference }),
      await addPerson(service, { role: 'owner', merchant: desk.merchant.reference }),
    ]
    const limits = { each: 100_000, perDay: null }
    const rule = { NGN: limits, USDC: null, USDT: null, appliesTo: 'all' }
    expect((await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })).status).toBe(200)
    const { json } = await ada.ask('POST', path, { body: { ...account, amount: 1_000_000 } })
    expect(json.data).toMatchObject({ status: 'PENDING', levy: 5_000 })
    expect(await levied()).toEqual([0, 5_000])
    const { reference, orderHash } = json.data
    await endLevies()
    const decision = `/v1/disbursements/${reference}/approve`
    const approved = await obi.ask('POST', decision, { body: { orderHash } })
    expect(approved.status, approved.text).toBe(200)
    await pass(5)
    expect(await read(reference)).toMatchObject({ status: 'COMPLETED', levy: 5_000 })
  })
})

describe('a settlement', () => {
  test('to the own account of the merchant is exempt', async () => {
    await saveOwnAccount()
    const { status, json } = await desk.post('/v1/settlements', {}, headers())
    expect([status, json.data.levy, json.data.report.closing]).toEqual([201, 0, 0])
  })

  test('leaves room for a levy that own accounts owe', async () => {
    await saveOwnAccount()
    await levy({ exempts: [] })
    const { status, json } = await desk.post('/v1/settlements', {}, headers())
    expect(status, JSON.stringify(json)).toBe(201)
    const { amount, fee, levy: owed, report, period } = json.data
    expect(owed).toBe(5_000)
    expect(report.opening + report.credits - report.debits).toBe(
      amount + fee + owed + report.closing,
    )
    expect(report.closing).toBeLessThan(100)
    expect(period.lastEntry - period.firstEntry).toBe(3)
    await pass(5)
    const { json: summary } = await desk.get('/v1/settlements/summary')
    expect(summary.data).toMatchObject({ levy: 5_000 })
  })
})

describe('a batch', () => {
  const rails = new Rails({ test: { payoutBank: bank } })
  const logger = createLogger('silent')
  const fees = createFeeBook({ db, clock })
  const levies = createLevyBook({ db, clock })
  const preparation = createPayoutPreparation({ db, rails, fees, logger, levies })
  const send = createSendAfterCommit({ rails, clock, logger })
  const worker = { db, rails, preparation, fees, clock, logger, send }

  async function work(): Promise<void> {
    clock.advance(1_000)
    while ((await runBatches(worker, 'test')) > 0);
  }

  async function finish(reference: string) {
    const submitted = await desk.post(`${batches}/${reference}/submit`, {}, headers())
    expect(submitted.status, submitted.text).toBe(200)
    await work()
    await pass(5)
    clock.advance(batchLimits.resultsIntervalMaxMs)
    await work()
    return (await desk.get(`${batches}/${reference}`)).json.data
  }

  test('levies its items, but not salaries, and counts what was paid', async () => {
    const to = (accountNumber: string, more: object = {}) => ({
      amount: 1_000_000,
      bankCode: '058',
      accountNumber,
      ...more,
    })
    const items = [
      to('0123456789'),
      to('0123456789', { amount: 2_000_000, purpose: 'salary' }),
      to('0123456789', { amount: 500_000 }),
      to(behaves.failing),
    ]
    const body = { kind: 'bank_transfer', items }
    const { reference } = (await desk.post(batches, body, headers())).json.data
    await work()
    const ready = (await desk.get(`${batches}/${reference}`)).json.data
    expect(ready).toMatchObject({ status: 'READY', levy: 10_000 })
    expect(ready.totalDebit).toBe(ready.amount + ready.fee + 10_000)
    const completed = await finish(reference)
    expect(completed).toMatchObject({ status: 'COMPLETED', paid: { count: 3, levy: 5_000 } })
    const shown = (await desk.get(`${batches}/${reference}/items`)).json.data.items
    const facts = shown.map((item: { levy: number; purpose?: string; status: string }) => [
      item.levy,
      item.purpose,
      item.status,
    ])
    expect(facts).toEqual([
      [5_000, undefined, 'COMPLETED'],
      [0, 'salary', 'COMPLETED'],
      [0, undefined, 'COMPLETED'],
      [5_000, undefined, 'FAILED'],
    ])
    expect(await levied()).toEqual([5_000, 0])
    const retried = await desk.post(`${batches}/${reference}/retry`, {}, headers())
    expect(retried.status, retried.text).toBe(201)
  })

  test('reads salaries from a file, and names a wrong purpose with its line', async () => {
    const upload = (rows: string[]) =>
      service.ask('POST', batches, {
        key: desk.merchant.test.secret,
        body: ['accountNumber,bankCode,amountNaira,purpose', ...rows].join('\n'),
        headers: { ...headers(), 'content-type': 'text/csv' },
      })
    const refused = await upload(['0123456789,058,10000,salary', '0123456789,058,20000,bonus'])
    expect(refused.json.details).toEqual([
      { field: 'line 3, purpose', issue: 'must be salary, or empty' },
    ])
    const { json } = await upload(['0123456789,058,10000,salary', '0123456789,058,20000,'])
    await work()
    const { reference } = json.data
    expect((await desk.get(`${batches}/${reference}`)).json.data).toMatchObject({ levy: 5_000 })
  })

  test('that the balance covers without its levies is refused', async () => {
    desk = await openDesk(service)
    const { fee } = await quote({ amount: 1_000_000 })
    await fund(1_000_000 + fee)
    const items = [{ amount: 1_000_000, ...account }]
    const body = { kind: 'bank_transfer', items }
    const { reference } = (await desk.post(batches, body, headers())).json.data
    await work()
    const refused = await desk.post(`${batches}/${reference}/submit`, {}, headers())
    expect(refused.json.message).toContain('with its fees and stamp duties')
    await fund(5_000)
    expect(await finish(reference)).toMatchObject({ status: 'COMPLETED', paid: { levy: 5_000 } })
  })
})

test('a transfer that coins pay for converts enough for its levy', async () => {
  desk = await openDesk(service)
  await desk.post('/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
  const fundFrom = { asset: 'USDC', maxRate: '1' }
  const { status, json } = await pay({ amount: 1_000_000, fundFrom })
  expect(status, JSON.stringify(json)).toBe(201)
  expect(json.data).toMatchObject({ levy: 5_000 })
  await pass(5)
  expect(await levied()).toEqual([5_000, 0])
})

describe('an operator in the console', () => {
  const url = '/operator/v1/levies'

  test('sets, lists and ends levies, and reads the report', async () => {
    await endLevies()
    const ada = await addPerson(service, { isOperator: true })
    const terms = { mode: 'test', threshold: '20000', amount: '75.50', chargeSalaries: true }
    const set = await ada.ask('POST', url, { body: terms })
    expect(set.status, set.text).toBe(200)
    expect(set.json.data).toMatchObject({ amount: 7_550, exempts: ['own_accounts'] })
    clock.advance(1_000)
    expect(await quote({ amount: 1_999_999 })).toMatchObject({ levy: 0 })
    expect(await quote({ amount: 2_000_000, purpose: 'salary' })).toMatchObject({ levy: 7_550 })
    const preset = await ada.ask('POST', `${url}/presets/nigeria`, { body: { mode: 'test' } })
    expect(preset.json.data).toMatchObject({ amount: 5_000, threshold: 1_000_000 })
    const listed = (await ada.ask('GET', url)).json.data
    expect(listed.items.slice(0, 2)).toEqual([preset.json.data, set.json.data])
    const debits = { rail: bank.name, debits: 'apart', since: '2026-01-01' }
    expect((await ada.ask('POST', `${url}/debits`, { body: debits })).status).toBe(200)
    const ended = await ada.ask('POST', `${url}/end`, { body: { mode: 'test' } })
    expect(ended.json.data).toMatchObject({ amount: 0 })
    const { items } = (await ada.ask('GET', `${url}/report?mode=test`)).json.data
    const sums = items.map((row: { taken: number; owed: number }) => row.taken + row.owed)
    const [booked] = await db.rows(sql<{ sum: bigint }>`
      select sum(credits_posted - debits_posted)::int8 as sum
      from ledger_accounts where name = 'levies'`)
    expect(sums.reduce((sum: number, amount: number) => sum + amount, 0)).toBe(Number(booked!.sum))
  })

  test.each<[string, object, string]>([
    ['a start in the past', { from: '2025-01-01' }, 'from'],
    ['no date', { from: 'tomorrow' }, 'from'],
    ['an end before its start', { until: '2025-01-01' }, 'until'],
    ['more than the threshold', { amount: '10000.01' }, 'amount'],
    ['a threshold that is no amount', { threshold: 'ten' }, 'threshold'],
  ])('is refused %s, by the name of the field', async (_name, change, field) => {
    const ada = await addPerson(service, { isOperator: true })
    const body = { mode: 'test', threshold: '10000', amount: '50', ...change }
    const { status, json } = await ada.ask('POST', url, { body })
    expect([status, json.code, json.details[0].field]).toEqual([400, 'validation_failed', field])
  })

  test('proves a factor again before money of merchants is levied', async () => {
    const late = await addPerson(service, { isOperator: true, hasStepUp: false })
    const body = { mode: 'test', threshold: '10000', amount: '50' }
    expect((await late.ask('POST', url, { body })).status).toBe(403)
  })
})

describe('the database refuses', () => {
  test.each([
    ['a changed levy of a payout', 'update payouts set levy = 1'],
    ['a changed entry', 'update levies set amount = 1'],
    ['a removed entry', 'delete from levies'],
    ['a changed debit', 'delete from levy_debits'],
  ])('%s', async (_name, statement) => {
    await expect(db.rows(sql.raw(statement))).rejects.toThrow()
  })

  test('an entry for the past', async () => {
    const holdsFrom = new Date(clock.now().getTime() - 1)
    await expect(levy({ holdsFrom })).rejects.toThrow('levy_is_never_set_for_the_past')
  })
})
