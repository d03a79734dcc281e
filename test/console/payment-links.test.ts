import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { pictureDialog } from './dialog-pictures.js'
import { type Console, go, openConsole } from './open-console.js'

let site: Console
let page: Page

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  await site.become(site.owner)
  page = await site.visit('/console')
  await page.setViewportSize(sizes.desktop)
})

const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click()
const field = (label: string) => page.getByLabel(label, { exact: true })

test('a link is created, used, changed and switched off', async () => {
  await go(page, '/collect/payment-links')
  await page.getByText('A payment link is a page that many customers pay on.').waitFor()
  await picture(page, 'script', 'console-payment-links-empty')
  await page.locator('main').getByRole('button', { name: 'Payment link' }).first().click()
  await field('What for').fill('Donation to the <b>building</b> fund')
  await page.getByRole('combobox', { name: 'Price' }).click()
  await page.getByRole('option', { name: 'Payer chooses' }).click()
  await field('At least (optional)').fill('500')
  await field('At most (optional)').fill('100')
  await press('Add a question')
  await field('Question 1').fill('Parish')
  await press('Add a question')
  await field('Question 2').fill('Message')
  await page.getByLabel('Required').last().uncheck()
  await field('Sold out after (optional)').fill('100')
  await field('Last day (optional)').fill('2036-01-05')
  await field('Address (optional)').fill('building-fund')
  await press('Create')
  await page
    .getByText(/must not exceed the maximum/i)
    .first()
    .waitFor()
  await field('At most (optional)').fill('100,000')
  await pictureDialog(page, 'screens/collect/link-form LinkForm')
  await page.setViewportSize(sizes.desktop)
  await press('Create')
  await page.getByRole('heading', { name: 'Donation to the <b>building</b> fund' }).waitFor()
  await page.getByText('No payment page has been opened yet.').waitFor()
  await page.getByText('Parish, Message (optional)').waitFor()

  const sent = await fetch(`${site.url}/pay/building-fund`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      amount: '2500',
      name: 'Ada Obi',
      email: 'ada@example.com',
      'field-0': "St Peter's",
    }),
  })
  const reference = sent.headers.get('location')!.slice('/checkout/'.length)
  const paid = await site.ask('POST', `/public/checkout/${reference}/simulate`)
  expect(paid.json.message).toBe('Paid')
  await go(page, '/collect/payment-links')
  await page.getByText('1 of 100').waitFor()
  await picture(page, 'script', 'console-payment-links')
  await page.getByText('Donation to the <b>building</b> fund').first().click()
  await page.getByText('Ada Obi').first().waitFor()
  const code = page.getByRole('img', { name: /^QR code of http.*\/pay\/building-fund$/ })
  await code.waitFor()
  await picture(page, 'script', 'console-payment-link')
  await page.getByText('Ada Obi').first().click()
  await page.getByText("St Peter's").first().waitFor()
  await page.getByRole('link', { name: 'See the link' }).click()

  await press('Change')
  expect(await field('Last day (optional)').inputValue()).toBe('2036-01-05')
  await field('Sold out after (optional)').fill('')
  await press('Save')
  await page.getByText('The payment link is changed.').waitFor()
  const { json } = await site.owner.ask('GET', '/v1/payment-links')
  expect(json.data.items).toMatchObject([
    { usesMax: null, minAmount: 50_000, expiresAt: '2036-01-05T23:00:00.000Z', uses: 1 },
  ])

  await press('Switch off')
  await pictureDialog(page, 'screens/collect/payment-link Switch')
  await page.setViewportSize(sizes.desktop)
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('The payment link is switched off.').waitFor()
  expect(await (await fetch(`${site.url}/pay/building-fund`)).text()).toContain('switched off')
  await press('Switch on')
  await page.getByText('The payment link is switched on.').waitFor()
})
