import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCheckoutHouse, pictures } from './checkout-house.js'

const { house, browser, shop, open } = await openCheckoutHouse()
const context = await browser.newContext({
  ...{ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' },
  permissions: ['clipboard-read', 'clipboard-write'],
})
const timings: string[] = []
afterAll(() => console.log(timings.join('\n')))

const state = (page: Page) => page.locator('main').getAttribute('data-state')
const said = (page: Page) => page.locator('#announcer').textContent()

/** Of this page, until it shows the state; a reload in between would lose the mark. */
async function whenShown(page: Page, wanted: string): Promise<number> {
  const began = performance.now()
  await page.waitForSelector(`main[data-state="${wanted}"]`)
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  return Math.round(performance.now() - began)
}

async function visit(url: string): Promise<Page> {
  const page = await context.newPage()
  const listening = page.waitForResponse(/\/stream$/).catch(() => {})
  await page.goto(url)
  await listening
  await page.evaluate('window.isSamePage = true')
  return page
}

describe('a payer with the page open', () => {
  test('sees it turn paid within a second of the transfer, without a reload', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    expect(await state(page)).toBe('pending')
    await shop.payIn(number, { amount: 1_250_000 })
    const ms = await whenShown(page, 'paid')
    timings.push(`paid by stream: ${ms} ms after the answer to the transfer`)
    expect(ms).toBeLessThan(1_000)
    await expect.poll(() => said(page)).toMatch(/^Paid\. Ada Stores has your payment/)
    expect(await page.title()).toBe('Paid: Ada Stores')
    await page.close()
  })

  test('sees it also when the stream is cut and cannot come back', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    await page.route('**/stream', (route) => route.abort())
    house.app.server.closeAllConnections()
    await page.waitForRequest(/\/public\/checkout\/cs_\w+$/)
    await shop.payIn(number, { amount: 1_250_000 })
    const ms = await whenShown(page, 'paid')
    timings.push(`paid by asking again: ${ms} ms after the answer to the transfer`)
    expect(ms).toBeLessThan(4_000)
    await page.close()
  })

  test('says to have sent it, is told of too little, and pays what is right', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    await page.getByRole('link', { name: 'I have sent the money' }).click()
    await whenShown(page, 'waiting')
    await expect.poll(() => said(page)).toBe('Waiting for your transfer.')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')

    await shop.payIn(number, { amount: 400_000 })
    await whenShown(page, 'pending')
    await expect.poll(() => said(page)).toMatch(/^We received ₦4,000\.00\. It is ₦8,500\.00 short/)
    await page.waitForSelector('text=We are sending it back')
    await house.pass(4)
    await page.waitForSelector('text=It was sent back')

    await page.reload()
    expect(await state(page)).toBe('pending')
    await page.evaluate('window.isSamePage = true')
    await shop.payIn(number, { amount: 1_250_000 })
    await whenShown(page, 'paid')
    await page.close()
  })

  test('copies number and amount, whole and plain', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    const read = () => page.evaluate('navigator.clipboard.readText()')
    const copy = page.getByRole('button', { name: 'Copy account number' })
    await copy.click()
    expect(await copy.textContent()).toBe('Copied')
    expect(await read()).toBe(number)
    await expect.poll(() => said(page)).toBe('Account number copied')
    await page.getByRole('button', { name: 'Copy amount' }).click()
    expect(await read()).toBe('12500.00')
    await expect.poll(() => copy.textContent(), { timeout: 4_000 }).toBe('Copy')
    await page.close()
  })

  test('reaches everything by keyboard, and large enough for a thumb', async () => {
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
      ...['Copy account number', 'Copy amount', 'I have sent the money', 'Pay this now'],
      ...['Show as QR code', 'About this payment', 'Return to Ada Stores without paying'],
    ])
    await page.close()
  })

  test('sees the time run by the clock of the server, and out', async () => {
    const expiresAt = new Date(house.clock.now().getTime() + 62_000).toISOString()
    const { url } = await open({ expiresAt })
    const page = await context.newPage()
    // Hours off, as phones can be.
    await page.addInitScript('{ const now = Date.now; Date.now = () => now() + 9e7 }')
    await page.goto(url)
    const left = page.getByRole('timer')
    expect(await left.textContent()).toMatch(/^01:0[012] left$/)
    await expect.poll(() => left.textContent(), { timeout: 6_000 }).toMatch(/^00:5\d left$/)
    await expect.poll(() => said(page)).toBe('One minute left to pay.')
    house.clock.advance(63_000)
    await house.work()
    await page.waitForSelector('main[data-state="expired"]')
    await page.close()
  })

  test('pays by the button of test mode', async () => {
    const { url } = await open()
    const page = await visit(url)
    await page.getByRole('button', { name: 'Pay this now' }).click()
    await whenShown(page, 'paid')
    const back = page.getByRole('link', { name: 'Return to Ada Stores' })
    expect(await back.getAttribute('href')).toMatch(
      /^https:\/\/shop\.example\/thanks\?reference=cs_/,
    )
    await page.close()
  })
})

describe('a browser without script', () => {
  let page: Page
  beforeAll(async () => {
    const bare = await browser.newContext({ javaScriptEnabled: false })
    page = await bare.newPage()
  })

  test('shows all that is needed, waits by a link and pays by a form', async () => {
    const { url, number } = await open()
    await page.goto(url)
    expect(await page.locator('.number > span').first().textContent()).toBe(number)
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    await page.getByRole('link', { name: 'I have sent the money' }).click()
    expect(await state(page)).toBe('waiting')
    await page.getByRole('link', { name: 'See whether it has arrived' }).click()
    expect(await state(page)).toBe('waiting')
    await page.getByRole('button', { name: 'Pay this now' }).click()
    expect(await state(page)).toBe('paid')
    expect(page.url()).toBe(url)
  })
})

describe('what a browser is asked to do', () => {
  test('is nothing outside, and little', async () => {
    const { url } = await open()
    const page = await context.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(url)
    await page.waitForRequest(/\/stream$/)
    await page.waitForTimeout(300)
    expect(asked.filter((one) => !one.startsWith(house.url))).toEqual([])
    // It looks again for every hint of the stream, and the first one may come at once.
    const places = asked.map((one) => one.replace(/cs_\w+|island-\w+/, '…').slice(house.url.length))
    expect([...new Set(places)]).toEqual([
      ...['/checkout/…', '/checkout/assets/….js', '/public/checkout/…/stream'],
      '/public/checkout/…',
    ])
    await page.close()
  })

  test('is done soon also far away: 400 ms and slow 3G', async () => {
    const { url } = await open()
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 },
    })
    const began = performance.now()
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForSelector('.number')
    const readable = Math.round(performance.now() - began)
    await page.getByRole('button', { name: 'Copy account number' }).waitFor()
    const ready = Math.round(performance.now() - began)
    timings.push(`slow 3G, 400 ms: readable after ${readable} ms, all works after ${ready} ms`)
    await page.close()
  })

  test('is never what a merchant or a payer has written', async () => {
    const attack = `"><img src=x onerror=alert(1)><script>alert(2)</script>`
    const named = (displayName: string) =>
      house.ask('PATCH', '/v1/settings', {
        ...{ key: house.merchant.test.secret, body: { checkout: { displayName } } },
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
    await page.getByText('About this payment').click()
    for (const place of ['.shop b', '.for', '.inside dd'])
      expect(await page.locator(place).first().textContent()).toContain(attack)
    await page.getByRole('button', { name: 'Pay this now' }).click()
    await whenShown(page, 'paid')
    expect(await page.title()).toBe(`Paid: ${attack}`)
    expect(await page.locator('img, body script').count()).toBe(0)
    expect(alerts).toEqual([])
    await page.close()
    await named('Ada Stores')
  })

  test('may be in a frame of a site that the merchant lists, and of no other', async () => {
    const { url } = await open()
    const body = `<iframe src="${url}" width="400" height="700"></iframe>`
    const site = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1')
    await once(site, 'listening')
    const { port } = site.address() as AddressInfo
    const checkout = { frameOrigins: [`http://localhost:${port}`] }
    await house.ask('PATCH', '/v1/settings', {
      key: house.merchant.test.secret,
      body: { checkout },
    })
    const page = await context.newPage()
    const framed: number[] = []
    for (const host of ['localhost', '127.0.0.1']) {
      await page.goto(`http://${host}:${port}/`)
      const inside = page
        .frameLocator('iframe')
        .getByRole('link', { name: 'I have sent the money' })
      framed.push(await inside.count())
    }
    expect(framed).toEqual([1, 0])
    await page.close()
    site.close()
  })

  test('in the colours and with the logo of the shop, whatever they are', async () => {
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    const checkout = { colour: '#0a5d7d', logo: `data:image/png;base64,${pixel}` }
    await house.ask('PATCH', '/v1/settings', {
      key: house.merchant.test.secret,
      body: { checkout },
    })
    const page = await visit((await open()).url)
    const button = "document.querySelector('.primary')"
    const colourOf = () => page.evaluate(`getComputedStyle(${button}).backgroundColor`)
    expect(await colourOf()).toBe('rgb(10, 93, 125)')
    expect(await page.evaluate("document.querySelector('.logo img').naturalWidth")).toBe(1)
    await page.getByText('Show as QR code').click()
    await page.getByText('About this payment').click()
    await page.screenshot({ path: `${pictures}/branded-phone-light.png`, fullPage: true })
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await colourOf(), 'too dark for a dark page').toBe('rgb(226, 178, 94)')
    await page.close()
  })
})
