import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { manualClock } from '../support/clock.js'
import { openList } from '../support/screening.js'
import { type Console, openConsole } from './open-console.js'

// What screening holds, in a browser: a payout to a recipient on a list, and a payment of one.

let site: Console
let page: Page
let list: Awaited<ReturnType<typeof openList>>

beforeAll(async () => {
  list = await openList(manualClock(), [])
  site = await openConsole(await openBrowser(), { screening: list.screening })
  await site.post('/v1/test/balances/fund', { asset: 'NGN', amount: 671_867_540 })
  page = await site.context.newPage()
  page.setDefaultTimeout(20_000)
})

test('a payout to a recipient on the list is approved with a reason, which is shown', async () => {
  const { accountName } = await site.payOut(180_000_000)
  await site.settle()
  await list.replace([{ id: 'S-1', name: accountName }])
  const { reference } = await site.payOut(2_000_000)
  await site.become(site.owner)
  await site.visit(`/console/payouts/${reference}`, page)
  await page.getByText('Entry S-1 of Made-up').waitFor()
  await page.getByRole('button', { name: 'Approve…' }).click()
  const dialog = page.getByRole('dialog')
  const approve = dialog.getByRole('button', { name: 'Approve', exact: true })
  await dialog.getByText('The recipient is entry S-1 of Made-up.').waitFor()
  expect(await approve.isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('Another person, passport seen')
  await picture(page, 'script', 'console-payout-release')
  await page.setViewportSize(sizes.desktop)
  await approve.click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Another person, passport seen').first().waitFor()
  await picture(page, 'script', 'console-payout-released')
  await page.setViewportSize(sizes.desktop)
  await page.getByRole('button', { name: 'Simulate approval' }).click()
  await page.getByText('Decided by a simulated member.').waitFor()
  expect(await page.getByText('changed it').allTextContents()).toEqual([])

  await site.visit('/console/audit', page)
  await page.getByText('Another person, passport seen').first().waitFor()
})

test('a payment of a sender on the list is held, and one member asks another', async () => {
  await list.replace([{ id: 'S-2', name: 'Emeka Listed' }])
  const { reference } = await site.collect(1_250_000, 1_250_000, 'EMEKA LISTED')
  await site.become(site.owner)
  await site.visit(`/console/payments/${reference}`, page)
  await page.getByText('Held for screening').first().waitFor()
  await page.getByRole('button', { name: 'Ask for a decision…' }).waitFor()
  const accept = page.getByRole('button', { name: 'Accept ₦12,500.00' })
  // No member has asked, so it would be refused.
  expect(await accept.count()).toBe(0)
  await picture(page, 'script', 'console-payment-screened')
  await page.setViewportSize(sizes.desktop)
  await page.getByRole('button', { name: 'Ask for a decision…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Why').fill('Another person of this name')
  await picture(page, 'script', 'console-payment-screened-ask')
  await page.setViewportSize(sizes.desktop)
  await dialog.getByRole('button', { name: 'Ask', exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })

  await site.become(site.finance)
  await site.visit(`/console/payments/${reference}`, page)
  await page.getByText('Ada Obi asks to accept the money').waitFor()
  await page.getByRole('button', { name: 'Return', exact: true }).waitFor()
  await picture(page, 'script', 'console-payment-screened-asked')
  await page.setViewportSize(sizes.desktop)
  await accept.click()
  await dialog.getByRole('button', { name: 'Accept ₦12,500.00' }).click()
  await page.locator('main .page-head').getByText('Accepted').waitFor()
})
