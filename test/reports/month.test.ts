import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { parseCsv } from '../../src/api/parse/parse-csv.js'
import { day } from '../../src/base/clock.js'
import { fromWire } from '../../src/money/amounts.js'
import { type Asset, assetNames } from '../../src/money/assets.js'
import { sumUpReports } from '../../src/reports/sum-up.js'
import { go, openConsole } from '../console/open-console.js'
import { picture } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { expectAllProofs } from '../support/sound-books.js'
import { dayOf, type Figures } from './facts.js'
import { liveThroughMonth } from './mixed-month.js'

/**
 * A month of mixed money. The test adds up what the operations answered; every report, statement,
 * export and screen must show the same, to the kobo.
 */

const site = await openConsole(await openBrowser())
const { facts, get, first, last, lastBefore, today } = await liveThroughMonth(site)
const ofMonth = (asset: Asset) => facts.within(asset, first, last)
const since = '2000-01-01'

const reported = ['arrived', 'held', 'returned', 'refunded', 'fees', 'net'] as const
const stated = [
  'received',
  'added',
  'converted',
  'refunded',
  'paidOut',
  'fees',
  'setAside',
] as const

type Shown = Record<string, number | string>

function expectReported(shown: Shown, expected: Figures, asset: Asset): void {
  const found = reported.map((name) => [name, fromWire(shown[name]!, asset)])
  expect(found).toEqual(reported.map((name) => [name, expected[name]]))
  expect([fromWire(shown.amount!, asset), BigInt(shown.count!)]).toEqual([
    expected.received,
    expected.count,
  ])
}

function expectStated(shown: Shown, expected: Figures, asset: Asset): void {
  const found = stated.map((name) => [name, fromWire(shown[name]!, asset)])
  expect(found).toEqual(stated.map((name) => [name, expected[name]]))
}

/** The rows of an export. */
async function csv(path: string): Promise<Record<string, string>[]> {
  const headers = { accept: 'text/csv' }
  const reply = await site.ask('GET', path, { key: site.merchant.test.secret, headers })
  expect(reply.status, reply.text).toBe(200)
  const [head, ...rows] = parseCsv(reply.text.trimEnd()).map(({ cells }) => cells)
  return rows.map((cells) => Object.fromEntries(head!.map((name, at) => [name, cells[at]!])))
}

const sumOf = (rows: Record<string, string>[], column: string) =>
  rows.reduce((sum, row) => sum + BigInt(row[column] || '0'), 0n)

const isWithin = (time: string | undefined) =>
  Boolean(time) && dayOf(time!) >= first && dayOf(time!) <= last

test('the month has every word in it', async () => {
  console.log(facts.table(first, last))
  const naira = ofMonth('NGN')
  for (const [name, amount] of Object.entries(naira))
    if (name !== 'added') expect([name, amount !== 0n]).toEqual([name, true])
  await expectAllProofs(site.db)
})

test('reports and statements agree, before and after they are summed up', async () => {
  const check = async () => {
    for (const asset of assetNames) {
      const period = `from=${first}&to=${last}`
      const report = await get(`/v1/reports/received?currency=${asset}&${period}`)
      expectReported(report.total, ofMonth(asset), asset)
      for (const bucket of report.buckets) {
        const date = dayOf(bucket.from)
        expectReported(bucket, facts.within(asset, date, date), asset)
      }
      const hours = await get(`/v1/reports/received?currency=${asset}&${period}&bucket=hour`)
      expect(hours.total).toEqual(report.total)
      const fees = await get(`/v1/reports/fees?currency=${asset}&${period}`)
      expect(fromWire(fees.total.kept, asset)).toBe(ofMonth(asset).fees)
      const statement = await get(`/v1/balance-entries/summary?asset=${asset}&${period}`)
      expectStated(statement, ofMonth(asset), asset)
      for (const [query, start, end] of [
        ['', since, today],
        [`&from=${first}`, first, today],
        [`&to=${last}`, since, last],
      ] as const) {
        const open = await get(`/v1/balance-entries/summary?asset=${asset}${query}`)
        expectStated(open, facts.within(asset, start, end), asset)
      }
      const before = facts.within(asset, since, lastBefore).change
      expect(fromWire(statement.opening, asset)).toBe(before)
      expect(fromWire(statement.closing, asset)).toBe(before + ofMonth(asset).change)
    }
    const { items } = await get('/v1/balances')
    for (const { asset, available, pending } of items) {
      const { change, held } = facts.within(asset, since, today)
      expect([asset, fromWire(available, asset), fromWire(pending, asset)]).toEqual([
        asset,
        change,
        held,
      ])
    }
  }
  await check()
  await sumUpReports(site.db, new Date(`${today}T23:00:00Z`))
  await check()
})

test('exports agree', async () => {
  for (const asset of assetNames) {
    const period = `from=${first}&to=${last}`
    const expected = ofMonth(asset)
    const days = await csv(`/v1/reports/received?currency=${asset}&${period}`)
    for (const name of reported) expect(sumOf(days, `${name}Minor`)).toBe(expected[name])
    expect(sumOf(days, 'amountMinor')).toBe(expected.received)

    const payments = await csv(`/v1/collections/payments?currency=${asset}&${period}`)
    expect(BigInt(payments.length)).toBe(expected.count)
    expect(sumOf(payments, 'amountMinor')).toBe(expected.arrived)
    expect(sumOf(payments, 'amountHeldMinor')).toBe(expected.held)

    const entries = await csv(`/v1/balance-entries?asset=${asset}&${period}`)
    expect(sumOf(entries, 'amountMinor')).toBe(expected.change)
    const ofTypes = (...types: string[]) =>
      sumOf(
        entries.filter(({ type }) => types.includes(type!)),
        'amountMinor',
      )
    expect(ofTypes('payment', 'payment_accepted')).toBe(expected.received)
    expect(ofTypes('conversion', 'conversion_credit')).toBe(expected.converted)
    const charged = entries.filter(({ type }) => /_fee(_reversal)?$/.test(type!))
    const givenBack = sumOf(entries, 'released.feeMinor')
    expect(-sumOf(charged, 'amountMinor') - givenBack).toBe(expected.fees)

    const payouts = (await csv('/v1/disbursements')).filter(
      ({ currency, asset: coin }) => (currency || coin) === asset,
    )
    const left = payouts.filter((row) => isWithin(row.completedAt || row.confirmedAt))
    const cameBack = payouts.filter((row) => isWithin(row.reversedAt))
    const paidOut = sumOf(left, 'amountMinor') - sumOf(cameBack, 'amountMinor')
    expect(paidOut).toBe(expected.paidOut)
  }
})

/** `₦12,500.00`, `−25.50 USDC`, without the code of the console. */
function say(units: bigint, asset: Asset): string {
  const size = asset === 'NGN' ? 2 : 6
  const digits = String(units < 0n ? -units : units).padStart(size + 1, '0')
  const fraction = digits.slice(-size).replace(/(?<=^\d\d.*)0+$/, '')
  const number = `${BigInt(digits.slice(0, -size)).toLocaleString('en')}.${fraction}`
  const minus = units < 0n ? '−' : ''
  return asset === 'NGN' ? `${minus}₦${number}` : `${minus}${number} ${asset}`
}

/** The names and values of a list on the page. */
async function listOn(page: Page, selector: string): Promise<Record<string, string>> {
  const list = page.locator(selector).first()
  await list.waitFor()
  const [names, values] = await Promise.all([
    list.locator('dt').allTextContents(),
    list.locator('dd').allTextContents(),
  ])
  return Object.fromEntries(names.map((name, at) => [name, values[at]!]))
}

const sumsOf = ({ received, refunded, fees, net, held, returned }: Figures, asset: Asset) => ({
  Received: say(received, asset),
  Refunded: say(-refunded, asset),
  Fees: say(-fees, asset),
  Net: say(net, asset),
  'Held now': say(held, asset),
  Returned: say(returned, asset),
})

/** What a day's line says after its name. */
function sayDay(day: string): string {
  const all = assetNames.map((asset) => ({ asset, ...facts.within(asset, day, day) }))
  const amounts = (word: 'received' | 'held' | 'returned' | 'refunded') =>
    new Intl.ListFormat('en').format(
      all.filter((one) => one[word] !== 0n).map((one) => say(one[word], one.asset)),
    )
  const count = all.reduce((sum, one) => sum + Number(one.count), 0)
  const others = (['held', 'returned', 'refunded'] as const).map((word) =>
    amounts(word) === '' ? '' : ` · ${amounts(word)} ${word}`,
  )
  const received = amounts('received') || say(0n, 'NGN')
  return ` · ${count} payment${count === 1 ? '' : 's'} · ${received} received${others.join('')}`
}

test('screens agree', { timeout: 60_000 }, async () => {
  await site.become(site.owner)
  const page = await site.visit('/console')

  // Home has the last thirty days.
  const daysBefore = (count: number) =>
    new Date(Date.parse(today) - count * day).toISOString().slice(0, 10)
  const recent = facts.within('NGN', daysBefore(29), today)
  expect(await listOn(page, 'dl.amounts')).toEqual(sumsOf(recent, 'NGN'))
  await page.getByText(say(recent.received, 'NGN'), { exact: true }).first().waitFor()
  await picture(page, 'script', 'console-home-money')

  // Days in the list of payments have totals for a month back.
  await go(page, '/payments')
  await page.locator('tr.group-line').getByText('received').first().waitFor()
  const lines = await page.locator('tr.group-line').allTextContents()
  const totals = lines.filter((line) => line.includes(' · '))
  const days = facts.days(daysBefore(30), today).map(sayDay)
  expect(totals.map((line) => line.slice(line.indexOf(' · ')))).toEqual(
    days.filter((line) => !line.startsWith(' · 0 ')).toReversed(),
  )
  await picture(page, 'script', 'console-payments-days')

  const naira = ofMonth('NGN')
  const opening = facts.within('NGN', since, lastBefore).change
  const signed = (amount: bigint) => `${amount > 0n ? '+' : ''}${say(amount, 'NGN')}`
  const changes = {
    Received: signed(naira.received),
    Converted: signed(naira.converted),
    Refunded: signed(-naira.refunded),
    'Paid out': signed(-naira.paidOut),
    Fees: signed(-naira.fees),
    'Set aside before': signed(-naira.setAside),
  }
  const period = `from=${first}&to=${last}`
  for (const path of [`/balances?${period}`, `/balances/statement?asset=NGN&${period}`]) {
    await go(page, path)
    const sums = await listOn(page, 'dl.sums')
    expect(sums).toMatchObject(changes)
    const values = Object.values(sums)
    expect([values[0], values.at(-1)]).toEqual([
      say(opening, 'NGN'),
      say(opening + naira.change, 'NGN'),
    ])
  }

  // Of the payouts of the month, one is still open; the others arrived or were given back.
  const entries = await page.locator('tbody td.phone-1').allTextContents()
  const begins = (start: string) => entries.filter((text) => text.startsWith(start)).length
  expect(begins('Payout set aside ')).toBe(1)
  expect(begins('Payout given back')).toBe(1 + begins('Payout set aside, given back later'))

  await go(page, `/balances/month?month=${first.slice(0, 'yyyy-mm'.length)}`)
  for (const asset of ['NGN', 'USDC'] as const) {
    const section = `section[aria-label=${asset === 'NGN' ? 'Naira' : asset}]`
    expect(await listOn(page, `${section} dl.amounts`)).toEqual(sumsOf(ofMonth(asset), asset))
    const rows = await page.locator(`${section} tbody tr`).all()
    const cells = await Promise.all(rows.map((row) => row.locator('td').allTextContents()))
    const moved = facts.days(first, last).filter((day) => {
      const one = facts.within(asset, day, day)
      return one.count + one.received + one.refunded + one.fees + one.returned !== 0n
    })
    expect(cells.map((row) => row.slice(1))).toEqual(
      moved.map((day) => {
        const one = facts.within(asset, day, day)
        return [String(one.count), ...Object.values(sumsOf(one, asset))]
      }),
    )
  }
  await picture(page, 'script', 'console-month')
})
