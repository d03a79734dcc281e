import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { after, day, minute } from '../../src/base/clock.js'
import { createVatReader } from '../../src/ledger/vat-rates.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import { type Asset, assetNames } from '../../src/money/assets.js'
import { vatRates } from '../../src/money/vat.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { sql } from '../../src/postgres/sql.js'
import { sumUpReports } from '../../src/reports/sum-up.js'
import { openWithBankAndChain, twoWayShopOf } from '../support/open-with-bank-and-chain.js'
import { behaves } from '../support/payment-desk.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, bank, logger, merchant } = service
const shop = twoWayShopOf(service, merchant)
const environmentId = merchant.environments.test.id
await service.chain.advance(40)
const begun = clock.now()

/** A new operator each time: a change needs a recent proof of who it is. */
const addOperator = () => addPerson(service, { isOperator: true })
const setRate = async (body: object) =>
  (await addOperator()).ask('POST', '/operator/v1/vat-rates', { body })

async function readAsOperator(path: string) {
  const reply = await (await addOperator()).ask('GET', `/operator/v1${path}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.json.data.items
}

async function post(path: string, body: object, status = 201) {
  const reply = await shop.post(path, body, { 'idempotency-key': randomUUID() })
  expect([reply.status, reply.text]).toEqual([status, reply.text])
  return reply.json.data
}

const payOut = (accountNumber: string) =>
  post('/v1/disbursements/bank-transfer', { amount: 1_000_000, bankCode: '058', accountNumber })

async function passTime(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await service.settle()
    clock.advance(10_000)
    await followReversals({ db, rail: bank, logger }, clock.now())
  }
}

/** VAT that a fee contains, in another way than the code under test computes it. */
function vatIn(fee: bigint, basisPoints: bigint): bigint {
  const [share, rest] = [
    (fee * basisPoints) / (10_000n + basisPoints),
    (fee * basisPoints) % (10_000n + basisPoints),
  ]
  return rest * 2n >= 10_000n + basisPoints ? share + 1n : share
}

const eventOf = async (reference: string, type: string) => {
  const { items } = await shop.get(`/v1/events?resource=${reference}&limit=100`)
  return items.find((event: { type: string }) => event.type === type)?.data
}

type Entry = {
  type: string
  effect: string
  amount: number
  feeVat: number | null
  reference: string
  released: { fee: number; feeVat: number } | null
}

const statement = async (): Promise<Entry[]> =>
  (await shop.get('/v1/balance-entries?asset=NGN&limit=100')).items

const payments: Record<string, string> = {}
const transfers: Record<string, string> = {}

describe('before a rate is set', () => {
  test('fees contain no VAT', async () => {
    await post('/v1/test/balances/fund', { asset: 'NGN', amount: 500_000_000 })
    await post('/v1/test/balances/fund', { asset: 'USDC', amount: '1000' })
    await service.chain.advance(2)
    const transfer = await payOut('0123456789')
    expect(transfer).toMatchObject({ fee: 2_500, feeVat: 0, totalDebit: 1_002_500 })
    transfers.before = transfer.reference
    const { number } = await shop.open()
    await shop.pay(number)
    expect(await readAsOperator('/vat-rates')).toEqual([])
  })
})

describe('setting a rate', () => {
  test('refuses what would change fees that were charged', async () => {
    const earliest = after(clock.now(), 10 * minute).toISOString()
    const refused = await setRate({ mode: 'test', rate: '7.5', from: clock.now().toISOString() })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      `Fees were already charged. The rate can hold from ${earliest} on, or later.`,
    ])
  })

  test.each([
    ['rate', { rate: '-1' }],
    ['rate', { rate: '100.01' }],
    ['rate', { rate: '7.555' }],
    ['rate', { rate: 'germany' }],
    ['from', { rate: '7.5', from: '2027-02-30' }],
    ['from', { rate: '7.5', from: 'tomorrow' }],
    ['from', { rate: '7.5', from: '2027-01-01T00:00' }],
  ])('refuses a wrong %s: %j', async (field, body) => {
    const refused = await setRate({ mode: 'test', ...body })
    expect([refused.status, refused.json.details?.[0]?.field]).toEqual([400, field])
  })

  test('begins in ten minutes, and a date is midnight in Lagos', async () => {
    const reply = await setRate({ mode: 'test', rate: 'nigeria' })
    expect([reply.status, reply.json.data]).toEqual([
      200,
      expect.objectContaining({
        mode: 'test',
        basisPoints: 750,
        holdsFrom: after(clock.now(), 10 * minute).toISOString(),
      }),
    ])
    const live = await setRate({ mode: 'live', rate: '7.5', from: '2026-01-01' })
    expect(live.json.data.holdsFrom).toBe('2025-12-31T23:00:00.000Z')
    const lines = await db.rows(sql`select from audit_lines where action = 'vat.set'`)
    expect(lines).toHaveLength(2)
  })

  test('refuses a rate before one that was set', async () => {
    const refused = await setRate({
      mode: 'test',
      rate: '5',
      from: after(clock.now(), 10 * minute).toISOString(),
    })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      `A rate of 7.5 % was set from ${after(clock.now(), 10 * minute).toISOString()} on. Choose a later time.`,
    ])
  })

  test('rates are never edited', async () => {
    await expect(db.rows(sql`update vat_rates set basis_points = 0`)).rejects.toThrow()
    await expect(db.rows(sql`delete from vat_rates`)).rejects.toThrow()
  })

  test('a process that reads the rates later knows them before they begin', async () => {
    // What another process knows that has read nothing since the rate was set.
    vatRates.replace([])
    clock.advance(9 * minute)
    const early = await payOut('0123456789')
    expect(early).toMatchObject({ fee: 2_500, feeVat: 0 })
    transfers.early = early.reference
    await createVatReader(db)()
    const found = await shop.get(`/v1/disbursements/bank-transfer/${early.reference}`)
    expect(found.feeVat).toBe(0)
  })
})

describe('after a rate began', () => {
  test('payments, transfers and conversions show it, and so do their events', async () => {
    clock.advance(2 * minute)
    const { number, virtualAccount } = await shop.open()
    await shop.pay(number)
    const [payment] = await shop.paymentsOf(virtualAccount)
    expect(payment).toMatchObject({ fee: 12_500, feeVat: 872 })
    const account = await shop.account(virtualAccount)
    expect(account.payments[0]).toMatchObject({ fee: 12_500, feeVat: 872 })

    const quote = await post(
      '/v1/disbursements/bank-transfer/quote',
      { amount: 1_000_000, bankCode: '058', accountNumber: '0123456789' },
      200,
    )
    expect(quote).toMatchObject({ fee: 2_500, feeVat: 174, totalDebit: 1_002_500 })
    for (const [name, number] of Object.entries({
      paid: '0123456789',
      failing: behaves.failing,
      reversing: behaves.reversing,
      silent: behaves.silent,
    })) {
      const made = await payOut(number)
      expect(made).toMatchObject({ fee: 2_500, feeVat: 174, totalDebit: 1_002_500 })
      transfers[name] = made.reference
    }
    const event = await eventOf(transfers.paid!, 'bank_transfer.submitted')
    expect(event).toMatchObject({ fee: 2_500, feeVat: 174 })

    const conversionQuote = await post('/v1/conversions/quotes', {
      from: 'NGN',
      to: 'USDC',
      amount: 100_000_000,
    })
    expect(conversionQuote).toMatchObject({ fee: 500_000, feeVat: 34_884 })
    const conversion = await post('/v1/conversions', { quote: conversionQuote.reference })
    expect(conversion).toMatchObject({ fee: 500_000, feeVat: 34_884 })

    const coins = await post('/v1/disbursements/crypto', {
      amount: '25.5',
      asset: 'USDC',
      network: 'SOLANA',
      destinationAddress: 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ',
    })
    // A million units of fee: half for the transfer, half for the token account.
    expect(coins).toMatchObject({ fee: '1', feeVat: '0.069767' })
  })

  test('a payment that is charged twice shows what its entries contain', async () => {
    await shop.patch('/v1/settings', { policies: { bank: { overpayment: 'hold' } } })
    const { number, virtualAccount } = await shop.open({ amount: 100_700 })
    await shop.pay(number, { amount: 201_700 })
    const [held] = await shop.paymentsOf(virtualAccount)
    expect(held).toMatchObject({ status: 'HELD', fee: 1_007, feeVat: 70 })
    payments.twice = held.reference
  })

  test('the rate changes, and what was charged before keeps its own', async () => {
    const reply = await setRate({ mode: 'test', rate: '10' })
    expect(reply.status).toBe(200)
    clock.advance(11 * minute)
    const accepted = await post(
      `/v1/collections/payments/${payments.twice}/resolve`,
      { action: 'accept' },
      200,
    )
    // 2,017 × 7.5 % ÷ 107.5 %: the payment arrived under the old rate.
    expect(accepted).toMatchObject({ status: 'ACCEPTED', fee: 2_017, feeVat: 141 })
    await passTime()
    const now = await payOut('0123456789')
    expect(now).toMatchObject({ fee: 2_500, feeVat: 227 })
    transfers.later = now.reference
    const reversed = await shop.get(`/v1/disbursements/bank-transfer/${transfers.reversing}`)
    expect(reversed).toMatchObject({ status: 'REVERSED', fee: 2_500, feeVat: 174 })
    const reversal = await eventOf(transfers.reversing!, 'bank_transfer.reversed')
    expect(reversal).toMatchObject({ feeVat: 174 })
    const before = await shop.get(`/v1/disbursements/bank-transfer/${transfers.before}`)
    expect(before).toMatchObject({ status: 'COMPLETED', feeVat: 0 })
  })

  test('the statement names VAT of each fee, in JSON and CSV', async () => {
    const entries = await statement()
    const of = (name: string) => entries.filter(({ reference }) => reference === name)
    expect(of(payments.twice!).map(({ type, amount, feeVat }) => [type, amount, feeVat])).toEqual([
      ['payment_accepted_fee', -1_010, -71],
      ['payment_accepted', 101_000, null],
      ['payment_fee', -1_007, -70],
      ['payment', 100_700, null],
    ])
    const failed = of(transfers.failing!)
    expect(failed.map(({ effect, feeVat, released }) => [effect, feeVat, released])).toEqual([
      ['release', null, { amount: 1_000_000, fee: 2_500, levy: 0, feeVat: 174 }],
      ['hold', -174, null],
      ['hold', null, null],
    ])
    expect(of(transfers.reversing!).map(({ feeVat }) => feeVat)).toEqual([174, null, -174, null])
    const csv = await service.ask(
      'GET',
      '/v1/balance-entries?asset=NGN&type=payment_accepted_fee',
      {
        key: merchant.test.secret,
        headers: { accept: 'text/csv' },
      },
    )
    const [head, row] = csv.text.split('\n').map((line) => line.split(','))
    expect(row![head!.indexOf('feeVatMinor')]).toBe('-71')
    expect(row![head!.indexOf('feeVatMajor')]).toBe('-0.71')
  })
})

type Line = { asset: Asset; id: string; purpose: string; amount: bigint; sign: bigint }

/** Every change of the accounts `fees`, without the code under test. */
function readLines(): Promise<Line[]> {
  return db.rows(sql<Line>`
    select asset, cause_id as id, purpose, amount,
      case when credit = 'fees' then 1 else -1 end::bigint as sign
    from ledger_transfers where environment_id = ${environmentId} and 'fees' in (debit, credit)
    union all
    select t.asset, t.cause_id, t.purpose, t.amount, -1::bigint
    from ledger_resolutions r join ledger_transfers t using (environment_id, cause_id)
    where r.environment_id = ${environmentId} and r.verb = 'release' and t.credit = 'fees'`)
}

/** VAT of all lines of what was charged, together: by the rate at its time. */
async function expectedVat(asset: Asset): Promise<bigint> {
  const rates = await db.rows(sql<{ holdsFrom: Date; basisPoints: number }>`
    select holds_from, basis_points from vat_rates where mode = 'test' order by holds_from desc`)
  const sums = new Map<string, bigint>()
  for (const line of await readLines())
    if (line.asset === asset) sums.set(line.id, (sums.get(line.id) ?? 0n) + line.sign * line.amount)
  let vat = 0n
  for (const [id, fee] of sums) {
    const chargedAt = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
    const rate = rates.find(({ holdsFrom }) => chargedAt >= holdsFrom.getTime())
    vat += vatIn(fee, BigInt(rate?.basisPoints ?? 0))
  }
  return vat
}

const units = (amount: number | string, asset: Asset) =>
  asset === 'NGN' ? BigInt(amount) : BigInt(Math.round(Number(amount) * 1e6))

describe('reports', () => {
  const fees = async (asset: Asset, condition: 'posted' | 'all') => {
    const pending = condition === 'all' ? sql`credits_pending` : sql`0`
    const [account] = await db.rows(sql<{ balance: bigint }>`
      select credits_posted + ${pending} - debits_posted as balance from ledger_accounts
      where environment_id = ${environmentId} and asset = ${asset} and name = 'fees'`)
    return account?.balance ?? 0n
  }

  async function check(): Promise<void> {
    const to = after(clock.now(), day)
    const period = `from=${begun.toISOString()}&to=${to.toISOString()}`
    const date = (time: Date) =>
      after(time, 60 * minute)
        .toISOString()
        .slice(0, 10)
    const months = new Set([begun, clock.now()].map((time) => date(time).slice(0, 7)))
    const merchants = []
    for (const month of months)
      merchants.push(...(await readAsOperator(`/fee-report?mode=test&month=${month}`)))
    const margins = await readAsOperator(
      `/margins?mode=test&from=${date(begun)}&to=${date(clock.now())}`,
    )
    for (const asset of assetNames) {
      const [kept, vat] = [await fees(asset, 'all'), await expectedVat(asset)]
      const { total, buckets } = await shop.get(`/v1/reports/fees?currency=${asset}&${period}`)
      expect([units(total.kept, asset), units(total.vat, asset)]).toEqual([kept, vat])
      expect(units(total.net, asset)).toBe(kept - vat)
      const sum = (rows: Record<string, number | string>[], name: string) =>
        rows.reduce((all, row) => all + units(row[name]!, asset), 0n)
      expect(sum(buckets, 'vat')).toBe(vat)
      expect(sum(Object.values(total.kinds), 'vat')).toBe(vat)
      const summary = await shop.get(`/v1/balance-entries/summary?asset=${asset}`)
      expect([units(summary.fees, asset), units(summary.feeVat, asset)]).toEqual([kept, vat])
      const own = merchants.filter((row: { asset: Asset }) => row.asset === asset)
      expect([sum(own, 'fees'), sum(own, 'vat')]).toEqual([kept, vat])
      const earned = margins.filter((row: { asset: Asset }) => row.asset === asset)
      expect(sum(earned, 'fees')).toBe(await fees(asset, 'posted'))
      expect(sum(earned, 'margin')).toBe(sum(earned, 'fees') - sum(earned, 'vat'))
    }
    const entries = await statement()
    const onStatement = entries.reduce(
      (all, { feeVat, released }) => all - (feeVat ?? 0) - (released?.feeVat ?? 0),
      0,
    )
    expect(BigInt(onStatement)).toBe(await expectedVat('NGN'))
  }

  test('add up to the ledger, before and after they are summed up', async () => {
    await passTime()
    await check()
    expect(await expectedVat('NGN')).toBeGreaterThan(30_000n)
    await sumUpReports(db, clock.now())
    const [sums] = await db.rows(sql<{ vat: bigint }>`
      select sum(vat)::bigint as vat from report_entries where bucket = 'day'`)
    expect(sums!.vat).toBeGreaterThan(30_000n)
    await check()
    await payOut(behaves.failing)
    await passTime()
    await check()
    await sumUpReports(db, after(clock.now(), day))
    await check()
  })

  test('a settlement contains VAT of its own fee and of its lines', async () => {
    const account = { bankCode: '058', accountNumber: '0123456789', accountName: 'Ada' }
    await db.transaction(async (tx) =>
      makePrimary(tx, await addBankAccount(tx, clock.now(), { environmentId, ...account }), null),
    )
    const settled = await post('/v1/settlements', {})
    expect(settled).toMatchObject({ fee: 5_000, feeVat: 455 })
    const shown = await shop.get(`/v1/settlements/${settled.reference}`)
    const inLines = shown.report.lines.reduce(
      (sum: number, line: { feeVat: number }) => sum - line.feeVat,
      0,
    )
    expect(BigInt(inLines + shown.feeVat)).toBe(await expectedVat('NGN'))
    const { items } = await shop.get(`/v1/settlements/${settled.reference}/entries?limit=100`)
    const inEntries = (items as Entry[]).reduce(
      (sum, { feeVat, released }) => sum - (feeVat ?? 0) - (released?.feeVat ?? 0),
      0,
    )
    expect(BigInt(inEntries)).toBe(await expectedVat('NGN'))
    const summary = await shop.get('/v1/settlements/summary')
    expect(summary).toMatchObject({ count: 1, fee: 5_000, feeVat: 455 })
    await passTime()
    await expectAllProofs(db)
  })

  test('refuse a month or days that do not exist', async () => {
    for (const path of [
      '/fee-report?mode=test&month=2026-13',
      '/margins?mode=test&from=2026-02-30&to=2026-03-01',
      '/margins?mode=test&from=2026-03-02&to=2026-03-01',
      '/margins?mode=test&from=2026-03-01&to=2026-04-01',
    ]) {
      const reply = await (await addOperator()).ask('GET', `/operator/v1${path}`)
      expect([path, reply.status]).toEqual([path, 400])
    }
  })
})
