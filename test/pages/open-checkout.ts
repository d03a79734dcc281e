import { openBrowser } from '../support/browser.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'

export const order = {
  amount: 1_250_000,
  description: 'Two loaves of agege bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/basket',
}

type Opened = { reference: string; url: string; number: string; virtualAccount: string }

/** A service with a merchant and a real browser. */
export async function openCheckout() {
  const service = await openWithBank()
  const browser = await openBrowser()
  const shop = payersOf(service, service.merchant)

  async function open(change: object = {}): Promise<Opened> {
    const { json } = await shop.post('/v1/checkout/sessions', { ...order, ...change })
    const { reference, url, virtualAccount } = json.data
    const shown = await service.ask('GET', `/public/checkout/${reference}`)
    return { reference, url, virtualAccount, number: shown.json.data.bankTransfer.accountNumber }
  }

  /** Opens a session that expires, and waits until it has. */
  async function openExpired(change: object = {}): Promise<Opened> {
    const expiresAt = new Date(service.clock.now().getTime() + 60_000).toISOString()
    const opened = await open({ ...change, expiresAt })
    service.clock.advance(61_000)
    await service.work()
    return opened
  }

  return { service, browser, shop, open, openExpired }
}
