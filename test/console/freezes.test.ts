import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { addKey } from '../support/add-key.js'
import { openBrowser } from '../support/browser.js'
import {
  openWithBankAndChain,
  type ServiceWithBankAndChain,
} from '../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../support/people.js'
import { pictureDialog } from './dialog-pictures.js'

// One member freezes, and two thaw. All of it happens in the console, in two browsers.

let site: ServiceWithBankAndChain
let ada: Person
let bola: Person
let chidi: Person
let ofAda: Page
let ofBola: Page
let newContext: () => Promise<BrowserContext>

const account = { bankCode: '058', accountNumber: '0123456789' }
const paid = { amount: 250_000, ...account }

beforeAll(async () => {
  site = await openWithBankAndChain({ hasPayouts: true })
  ada = await addPerson(site, { role: 'owner', name: 'Ada Obi' })
  bola = await addPerson(site, { role: 'admin', name: 'Bola Ade' })
  chidi = await addPerson(site, { role: 'finance', name: 'Chidi Eze' })
  await site.ask('POST', '/v1/test/balances/fund', {
    key: site.merchant.test.secret,
    body: { asset: 'NGN', amount: 671_867_540 },
    headers: { 'idempotency-key': 'freezes' },
  })
  const rule = { NGN: { each: 100_000_000, perDay: null }, USDC: null, USDT: null }
  await ada.ask('PATCH', '/v1/settings/approvals', { body: { appliesTo: 'console', ...rule } })
  const browser = await openBrowser()
  newContext = () => browser.newContext({ reducedMotion: 'reduce', viewport: sizes.desktop })
  ofAda = await openPage(ada)
  ofBola = await openPage(bola)
})

async function openPage({ token }: Person): Promise<Page> {
  const context = await newContext()
  await context.addCookies([{ name: 'manilla', value: token, url: site.url }])
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => expect.fail(error.message))
  await page.goto(`${site.url}/console`)
  return page
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`${site.url}/console${path}`)
  await page.locator('main h1').waitFor()
}

/** A browser with pictures in between takes longer than other tests. */
const timeout = 120_000

test('a recipient is frozen, a payout to it is not approved, and two people thaw it', {
  timeout,
}, async () => {
  const body = { ...paid, amount: 250_000_000 }
  const asked = await chidi.ask('POST', '/v1/disbursements/bank-transfer', { body })
  expect(asked.json.data.status).toBe('PENDING')
  const { reference, accountName, bankName } = asked.json.data
  const place = `${bankName} 012 345 6789`

  await ofAda.getByRole('link', { name: 'Payouts', exact: true }).click()
  await ofAda.getByRole('link', { name: 'Freezes' }).click()
  await ofAda.getByText('Nothing is frozen.').waitFor()
  await picture(ofAda, 'script', 'console-freezes-empty')
  await button(ofAda, 'Freeze payouts…').first().click()
  const dialog = ofAda.getByRole('dialog')
  expect(await inDialog(ofAda, 'Freeze').isDisabled()).toBe(true)
  await dialog.getByRole('combobox', { name: 'What to freeze' }).click()
  await ofAda.getByRole('option', { name: 'A recipient' }).click()
  await dialog.getByRole('combobox', { name: 'Bank', exact: true }).fill('gtb')
  await ofAda.getByRole('option').first().click()
  await dialog.getByLabel('Account number').fill('0123456789')
  await dialog.getByText(accountName).waitFor()
  await dialog.getByText('In test mode only').waitFor()
  expect(await inDialog(ofAda, 'Freeze').isDisabled()).toBe(true)
  await dialog.getByLabel('Reason').fill('A customer reports\nfraud')
  await pictureDialog(ofAda, 'screens/freezes/freeze-dialog recipient')
  await inDialog(ofAda, 'Freeze').click()
  await ofAda.getByRole('row', { name: /A customer reports fraud/ }).waitFor()
  await ofAda.getByText(`Payouts to ${place}`).waitFor()

  await visit(ofBola, '/payouts')
  await ofBola.getByText(`Payouts to ${place} are frozen: A customer reports fraud`).waitFor()
  await picture(ofBola, 'script', 'console-freezes-payouts')
  await visit(ofBola, `/payouts/${reference}`)
  await ofBola.getByText(`Payouts to ${place} are frozen`).waitFor()
  await button(ofBola, 'Approve').click()
  const alert = ofBola.getByRole('alert')
  await alert.getByText('Payouts to this recipient are frozen: A customer reports fraud').waitFor()
  await picture(ofBola, 'script', 'console-freezes-approve')
  await alert.getByRole('link', { name: 'See freezes' }).click()
  await ofBola.getByRole('heading', { name: 'Frozen now' }).waitFor()

  await button(ofAda, 'Thaw…').click()
  await dialog.getByText('This asks another owner or admin.').waitFor()
  await pictureDialog(ofAda, 'screens/freezes/thaw-dialog ThawDialog')
  await inDialog(ofAda, 'Ask to thaw').click()
  await ofAda.getByText('You asked to thaw it. Another owner or admin must do it.').waitFor()
  expect(await button(ofAda, 'Thaw…').count()).toBe(0)

  // In the page that has been open since before.
  await ofBola.getByText('Ada Obi asked to thaw it').waitFor()
  await picture(ofBola, 'script', 'console-freezes-asked')
  await button(ofBola, 'Thaw…').click()
  await ofBola.getByRole('dialog').getByText('you are the second member').waitFor()
  await pictureDialog(ofBola, 'screens/freezes/thaw-dialog second')
  await inDialog(ofBola, 'Thaw now').click()
  await ofBola.getByRole('heading', { name: 'Thawed' }).waitFor()
  await ofBola.getByRole('row', { name: /Asked for by Ada Obi/ }).waitFor()
  await ofAda.getByText('Nothing is frozen.').waitFor()

  await visit(ofBola, `/payouts/${reference}`)
  expect(await ofBola.getByText(`Payouts to ${place} are frozen`).count()).toBe(0)
  await button(ofBola, 'Approve').click()
  await ofBola.getByText('2 of 2 members').waitFor()
  await site.settle()
  await ofBola.getByRole('link', { name: 'Receipt' }).waitFor()
  await picture(ofBola, 'script', 'console-freezes-paid')
  await button(ofBola, 'Freeze this recipient…').click()
  await ofBola.getByRole('dialog').getByText(`Freeze payouts to ${place}?`).waitFor()
  await button(ofBola, 'Cancel').click()
})

test('who froze it agrees with a request, and who asked first thaws', { timeout }, async () => {
  await visit(ofAda, '/')
  await ofAda.keyboard.press('Control+k')
  await ofAda.getByRole('dialog').getByRole('textbox').fill('fraud')
  await ofAda.getByRole('dialog').getByText('Freeze payouts…').waitFor()
  await ofAda.keyboard.press('Enter')
  const dialog = ofAda.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'What to freeze' }).click()
  await ofAda.getByRole('option', { name: 'Everything' }).click()
  await dialog.getByText('Every payout is refused').waitFor()
  await dialog.getByLabel('Reason').fill('Two laptops are stolen')
  await pictureDialog(ofAda, 'screens/freezes/freeze-dialog FreezeDialog')
  await inDialog(ofAda, 'Freeze').click()
  await visit(ofBola, '/')
  await ofBola.getByText('All payouts are frozen: Two laptops are stolen').waitFor()
  await picture(ofBola, 'script', 'console-freezes-home')
  const refused = await chidi.ask('POST', '/v1/disbursements/bank-transfer', { body: paid })
  expect(refused.json.reason).toBe('payouts_frozen')

  await visit(ofBola, '/payouts/freezes')
  await button(ofBola, 'Thaw…').click()
  await inDialog(ofBola, 'Ask to thaw').click()
  await ofBola.getByText('You asked to thaw it.').waitFor()
  await ofAda.getByText('Bola Ade asked to thaw it').waitFor()
  await button(ofAda, 'Thaw…').click()
  await dialog.getByText('If you agree, Bola Ade can thaw it.').waitFor()
  await inDialog(ofAda, 'Agree').click()
  await ofBola.getByText('Ada Obi asked to thaw it').waitFor()
  await button(ofBola, 'Thaw…').click()
  await inDialog(ofBola, 'Thaw now').click()
  await ofBola.getByText('Nothing is frozen.').waitFor()
})

test('keys and people are frozen where they are listed', { timeout }, async () => {
  const key = await addKey(site)
  await visit(ofAda, '/keys')
  await button(ofAda, 'Actions: Another key').click()
  await ofAda.getByRole('menuitem', { name: 'Freeze this key…' }).click()
  await ofAda
    .getByRole('dialog')
    .getByText('Freeze payouts of the API key “Another key”?')
    .waitFor()
  await ofAda.getByLabel('Reason').fill('Seen in a public repository')
  await pictureDialog(ofAda, 'screens/freezes/freeze-dialog key')
  await inDialog(ofAda, 'Freeze').click()
  await ofAda.getByRole('dialog').waitFor({ state: 'detached' })
  const headers = { 'idempotency-key': 'stolen' }
  const path = '/v1/disbursements/bank-transfer'
  const refused = await site.ask('POST', path, { key, body: paid, headers })
  expect(refused.json.message).toBe(
    'Payouts of this API key are frozen: Seen in a public repository',
  )

  await visit(ofAda, '/team')
  await button(ofAda, 'Actions: Chidi Eze').click()
  await ofAda.getByRole('menuitem', { name: 'Freeze payouts of this member…' }).click()
  await ofAda.getByLabel('Reason').fill('Leaves the company')
  await inDialog(ofAda, 'Freeze').click()
  await ofAda.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await chidi.ask('POST', path, { body: paid })).json.reason).toBe('payouts_frozen')

  // Two owners or admins, of whom one is frozen, cannot thaw.
  await button(ofAda, 'Actions: Bola Ade').click()
  await ofAda.getByRole('menuitem', { name: 'Freeze payouts of this member…' }).click()
  await ofAda.getByText('Fewer than two owners or admins could thaw this').waitFor()
  await button(ofAda, 'Cancel').click()

  await visit(ofAda, '/payouts')
  await ofAda.getByText('2 freezes refuse payouts').waitFor()
  await ofAda.getByText('Payouts of Chidi Eze: Leaves the company').waitFor()
  await picture(ofAda, 'script', 'console-freezes-several')
})

test('a recipient is frozen from its page; a viewer reads it and changes nothing', {
  timeout,
}, async () => {
  const saved = await ada.ask('POST', '/v1/recipients', { body: account })
  const path = `/payouts/recipients/${saved.json.data.reference}`
  await visit(ofAda, path)
  await button(ofAda, 'Freeze this recipient…').click()
  await ofAda.getByLabel('Reason').fill('Complaint 77')
  await inDialog(ofAda, 'Freeze').click()
  await ofAda.getByText(/are frozen: Complaint 77/).waitFor()
  expect(await button(ofAda, 'Freeze this recipient…').count()).toBe(0)
  await picture(ofAda, 'script', 'console-freezes-recipient')
  await visit(ofAda, '/payouts/freezes')
  await ofAda.getByText('Payouts of the API key “Another key”').waitFor()
  await picture(ofAda, 'script', 'console-freezes')

  const viewer = await openPage(await addPerson(site, { role: 'viewer' }))
  await visit(viewer, '/payouts/freezes')
  await viewer.getByText('Complaint 77').waitFor()
  for (const name of ['Freeze payouts…', 'Thaw…'])
    expect(await button(viewer, name).count()).toBe(0)
  await visit(viewer, path)
  await viewer.getByText(/are frozen: Complaint 77/).waitFor()
  expect(await button(viewer, 'Freeze this recipient…').count()).toBe(0)
  await visit(viewer, '/payouts/freezes?new=freeze')
  await viewer.getByRole('heading', { name: 'Frozen now' }).waitFor()
  expect(await viewer.getByRole('dialog').count()).toBe(0)
})

test('thawing asks for proof of identity', { timeout }, async () => {
  const page = await openPage(
    await addPerson(site, { role: 'admin', name: 'Dayo Bello', hasStepUp: false }),
  )
  await visit(page, '/payouts/freezes')
  await button(page, 'Thaw…').first().click()
  await inDialog(page, 'Ask to thaw').click()
  await page.getByText('Confirm that it is you').waitFor()
})
