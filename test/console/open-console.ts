import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { sizes } from '../pages/checkout-pictures.js'
import { allowCopying } from '../support/clipboard.js'
import { startDeliverer } from '../support/deliverer.js'
import {
  openWithBankAndChain,
  type ServiceWithBankAndChain,
} from '../support/open-with-bank-and-chain.js'
import { addPerson } from '../support/people.js'
import { openReceiver } from '../support/receiver.js'

/** Longer means that it will not happen. */
const waitMs = 20_000

/** Payers in the order of their payments; one pays too much, so part of it is held. */
const payers = ['CHUKA OKAFOR', 'Amina Bello', 'TUNDE BAKARE', 'Ngozi Eze', 'Ifeoma Ade']

/** A service whose merchant has payments, payouts, a failing webhook and a team. */
type ConsoleOptions = Pick<
  Parameters<typeof openWithBankAndChain>[0] & {},
  'startsAt' | 'screening'
>

export async function openConsole(browser: Browser, options: ConsoleOptions = {}) {
  const service = await openWithBankAndChain({ hasPayouts: true, ...options })
  const owner = await addPerson(service, { role: 'owner', name: 'Ada Obi', isOperator: true })
  const finance = await addPerson(service, { role: 'finance', name: 'Chidi Eze' })
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  await allowCopying(context)

  /**
   * Signs a person in to the browser, in one step: between two, a request of an open page could
   * have no session and send the page to sign in.
   */
  async function become({ token }: { token: string }): Promise<void> {
    await context.addCookies([{ name: 'manilla', value: token, url: service.url }])
  }

  /** Fails if the page reports an error or breaks its own content policy. */
  async function visit(path: string, page?: Page): Promise<Page> {
    const opened = page ?? (await context.newPage())
    opened.setDefaultTimeout(waitMs)
    if (!page) opened.on('pageerror', (error) => expect.fail(`${path}: ${error.message}`))
    await opened.goto(service.url + path)
    // Not until the network is idle: an open console has a stream.
    // By locators: a function to wait for would be text that the page's policy may not evaluate.
    await opened
      .locator('h1')
      .first()
      .waitFor({ state: 'attached' })
      .catch(() => {})
    const busy = opened.locator('[aria-busy=true]').first()
    await busy.waitFor({ state: 'detached' }).catch(() => {})
    return opened
  }

  return { ...service, context, owner, finance, become, visit, ...merchantOf(service) }
}

/**
 * Opens a screen within the loaded console: loading the page anew takes three times as long. The
 * screen before stays until the router has loaded the code of this one.
 */
export async function go(page: Page, path: string): Promise<void> {
  await page.setViewportSize(sizes.desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  const to = JSON.stringify(`/console${path}`)
  await page.evaluate(`new Promise((resolve) => {
    const stop = __TSR_ROUTER__.subscribe('onResolved', () => resolve(stop()))
    history.pushState({}, '', ${to})
    dispatchEvent(new PopStateEvent('popstate'))
  })`)
  await page.waitForSelector('main h1')
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

export type Console = Awaited<ReturnType<typeof openConsole>>

/** Calls with the merchant's secret test key. */
function merchantOf({ ask, merchant, settle }: ServiceWithBankAndChain) {
  const key = merchant.test.secret
  async function post(path: string, body: object) {
    const headers = { 'idempotency-key': randomUUID() }
    const reply = await ask('POST', path, { key, body, headers })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json.data
  }

  /** A paid checkout session; returns its payment. */
  async function collect(amount: number, paid = amount, name = 'CHUKA OKAFOR') {
    const session = await post('/v1/checkout/sessions', {
      amount,
      description: 'Two bags of rice',
      customer: { name, email: 'payer@example.com' },
    })
    const shown = await ask('GET', `/public/checkout/${session.reference}`)
    const { accountNumber } = shown.json.data.bankTransfer
    await post('/v1/test/bank-transfers', { accountNumber, amount: paid, sender: { name } })
    await settle()
    const path = `/v1/collections/payments?accountReference=${session.virtualAccount}`
    const { items } = (await ask('GET', path, { key })).json.data
    return items[0] as { reference: string; status: string }
  }

  const payOut = (amount: number, accountNumber = '0123456789') =>
    post('/v1/disbursements/bank-transfer', { amount, bankCode: '058', accountNumber })

  return { post, collect, payOut }
}

/** What a shop looks like after a busy day. */
export async function fill(site: Console) {
  const { post, collect, payOut, settle } = site
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 421_865_040 })
  await post('/v1/test/balances/fund', { asset: 'USDC', amount: '12480.55' })
  const payments = []
  for (const [index, name] of payers.entries()) {
    const amount = 1_250_000 + index * 340_000
    const isTooMuch = index === 0
    payments.push(await collect(amount, isTooMuch ? amount + 1_200_000 : amount, name))
  }
  const payouts = [await payOut(4_500_000), await payOut(1_234_500, '9900000073')]
  const customer = { name: 'Bola Ige', email: 'bola@example.com' }
  await post('/v1/checkout/sessions', { amount: 760_000, description: 'Delivery', customer })
  const receiver = await openReceiver((response) => {
    response.statusCode = 500
    response.end('Internal Server Error')
  })
  const endpoint = await post('/v1/webhook-endpoints', { url: receiver.url, events: ['*'] })
  const deliverer = startDeliverer(site.db, { seal: site.seal, clock: site.clock })
  const late = await collect(990_000)
  await settle()
  await deliverer.stop()
  return { payments: [...payments, late], payouts, endpoint }
}
