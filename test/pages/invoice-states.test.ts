import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.js'
import { allowCopying, readCopied } from '../support/clipboard.js'
import { openWithBankAndChain, twoWayShopOf } from '../support/open-with-bank-and-chain.js'
import { listenForErrors, makeOnce, openContexts, picture, reopen } from './checkout-pictures.js'

const service = await openWithBankAndChain()
const browser = await openBrowser()

let calls = 0
async function openShop() {
  const shop = twoWayShopOf(service, await service.addMerchant('Ada Stores'))
  const make = async (path: string, body: object = {}) => {
    calls += 1
    service.clock.advance(1)
    const reply = await shop.post(path, body, { 'idempotency-key': `call ${calls}` })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json.data
  }
  await shop.patch('/v1/settings', {
    checkout: { supportEmail: 'help@shop.example', supportPhone: '+2348012345678' },
  })
  const customer = await make('/v1/customers', { name: 'Chidi Eze', email: 'chidi@example.com' })
  const invoice = async (more: object = {}): Promise<{ url: string; reference: string }> => {
    const { reference } = await make('/v1/invoices', {
      customer: customer.reference,
      lines: [
        {
          description: 'Ankara fabric, 6 yards, hand-dyed indigo with a long description',
          quantity: '2',
          unitAmount: 450_000,
          vatPercent: '7.5',
        },
        { description: 'Sewing', quantity: '1.5', unitAmount: 200_000 },
      ],
      discount: { percent: '10' },
      memo: 'Thank you for your order.\nWe deliver on Friday.',
      footer: 'Ada Stores Ltd · RC 1234567 · 12 Marina, Lagos',
      dueAt: inDays(7),
      ...more,
    })
    return make(`/v1/invoices/${reference}/finalize`)
  }
  const inCoins = {
    asset: 'USDC',
    lines: [{ description: 'Design work', quantity: '3', unitAmount: '12.50' }],
    discount: undefined,
  }
  /** Presses the button of the page and returns where it leads. */
  const press = async (url: string) => {
    service.clock.advance(1)
    const { pathname } = new URL(url)
    const answer = await fetch(`${service.url}${pathname}/pay`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: '',
    })
    return answer.headers.get('location')!
  }
  return { ...shop, make, customer, invoice, inCoins, press }
}

const inDays = (days: number) =>
  new Date(service.clock.now().getTime() + days * 86_400_000).toISOString()
const instalments = () => ({
  dueAt: undefined,
  instalments: [
    { amount: 500_000, dueAt: inDays(3) },
    { amount: 640_750, dueAt: inDays(33) },
  ],
})
const address = /[1-9A-HJ-NP-Za-km-z]{43,44}/

type State = { make: () => Promise<string>; shows: RegExp[]; hides?: RegExp[] }

/** Every state, how to reach it, and what the payer must be able to read. */
const states: Record<string, State> = {
  'invoice-open': {
    make: async () => (await (await openShop()).invoice()).url,
    shows: [
      /Ada Stores Invoice INV-000001/,
      /Amount due ₦11,407\.50 Due on \d+ \w+ 20\d\d/,
      /Billed to Chidi Eze/,
      /How to pay Pay ₦11,407\.50/,
      /Ankara fabric.* ₦9,000\.00 2 × ₦4,500\.00 · plus 7\.5% VAT/,
      /Subtotal ₦12,000\.00 Discount \(10%\) −₦1,200\.00 VAT ₦607\.50 Total ₦11,407\.50/,
      /RC 1234567/,
      /Questions\? Contact Ada Stores: help@shop\.example/,
    ],
  },
  'invoice-instalments': {
    make: async () => {
      const { invoice, press, get, pay } = await openShop()
      const { url } = await invoice(instalments())
      const reference = (await press(url)).slice('/checkout/'.length)
      const session = await get(`/v1/checkout/sessions/${reference}`)
      await pay(session.bankTransfer.accountNumber, { amount: 100_000 })
      return url
    },
    shows: [
      /Pay the next instalment: ₦4,000\.00 Pay all that is due: ₦10,407\.50/,
      /Paid −₦1,000\.00 Amount due ₦10,407\.50/,
      /₦5,000\.00 ₦4,000\.00 to be paid .*₦6,407\.50 To be paid/,
    ],
  },
  'invoice-overdue': {
    make: async () => {
      const { invoice, make } = await openShop()
      const { url } = await invoice(instalments())
      await make('/v1/test/clock/advance', { seconds: 5 * 86_400 })
      return url
    },
    shows: [/Was due on \d+ \w+ 20\d\d/, /To be paid, overdue/],
  },
  'invoice-dedicated': {
    make: async () => {
      const { invoice, make, customer } = await openShop()
      const { accountReference } = await make('/v1/collections/dedicated-accounts', {
        externalReference: `own-${calls}`,
      })
      await make(`/v1/customers/${customer.reference}/accounts`, { account: accountReference })
      return (await invoice()).url
    },
    shows: [
      /Transfer to your own account with Ada Stores\. It stays the same for every invoice\./,
      /Account number .*Sandbox Bank.*Amount due ₦11,407\.50/,
    ],
    hides: [/Pay ₦/],
  },
  'invoice-coins': {
    make: async () => {
      const { invoice, inCoins, press, patch } = await openShop()
      await patch('/v1/settings', { paymentMethods: { crypto: true } })
      const { url } = await invoice(inCoins)
      expect(await press(url)).toBe(new URL(url).pathname)
      return url
    },
    shows: [
      /Amount due 37\.50 USDC/,
      /Send it to this address before/,
      address,
      /Send only USDC on the Solana network\./,
    ],
    hides: [/₦/],
  },
  'invoice-paid': {
    make: async () => {
      const { invoice, inCoins, press, patch, send } = await openShop()
      await patch('/v1/settings', { paymentMethods: { crypto: true } })
      const { url } = await invoice(inCoins)
      await press(url)
      const page = await (await fetch(`${service.url}${new URL(url).pathname}`)).text()
      const [, wallet] = /data-copy="([1-9A-HJ-NP-Za-km-z]{43,44})"/.exec(page)!
      await send(wallet!, '12.5')
      await service.settle()
      await send(wallet!, '25')
      await service.settle()
      return url
    },
    shows: [/This invoice is paid/, /Paid −37\.50 USDC Amount due 0\.00 USDC/],
    hides: [address, /How to pay/],
  },
  'invoice-void': {
    make: async () => {
      const { invoice, make } = await openShop()
      const { url, reference } = await invoice()
      await make(`/v1/invoices/${reference}/void`)
      return url
    },
    shows: [/This invoice is void Ada Stores cancelled it\. Please do not pay it\./],
    hides: [/How to pay/],
  },
  'invoice-not-found': {
    make: async () => `${service.url}/i/${'0'.repeat(26)}`,
    shows: [/Invoice not found/],
  },
  'invoice-session': {
    make: async () => {
      const { invoice, press, get, pay } = await openShop()
      const { url } = await invoice()
      const location = await press(url)
      const session = await get(`/v1/checkout/sessions/${location.slice('/checkout/'.length)}`)
      await pay(session.bankTransfer.accountNumber, { amount: 100_000 })
      return `${service.url}${location}`
    },
    shows: [
      /Send ₦10,407\.50 Invoice INV-000001/,
      /We received ₦1,000\.00\. ₦10,407\.50 is still to be paid, into the same account\./,
      /You can pay in parts/,
    ],
    hides: [/[Ee]xact/],
  },
}

const contexts = await openContexts(browser)
await allowCopying(contexts.script)
const pages: Record<string, Page> = {
  script: await contexts.script.newPage(),
  bare: await contexts.bare.newPage(),
}
const urlOf = makeOnce(states)

describe.each(Object.keys(states))('%s', (name) => {
  const { shows, hides = [] } = states[name]!

  test.each(Object.keys(pages))('shows the right text (%s)', async (kind) => {
    const page = pages[kind]!
    const stopListening = listenForErrors(page, { isConsoleRead: name !== 'invoice-not-found' })
    await reopen(page, await urlOf(name))
    const text = (await page.locator('body').innerText()).replace(/\s+/g, ' ')
    for (const words of shows) expect(text).toMatch(words)
    for (const words of hides) expect(text).not.toMatch(words)
    await picture(page, kind, name)
    expect(stopListening()).toEqual([])
  })
})

test('the button leads to the session without script, and copying works with it', async () => {
  const { url } = await (await openShop()).invoice()
  const bare = pages.bare!
  await bare.goto(url)
  await bare.click('button.primary')
  await bare.waitForURL(/\/checkout\/cs_/)
  expect(await bare.locator('h1').innerText()).toContain('₦11,407.50')
  const page = pages.script!
  await page.goto(await urlOf('invoice-dedicated'))
  await page.click('[aria-label="Copy amount"]')
  // Copying is asynchronous.
  await expect.poll(() => readCopied(page)).toBe('11407.50')
})
