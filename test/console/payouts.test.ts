import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { minute } from '../../src/base/clock.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { batchLimits } from '../../src/payouts/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBatchWorker } from '../support/batch-worker.js'
import { openBrowser } from '../support/browser.js'
import { askCallbacks, openCallbackWorker } from '../support/callback-worker.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'
import { type Console, openConsole } from './open-console.js'

// A payout with approval, in a browser: one person asks, another approves.

type Made = { transferReference: string | null }

let site: Console
let page: Page
const account = (serial: number) =>
  toNuban({ bankCode: '058', serial: String(serial).padStart(9, '0') })
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  await site.post('/v1/test/balances/fund', { asset: 'NGN', amount: 671_867_540 })
  await site.payOut(180_000_000)
  await site.settle()
  await site.become(site.owner)
  page = await site.context.newPage()
  page.setDefaultTimeout(20_000)
})

async function open(path: string): Promise<void> {
  await page.setViewportSize(sizes.desktop)
  await page.goto(`${site.url}/console${path}`)
  await page.waitForSelector('main h1')
}

test('an owner sets the approval rule', async () => {
  await open('/settings/approvals')
  await page.getByLabel('Naira: A payout of more than').fill('1,000,000')
  await page.getByRole('button', { name: 'Save rule' }).click()
  await page.getByText('The rule applies now.').first().waitFor()
  await picture(page, 'script', 'console-approval-rule')
})

test('a payout over the rule is sent for approval, and another member approves it', async () => {
  await open('/payouts')
  await page.getByRole('link', { name: 'New payout' }).first().click()
  await page.getByRole('combobox', { name: 'Bank', exact: true }).fill('Guar')
  await page.getByRole('option', { name: /Guaranty/ }).click()
  await page.getByLabel('Account number').fill('0123456789')
  await page.getByText('confirms this name').waitFor()
  await page.getByLabel('Amount').fill('2,500,000')
  await page.getByText('Two million five hundred thousand naira').waitFor()
  await page.getByLabel('Narration').fill('Invoice 118, rice')
  await page.getByText('A second member must approve').waitFor()
  await page.getByText('Available after').waitFor()
  await picture(page, 'script', 'console-payout-new')
  await page.getByRole('button', { name: 'Send for approval' }).click()
  await page.getByText('Another member must approve it.').waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)

  const [, reference] = /payouts\/(\w+)/.exec(page.url())!
  await site.become(site.finance)
  await open('/payouts')
  await page.getByText('You can decide').waitFor()
  await picture(page, 'script', 'console-payouts')
  await open(`/payouts/${reference}`)
  await page.getByText('The name is still').waitFor()
  await page.getByText('Larger than usual').waitFor()
  await page.getByText('The money is set aside').waitFor()
  await picture(page, 'script', 'console-payout-approve')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('2 of 2 members').waitFor()
  // The log says what was decided, about how much and for whom.
  await open('/audit')
  await page.getByText(/^Approved a payout of ₦2,500,000.00 to .+, Guaranty Trust Bank$/).waitFor()
  await page.getByText(/^Created a payout of ₦2,500,000.00 to .+/).waitFor()
  await site.settle()
  await open(`/payouts/${reference}`)
  await page.getByRole('link', { name: 'Receipt' }).waitFor()
  await picture(page, 'script', 'console-payout-arrived')
})

test('naira become coins at a quoted price, and pay for a payout in coins', async () => {
  await open('/balances')
  await page.getByRole('link', { name: 'Convert' }).click()
  await page.getByLabel('You convert').fill('160,000')
  await page.getByText(/Price valid for [01]:\d\d/).waitFor()
  const got = page.getByLabel('You receive')
  const before = await got.inputValue()
  expect(before).toMatch(/^\d+\.\d{2,6}$/)
  await page.getByRole('button', { name: 'Get a new price' }).click()
  await picture(page, 'script', 'console-convert')
  await page.getByRole('button', { name: 'Convert ₦160,000.00' }).click()
  await page.getByText('Added to the balance').waitFor()
  expect(await page.locator('main h1').textContent()).toBe(`₦160,000.00 → ${before} USDC`)
  await picture(page, 'script', 'console-conversion')
  await page.getByRole('link', { name: 'Statement, naira' }).click()
  await page.getByRole('link', { name: 'Conversion', exact: true }).click()
  await page.getByText('Added to the balance').waitFor()

  // The hot wallet has coins of other merchants, too.
  const other = await site.addMerchant('Bola Foods')
  await site.ask('POST', '/v1/test/balances/fund', {
    key: other.test.secret,
    body: { asset: 'USDC', amount: '900' },
    headers: { 'idempotency-key': 'coins of another' },
  })
  await site.chain.advance(2)
  await open(`/payouts/new?address=${wallet}&coin=USDC&amount=500`)
  await page.getByRole('button', { name: 'Pay from your naira balance' }).click()
  await page.getByText('Naira after').waitFor()
  await picture(page, 'script', 'console-payout-funded')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: '500.00 USDC' }).waitFor()
  const made = (await site.owner.ask('GET', '/v1/conversions')).json.data.items
  const { reference, transferReference } = made.find((one: Made) => one.transferReference)
  expect(page.url()).toContain(transferReference)
  await page.getByRole('link', { name: reference }).click()
  await page.getByText('Added to the balance').waitFor()
  await page.getByRole('link', { name: transferReference }).click()
  await page.getByRole('heading', { name: '500.00 USDC' }).waitFor()
  await site.settle()
})

test('a payout in coins is rejected with a reason', async () => {
  await site.post('/v1/test/balances/fund', { asset: 'USDC', amount: '900' })
  await site.settle()
  await site.owner.ask('PATCH', '/v1/settings/approvals', {
    body: {
      appliesTo: 'console',
      NGN: { each: 100_000_000, perDay: null },
      USDC: { each: '100', perDay: null },
      USDT: null,
    },
  })
  await open(`/payouts/new?address=${wallet}&coin=USDC&amount=250.5`)
  await page.getByText('Two hundred and fifty USDC and 5 / 10').waitFor()
  await page.getByRole('button', { name: 'Send for approval' }).click()
  await page.getByText('1 of 2 members').waitFor()
  const url = page.url()
  await site.become(site.owner)
  await page.goto(url)
  await page.getByRole('button', { name: 'Reject…' }).click()
  await page.getByLabel('Reason').fill('Wrong wallet')
  await page.getByRole('button', { name: 'Reject', exact: true }).click()
  await page.getByText('Wrong wallet').first().waitFor()
  await page.getByText('A second member rejected it.').first().waitFor()
})

test('a file is uploaded, approved by another member and paid, and what failed is retried', async () => {
  const worker = openBatchWorker(site)
  await site.post('/v1/test/balances/fund', { asset: 'NGN', amount: 500_000_000 })
  const work = async () => {
    site.clock.advance(batchLimits.resultsIntervalMaxMs)
    while ((await runBatches(worker, 'test')) > 0);
  }
  /** Runs worker and bank until no batch is in this state: under load, a bank may not answer at once. */
  const workWhile = (state: string) =>
    until(async () => {
      await site.settle()
      await work()
      const open = await site.db.rows(sql`select from payout_batches where state = ${state}`)
      return open.length === 0
    })
  const choose = (...rows: string[]) =>
    page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'salaries.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['accountNumber,bankCode,amountNaira,accountName', ...rows].join('\n')),
    })
  await site.become(site.owner)
  await open('/payouts/batches')
  await page.getByRole('link', { name: 'New batch' }).first().click()
  await choose('123456789,058,1000,Ada', `${account(1)},058,12a,Obi`)
  await page.getByLabel('Name').fill('November salaries')
  await page.getByRole('button', { name: 'Upload and check' }).click()
  await page.getByRole('heading', { name: '2 problems in the file' }).waitFor()
  await page.getByRole('cell', { name: 'amountNaira' }).waitFor()
  await picture(page, 'script', 'console-batch-problems')

  const row = (number: string, amount: string) => `${number},058,${amount},`
  const rows = [1, 2, 2, 3].map((serial) => row(account(serial), '600000'))
  await choose(...rows, row(account(990_000_002), '1000'), row(account(990_000_008), '1000'))
  await page.getByRole('button', { name: 'Upload and check' }).click()
  await page.getByText('0 of 6 checked').waitFor()
  await picture(page, 'script', 'console-batch-checking')
  await workWhile('VALIDATING')
  // The page changes by itself.
  await page.getByText('Has problems').waitFor()
  await page.getByText('1 item cannot be paid').waitFor()
  await page.getByRole('link', { name: 'Show', exact: true }).click()
  await page.getByText('Same recipient and amount').first().waitFor()
  await picture(page, 'script', 'console-batch-review')
  await page.getByRole('button', { name: 'Send for approval' }).click()
  await page.getByText('Another member must approve it.').waitFor()

  const url = page.url()
  await site.become(site.finance)
  await page.goto(url)
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await picture(page, 'script', 'console-batch-approve')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('0 of 5 ended').waitFor()
  await page.getByRole('button', { name: 'Stop the rest' }).click()
  await page.getByText('5 items that are not sent yet will not be paid').waitFor()
  await picture(page, 'script', 'console-batch-stop')
  await page.keyboard.press('Escape')
  // A transfer that the bank does not answer for is tried again later.
  await until(async () => {
    await work()
    const left = await site.db.rows(sql`select from payout_batch_items where state = 'VALID'`)
    return left.length === 0
  })
  // The bank may already have refused one of the five.
  await page.getByText(/[45] on the way/).waitFor()
  await picture(page, 'script', 'console-batch-paying')
  await workWhile('PROCESSING')
  await page.getByText('4 paid, 1 not paid').waitFor()
  await picture(page, 'script', 'console-batch-result')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Report' }).click()
  expect((await saved).suggestedFilename()).toMatch(/^bat_\w+\.csv$/)
  await page.locator('a[data-row]').first().click()
  await page.getByRole('link', { name: /^bat_/ }).click()
  await page.getByRole('button', { name: 'Retry failed items' }).click()
  await page.getByText('Retry of').waitFor()
  await work()
  await open('/payouts/batches')
  await page.getByText('November salaries').first().waitFor()
  await picture(page, 'script', 'console-batches')
})

test('a payout waits for the callback, and its page shows why', async () => {
  let answer: object | null = null
  const receiver = await openReceiver((response) => {
    response.writeHead(answer ? 200 : 503)
    response.end(JSON.stringify(answer))
  })
  const { id } = await site.post('/v1/webhook-endpoints', {
    url: `${receiver.url}/events`,
    events: ['payment.*'],
  })
  const controls = {
    callback: { url: `${receiver.url}/approve`, signedBy: id, retryMinutes: 10 },
    recipients: null,
    velocity: null,
    duplicates: { minutes: 60, requires: 'confirmation' },
  }
  const { approvals } = (await site.owner.ask('GET', '/v1/settings')).json.data
  const changed = await site.owner.ask('PATCH', '/v1/settings/approvals', {
    body: { ...approvals, controls },
  })
  expect(changed.status, changed.text).toBe(200)
  const worker = openCallbackWorker(site)
  const askAll = () => askCallbacks(worker, site.clock.now())

  await site.become(site.owner)
  await open('/payouts/new?bankCode=058&accountNumber=0123456789&amount=2125000')
  await page.getByText('Your callback decides before it is sent.').waitFor()
  const send = page.getByRole('button', { name: 'Send', exact: true })
  await send.click()
  await page.getByText('Your callback has not decided yet').waitFor()
  await page.getByText('It is asked in a moment.').waitFor()
  const [, reference] = /payouts\/(\w+)/.exec(page.url())!
  await askAll()
  await site.become(site.finance)
  await open('/payouts')
  await page.getByText('Your callback decides.').waitFor()
  await open(`/payouts/${reference}`)
  await page.getByText('Asked once. The last time: answered with 503.').waitFor()
  await page.getByRole('button', { name: 'Reject…' }).waitFor()
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  await picture(page, 'script', 'console-payout-callback')

  site.clock.advance(11 * minute)
  await askAll()
  await open(`/payouts/${reference}`)
  await page.getByText('Your callback did not decide in time').first().waitFor()
  await page.getByText('Members decide in its place.').waitFor()
  await page.getByText('Why members must approve it').waitFor()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await picture(page, 'script', 'console-payout-silent')

  // The same again is another payout only if its sender says so.
  await open('/payouts/new?bankCode=058&accountNumber=0123456789&amount=2125000')
  await send.click()
  await page.getByText('Send the same amount again?').waitFor()
  await picture(page, 'script', 'console-payout-duplicate')
  await page.getByLabel('Narration').fill('Rice, second delivery')
  await page.getByText('Send the same amount again?').waitFor({ state: 'detached' })
  await send.click()
  await page.getByRole('button', { name: 'Send anyway' }).click()
  await page.getByText('Your callback has not decided yet').waitFor()
  answer = { decision: 'reject', reason: 'Over budget' }
  await askAll()
  await page.reload()
  await page.getByText('Your callback rejected it').first().waitFor()
  await page.getByText('Over budget').first().waitFor()
  await picture(page, 'script', 'console-payout-callback-rejected')
})
