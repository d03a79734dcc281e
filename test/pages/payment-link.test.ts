import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  expectContrast,
  listenForErrors,
  openContexts,
  picture,
  reopen,
} from './checkout-pictures.js'
import { openCheckout } from './open-checkout.js'

const { service, browser, shop } = await openCheckout()

let contexts: Record<'script' | 'bare', BrowserContext>
beforeAll(async () => {
  contexts = await openContexts(browser)
})

const add = async (body: object) => {
  const reply = await shop.post('/v1/payment-links', {
    description: 'Donation to the building fund of St Peter',
    ...body,
  })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data
}
const open = { minAmount: 50_000, maxAmount: 10_000_000 }
const fields = [{ label: 'Parish' }, { label: 'Message to the choir', required: false }]

/** The link as it is reached, and what the payer must be able to read. */
const states: Record<string, { make: () => Promise<string>; shows: RegExp[] }> = {
  'link-open': {
    make: async () => (await add({ ...open, fields })).url,
    shows: [/Amount in naira/, /From ₦500\.00 to ₦100,000\.00/, /Parish/, /choir \(optional\)/],
  },
  'link-fixed': {
    make: async () => (await add({ amount: 1_250_000 })).url,
    shows: [/You pay ₦12,500\.00/, /Continue to payment/, /Test mode/],
  },
  'link-off': {
    make: async () => (await add({ amount: 1_250_000, active: false })).url,
    shows: [/This link is switched off/],
  },
  'link-sold-out': {
    make: async () => {
      const { url, slug } = await add({ amount: 1_250_000, usesMax: 1 })
      const { headers } = await fetch(`${service.url}/pay/${slug}`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ name: 'Ada Obi', email: 'ada@example.com' }),
      })
      await service.ask('POST', `/public${headers.get('location')}/simulate`)
      return url
    },
    shows: [/Sold out/],
  },
}

describe.each(['script', 'bare'] as const)('with %s', (kind) => {
  let page: Page
  beforeAll(async () => {
    page = await contexts[kind].newPage()
  })

  test.each(Object.keys(states))('%s', async (name) => {
    const { make, shows } = states[name]!
    const stop = listenForErrors(page, { isConsoleRead: kind === 'script' })
    await reopen(page, await make())
    const text = (await page.innerText('body')).replaceAll(/\s+/g, ' ')
    for (const wanted of shows) expect(text).toMatch(wanted)
    await picture(page, kind, name)
    if (kind === 'script' && name === 'link-open') await expectContrast(page)
    expect(stop()).toEqual([])
  })

  test('a payer corrects the form and pays', async () => {
    const link = await add({ ...open, fields })
    await reopen(page, link.url)
    const field = (label: string) => page.getByLabel(label)
    await field('Amount in naira').fill('499')
    await field('Your name').fill('Ada Obi')
    await field('Your e-mail address').fill('ada@example.com')
    await field('Parish').fill("St Peter's")
    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await page.getByText('Enter at least ₦500.00.').waitFor()
    expect(await field('Parish').inputValue()).toBe("St Peter's")
    expect(await field('Amount in naira').getAttribute('aria-invalid')).toBe('true')
    await picture(page, kind, 'link-wrong')
    await field('Amount in naira').fill('1,500')
    await page.getByRole('button', { name: 'Continue to payment' }).click()
    await page.waitForURL(/\/checkout\/cs_/)
    await page.getByText('₦1,500.00').first().waitFor()
    await page.getByRole('button', { name: 'Simulate transfer' }).click()
    await page.getByText('Payment successful').first().waitFor()
    const paid = await shop.get(`/v1/payment-links/${link.reference}`)
    expect(paid.json.data.uses).toBe(1)
  })
})
