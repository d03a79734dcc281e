import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { decideKyc } from '../../src/merchants/kyc-submissions.js'
import { listenForErrors, picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { openWithBank, type ServiceWithBank } from '../support/open-with-bank.js'
import { addPerson } from '../support/people.js'

/** Journeys through keys, quick start and settings, as an owner. */

let service: ServiceWithBank
let page: Page

beforeAll(async () => {
  const browser = await openBrowser()
  service = await openWithBank()
  const owner = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await context.addCookies([{ name: 'manilla', value: owner.token, url: service.url }])
  page = await context.newPage()
  page.setDefaultTimeout(15_000)
})

async function open(path: string): Promise<void> {
  await page.setViewportSize(sizes.desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${service.url}/console${path}`)
  await page.waitForSelector('main h1')
  await page.waitForFunction("!document.querySelector('[aria-busy=true]')")
}

/** Runs a journey and fails if the page reports an error or breaks its own content policy. */
async function journey(name: string, walk: () => Promise<void>): Promise<void> {
  const stop = listenForErrors(page, { isConsoleRead: true })
  await walk()
  expect(stop()).toEqual([])
  await picture(page, 'script', `console-${name}`)
  await page.setViewportSize(sizes.desktop)
}

const button = (name: string | RegExp): Locator => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')
const choose = async (label: string, option: string) => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}
const statusWith = async (key: string, path: string) =>
  (await service.ask('GET', path, { key })).status

describe('keys', () => {
  test('a restricted key is made, copied, rolled and revoked', async () => {
    await open('/keys')
    await journey('keys-create', async () => {
      await button('Create key').click()
      await dialog().getByLabel('Name').fill('Shop backend')
      await dialog().getByRole('radio', { name: 'Restricted' }).check()
      await dialog().getByRole('checkbox', { name: 'Read balances and the statement' }).check()
    })
    await dialog().getByRole('button', { name: 'Create key' }).click()
    await dialog().getByRole('button', { name: 'Copy' }).click()
    const key = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(key).toMatch(/^sk_test_/)
    expect([await statusWith(key, '/v1/balances'), await statusWith(key, '/v1/events')]).toEqual([
      200, 403,
    ])
    await dialog().getByRole('button', { name: 'Done' }).click()

    await button('Actions: Shop backend').click()
    await page.getByRole('menuitem', { name: 'Roll' }).click()
    await dialog().getByRole('button', { name: 'Roll' }).click()
    await dialog().getByRole('button', { name: 'Done' }).click()
    await page.getByText('Rolled').first().waitFor()
    await journey('keys', async () => {
      await button('Actions: Shop backend').first().click()
      await page.getByRole('menuitem', { name: 'Revoke' }).click()
      await dialog().getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('The key is revoked.').waitFor()
    })
  })

  test('quick start runs every call with the test key and shows the event', async () => {
    await open('/quick-start')
    await journey('quick-start', async () => {
      await button('Create a test key').click()
      await page
        .getByText(/Authorization: Bearer sk_test_\w{38}/)
        .first()
        .waitFor()
      for (const step of ['1. Check your key', '2. Create a payment link'])
        await button(`Run: ${step}`).click()
      await page.getByRole('link', { name: 'Open the payment page' }).waitFor()
      await button('Run: 3. Pay as a customer').click()
      await page
        .getByText(/payment\.\w+|virtual_account\.paid|checkout/)
        .first()
        .waitFor()
      await page.getByText('201').nth(1).waitFor()
    })
  })
})

describe('settings', () => {
  test('the preview shows a look before it is saved', async () => {
    await open('/settings')
    await journey('settings-checkout', async () => {
      await page.getByLabel('Name shown to payers').fill('Chi Bakery')
      await page.getByLabel('Colour', { exact: true }).fill('#7a1f5c')
      const preview = page.frameLocator('iframe')
      await preview.getByText('Chi Bakery').first().waitFor()
      await button('Save').click()
      await page.getByText('Saved.').waitFor()
    })
    const { json } = await service.ask('GET', '/v1/settings', {
      key: service.merchant.test.secret,
    })
    expect(json.data.checkout).toMatchObject({ displayName: 'Chi Bakery', colour: '#7a1f5c' })
  })

  test('policies, settlements and fees', async () => {
    await open('/settings/payments')
    await journey('settings-payments', async () => {
      await choose('Too little: Bank transfer', 'Hold')
      await page.getByRole('textbox', { name: 'Naira' }).fill('50000')
      await button('Save').click()
      await page.getByText('Saved.').waitFor()
    })
    await open('/settings/settlements')
    await journey('settings-settlements', async () => {
      await choose('Schedule', 'Every week')
      await button('Save').click()
      await page.getByText('Saved.').waitFor()
    })
    const { json } = await service.ask('GET', '/v1/settings', {
      key: service.merchant.test.secret,
    })
    expect(json.data).toMatchObject({
      policies: { bank: { underpayment: 'hold' } },
      lowBalance: { NGN: 5_000_000 },
      settlement: { schedule: 'weekly' },
    })
    await open('/settings/fees')
    await journey('settings-fees', async () => {
      await page.getByText('at most ₦2,000.00').waitFor()
    })
  })

  test('a bank account is added after the bank has named its holder', async () => {
    await open('/settings/bank-accounts')
    await button('Add bank account').click()
    await choose('Bank', 'Guaranty Trust Bank')
    await dialog().getByLabel('Account number').fill('012 345 6789')
    await dialog()
      .getByText(/confirms this name/)
      .waitFor()
    await dialog().getByRole('button', { name: 'Add bank account' }).click()
    await journey('settings-bank-accounts', async () => {
      await page.getByText('Primary', { exact: true }).waitFor()
    })
  })

  test('KYC is filled in, documented, submitted and questioned', async () => {
    await open('/settings/kyc')
    const fill = (label: string, value: string) =>
      page.getByLabel(label, { exact: true }).first().fill(value)
    await fill('Legal name', 'Ada Stores')
    await choose('Type', 'Sole trader')
    await fill('Address', '12 Allen Avenue')
    await fill('City', 'Ikeja')
    await fill('State', 'Lagos')
    await fill('What do you sell?', 'Bread')
    await fill('Name', 'Ada Obi')
    await fill('Email', 'ada@example.com')
    await fill('Phone', '+2348012345678')
    await button('Add person').click()
    await fill('Full name', 'Ada Obi')
    await choose('Position', 'Owner')
    await fill('Date of birth', '1990-05-01')
    await fill('BVN', '22212345678')
    await button('Save draft').click()
    await page.getByText('2 things are missing').waitFor()
    for (const kind of ['Identity document of an owner or director', 'Proof of address']) {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        button(`Upload: ${kind}`).click(),
      ])
      const file = { name: 'paper.pdf', mimeType: 'application/pdf', buffer: pdf }
      await chooser.setFiles(file)
      await button(`Add another: ${kind}`).waitFor()
    }
    await journey('settings-kyc', async () => {
      await button('Submit').click()
      await dialog().getByRole('button', { name: 'Submit' }).click()
      await page.getByText('Under review', { exact: true }).waitFor()
    })
    const { merchantId } = service.merchant.environments.live
    await service.db.transaction((tx) =>
      decideKyc(tx, service.clock.now(), {
        merchantId,
        outcome: 'ask',
        note: 'The paper is not readable.',
        decidedBy: 'operator',
      }),
    )
    await open('/settings/kyc')
    await journey('settings-kyc-asked', async () => {
      await page.getByText('The paper is not readable.').waitFor()
    })
  })
})

const pdf = Buffer.from('%PDF-1.7\n% a paper\n')
