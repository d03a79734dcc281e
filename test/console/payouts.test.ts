import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { type Console, openConsole } from './open-console.js'

// A payout with approval, in a browser: one person asks, another approves.

let site: Console
let page: Page

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  await site.post('/v1/test/balances/fund', { asset: 'NGN', amount: 671_867_540 })
  await site.payOut(180_000_000)
  await site.settle()
  await site.become(site.owner)
  page = await site.context.newPage()
  page.setDefaultTimeout(8_000)
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

test('a payout over the rule is sent for approval, and another person approves it', async () => {
  await open('/payouts')
  await page.getByRole('link', { name: 'New payout' }).first().click()
  await page.getByRole('combobox', { name: 'Bank', exact: true }).fill('Guar')
  await page.getByRole('option', { name: /Guaranty/ }).click()
  await page.getByLabel('Account number').fill('0123456789')
  await page.getByText('confirms this name').waitFor()
  await page.getByLabel('Amount').fill('2,500,000')
  await page.getByText('Two million five hundred thousand naira').waitFor()
  await page.getByLabel('Narration').fill('Invoice 118, rice')
  await page.getByText('A second person must approve').waitFor()
  await page.getByText('Available after').waitFor()
  await picture(page, 'script', 'console-payout-new')
  await page.getByRole('button', { name: 'Send for approval' }).click()
  await page.getByText('You created it, so another person must approve it.').waitFor()
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
  await page.getByText('2 of 2 people').waitFor()
  await site.settle()
  await open(`/payouts/${reference}`)
  await page.getByRole('link', { name: 'Receipt' }).waitFor()
  await picture(page, 'script', 'console-payout-arrived')
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
  const address = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
  await open(`/payouts/new?address=${address}&coin=USDC&amount=250.5`)
  await page.getByText('Two hundred and fifty USDC and 5 / 10').waitFor()
  await page.getByRole('button', { name: 'Send for approval' }).click()
  await page.getByText('1 of 2 people').waitFor()
  const url = page.url()
  await site.become(site.owner)
  await page.goto(url)
  await page.getByRole('button', { name: 'Reject…' }).click()
  await page.getByLabel('Reason').fill('Wrong wallet')
  await page.getByRole('button', { name: 'Reject', exact: true }).click()
  await page.getByText('Wrong wallet').first().waitFor()
  await page.getByText('A second person rejected it.').first().waitFor()
})
