import { afterAll, describe, expect, test } from 'vitest'
import { openCheckoutHouse } from './checkout-house.js'
import { isFull } from './checkout-pictures.js'
import { allSaid, listenTo, openVisits, said, state, whenShown } from './checkout-visits.js'

const { house, browser, shop, open } = await openCheckoutHouse()
const { context, visit } = await openVisits(browser)
const timings: string[] = []
afterAll(() => console.log(timings.join('\n')))

describe('a payer with the page open', () => {
  test('sees it turn paid, without a reload', async () => {
    const { url, number } = await open()
    const page = await visit(url)
    expect(await state(page)).toBe('pending')
    await shop.payIn(number, { amount: 1_250_000 })
    const ms = await whenShown(page, 'paid')
    timings.push(`paid by stream: ${ms} ms after the answer to the transfer`)
    await expect
      .poll(() => said(page))
      .toMatch(/^Payment successful\. Ada Stores has received your payment/)
    expect(await page.title()).toBe('Payment successful: Ada Stores')
    await page.close()
  })

  // Each pays at another moment between two looks.
  test.each(isFull ? [0, 250, 500] : [250])(
    'sees it also when the stream is cut and cannot come back (%i ms)',
    async (delayMs) => {
      const { url, number } = await open()
      const page = await visit(url)
      await page.route('**/stream', (route) => route.abort())
      house.app.server.closeAllConnections()
      await page.waitForRequest(/\/public\/checkout\/cs_\w+$/)
      await page.waitForTimeout(3_000 + delayMs) // it has tried to come back, in vain
      await shop.payIn(number, { amount: 1_250_000 })
      const ms = await whenShown(page, 'paid')
      timings.push(`paid by asking again: ${ms} ms after the answer to the transfer`)
      await page.close()
    },
  )

  test('sees it with a browser that is some years old', async () => {
    const { url, number } = await open()
    const page = await visit(url, (fresh) => fresh.addInitScript('delete AbortSignal.timeout'))
    await shop.payIn(number, { amount: 1_250_000 })
    await whenShown(page, 'paid')
    await page.close()
  })

  // The answer to a link is on its way for long, and the money comes meanwhile.
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
    await page.close()
  })

  // The first answer is one to a question that nobody asks any more.
  test('sees what the last link leads to, however long the one before takes', async () => {
    const { url } = await open()
    const page = await visit(`${url}?sent=0`)
    await page.route('**/checkout/cs_*part=main*', async (route) => {
      const isSlow = !route.request().url().includes('sent=')
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 1_500))
      await route.continue().catch(() => {}) // the page no longer wants it
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
    await listenTo(page)
    house.clock.advance(63_000)
    await page.evaluate('dispatchEvent(new Event("online"))')
    await page.waitForSelector('main[data-state="expired"]')
    await expect.poll(() => allSaid(page)).toEqual(['This payment has expired.'])
    // Only now the account is closed, and there is nothing new to hear.
    const told = page.waitForResponse(/\/public\/checkout\/cs_\w+$/)
    await house.work()
    await told
    await page.waitForTimeout(500)
    expect(await allSaid(page)).toEqual(['This payment has expired.'])
    await page.close()
  })

  test('sees how much time is left when the clock of test mode is moved', async () => {
    const { url } = await open()
    const page = await visit(url)
    const left = page.getByRole('timer')
    expect(await left.textContent()).toMatch(/^(30:00|29:5\d) left$/)
    expect((await shop.post('/v1/test/clock/advance', { seconds: 1_200 })).status).toBe(200)
    // Long before it would have asked by itself.
    await expect.poll(() => left.textContent(), { timeout: 5_000 }).toMatch(/^(10:00|09:5\d) left$/)
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    await page.close()
  })

  test('is told when the button of test mode did not work', async () => {
    const { url } = await open()
    const page = await visit(url)
    const words = page.getByText("That didn't work. Nothing was sent.")
    await page.route('**/simulate', (route) => route.fulfill({ status: 429, body: '{}' }))
    const button = page.getByRole('button', { name: 'Simulate transfer' })
    await button.click()
    await words.first().waitFor({ state: 'visible' })
    await expect.poll(() => said(page)).toMatch(/^That didn't work/)
    await page.unroute('**/simulate')
    await button.click()
    await whenShown(page, 'paid')
    await page.close()
  })
})
