import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson } from '../support/people.js'
import { until } from '../support/sessions.js'
import { type Console, openConsole } from './open-console.js'

/** Journeys through Home and payments, in one browser and on one service. */

let site: Console
let page: Page
let held: string
let accepted: string

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  await site.ask('PATCH', '/v1/settings', {
    key: site.merchant.test.secret,
    body: { policies: { bank: { overpayment: 'hold' } } },
  })
  held = (await site.collect(4_850_000, 6_050_000, 'CHUKA OKAFOR')).reference
  accepted = (await site.collect(1_250_000, 1_250_000, 'ADAEZE NWOSU')).reference
  await site.become(site.owner)
  page = await site.visit('/console')
})

const paymentPath = (reference: string) => `/v1/collections/payments/${reference}`

async function read(path: string) {
  return (await site.ask('GET', path, { key: site.merchant.test.secret })).json.data
}

async function open(path: string): Promise<void> {
  await page.goto(`${site.url}/console${path}`)
  await page.waitForSelector('main h1')
}

describe('keyboard', () => {
  test('g p opens payments, j and Enter the newest one', async () => {
    await page.waitForSelector('main h1')
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForURL('**/console/payments')
    // The page before has rows, too, and stays until the code of this one is loaded.
    await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
    await page.waitForSelector('a[data-row]')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/payments/${accepted}`)
  })

  test('Ctrl K finds a payment by its payer, and Enter opens it', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('textbox').fill('okafor')
    await page.getByText('₦60,500.00 from CHUKA OKAFOR').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/payments/${held}`)
    // Without a search, it lists what was opened before.
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByText('CHUKA OKAFOR').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/payments/${accepted}`)
  })
})

describe('a payment', () => {
  test('held money stands beside what was asked for, on its page and in the list', async () => {
    await open(`/payments/${held}`)
    await page.getByText('You asked for ₦48,500.00, the customer sent ₦60,500.00.').waitFor()
    const asked = page
      .locator('dt', { hasText: 'Asked for' })
      .locator('xpath=following-sibling::dd')
    await expect.poll(() => asked.allTextContents()).toEqual(['₦48,500.00'])
    await open('/payments')
    await page.getByText('Too much, ₦48,500.00 asked').waitFor()
    const { items } = await read('/v1/collections/payments')
    expect(items).toMatchObject([{ amountExpected: 1_250_000 }, { amountExpected: 4_850_000 }])
  })

  test('held money is accepted after a confirmation', async () => {
    await open(`/payments/${held}`)
    await page.getByRole('button', { name: 'Accept ₦12,000.00' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Accept ₦12,000.00' }).click()
    await page.locator('main .page-head').getByText('Accepted').waitFor()
    expect(await read(paymentPath(held))).toMatchObject({
      status: 'ACCEPTED',
      amountAccepted: 6_050_000,
      amountHeld: 0,
    })
  })

  // The amount is typed with separators and must reach the ledger to the kobo.
  test('a part of it is refunded once, however often the button is pressed', async () => {
    await open(`/payments/${accepted}`)
    await page.getByRole('button', { name: 'Refund' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount to refund').fill('1,000.50')
    await dialog.getByRole('combobox', { name: 'Reason' }).click()
    await page.getByRole('option', { name: 'Paid twice' }).click()
    await dialog.getByLabel('Note').fill('Same order,\ntwo transfers')
    await picture(page, 'script', 'console-refund')
    await page.setViewportSize(sizes.desktop)
    await dialog.getByRole('button', { name: 'Refund ₦1,000.50' }).dblclick()
    await dialog.waitFor({ state: 'hidden' })
    const { items } = await read(`${paymentPath(accepted)}/returns`)
    const why = { reason: 'duplicate', note: 'Same order, two transfers' }
    expect(items).toMatchObject([{ kind: 'refund', amount: 100_050, ...why }])
    await page.getByText('Refund of ₦1,000.50 decided: paid twice').waitFor()
    await page.getByRole('cell', { name: 'Paid twice · Same order, two transfers' }).waitFor()
  })

  test('a refusal speaks to people, and nothing that was typed is lost', async () => {
    await open(`/payments/${accepted}`)
    await page.getByRole('button', { name: 'Refund' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount to refund').fill('99,999.00')
    await dialog.getByRole('button', { name: 'Refund ₦99,999.00' }).click()
    const alert = dialog.getByRole('alert')
    await alert.getByText(/^At most ₦/).waitFor()
    expect(await alert.textContent()).not.toMatch(/`|GET|_failed|details/)
    // The button that was pressed keeps the focus, so that the keyboard stays in the dialog.
    expect(await dialog.locator('button:focus').textContent()).toContain('Refund')
    expect(await dialog.getByLabel('Amount to refund').inputValue()).toBe('99,999.00')
  })

  test('its notes are text, whatever they contain, and their author withdraws them', async () => {
    await open(`/payments/${accepted}`)
    const text = 'She called.\n<img src=x onerror="document.title=1"> & waits'
    await page.getByLabel('Add a note').fill(text)
    await page.getByRole('button', { name: 'Add note' }).dblclick()
    const notes = page.locator('.notes > li')
    await expect.poll(() => notes.locator('.said').allTextContents()).toEqual([text])
    expect(await page.getByLabel('Add a note').inputValue()).toBe('')
    await picture(page, 'script', 'console-payment-notes')
    await page.setViewportSize(sizes.desktop)
    await notes.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await notes.getByText('Withdrawn').waitFor()
    expect(await page.getByText('She called.').count()).toBe(0)
  })

  test('a viewer sees it and may not touch it', async () => {
    await site.become(await addPerson(site, { role: 'viewer', name: 'Vera Viewer' }))
    await open(`/payments/${accepted}`)
    expect(await page.getByRole('button', { name: 'Refund' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
    await page.locator('.notes').getByText('Withdrawn').waitFor()
    expect(await page.getByLabel('Add a note').count()).toBe(0)
    await site.become(site.owner)
  })
})

describe('the list', () => {
  test('filters are in the address and narrow the rows', async () => {
    await open('/payments')
    await page.getByRole('button', { name: 'Did not match' }).click()
    await page.getByRole('option', { name: 'Too much' }).click()
    await page.waitForURL('**/console/payments?variance=OVERPAID&mode=test')
    await expect.poll(() => page.locator('a[data-row]').count()).toBe(1)
    await page.getByRole('button', { name: 'Remove the filter Did not match' }).click()
    await expect.poll(() => page.locator('a[data-row]').count()).toBe(2)
  })

  // Beside a column that takes the rest, they were broken after every few letters.
  test('names of payers stay in one line', async () => {
    await open('/payments')
    const row = await page.locator('tr.opens').first().boundingBox()
    expect(row!.height).toBeLessThan(60)
  })

  test('the other mode keeps the path and has its own rows', async () => {
    await open('/payments')
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await page.getByText('No payments yet').waitFor()
    expect(page.url()).toBe(`${site.url}/console/payments`)
    expect(await page.getByText('Test mode').count()).toBe(0)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.waitForSelector('a[data-row]')
  })

  test('a link to a filtered list opens in the mode of its sender', async () => {
    await open('/payments?status=HELD&mode=live')
    await page.getByText('No payment matches these filters.').waitFor()
    expect(await page.getByText('Test mode').count()).toBe(0)
    // The next pages of the tab stay in it.
    await open('/payments')
    await page.getByText('No payments yet').waitFor()
    await open('/payments?status=HELD&mode=live')
    // The address follows the switch, so that it can be passed on again.
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.waitForURL('**/console/payments?status=HELD&mode=test')
    await page.getByRole('button', { name: /^All/ }).click()
    await page.waitForURL('**/console/payments?mode=test')
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await page.waitForURL('**/console/payments?mode=live')
    const tester = await addPerson(site, { role: 'support', maySeeLive: false })
    // A page that is open would sign in again while the cookie changes.
    await page.goto('about:blank')
    await site.become(tester)
    await open('/payments?status=HELD&mode=live')
    await page.getByText('This link is to live mode, which you may not see.').waitFor()
    await page.waitForURL('**/console/payments?status=HELD&mode=test')
    await page.goto('about:blank')
    await site.become(site.owner)
  })

  test('a page says the zone of its times: Lagos, and UTC for developers', async () => {
    await open('/payments')
    await page.getByText('Times are in Lagos (UTC+1).').waitFor()
    await open('/events')
    await page.getByText('Times are in UTC.').waitFor()
  })

  // A change refreshes what is shown, but not what does not exist.
  test('a reference that does not exist is asked for once', async () => {
    const id = `${accepted.slice('pay_'.length, -6)}zzzzzz`
    const asked: string[] = []
    let refreshes = 0
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === '/v1/attention') refreshes += 1
      const isAboutIt = pathname.startsWith('/v1/') && (pathname + search).includes(id)
      if (isAboutIt) asked.push(request.headers()['manilla-mode']!)
    })
    for (const path of [`/payments/pay_${id}`, `/payouts/bt_${id}`]) {
      await open(path)
      await page.getByText('Nothing was found here').waitFor()
      const before = refreshes
      await site.collect(150_000, 150_000, 'IFEOMA ADE')
      await expect.poll(() => refreshes).toBeGreaterThan(before)
      expect(asked.splice(0), path).toEqual(['test', 'live'])
    }
  })

  test('a reference of the other mode offers to switch', async () => {
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await open(`/payments/${accepted}`)
    await page.getByRole('button', { name: 'Switch to test mode' }).click()
    await page.getByRole('heading', { name: '₦12,500.00' }).waitFor()
  })
})

describe('live updates', () => {
  // Rows must not move under the reader's finger, so new ones are offered.
  test('a payment that arrives is offered without a reload', async () => {
    await open('/payments')
    await page.waitForSelector('a[data-row]')
    await site.collect(777_000, 777_000, 'TUNDE BELLO')
    await page.getByRole('button', { name: 'Show 1 new payment' }).click()
    await page.getByRole('link', { name: 'TUNDE BELLO' }).waitFor()
  })
})

describe('first run', () => {
  test('one button opens a checkout page that cannot reach the console', async () => {
    const merchant = await site.addMerchant('Bola Books')
    const { reference } = merchant
    await site.become(
      await addPerson(site, { role: 'owner', name: 'Bola Ige', merchant: reference }),
    )
    await open('')
    const [checkout] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Make a test payment' }).click(),
    ])
    await checkout.waitForURL('**/checkout/cs_*')
    expect(await checkout.evaluate('window.opener')).toBeNull()
    await checkout.close()
    // What the console itself sends is no first request to the API.
    const { id } = merchant.environments.test
    await until(async () => {
      const logs = sql`select from request_logs where environment_id = ${id} limit 1`
      return (await site.db.rows(logs)).length > 0
    })
    await page.reload()
    await page.getByText('0 of 6').waitFor()
  })
})
