import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import { listenForErrors, picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson } from '../support/people.js'
import { type Console, go, openConsole } from './open-console.js'

/** Journeys through settlements: from none to several, by every way to get there. */

let site: Console
let page: Page

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  const { id: environmentId } = site.merchant.environments.test
  const account = {
    environmentId,
    bankCode: '058',
    accountNumber: '0123456789',
    accountName: 'ADA STORES LTD',
  }
  await site.db.transaction(async (tx) =>
    makePrimary(tx, await addBankAccount(tx, site.clock.now(), account)),
  )
  await site.become(site.owner)
  page = await site.visit('/console')
})

const open = (path: string) => go(page, path)
const dialog = () => page.getByRole('dialog')
const rows = () => page.locator('a[data-row]')

/** Runs a journey and fails if the page reports an error or breaks its own content policy. */
async function journey(name: string, walk: () => Promise<void>): Promise<void> {
  const stop = listenForErrors(page, { isConsoleRead: true })
  await walk()
  expect(stop()).toEqual([])
  await picture(page, 'script', `console-${name}`)
  await page.setViewportSize(sizes.desktop)
}

describe('settlements', () => {
  test('g s opens the list, which says what a settlement is', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.waitForURL('**/console/settlements')
    await journey('settlements-empty', async () => {
      await page.getByText('A settlement pays your available naira').waitFor()
    })
  })

  test('one is made now, once, and its page reports what was settled', async () => {
    await site.post('/v1/test/balances/fund', { asset: 'NGN', amount: 25_000_000 })
    await page.getByRole('button', { name: 'Settle now' }).first().click()
    await journey('settle-now', async () => {
      await dialog().getByText('₦250,000.00').waitFor()
      await dialog().getByLabel('Amount').fill('50,000')
    })
    await dialog().getByRole('button', { name: 'Settle ₦50,000.00' }).dblclick()
    await page.waitForURL(/\/console\/settlements\/set_\w+$/)
    await journey('settlement', async () => {
      await page.getByRole('heading', { level: 1, name: '₦50,000.00' }).waitFor()
      await page.getByText('Test money').first().waitFor()
      await page.getByRole('row', { name: /Payout fee set aside.*−₦25\.00/ }).waitFor()
      await page.getByText('012 345 6789').first().waitFor()
    })
    const { items } = (await site.owner.ask('GET', '/v1/settlements')).json.data
    expect(items).toHaveLength(1)
    await page.getByRole('link', { name: items[0].transferReference }).click()
    await page.waitForURL('**/console/payouts/bt_*')
    await page.getByRole('link', { name: items[0].reference }).click()
    await page.waitForURL(`**/console/settlements/${items[0].reference}`)
  })

  test('a refusal is shown in the dialog, and the palette opens it, too', async () => {
    await page.keyboard.press('Control+k')
    await dialog().getByRole('textbox').fill('settle now')
    await dialog().getByText('Settle now').click()
    await dialog().getByLabel('Amount').fill('900,000')
    await dialog().getByRole('button', { name: 'Settle ₦900,000.00' }).click()
    await dialog().getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${site.url}/console/settlements`)
  })

  test('the list has sums by status and day, filters in the address, and an export', async () => {
    await site.post('/v1/settlements', { amount: 1_000_000 })
    await open('/settlements')
    await journey('settlements', async () => {
      await page.getByRole('button', { name: 'Show 1 new settlement' }).click()
      await expect.poll(() => rows().count()).toBe(2)
      await page.getByText('2 settlements · ₦60,000.00').waitFor()
      await page.getByRole('button', { name: /^On the way ?2/ }).waitFor()
    })
    await page.getByRole('button', { name: /^Failed ?0/ }).click()
    await page.waitForURL(/\/console\/settlements\?(.*&)?status=FAILED/)
    await page.getByText('No settlement matches these filters.').waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await expect.poll(() => rows().count()).toBe(2)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    expect((await saving).suggestedFilename()).toMatch(/^settlements-test-until-.*\.csv$/)
  })

  test('one that a callback decides about needs approval', async () => {
    const body = { url: 'https://shop.example/hooks', events: ['payment.*'] }
    const endpoint = await site.owner.ask('POST', '/v1/webhook-endpoints', { body })
    const url = 'https://shop.example/approve'
    const callback = { url, signedBy: endpoint.json.data.id, retryMinutes: 10 }
    const others = { recipients: null, velocity: null, duplicates: null }
    const changed = await site.owner.ask('PATCH', '/v1/settings/approvals', {
      body: {
        appliesTo: 'all',
        NGN: null,
        USDC: null,
        USDT: null,
        controls: { callback, ...others },
      },
    })
    expect(changed.status, changed.text).toBe(200)
    await open('/settlements')
    await page.getByRole('button', { name: 'Settle now' }).click()
    await dialog().getByLabel('Amount').fill('5,000')
    await dialog().getByRole('button', { name: 'Settle ₦5,000.00' }).click()
    await page.getByText('A settlement of ₦5,000.00 waits for approval.').first().waitFor()
    await journey('settlement-pending', async () => {
      await page.getByText('It is not sent yet.').waitFor()
    })
    await page.getByRole('link', { name: 'Open the payout' }).click()
    await page.getByText('Your callback has not decided yet').waitFor()
    await open('/settlements')
    await page.getByRole('button', { name: /^Needs approval ?1/ }).click()
    await page.waitForURL(/\/console\/settlements\?(.*&)?status=PENDING/)
    await expect.poll(() => rows().count()).toBe(1)
  })

  test('on a phone they are in the menu', async () => {
    await open('/')
    await page.setViewportSize(sizes.phone)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Settlements' }).click()
    await page.waitForURL('**/console/settlements')
    await page.setViewportSize(sizes.desktop)
  })
})

describe('who may not', () => {
  const visitAs = async (role: 'developer' | 'support' | 'viewer', path: string) => {
    // An open page would notice that its session is gone, and leave.
    await page.goto('about:blank')
    await site.become(await addPerson(site, { role }))
    await page.goto(`${site.url}/console${path}`)
    await page.waitForSelector('main h1')
  }
  const entries = () => page.getByRole('link', { name: 'Settlements' })

  test('see balances is led to the schedule', async () => {
    await visitAs('developer', '/settlements')
    await page.waitForURL('**/console/settlements/schedule')
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  })

  test('see either has no entry in the menu', async () => {
    await visitAs('support', '/')
    expect(await entries().count()).toBe(0)
  })

  test('pay out sees settlements and makes none', async () => {
    await visitAs('viewer', '/settlements')
    await expect.poll(() => rows().count()).toBe(3)
    expect(await page.getByRole('button', { name: 'Settle now' }).count()).toBe(0)
  })
})
