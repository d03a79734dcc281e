import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { payersOf } from '../support/open-with-bank.js'
import {
  expectAccessible,
  isFull,
  listenForErrors,
  makeOnce,
  openContexts,
  picture,
  reopen,
} from './checkout-pictures.js'
import { openCheckout, order } from './open-checkout.js'

const { service, browser, shop, open, openExpired } = await openCheckout()
const pay = (number: string, amount: number, more: object = {}) =>
  shop.payIn(number, { amount, sender: { accountNumber: '0123454432', bankCode: '058' }, ...more })

/** A paid session of which the merchant has refunded an amount. Refunds do not return the fee. */
async function openRefunded(amount: number): Promise<string> {
  const { url, number } = await open()
  const { reference } = (await pay(number, 1_250_000)).json.data
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000 })
  await shop.post(`/v1/collections/payments/${reference}/refund`, { amount })
  await service.pass(4)
  return url
}

type State = { make: () => Promise<string>; shows: RegExp[]; hides?: RegExp[] }
const account = /\d{3}\d{3}\d{4}/

/** Every state, how to reach it, and what the payer must be able to read. */
const states: Record<string, State> = {
  pending: {
    make: async () => (await open()).url,
    shows: [
      /Send exactly ₦12,500\.00/,
      /Two loaves/,
      /Sandbox Bank/,
      account,
      /Pay before \d\d:\d\d WAT on \d/,
    ],
  },
  waiting: {
    make: async () => `${(await open()).url}?sent=0`,
    shows: [/Waiting for your transfer/, /I haven't sent it yet/],
  },
  paid: {
    make: async () => {
      const { url, reference } = await open()
      await service.ask('POST', `/public/checkout/${reference}/simulate`)
      return url
    },
    shows: [
      /Payment successful/,
      /has received your payment of ₦12,500\.00/,
      /Return to Ada Stores/,
      /Receipt Amount ₦12,500\.00 Date \d+ \w+ \d{4}, \d\d:\d\d WAT Paid by Ada Obi/,
      /Paid to Ada Stores For Two loaves of agege bread Payment reference pay_\w+/,
    ],
    hides: [account],
  },
  expired: {
    make: async () => (await openExpired()).url,
    shows: [
      /This payment has expired/,
      /The time to pay ended at \d\d:\d\d WAT on \d/,
      /don't send money to this account/,
      /ask Ada Stores for a new link/,
    ],
    hides: [account],
  },
  cancelled: {
    make: async () => {
      const { url, reference } = await open()
      await shop.post(`/v1/checkout/sessions/${reference}/cancel`, {})
      return url
    },
    shows: [/This payment was cancelled/, /don't send money to this account/],
    hides: [account],
  },
  underpaid: {
    make: async () => {
      const { url, number } = await open()
      await pay(number, 400_000)
      return url
    },
    shows: [
      /We received ₦4,000\.00, ₦8,500\.00 less than requested\. We are sending it back to Guaranty Trust Bank ••• 4432/,
      /To pay, send exactly ₦12,500\.00/,
      account,
    ],
  },
  held: {
    make: async () => {
      const own = payersOf(service, await service.addMerchant('Ada Stores'))
      await own.patch('/v1/settings', {
        policies: { bank: { underpayment: 'hold' } },
        checkout: { supportEmail: 'help@shop.example', supportPhone: '+2348012345678' },
      })
      const { url, bankTransfer } = (await own.post('/v1/checkout/sessions', order)).json.data
      await own.payIn(bankTransfer.accountNumber, { amount: 400_000 })
      return url
    },
    shows: [
      /₦8,500\.00 is missing We received ₦4,000\.00 of ₦12,500\.00\. It is safe with us/,
      /Ask Ada Stores before you pay again\./,
      /Contact Ada Stores: help@shop\.example \+2348012345678/,
      /Pay the full ₦12,500\.00 instead/,
    ],
    hides: [/Send exactly|Account number/],
  },
  overpaid: {
    make: async () => {
      const { url, number } = await open()
      await pay(number, 1_300_000)
      return url
    },
    shows: [
      /Payment successful/,
      /₦500\.00 more than requested\. We are sending ₦500\.00 back to Guaranty Trust Bank ••• 4432/,
    ],
  },
  late: {
    make: async () => {
      const { url, number } = await openExpired()
      await pay(number, 1_250_000)
      return url
    },
    shows: [
      /This payment has expired/,
      /after this payment expired\. It is safe with us\. Ada Stores will either accept/,
    ],
  },
  returned: {
    make: async () => {
      const { url, number } = await open()
      await pay(number, 400_000)
      await service.pass(4)
      return url
    },
    shows: [/It was sent back to Guaranty Trust Bank ••• 4432/],
  },
  refunded: {
    make: () => openRefunded(1_250_000),
    shows: [
      /Payment refunded Ada Stores has refunded your payment of ₦12,500\.00/,
      /It was sent back to Guaranty Trust Bank ••• 4432/,
      /Receipt Amount ₦12,500\.00 Date .* Paid by .* Refunded ₦12,500\.00 Paid to Ada Stores/,
    ],
    hides: [/Payment successful/],
  },
  'partly-refunded': {
    make: () => openRefunded(250_000),
    shows: [
      /Payment successful Ada Stores has received your payment of ₦12,500\.00/,
      /₦2,500\.00 was sent back to Guaranty Trust Bank ••• 4432/,
      /Receipt Amount ₦12,500\.00 Date .* Paid by .* Refunded ₦2,500\.00 Paid to Ada Stores/,
    ],
    hides: [/₦10,000/],
  },
  'not-found': {
    make: async () => `${service.url}/checkout/cs_${'0'.repeat(39)}`,
    shows: [/Payment not found/],
    hides: [account],
  },
}

const contexts = await openContexts(browser)
const pages: Record<string, Page> = {
  script: await contexts.script.newPage(),
  bare: await contexts.bare.newPage(),
}
const urlOf = makeOnce(states)

describe.each(Object.keys(states))('%s', (name) => {
  const { shows, hides = [] } = states[name]!

  test.each(Object.keys(pages))('shows the right text (%s)', async (kind) => {
    const page = pages[kind]!
    const stopListening = listenForErrors(page, { isConsoleRead: name !== 'not-found' })
    await reopen(page, await urlOf(name))
    const text = (await page.locator('body').innerText()).replace(/\s+/g, ' ')
    for (const words of shows) expect(text).toMatch(words)
    for (const words of hides) expect(text).not.toMatch(words)
    expect(text.includes('Test mode')).toBe(name !== 'not-found')
    await picture(page, kind, name)
    expect(stopListening()).toEqual([])
  })
})

// A wrapped amount could be misread.
describe.each([
  ['the default maximum', 1_000_000_000],
  ['the longest at its font size', 88_888_888],
  ['a short one', 8_888_888],
])('a large amount, %s,', (_name, amount) => {
  const page = pages.script!
  beforeAll(async () => reopen(page, (await open({ amount })).url))

  test.each([320, 360, 640, 895, 896, 1_280])('does not wrap at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 740 })
    const lines = await page.evaluate<number[]>(`['h1 .amount', '.row.copied:last-child dd'].map(
      (selector) => {
        const range = document.createRange()
        range.selectNodeContents(document.querySelector(selector))
        return new Set([...range.getClientRects()].map(({ top }) => top)).size
      })`)
    expect(lines).toEqual([1, 1])
    if (isFull || width === 320) await expectAccessible(page)
  })
})
