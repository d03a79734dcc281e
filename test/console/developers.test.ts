import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { readCopied } from '../support/clipboard.js'
import { startDeliverer } from '../support/deliverer.js'
import { openReceiver } from '../support/receiver.js'
import { type Console, openConsole } from './open-console.js'

let site: Console
let page: Page
let endpointId: string
let isDown = true

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  const { post, collect, payOut } = site
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 421_865_040 })
  await post('/v1/test/balances/fund', { asset: 'USDC', amount: '12480.55' })
  await payOut(4_500_000)
  // The next attempt by itself is an hour away: what arrives earlier was sent by hand.
  const { url } = await openReceiver((response) => {
    if (isDown) response.writeHead(503, { 'retry-after': '3600' }).end('Down for maintenance')
    else response.end('ok')
  })
  endpointId = (await post('/v1/webhook-endpoints', { url, events: ['virtual_account.*'] })).id
  startDeliverer(site.db, { seal: site.seal, clock: site.clock })
  for (const amount of [1_250_000, 990_000]) await collect(amount)
  await site.become(site.owner)
  page = await site.visit('/console')
})

type Delivery = { eventId: string; lastAttempt: { status: number } | null }

const isAnswered = ({ lastAttempt }: Delivery) => lastAttempt !== null

async function countDeliveries(status: string, isCounted = (_: Delivery) => true) {
  const path = `/v1/webhook-endpoints/${endpointId}/deliveries?status=${status}`
  const { items } = (await read(path)) as { items: Delivery[] }
  return items.filter(isCounted).length
}

/** What the test uses of a browser tab. */

async function open(path: string): Promise<void> {
  await page.goto(`${site.url}/console${path}`)
  await page.waitForSelector('main h1')
}

/** Reads with the merchant's secret test key. */
async function read(path: string) {
  const { json } = await site.ask('GET', path, { key: site.merchant.test.secret })
  return json.data
}

const press = (name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().click()

/** Fields of the dialog that is open. */
const field = (name: string) => page.getByRole('dialog').getByLabel(name, { exact: true })

describe('webhooks', () => {
  // The events, not the attempts: retries of one event are one event.
  test('one number of undelivered events, wherever it is shown', async () => {
    await expect.poll(() => countDeliveries('PENDING', isAnswered)).toBe(2)
    expect(await read(`/v1/webhook-endpoints/${endpointId}/stats`)).toMatchObject({
      undelivered: 2,
    })
    const { items } = (await site.owner.ask('GET', '/v1/attention')).json.data
    expect(items).toContainEqual(expect.objectContaining({ kind: 'endpoint_failing', count: 2 }))
    await open('/')
    await page.getByText('2 events were not delivered').waitFor()
    await open('/webhooks')
    await page.getByText('2 not delivered', { exact: true }).waitFor()
    await page.getByText('2 events were not delivered; they are tried again.').waitFor()
    await page.getByRole('button', { name: 'Resend all 2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send 2 events' }).waitFor()
    await page.keyboard.press('Escape')
  })

  test('a delivery that failed shows its answer and is sent again', async () => {
    await expect.poll(() => countDeliveries('PENDING', isAnswered), { timeout: 10_000 }).toBe(2)
    await open(`/webhooks/${endpointId}`)
    const rows = page.locator('.table a[data-row]')
    await rows.nth(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('Down for maintenance').waitFor()
    isDown = false
    await press('Resend')
    await page.getByText('The event is on its way.').waitFor()
    await expect.poll(() => countDeliveries('DELIVERED')).toBe(1)
    expect(await countDeliveries('PENDING')).toBe(1)
  })

  test('everything that was missed is counted before it is sent', async () => {
    await open(`/webhooks/${endpointId}`)
    await page.getByRole('tab', { name: 'Settings' }).click()
    await press('Send missed events')
    await press('Send 1 event')
    await page.getByText('1 event is on the way.').waitFor()
    await expect.poll(() => countDeliveries('DELIVERED')).toBe(2)
  })

  test('a refused action shows what the server wrote', async () => {
    const { url } = site
    const path = `/v1/webhook-endpoints/${endpointId}`
    const refuse = (pattern: string, message: string) =>
      page.route(`${url}${pattern}`, (route) =>
        route.request().method() === 'GET'
          ? route.fallback()
          : route.fulfill({ status: 422, json: { message, code: 'x' } }),
      )
    await refuse('/v1/events/*/redeliver', 'Not sent again.')
    await refuse(path, 'Not changed.')
    await open(`/webhooks/${endpointId}`)
    await press('Resend')
    await page.getByText('Not sent again.').waitFor()
    const change = (enabled: boolean) =>
      site.owner.ask('PATCH', path, { body: { enabled } }).then(({ status }) => status)
    expect(await change(false)).toBe(200)
    await open(`/webhooks/${endpointId}`)
    await press('Switch on')
    await page.getByRole('alert').getByText('Not changed.').waitFor()
    expect(await change(true)).toBe(200)
    await page.unrouteAll()
  })

  test('counting what was missed leaves no line in the request log', async () => {
    const since = '2026-01-01T00:00:00Z'
    const path = `/v1/webhook-endpoints/${endpointId}/recover`
    const ask = (body: object) => site.owner.ask('POST', path, { body })
    expect((await ask({ since, dryRun: true })).status).toBe(200)
    expect((await ask({ since })).status).toBe(200)
    const bodies = async () => {
      const { items } = await read(`/v1/request-logs?path=${path}`)
      const full = items.map(({ id }: { id: string }) => read(`/v1/request-logs/${id}`))
      return (await Promise.all(full)).map(({ requestBody }) => requestBody)
    }
    await expect.poll(bodies).toContain(JSON.stringify({ since }))
    expect((await bodies()).join()).not.toContain('dryRun')
  })

  test('a new secret is shown once', async () => {
    await open(`/webhooks/${endpointId}`)
    await page.getByRole('tab', { name: 'Signing secret' }).click()
    await press('Rotate secret')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    const secret = page.getByRole('region', { name: 'Signing secret' })
    expect(await secret.innerText()).toMatch(/^whsec_[\w+/=]+/)
    await press('I have stored it')
    await page.reload()
    await page.waitForSelector('main h1')
    expect(await page.content()).not.toContain('whsec_')
  })
})

describe('one-time links', () => {
  test('a link is created, scanned and paid', async () => {
    await open('/collect?new=link')
    await field('Amount').fill('12,500')
    await field('What for').fill('Two bags of rice')
    await field("Customer's name").fill('<b>Ada</b> Obi')
    await field("Customer's email").fill('ada@example.com')
    await field('Also a stablecoin').check()
    await picture(page, 'script', 'console-link-new')
    await page.setViewportSize(sizes.desktop)
    await press('Create')
    await page.getByRole('heading', { name: '₦12,500.00' }).waitFor()
    await page.getByText(/^\d\.\d\d USDC, at ₦1,\d{3}(\.\d\d)? for 1 USDC$/).waitFor()
    await page.getByText('<b>Ada</b> Obi', { exact: true }).waitFor()
    const code = page.getByRole('img', { name: /^QR code of http.*\/checkout\/cs_/ })
    expect(
      await code.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    ).not.toBe(0)
    await press('Pay as customer')
    await press('Pay')
    await page.getByText('The payment has arrived.').waitFor()
    await page.getByText('Accepted', { exact: true }).waitFor()
  })

  test('only people who are signed in get QR codes', async () => {
    const path = '/v1/qr-codes?text=https://shop.example'
    const { json } = await site.finance.ask('GET', path)
    expect(json.data.svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    const withKey = await site.ask('GET', path, { key: site.merchant.test.secret })
    expect(withKey.status).toBeGreaterThanOrEqual(400)
  })
})

describe('statement', () => {
  test('it is exported with every entry, and its numbers have no gap', async () => {
    await open('/balances')
    const { lastNumber } = await read('/v1/balance-entries/summary?asset=NGN')
    await page.getByText(`Entries 1 to ${lastNumber}: the numbers have no gap`).waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), press('CSV')])
    const csv = await text(await download.createReadStream())
    const [head, ...rows] = csv.trim().split(/\r?\n/)
    expect(head).toContain('number,createdAt,asset')
    expect(rows).toHaveLength(lastNumber)
  })

  test('the printed one has the same sums', async () => {
    await open('/balances/statement?asset=USDC')
    await page.getByRole('cell', { name: '12,480.55 USDC' }).first().waitFor()
    expect(await page.locator('.sums').innerText()).toContain('12,480.55 USDC')
  })
})

describe('request log', () => {
  test('filters narrow it, and a line shows both bodies with its refusal', async () => {
    const key = site.merchant.test.secret
    await site.ask('POST', '/v1/disbursements/bank-transfer', { key, body: { amount: 'ten' } })
    await expect.poll(async () => (await read('/v1/request-logs?status=4xx')).items.length).toBe(1)
    await open('/requests?status=4xx')
    await expect.poll(() => page.locator('a[data-row]').count()).toBe(1)
    await page.locator('a[data-row]').first().click()
    await page.getByRole('heading', { name: 'POST /v1/disbursements/bank-transfer' }).waitFor()
    await page.getByText('validation_failed').first().waitFor()
    expect(await page.locator('.bodies').innerText()).toContain('"ten"')
    await open('/requests?status=5xx')
    await page.getByText('No request matches').waitFor()
  })

  test('a request is copied as curl without its key', async () => {
    await open('/requests?method=POST&path=/v1/disbursements')
    await page.locator('a[data-row]').first().click()
    await press('Copy as curl')
    await page.getByText('Copied. Set MANILLA_KEY').waitFor()
    const copied = await readCopied(page)
    expect(copied).toContain(`curl -X POST '${site.url}/v1/disbursements/bank-transfer'`)
    expect(copied).toContain('Bearer $MANILLA_KEY')
    expect(copied).not.toContain(site.merchant.test.secret)
  })
})
