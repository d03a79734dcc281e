import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.js'
import { readCopied } from '../support/clipboard.js'
import { openWithBankAndChain, twoWayShopOf } from '../support/open-with-bank-and-chain.js'
import { until } from '../support/sessions.js'
import {
  expectAccessible,
  isFull,
  listenForErrors,
  makeOnce,
  openContexts,
  picture,
  reopen,
} from './checkout-pictures.js'
import { announced, openVisits, state, whenShown } from './checkout-visits.js'

const service = await openWithBankAndChain()
const shop = twoWayShopOf(service, service.merchant)
const browser = await openBrowser()
const { visit, leave } = await openVisits(browser)

const returning = {
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/basket',
}
const open = (change: object = {}) => shop.open({ ...returning, ...change })

/** Sends coins and waits until they are final. */
async function send(address: string, amount = '3.20'): Promise<void> {
  await shop.send(address, amount)
  await service.settle()
}

type State = { make: () => Promise<string>; shows: RegExp[]; hides?: RegExp[] }
const address = /[1-9A-HJ-NP-Za-km-z]{43,44}/

/** Every state with coins, how to reach it, and what the payer must be able to read. */
const states: Record<string, State> = {
  coins: {
    make: async () => (await open()).url,
    shows: [
      /Pay by bank transfer or USDC/,
      /Send exactly 3\.20 USDC/,
      /Bank transfer USDC Send exactly/,
      /Open in wallet/,
      address,
      /Send only USDC on the Solana network\./,
      /Exactly 3\.20 USDC must arrive in one transfer/,
    ],
    hides: [/₦12,500\.00|Account number/],
  },
  'coins-only': {
    make: async () => {
      const other = twoWayShopOf(service, await service.addMerchant('Ada Stores'))
      await other.patch('/v1/settings', { paymentMethods: { bankTransfer: false } })
      return (await other.create()).json.data.url
    },
    shows: [/Pay in USDC/, /Send exactly 3\.20 USDC/, address, /Pay before \d\d:\d\d WAT/],
    hides: [/₦|[Tt]ransfer details|Bank transfer/],
  },
  'coins-by-rate': {
    make: async () => (await open({ crypto: { asset: 'USDC', network: 'SOLANA' } })).url,
    shows: [
      /Send exactly \d\.\d\d USDC ₦12,500\.00 at ₦1,\d{3}(\.\d\d)? for 1 USDC Two loaves/,
      /Exactly \d\.\d\d USDC must arrive in one transfer/,
    ],
  },
  'coins-waiting': {
    make: async () => `${(await open()).url}?coins=0`,
    shows: [/Waiting for your USDC/, /checking for your 3\.20 USDC/, /final on Solana/],
  },
  'coins-paid': {
    make: async () => {
      const one = await open()
      await send(one.address)
      return one.url
    },
    shows: [
      /Payment successful/,
      /has received your payment of 3\.20 USDC\./,
      /Return to Ada Stores/,
      /Paid by Ada Obi, \w{4}…\w{4} Paid to Ada Stores/,
    ],
    hides: [address, /₦12,500/],
  },
  'coins-underpaid': {
    make: async () => {
      const one = await open()
      await send(one.address, '3')
      return one.url
    },
    shows: [
      /0\.20 USDC is missing We received 3\.00 USDC of 3\.20 USDC\. It is safe with us/,
      /Ask Ada Stores before you pay again\..*Tell Ada Stores which wallet/,
      /Pay the full ₦12,500\.00 instead Pay the full 3\.20 USDC instead/,
    ],
    hides: [/sending it back|sent back to the|Send exactly/, address],
  },
  'coins-overpaid': {
    make: async () => {
      const one = await open()
      await send(one.address, '5')
      return one.url
    },
    shows: [
      /has received your payment of 3\.20 USDC\./,
      /1\.80 USDC more than requested\. 1\.80 USDC is safe with us\. Ada Stores will either accept/,
    ],
  },
  'coins-late': {
    make: async () => {
      // The test clock is ahead of the chain's.
      const other = twoWayShopOf(service, await service.addMerchant('Ada Stores'))
      const one = await other.open({ ...returning, expiresAt: other.soon() })
      await other.post('/v1/test/clock/advance', { seconds: 61 })
      // Blocks have whole seconds: one of this second would seem older than the move of the clock.
      const nextSecond = 1_000 * Math.ceil(service.clock.now().getTime() / 1_000)
      await until(() => Date.now() >= nextSecond)
      await other.send(one.address)
      await service.settle()
      return one.url
    },
    shows: [
      /This payment has expired/,
      /We received 3\.20 USDC after this payment expired\. It is safe with us/,
    ],
    hides: [address],
  },
  'coins-already-paid': {
    make: async () => {
      const one = await open()
      await shop.pay(one.number)
      await send(one.address)
      return one.url
    },
    shows: [
      /has received your payment of ₦12,500\.00\./,
      /We received 3\.20 USDC, but this was already paid\. It is safe with us/,
    ],
  },
}

const contexts = await openContexts(browser)
const pages: Record<string, Page> = {
  script: await contexts.script.newPage(),
  bare: await contexts.bare.newPage(),
}
const urlOf = makeOnce(states)

async function openCoins(page: Page): Promise<void> {
  const tab = page.locator('label[for=by-coins]')
  if ((await tab.count()) > 0) await tab.click()
}

describe.each(Object.keys(states))('%s', (name) => {
  const { shows, hides = [] } = states[name]!

  test.each(Object.keys(pages))('shows the right text (%s)', async (kind) => {
    const page = pages[kind]!
    const stopListening = listenForErrors(page, { isConsoleRead: false })
    await reopen(page, await urlOf(name))
    if (kind === 'script' && name === 'coins') await picture(page, kind, 'tabs')
    await openCoins(page)
    const text = (await page.locator('body').innerText()).replace(/\s+/g, ' ')
    for (const words of shows) expect(text).toMatch(words)
    for (const words of hides) expect(text).not.toMatch(words)
    await picture(page, kind, name)
    // The longest page, on the narrowest screen.
    if (kind === 'script' && (isFull || name === 'coins')) {
      await page.setViewportSize({ width: 320, height: 640 })
      await expectAccessible(page)
    }
    expect(stopListening()).toEqual([])
  })
})

describe('a payer with the page open', () => {
  test('copies address and amount, confirms sending, and sees the payment succeed', async () => {
    const one = await open()
    const page = await visit(one.url)
    // The tabs are radio buttons: reached by Tab, changed by an arrow key.
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('radio', { checked: true }).getAttribute('id')).toBe('by-coins')
    expect(await page.getByText('Account number').isVisible()).toBe(false)
    expect(await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')).toMatch(
      new RegExp(`^solana:${one.address}\\?amount=3\\.2&spl-token=\\w{43,44}&label=Ada%20Stores&`),
    )
    await page.getByRole('button', { name: 'Copy address' }).click()
    await expect.poll(() => readCopied(page)).toBe(one.address)
    await expect.poll(() => announced(page)).toBe('Address copied')
    await page.getByRole('button', { name: 'Copy amount in USDC' }).click()
    await expect.poll(() => readCopied(page)).toBe('3.20')
    await page.getByRole('link', { name: "I've sent the USDC" }).click()
    await whenShown(page, 'waiting')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Waiting for your USDC')
    await send(one.address)
    await whenShown(page, 'paid')
    await expect
      .poll(() => announced(page))
      .toMatch(/^Ada Stores has received your payment of 3\.20 USDC\./)
    await leave(page)
  })

  test('sees an underpayment and then pays by bank', async () => {
    const one = await open()
    const page = await visit(`${one.url}?coins=0`)
    await send(one.address, '1')
    await whenShown(page, 'pending')
    await expect.poll(() => announced(page)).toMatch(/^We received 1\.00 USDC, 2\.20 USDC less/)
    expect(await page.locator('h1').textContent()).toBe('2.20 USDC is missing')
    await shop.pay(one.number)
    await whenShown(page, 'paid')
    await leave(page)
  })

  test('simulates a payment in coins and waits until it is final', async () => {
    const one = await open()
    const page = await visit(one.url)
    await openCoins(page)
    await page.getByRole('button', { name: 'Simulate USDC payment' }).click()
    await whenShown(page, 'waiting')
    await service.settle()
    await whenShown(page, 'paid')
    await leave(page)
  })
})

test('a browser without script simulates a payment in coins with a form', async () => {
  const one = await open()
  const page = pages.bare!
  await reopen(page, one.url)
  await openCoins(page)
  expect(await page.locator('.address').textContent()).toBe(one.address)
  await page.getByRole('button', { name: 'Simulate USDC payment' }).click()
  expect(await state(page)).toBe('waiting')
  await service.settle()
  await page.getByRole('link', { name: 'Check if it has arrived' }).click()
  expect(await state(page)).toBe('paid')
})
