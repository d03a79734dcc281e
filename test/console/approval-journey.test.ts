import { Secret, TOTP } from 'otpauth'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import {
  openWithBankAndChain,
  type ServiceWithBankAndChain,
} from '../support/open-with-bank-and-chain.js'
import { addPerson } from '../support/people.js'
import { goodPassword } from '../support/sign-in.js'

// An owner who is alone brings in a second member, who approves the first large payout. All of it
// happens in the console, in two browsers.

let site: ServiceWithBankAndChain
let owner: BrowserContext
let member: BrowserContext

beforeAll(async () => {
  site = await openWithBankAndChain({ hasPayouts: true })
  const ada = await addPerson(site, { role: 'owner', name: 'Ada Obi' })
  await site.ask('POST', '/v1/test/balances/fund', {
    key: site.merchant.test.secret,
    body: { asset: 'NGN', amount: 671_867_540 },
    headers: { 'idempotency-key': 'journey' },
  })
  const browser = await openBrowser()
  const open = () => browser.newContext({ reducedMotion: 'reduce', viewport: sizes.desktop })
  owner = await open()
  member = await open()
  await owner.addCookies([{ name: 'manilla', value: ada.token, url: site.url }])
})

let clicks = 0
const steps: string[] = []

async function click(target: Locator): Promise<void> {
  await target.click()
  clicks += 1
}

/** A picture of the step, and how many clicks it took so far. */
async function show(page: Page, name: string): Promise<void> {
  await picture(page, 'script', `console-journey-${name}`)
  await page.setViewportSize(sizes.desktop)
  steps.push(`${name} ${clicks}`)
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first()

async function openPage(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(`${site.url}${path}`)
  return page
}

async function invite(page: Page): Promise<string> {
  await click(link(page, 'Team'))
  await click(page.getByRole('button', { name: 'Invite' }).first())
  await page.locator('input[type=email]').fill('bola@example.com')
  await click(button(page, 'Make the link'))
  await page.getByText('Pass this link on').waitFor()
  const [, path] = /http:\/\/[\w.:]+(\/console\/join\/[\w-]{43})/.exec(
    (await page.getByRole('dialog').textContent())!,
  )!
  await show(page, '1-invited')
  await click(button(page, 'Done'))
  return path!
}

/** Sets a password, and adds an authenticator app. */
async function join(path: string): Promise<Page> {
  const page = await openPage(member, path)
  await page.fill('#name', 'Bola Ade')
  await page.fill('#password', goodPassword)
  await show(page, '2-joins')
  await click(page.locator('form button'))
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
  const secret = (await page.locator('.card .mono').textContent())!.replaceAll(' ', '')
  const timestamp = site.clock.now().getTime()
  await page.fill('#code', new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp }))
  await click(page.locator('form button'))
  await click(page.getByText('Continue to the console'))
  await page.locator('main h1').waitFor()
  return page
}

async function setRule(page: Page): Promise<void> {
  await click(link(page, 'Settings'))
  await click(link(page, 'Approvals'))
  await page.getByLabel('Naira: A payout of more than').fill('1,000,000')
  await click(button(page, 'Save rule'))
  await page.getByText('The rule applies now.').first().waitFor()
}

async function payOut(page: Page): Promise<void> {
  await click(link(page, 'Payouts'))
  await click(link(page, 'New payout'))
  await page.getByRole('combobox', { name: 'Bank', exact: true }).fill('Guar')
  await click(page.getByRole('option', { name: /Guaranty/ }))
  await page.getByLabel('Account number').fill('0123456789')
  await page.getByText('confirms this name').waitFor()
  await page.getByLabel('Amount').fill('2,500,000')
  const later = /^Bola Ade may approve from .* \(Lagos\): Bola Ade joined just now$/
  await page.getByText(later).waitFor()
  await page.getByText('Available after').waitFor()
  await show(page, '3-payout')
  await click(button(page, 'Send for approval'))
  await page.getByText('1 of 2 members').waitFor()
  await page.getByText(later).waitFor()
  await show(page, '4-sent')
}

// Two browsers and eleven pictures take longer than other tests.
const timeout = 180_000

test('an owner invites a member, who approves a payout in time', { timeout }, async () => {
  const started = performance.now()
  const ada = await openPage(owner, '/console')
  const bola = await join(await invite(ada))
  await setRule(ada)
  await payOut(ada)

  await click(link(bola, 'Payouts'))
  const later = /^You may approve from .* \(Lagos\): you joined just now$/
  await bola.getByText(later).waitFor()
  await show(bola, '5-not-yet')
  await click(bola.getByRole('link', { name: /BALOGUN/ }).first())
  await bola.getByText(later).waitFor()
  expect(await button(bola, 'Approve').count()).toBe(0)
  expect(await bola.getByText('You decide').count()).toBe(0)
  await bola.getByText('The money is set aside').waitFor()
  await show(bola, '6-not-yet-page')

  await click(button(ada, 'Move the clock'))
  await click(ada.getByRole('menuitem', { name: 'Forward by 3 days' }))
  await ada.getByText('Bola Ade may approve', { exact: true }).waitFor()
  await show(ada, '7-clock-moved')

  // In the page that has been open since before.
  await bola.getByText('You decide').waitFor()
  await bola.getByText('Test clock +3 days').waitFor()
  await bola.getByText('The money is set aside').waitFor()
  await show(bola, '8-decides')
  await click(button(bola, 'Approve'))
  await bola.getByText('2 of 2 members').waitFor()
  await site.settle()
  await bola.getByRole('link', { name: 'Receipt' }).waitFor()
  await show(bola, '9-paid')

  const seconds = Math.round((performance.now() - started) / 100) / 10
  console.log(`invitation to paid payout: ${clicks} clicks, ${seconds} s (${steps.join(', ')})`)
})

test('a payout that no member may approve asks for a second member', async () => {
  const [row] = await site.db.rows<{ id: string }>({
    text: `select id from users where email = 'bola@example.com'`,
    values: [],
  })
  await site.db.rows({
    text: 'update memberships set disabled_at = now() where user_id = $1',
    values: [row!.id],
  })
  const page = await openPage(owner, '/console/payouts/new?bankCode=058&accountNumber=0123456789')
  await page.getByLabel('Amount').fill('2,500,000')
  await page.getByText('No member may approve yet.').waitFor()
  await page.getByText('Available after').waitFor()
  await show(page, '10-nobody')
  await button(page, 'Send for approval').click()
  await page.getByText('1 of 2 members').waitFor()
  await page.getByText('No member may approve yet.').waitFor()
  await show(page, '11-nobody-page')
  await link(page, 'Invite a second member').click()
  await page.getByRole('heading', { name: 'Team' }).waitFor()
})
