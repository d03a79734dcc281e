import { customersOf, openBankHouse } from '../support/bank-house.js'
import { openBrowser } from '../support/browser.js'

export const order = {
  amount: 1_250_000,
  description: 'Two loaves of agege bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/basket',
}

type Opened = { reference: string; url: string; number: string; virtualAccount: string }

/** A house with a shop in it, whose customers have a real browser. */
export async function openCheckoutHouse() {
  const house = await openBankHouse()
  const browser = await openBrowser()
  const shop = customersOf(house, house.merchant)

  async function open(change: object = {}): Promise<Opened> {
    const { json } = await shop.post('/v1/checkout/sessions', { ...order, ...change })
    const { reference, url, virtualAccount } = json.data
    const shown = await house.ask('GET', `/public/checkout/${reference}`)
    return { reference, url, virtualAccount, number: shown.json.data.bankTransfer.accountNumber }
  }

  /** One that ends a minute from now, and that minute passes. */
  async function openExpired(change: object = {}): Promise<Opened> {
    const expiresAt = new Date(house.clock.now().getTime() + 60_000).toISOString()
    const opened = await open({ ...change, expiresAt })
    house.clock.advance(61_000)
    await house.work()
    return opened
  }

  return { house, browser, shop, open, openExpired }
}
