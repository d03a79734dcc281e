import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCopied } from '../support/clipboard.js'
import { takeScreenshot } from './checkout-pictures.js'
import { allAnnounced, announced, openVisits, state, whenShown } from './checkout-visits.js'
import { openCheckout } from './open-checkout.js'

const { service, browser, shop, open } = await openCheckout()
const { context, visit, leave } = await openVisits(browser)
const timings: string[] = []
afterAll(() => console.log(timings.join('\n')))

describe('a payer with the page open', () => {
  test('confirms sending, sees an underpayment, then pays the right amount', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    await page.getByRole('link', { name: "I've sent the money" }).click()
    await whenShown(page, 'waiting')
    // The heading gets the focus and is read, so it is not announced again.
    expect(await page.evaluate('document.activeElement.textContent')).toBe(
      'Waiting for your transfer',
    )
    await page.waitForTimeout(100)
    expect(await allAnnounced(page)).toEqual([])

    await shop.payIn(number, { amount: 400_000 })
    await whenShown(page, 'pending')
    await expect.poll(() => announced(page)).toMatch(/^We received ₦4,000\.00, ₦8,500\.00 less/)
    await page.waitForSelector('text=We are sending it back')
    await service.pass(4)
    await page.waitForSelector('text=It was sent back')

    await page.reload()
    expect(await state(page)).toBe('pending')
    await page.evaluate('window.isSamePage = true')
    await shop.payIn(number, { amount: 1_250_000 })
    await whenShown(page, 'paid')
    await leave(page)
  })

  test('copies account number and amount in plain format', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    const copy = page.getByRole('button', { name: 'Copy account number' })
    await copy.click()
    // Copying is asynchronous.
    await expect.poll(() => copy.textContent(), { timeout: 4_000 }).toBe('Copied')
    expect(await readCopied(page)).toBe(number)
    await expect.poll(() => announced(page)).toBe('Account number copied')
    await page.getByRole('button', { name: 'Copy amount' }).click()
    await expect.poll(() => readCopied(page), { timeout: 4_000 }).toBe('12500.00')
    await expect.poll(() => copy.textContent(), { timeout: 4_000 }).toBe('Copy')
    await leave(page)
  })

  test('reaches everything by keyboard, with large enough targets', async () => {
    const { url } = await open()
    const page = await visit(url)
    const reached: string[] = []
    for (let pressed = 0; pressed < 7; pressed += 1) {
      await page.keyboard.press('Tab')
      reached.push(
        await page.evaluate<string>(`(() => {
          const { activeElement: one } = document
          const { height } = one.getBoundingClientRect()
          return (one.ariaLabel ?? one.textContent) + (height < 44 ? ' is too small' : '')
        })()`),
      )
    }
    expect(reached).toEqual([
      'Copy account number',
      'Copy amount',
      "I've sent the money",
      'Simulate transfer',
      'Show QR code',
      'Payment details',
      'Return to Ada Stores without paying',
    ])
    await leave(page)
  })

  test('simulates a transfer', async () => {
    const { url } = await open()
    const page = await visit(url)
    await page.getByRole('button', { name: 'Simulate transfer' }).click()
    await whenShown(page, 'paid')
    const back = page.getByRole('link', { name: 'Return to Ada Stores' })
    expect(await back.getAttribute('href')).toMatch(
      /^https:\/\/shop\.example\/thanks\?reference=cs_/,
    )
    expect(await page.locator('.returning').count()).toBe(0)
    await leave(page)
  })

  test('prints a receipt, stays, or returns to the shop by itself', async () => {
    const returnTo = (returnAutomatically: boolean) =>
      service.ask('PATCH', '/v1/settings', {
        key: service.merchant.test.secret,
        body: { checkout: { returnAutomatically } },
      })
    await returnTo(true)
    const { url } = await open()
    const page = await visit(url, (fresh) => fresh.clock.install())
    await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'Thanks' }))
    await page.getByRole('button', { name: 'Simulate transfer' }).click()
    await whenShown(page, 'paid')
    await page.locator('.returning').waitFor()
    await expect.poll(() => announced(page)).toMatch(/You return to Ada Stores in 5 seconds\.$/)
    await page.evaluate('window.print = () => { window.isPrinted = true }')
    await page.getByRole('button', { name: 'Print receipt' }).click()
    expect(await page.evaluate('window.isPrinted')).toBe(true)
    // A payer who prints, presses a key or asks for it stays.
    await page.clock.runFor(20_000)
    expect([page.url(), await page.locator('.returning').isVisible()]).toEqual([url, false])
    const other = await open()
    await shop.payIn(other.number, { amount: 1_250_000 })
    await page.goto(other.url)
    await page.getByRole('button', { name: 'Stay on this page' }).waitFor()
    await page.clock.runFor(6_000)
    await page.waitForURL(/^https:\/\/shop\.example\/thanks\?reference=cs_/)
    // The browser's back button must not lead to the shop again.
    await page.goBack()
    await page.getByRole('button', { name: 'Print receipt' }).waitFor()
    expect([page.url(), await page.locator('.returning').isVisible()]).toEqual([other.url, false])
    await page.close()
    await returnTo(false)
  })
})

describe('a browser without script', () => {
  let page: Page
  beforeAll(async () => {
    const bare = await browser.newContext({ javaScriptEnabled: false })
    page = await bare.newPage()
  })

  test('shows everything, waits with a link and pays with a form', async () => {
    const { url, number } = await open()
    await page.goto(url)
    expect(await page.locator('.number > span').first().textContent()).toBe(number)
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    const text = await page.locator('main').innerText()
    expect(text).toContain('Ada Stores is notified. Reload this page to check.')
    expect(text).not.toContain('this page updates')
    await page.getByRole('link', { name: "I've sent the money" }).click()
    expect(await state(page)).toBe('waiting')
    await page.getByRole('link', { name: 'Check if it has arrived' }).click()
    expect(await state(page)).toBe('waiting')
    await page.getByRole('button', { name: 'Simulate transfer' }).click()
    expect(await state(page)).toBe('paid')
    expect(page.url()).toBe(url)
  })
})

describe('the page in a browser', () => {
  test('loads few files, none from other sites', async () => {
    const { url } = await open()
    const page = await context.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(url)
    // The first poll follows when the stream is open, which takes a while on a busy machine.
    const isPoll = (one: string) => /\/public\/checkout\/cs_\w+$/.test(one)
    await expect.poll(() => requests.some(isPoll), { timeout: 20_000 }).toBe(true)
    expect(requests.filter((one) => !one.startsWith(service.url))).toEqual([])
    const paths = requests.map((one) =>
      one.replace(/cs_\w+|checkout-\w+/, '…').slice(service.url.length),
    )
    expect([...new Set(paths)]).toEqual([
      '/checkout/…',
      '/checkout/assets/….js',
      '/public/checkout/…/stream',
      '/public/checkout/…',
    ])
    await page.close()
  })

  test('is usable on slow 3G with 400 ms latency', async () => {
    const { url } = await open()
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    })
    const began = performance.now()
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForSelector('.number')
    const readable = Math.round(performance.now() - began)
    await page.getByRole('button', { name: 'Copy account number' }).waitFor()
    const ready = Math.round(performance.now() - began)
    timings.push(`slow 3G, 400 ms: readable after ${readable} ms, interactive after ${ready} ms`)
    await page.close()
  })

  test('never runs what a merchant or a payer has written', async () => {
    const attack = `"><img src=x onerror=alert(1)><script>alert(2)</script>`
    const named = (displayName: string) =>
      service.ask('PATCH', '/v1/settings', {
        key: service.merchant.test.secret,
        body: { checkout: { displayName } },
      })
    await named(attack)
    const customer = { name: attack, email: `"<script>alert(3)</script>"@example.com` }
    const { url } = await open({ description: attack, customer, metadata: { note: attack } })
    const page = await visit(url)
    const alerts: string[] = []
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message())
      return dialog.dismiss()
    })
    await page.getByText('Payment details').click()
    for (const selector of ['.shop b', '.for', '.inside dd'])
      expect(await page.locator(selector).first().textContent()).toContain(attack)
    await page.getByRole('button', { name: 'Simulate transfer' }).click()
    await whenShown(page, 'paid')
    expect(await page.title()).toBe(`Payment successful: ${attack}`)
    expect(await page.locator('img, body script').count()).toBe(0)
    expect(alerts).toEqual([])
    await leave(page)
    await named('Ada Stores')
  })

  test('can be framed only by a site that the merchant lists', async () => {
    const { url } = await open()
    const body = `<iframe src="${url}" width="400" height="700"></iframe>`
    const site = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1')
    await once(site, 'listening')
    const { port } = site.address() as AddressInfo
    const checkout = { frameOrigins: [`http://localhost:${port}`] }
    await service.ask('PATCH', '/v1/settings', {
      key: service.merchant.test.secret,
      body: { checkout },
    })
    const page = await context.newPage()
    const framed: number[] = []
    for (const host of ['localhost', '127.0.0.1']) {
      await page.goto(`http://${host}:${port}/`)
      const inside = page.frameLocator('iframe').getByRole('link', { name: "I've sent the money" })
      framed.push(await inside.count())
    }
    expect(framed).toEqual([1, 0])
    await page.close()
    site.close()
  })

  test('uses the merchant’s colour and logo, if readable', async () => {
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    const checkout = { colour: '#0a5d7d', logo: `data:image/png;base64,${pixel}` }
    await service.ask('PATCH', '/v1/settings', {
      key: service.merchant.test.secret,
      body: { checkout },
    })
    const page = await visit((await open()).url)
    const button = "document.querySelector('.primary')"
    const colourOf = () => page.evaluate(`getComputedStyle(${button}).backgroundColor`)
    expect(await colourOf()).toBe('rgb(10, 93, 125)')
    expect(await page.evaluate("document.querySelector('.logo img').naturalWidth")).toBe(1)
    await page.getByText('Show QR code').click()
    await page.getByText('Payment details').click()
    await takeScreenshot(page, 'branded-phone-light')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colourOf(), 'too dark for the dark theme').toBe('rgb(226, 178, 94)')
    await leave(page)
  })
})
