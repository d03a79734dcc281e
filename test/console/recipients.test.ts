import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson } from '../support/people.js'
import { type Console, go, openConsole } from './open-console.js'

let site: Console
let page: Page

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  await site.post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  await site.become(site.owner)
  page = await site.visit('/console')
  await page.setViewportSize(sizes.desktop)
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click()
const field = (label: string) => page.getByLabel(label, { exact: true })

test('a recipient is saved with the name that the bank reports, paid, disabled and enabled', async () => {
  await go(page, '/payouts/recipients')
  await page.getByText('Save the bank accounts and wallets that you pay').waitFor()
  await picture(page, 'script', 'console-recipients-empty')
  await page.locator('main').getByRole('button', { name: 'New recipient' }).first().click()
  const save = page.getByRole('dialog').getByRole('button', { name: /^Save/ })
  expect(await save.isDisabled()).toBe(true)
  await page.getByRole('dialog').getByRole('combobox', { name: 'Bank' }).fill('gtb')
  await page.getByRole('option').first().click()
  await field('Account number').fill('0123456789')
  const query = '/v1/banks/resolve?bankCode=058&accountNumber=0123456789'
  const { accountName } = (await site.owner.ask('GET', query)).json.data
  await page.getByRole('dialog').getByText(accountName, { exact: true }).waitFor()
  await field('Label (optional)').fill('Ada, bakery')
  await picture(page, 'script', 'console-recipient-new')
  await press('Save recipient')
  await page.getByRole('heading', { name: 'Ada, bakery' }).waitFor()
  await page.getByText('No payout since the recipient was saved.').waitFor()

  // A session knows for a second that there were no recipients.
  site.clock.advance(1_100)
  // The form finds it by its label, and fills in the account.
  await go(page, '/payouts/new')
  await page.getByRole('combobox', { name: 'Saved recipient' }).fill('bak')
  await page.getByRole('option', { name: /Ada, bakery/ }).click()
  expect(await field('Account number').inputValue()).toBe('012 345 6789')
  await page.getByText(accountName, { exact: true }).first().waitFor()
  await field('Amount').fill('2,500')
  await picture(page, 'script', 'console-payout-to-recipient')
  await press('Send')
  await page.getByRole('link', { name: /^rcp_/ }).waitFor()
  const [paid] = (await site.owner.ask('GET', '/v1/disbursements')).json.data.items
  const { recipient } = paid
  expect(recipient).toMatch(/^rcp_/)
  await page.getByRole('link', { name: recipient }).click()
  await page.getByRole('heading', { name: 'Ada, bakery' }).waitFor()
  await page.getByRole('row').filter({ hasText: '₦2,500.00' }).first().waitFor()
  await picture(page, 'script', 'console-recipient')

  await press('Edit label')
  await field('Label').fill('Ada in Yaba')
  await press('Save')
  await page.getByRole('heading', { name: 'Ada in Yaba' }).waitFor()
  await press('Disable')
  await press('Disable')
  await page.getByText('This recipient is disabled').waitFor()
  const read = async () =>
    (await site.owner.ask('GET', `/v1/recipients/${recipient}`)).json.data.status
  expect(await read()).toBe('DISABLED')
  await press('Enable')
  await press('Enable')
  await page.getByText('This recipient is disabled').waitFor({ state: 'detached' })
  expect(await read()).toBe('ACTIVE')
})

test('a viewer sees recipients and changes none', async () => {
  await site.become(await addPerson(site, { role: 'viewer' }))
  await site.visit('/console/payouts/recipients', page)
  await page.getByText('Ada in Yaba').first().click()
  await page.getByRole('heading', { name: 'Ada in Yaba' }).waitFor()
  for (const name of ['Edit label', 'Disable', 'Pay'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
})
