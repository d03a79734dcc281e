import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { day } from '../../src/base/clock.js'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson, type Person } from '../support/people.js'
import { pictureDialog } from './dialog-pictures.js'
import { type Console, go, openConsole } from './open-console.js'

// A complaint from the first call to its outcome: support opens a case from the payment, finance
// adds the payout, and the owner freezes its recipient and closes it.

let site: Console
let page: Page
let payment: string
let payout: string
let title: string

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  await site.post('/v1/test/balances/fund', { asset: 'NGN', amount: 90_000_000 })
  payment = (await site.collect(1_250_000)).reference
  payout = (await site.payOut(4_500_000)).reference
  await site.settle()
  title = 'Customer did not order this'
  page = await site.visit('/console')
})

const main = () => page.locator('main')
const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })

async function become(person: Person): Promise<void> {
  await site.become(person)
  await page.goto(`${site.url}/console`)
  await page.locator('main h1').waitFor()
  await page.setViewportSize(sizes.desktop)
}

async function choose(label: string, option: string): Promise<void> {
  await dialog().getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}

/** `2026-11-20` as the page says it. */
const formatDay = (text: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(text),
  )

const dayFromNow = (days: number) =>
  new Date(site.clock.now().getTime() + days * day).toISOString().slice(0, 10)

test('support opens a case from a payment', async () => {
  await become(await addPerson(site, { role: 'support', name: 'Sade Cole' }))
  await go(page, '/cases')
  await main().getByText('Open a case when a customer complains').waitFor()
  await picture(page, 'script', 'console-cases-empty')
  await go(page, `/payments/${payment}`)
  await main().getByText('In no case.').waitFor()
  await picture(page, 'script', 'console-case-payment')
  await button('Open a case…').click()
  expect(await inDialog('Open case').isDisabled()).toBe(true)
  await choose('What kind', 'Fraud')
  await dialog().getByLabel('What it is about').fill(title)
  await dialog().getByLabel('What happened').fill('She paid twice.\nShe got one parcel.')
  await dialog().getByLabel('Their number').fill('CBN-17')
  await dialog().getByLabel('Deadline').fill(dayFromNow(2))
  await choose('Assigned to', 'Chidi Eze')
  await pictureDialog(page, 'screens/cases/case-form NewCase')
  await inDialog('Open case').click()
  await page.getByRole('heading', { name: title }).waitFor()
  await main()
    .getByRole('row', { name: /Payment.*₦12,500\.00/ })
    .waitFor()
  await main().getByText('She got one parcel.').waitFor()
  await main().getByText('Chidi Eze').first().waitFor()
  await main()
    .getByText(new RegExp(`^${formatDay(dayFromNow(2))}`))
    .waitFor()
  await main().getByLabel('Add a note').fill('Called her back.')
  await button('Add note').click()
  await main().getByText('Called her back.').waitFor()
})

test('finance adds a payout, and the owner freezes its recipient', async () => {
  await become(site.finance)
  await go(page, `/payouts/${payout}`)
  await button('Add to a case…').click()
  await dialog().getByRole('combobox', { name: 'Case' }).fill('cbn')
  await page.getByRole('option', { name: /CBN-17/ }).click()
  await pictureDialog(page, 'screens/cases/cases-card AddToCase')
  await inDialog('Add').click()
  const link = main().getByRole('link', { name: title })
  await link.waitFor()
  await picture(page, 'script', 'console-case-payout')
  await link.click()
  await main()
    .getByRole('row', { name: /Payout to a bank.*Arrived.*₦45,000\.00/ })
    .waitFor()
  await button(`Actions: ${payout}`).click()
  expect(await page.getByRole('menuitem', { name: 'Freeze the recipient…' }).count()).toBe(0)

  await become(site.owner)
  await go(page, '/cases')
  await main().getByRole('link', { name: title }).click()
  await pictureDialog(page, 'screens/cases/case-items CaseItems', {
    open: () => button(`Actions: ${payout}`).click(),
  })
  await page.keyboard.press('Escape')
  await button(`Actions: ${payout}`).click()
  await page.getByRole('menuitem', { name: 'Freeze the recipient…' }).click()
  expect(await dialog().getByLabel('Reason').inputValue()).toBe('Case CBN-17')
  await inDialog('Freeze').click()
  await dialog().waitFor({ state: 'detached' })
  const { items } = (await site.owner.ask('GET', '/v1/freezes')).json.data
  expect(items).toMatchObject([{ subject: '058/0123456789', reason: 'Case CBN-17' }])
})

test('the owner finds a payment for it, and removes it again', async () => {
  const other = await site.collect(760_000, 760_000, 'AMINA BELLO')
  await button('Add…').click()
  await dialog().getByRole('combobox', { name: 'Payment or payout' }).fill('amina')
  await page.getByRole('option', { name: /7,600/ }).click()
  await pictureDialog(page, 'screens/cases/case-items AddItem')
  await inDialog('Add').click()
  await main()
    .getByRole('row', { name: /₦7,600\.00/ })
    .waitFor()
  await button(`Actions: ${other.reference}`).click()
  await page.getByRole('menuitem', { name: 'Remove from the case' }).click()
  await main()
    .getByRole('row', { name: /₦7,600\.00/ })
    .waitFor({ state: 'detached' })
  await button('Change').click()
  expect(await dialog().getByLabel('Deadline').inputValue()).toBe(dayFromNow(2))
  await dialog().getByLabel('What it is about').fill('Customer paid twice')
  await pictureDialog(page, 'screens/cases/case-form EditCase')
  await inDialog('Save').click()
  await page.getByRole('heading', { name: 'Customer paid twice' }).waitFor()
  title = 'Customer paid twice'
  await picture(page, 'script', 'console-case')
})

test('an overdue case is closed with its outcome, and reopened', async () => {
  const moved = await site.owner.ask('POST', '/v1/test/clock/advance', {
    body: { seconds: (4 * day) / 1_000 },
  })
  expect(moved.status, moved.text).toBe(200)
  await become(site.owner)
  await main().getByText('The deadline of a case has passed').waitFor()
  await main().getByRole('link', { name: 'Review' }).click()
  await main()
    .getByRole('row', { name: /Overdue/ })
    .waitFor()
  await picture(page, 'script', 'console-cases')
  await main().getByRole('link', { name: title }).click()
  await main().getByText('Close the case, or move its deadline.').waitFor()
  await picture(page, 'script', 'console-case-overdue')
  await button('Close…').click()
  expect(await inDialog('Close case').isDisabled()).toBe(true)
  await dialog().getByRole('radio', { name: 'Something else' }).check()
  expect(await inDialog('Close case').isDisabled()).toBe(true)
  await dialog().getByRole('radio', { name: 'The complaint was right' }).check()
  await dialog().getByLabel('What was decided').fill('Refunded.')
  await pictureDialog(page, 'screens/cases/end-dialogs CloseCase')
  await inDialog('Close case').click()
  await main().getByText('Closed: The complaint was right').waitFor()
  await main().getByText('Refunded.').first().waitFor()
  expect(await button('Add…').count()).toBe(0)
  expect(await main().getByText('UPHELD').count()).toBe(0)
  await picture(page, 'script', 'console-case-closed')
  await button('Reopen').click()
  await pictureDialog(page, 'screens/cases/end-dialogs ReopenCase')
  await inDialog('Reopen').click()
  await button('Close…').waitFor()
  await main().getByText('Closed: The complaint was right').waitFor({ state: 'detached' })
})

test('a viewer reads cases and changes none', async () => {
  await become(await addPerson(site, { role: 'viewer', name: 'Vera Viewer' }))
  await go(page, '/cases?new=case')
  await main().getByRole('link', { name: title }).waitFor()
  expect(await dialog().count()).toBe(0)
  expect(await button('New case').count()).toBe(0)
  await main().getByRole('link', { name: title }).click()
  await main()
    .getByRole('row', { name: /Payout to a bank/ })
    .waitFor()
  for (const name of ['Change', 'Close…', 'Add…', `Actions: ${payout}`])
    expect(await button(name).count(), name).toBe(0)
  await go(page, `/payments/${payment}`)
  await main().getByRole('link', { name: title }).waitFor()
  expect(await button('Open a case…').count()).toBe(0)
})

// The viewer's page stays open while others work on the case.
test('what others change of a case is shown without a reload', async () => {
  const cases = (await site.owner.ask('GET', '/v1/cases')).json.data.items
  const { reference } = cases.find((one: { title: string }) => one.title === title)
  const change = async (method: string, path: string, body: object) => {
    const reply = await site.owner.ask(method, `/v1/cases/${reference}${path}`, { body })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json.data
  }
  await go(page, `/cases/${reference}`)
  await page.evaluate('window.notReloaded = true')
  await change('PATCH', '', { title: 'She did not order this', deadline: null })
  await page.getByRole('heading', { name: 'She did not order this' }).waitFor()
  await change('PATCH', '', { deadline: `${dayFromNow(40)}T23:00:00.000Z` })
  await main()
    .getByText(formatDay(dayFromNow(40)))
    .first()
    .waitFor()
  const { reference: note } = await change('POST', '/notes', { text: 'She called again.' })
  await main().getByText('She called again.').waitFor()
  await change('POST', `/notes/${note}/withdraw`, {})
  await main().getByText('She called again.').waitFor({ state: 'detached' })
  await change('POST', '/items/remove', { items: [payment] })
  await main()
    .getByRole('row', { name: /Payment.*₦12,500\.00/ })
    .waitFor({ state: 'detached' })
  await change('POST', '/items', { items: [payment] })
  await main()
    .getByRole('row', { name: /Payment.*₦12,500\.00/ })
    .waitFor()
  await change('POST', '/close', { outcome: 'REJECTED' })
  await main().locator('.page-head').getByText('Closed').waitFor()
  await change('POST', '/reopen', {})
  await main().locator('.page-head').getByText('Open').waitFor()
  expect(await page.evaluate('window.notReloaded')).toBe(true)
})
