import { afterAll, describe, expect, test } from 'vitest'
import { isFull } from './checkout-pictures.js'
import {
  allAnnounced,
  announced,
  openVisits,
  recordAnnouncements,
  state,
  whenShown,
} from './checkout-visits.js'
import { openCheckout } from './open-checkout.js'

const { service, browser, shop, open } = await openCheckout()
const { context, visit, leave } = await openVisits(browser)
const timings: string[] = []
afterAll(() => console.log(timings.join('\n')))

describe('a payer with the page open', () => {
  test('sees the payment without a reload', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    expect(await state(page)).toBe('pending')
    await shop.payIn(number, { amount: 1_250_000 })
    const ms = await whenShown(page, 'paid')
    timings.push(`by stream: ${ms} ms after the transfer`)
    await expect
      .poll(() => announced(page))
      .toMatch(/^Payment successful\. Ada Stores has received your payment/)
    expect(await page.title()).toBe('Payment successful: Ada Stores')
    await leave(page)
  })

  // Each pays at another moment between two polls.
  test.each(isFull ? [0, 250, 500] : [250])(
    'sees the payment without a stream (%i ms)',
    async (delayMs) => {
      const { url, number } = await open()
      const page = await visit(url)
      await page.route('**/stream', (route) => route.abort())
      service.app.server.closeAllConnections()
      await page.waitForRequest(/\/public\/checkout\/cs_\w+$/)
      await page.waitForTimeout(3_000 + delayMs) // the stream has tried to reconnect
      await shop.payIn(number, { amount: 1_250_000 })
      const ms = await whenShown(page, 'paid')
      timings.push(`by polling: ${ms} ms after the transfer`)
      await leave(page)
    },
  )

  test('sees the payment in an older browser', async () => {
    const { url, number } = await open()
    const page = await visit(url, (fresh) => fresh.addInitScript('delete AbortSignal.timeout'))
    await shop.payIn(number, { amount: 1_250_000 })
    await whenShown(page, 'paid')
    await page.close()
  })

  // The payment arrives while the response to a link is delayed.
  test('never sees an older state after a newer one', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    await page.evaluate(`
      window.states = []
      new MutationObserver(() => {
        window.states.push(document.querySelector('main').dataset.state)
      }).observe(document.querySelector('.sheet'), { childList: true })`)
    let isFirst = true
    const held = new Promise<() => void>((resolve) => {
      page.route('**/checkout/cs_*part=main*', async (route) => {
        const response = await route.fetch()
        if (isFirst) {
          isFirst = false
          await new Promise<void>((go) => resolve(go))
        }
        await route.fulfill({ response })
      })
    })
    await page.getByRole('link', { name: "I've sent the money" }).click()
    const release = await held
    await shop.payIn(number, { amount: 1_250_000 })
    await page.waitForTimeout(1_000)
    release()
    await whenShown(page, 'paid')
    await page.waitForTimeout(500)
    expect((await page.evaluate<string[]>('window.states')).join()).toMatch(/^(waiting,)?paid$/)
    await leave(page)
  })

  // The response to the first link is outdated when it arrives.
  test('sees the last link followed, however slow the one before', async () => {
    const { url } = await open()
    const page = await visit(`${url}?sent=0`)
    await page.route('**/checkout/cs_*part=main*', async (route) => {
      const isSlow = !route.request().url().includes('sent=')
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 1_500))
      await route.continue().catch(() => {}) // the page aborted it
    })
    await page.getByRole('link', { name: "I haven't sent it yet" }).click()
    await page.evaluate(`{
      const link = document.querySelector('a[data-swap]').cloneNode()
      link.href = '?sent=0'
      document.querySelector('main').append(link)
      link.click()
    }`)
    await page.waitForTimeout(2_500)
    expect([await state(page), new URL(page.url()).search]).toEqual(['waiting', '?sent=0'])
    await leave(page)
  })

  test('sees the countdown by the server clock, and the expiry', async () => {
    const expiresAt = new Date(service.clock.now().getTime() + 62_000).toISOString()
    const { url } = await open({ expiresAt })
    const page = await context.newPage()
    // The device clock is hours off.
    await page.addInitScript('{ const now = Date.now; Date.now = () => now() + 9e7 }')
    await page.goto(url)
    const timer = page.getByRole('timer')
    expect(await timer.textContent()).toMatch(/^01:0[012] left$/)
    await expect.poll(() => timer.textContent(), { timeout: 6_000 }).toMatch(/^00:5\d left$/)
    await expect.poll(() => announced(page)).toBe('One minute left to pay.')
    await recordAnnouncements(page)
    service.clock.advance(63_000)
    await page.evaluate('dispatchEvent(new Event("online"))')
    await page.waitForSelector('main[data-state="expired"]')
    await expect.poll(() => allAnnounced(page)).toEqual(['This payment has expired.'])
    // The account is ended only now; nothing is announced again.
    const polled = page.waitForResponse(/\/public\/checkout\/cs_\w+$/)
    await service.work()
    await polled
    await page.waitForTimeout(500)
    expect(await allAnnounced(page)).toEqual(['This payment has expired.'])
    await page.close()
  })

  test('sees the countdown change when the test clock is advanced', async () => {
    const { url } = await open()
    const page = await visit(url)
    const timer = page.getByRole('timer')
    expect(await timer.textContent()).toMatch(/^(30:00|29:5\d) left$/)
    expect((await shop.post('/v1/test/clock/advance', { seconds: 1_200 })).status).toBe(200)
    // Long before the next poll.
    await expect
      .poll(() => timer.textContent(), { timeout: 5_000 })
      .toMatch(/^(10:00|09:5\d) left$/)
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    await leave(page)
  })

  test('sees an error if the simulated payment fails', async () => {
    const { url } = await open()
    const page = await visit(url)
    const message = page.getByText("That didn't work. Nothing was sent.")
    await page.route('**/simulate', (route) => route.fulfill({ status: 429, body: '{}' }))
    const button = page.getByRole('button', { name: 'Simulate transfer' })
    await button.click()
    await message.first().waitFor({ state: 'visible' })
    await expect.poll(() => announced(page)).toMatch(/^That didn't work/)
    await page.unroute('**/simulate')
    await button.click()
    await whenShown(page, 'paid')
    await leave(page)
  })
})
