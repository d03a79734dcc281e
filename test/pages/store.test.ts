import { rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.js'
import { createHome, removeHome, spawnStore } from '../support/program.js'
import { until } from '../support/sessions.js'
import {
  expectAccessible,
  expectContrast,
  isFull,
  sizes,
  takeScreenshot,
} from './checkout-pictures.js'
import { fillIn, openStore, submit } from './store-processes.js'

/** The example shop, used by a customer, then with failures and forged webhooks. */

const browser = await openBrowser()
const { home, data, service, manilla, startShop, orders, sign } = await openStore()
let shop = await startShop()

const referenceOf = (location: string) => /cs_\w+$/.exec(location)![0]
const orderOf = (location: string) => orders().find(({ session }) => session?.url === location)!
const shipmentsOf = (id: string) =>
  shop.program.text().match(new RegExp(`^Shipped .*, order ${id}$`, 'gm'))?.length ?? 0
/** The page can show the order as shipped before its line is read from the output of the shop. */
const untilShippedOnce = (id: string) => until(() => shipmentsOf(id) === 1)
const post = (body: string, headers: Record<string, string>) =>
  fetch(`${shop.url}/webhooks`, { method: 'POST', body, headers })

async function buy(more: Record<string, string> = {}) {
  const location = await submit(shop.url, await fillIn(shop.url, more))
  const session = await manilla.checkout.sessions.get(referenceOf(location))
  return { location, session, id: orderOf(location).id }
}

const paid = (data: object, type = 'checkout.session.paid') =>
  JSON.stringify({ id: 'evt_1', type, data: { ...data, status: 'paid' } })

async function killShop(): Promise<void> {
  shop.program.signal('SIGKILL')
  await shop.program.ended
}

async function readOrderPage(id: string) {
  const answer = await fetch(`${shop.url}/orders/${id}`)
  return { headers: answer.headers, page: await answer.text() }
}

/**
 * `npm run pages` buys on a desktop, too, checks each page in both color schemes, and starts the shop
 * in every way.
 */
const customers = [
  ['phone', true],
  ['desktop', true],
  ['phone', false],
] as const

describe('a customer', () => {
  test.each(customers.filter(([size]) => isFull || size === 'phone'))(
    'on a %s buys, pays and sees the order shipped (script: %s)',
    async (size, hasScript) => {
      const context = await browser.newContext({
        viewport: sizes[size],
        javaScriptEnabled: hasScript,
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      const take = async (name: string) => {
        if (!hasScript) return
        for (const colorScheme of ['light', 'dark'] as const) {
          // A short run checks each page in the light on a phone and in the dark on a desktop.
          const shown = isFull ? size : colorScheme === 'light' ? 'phone' : 'desktop'
          await page.setViewportSize(sizes[shown])
          await page.emulateMedia({ colorScheme })
          await expectAccessible(page)
          await takeScreenshot(page, `store-${name}-${shown}-${colorScheme}`)
        }
        // The waiting page has the colors of the shipped one.
        if (!isFull && name !== 'waiting') await expectContrast(page)
        await page.setViewportSize(sizes[size])
      }
      const name = `Ada <b>"O'bi"</b> ${size}`
      await page.goto(shop.url)
      await take('shelf')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Tab')
      await page.keyboard.type(name)
      await page.keyboard.press('Tab')
      await page.keyboard.type('ada@example.com')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/checkout\/cs_/)
      const [order] = orders().filter(({ session }) => session?.url === page.url())
      expect(order).toMatchObject({ status: 'waiting', request: { amount: 1_450_000 } })

      // Opening the success URL without paying shows that the payment is missing.
      // Stop the page from reloading itself while it is checked.
      await page.route('**/orders/*', async (route) => {
        const response = await route.fetch()
        const { refresh: _, ...headers } = response.headers()
        await route.fulfill({ response, headers })
      })
      await page.goto(`${shop.url}/orders/${order!.id}?reference=${order!.session!.reference}`)
      await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor()
      expect(await page.locator('dd', { hasText: name }).count()).toBe(1)
      await take('waiting')
      await page.unroute('**/orders/*')
      await page.getByRole('link', { name: 'Pay now' }).click()
      await page.getByRole('button', { name: 'Simulate transfer' }).click()
      await page.getByRole('link', { name: /^Return to / }).click()
      await page.getByRole('heading', { name: 'Shipped' }).waitFor()
      await take('shipped')
      await untilShippedOnce(order!.id)
      await context.close()
    },
  )
})

describe('the order page', () => {
  test('refreshes until the order is shipped', async () => {
    const { location, id } = await buy()
    const page = await browser.newPage({ javaScriptEnabled: false })
    await page.goto(`${shop.url}/orders/${id}`)
    await manilla.checkout.simulate(referenceOf(location))
    await page.getByRole('heading', { name: 'Shipped' }).waitFor()
    expect((await readOrderPage(id)).headers.get('refresh')).toBeNull()
    await page.close()
  })

  test('shows a cancelled order', async () => {
    const { session, id } = await buy()
    await manilla.checkout.sessions.cancel(session.reference)
    await until(async () => (await readOrderPage(id)).page.includes('Cancelled'))
  })
})

describe('an order that is invoiced', () => {
  test('is shipped once its invoice is paid in full, in two transfers', async () => {
    const form = await fillIn(shop.url, { good: 'rice', terms: 'invoice' })
    const location = await submit(shop.url, form)
    // The same form makes no second invoice.
    expect(await submit(shop.url, form)).toBe(location)
    const [order] = orders().filter(({ invoice }) => invoice?.url === location)
    const made = await manilla.invoices.get(order!.invoice!.reference)
    expect(made).toMatchObject({ status: 'OPEN', total: 1_450_000, metadata: { order: order!.id } })
    const page = await fetch(location)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Ofada rice')])
    const { accountNumber } = await manilla.customers.giveAccount(made.customer, {
      kind: 'dedicated_account',
    })
    const pay = (amount: number) =>
      manilla.test.bankTransfers.create({ accountNumber: accountNumber!, amount })
    await pay(1_000_000)
    expect((await readOrderPage(order!.id)).page).toContain('Waiting for your payment')
    await pay(450_000)
    await until(async () => (await readOrderPage(order!.id)).page.includes('Shipped'))
    await untilShippedOnce(order!.id)
    // A second order of the same person is invoiced to the same customer.
    const again = await submit(shop.url, await fillIn(shop.url, { terms: 'invoice' }))
    const [next] = orders().filter(({ invoice }) => invoice?.url === again)
    expect((await manilla.invoices.get(next!.invoice!.reference)).customer).toBe(made.customer)
  })
})

describe('an order', () => {
  test('is created once, however often the form is submitted', async () => {
    const form = await fillIn(shop.url)
    const before = orders().length
    const five = await Promise.all(Array.from({ length: 5 }, () => submit(shop.url, form)))
    expect(new Set(five).size).toBe(1)
    expect(orders().length).toBe(before + 1)
    const { items } = await manilla.checkout.sessions
      .list({ merchantReference: orderOf(five[0]!).id })
      .page()
    expect(items).toHaveLength(1)
    // Choosing something else after going back creates another order.
    expect(await submit(shop.url, { ...form, good: 'rice' })).not.toBe(five[0])
  })

  const long = 'a'.repeat(101)
  const bell = 'A\u0007da'
  test.each([
    ...Object.entries({ good: 'gold', name: ' ', email: 'ada', token: 'x' }),
    ...[long, bell].map((name) => ['name', name]),
    ['email', `${'a'.repeat(250)}@example.com`],
  ] as [string, string][])('is refused with %s "%s"', async (field, value) => {
    const before = orders().length
    const form = await fillIn(shop.url, { [field]: value })
    await expect(submit(shop.url, form)).rejects.toThrow(/^400:/)
    expect(orders().length).toBe(before)
  })
})

describe('a webhook', () => {
  test('ships once, even if delivered five times at once', async () => {
    const { session, id } = await buy()
    const body = paid(session)
    const headers = sign(body)
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(body, headers)))
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
    await until(() => shipmentsOf(id) > 0)
    expect((await post(body, sign(body))).status).toBe(204)
    const late = JSON.stringify({
      id: 'evt_2',
      type: 'checkout.session.expired',
      data: { ...session, status: 'expired' },
    })
    expect((await post(late, sign(late))).status).toBe(204)
    expect(shipmentsOf(id)).toBe(1)
    expect((await readOrderPage(id)).page).toContain('Shipped')
  })

  test('ships nothing if it is forged, old or does not match the order', async () => {
    const { session, id } = await buy()
    const body = paid(session)
    const forged = sign(body, `whsec_${Buffer.alloc(24, 7).toString('base64')}`)
    const old = { ...sign(body), 'webhook-timestamp': '1700000000' }
    expect((await post(body, forged)).status).toBe(400)
    expect((await post(body, old)).status).toBe(400)
    expect((await post(body, {})).status).toBe(400)
    expect((await post(body.replace('paid', 'PAID'), sign(body))).status).toBe(400)
    const mismatches = [
      paid({ ...session, amount: session.amount - 1 }),
      paid({ ...session, currency: 'USD' }),
      paid({ ...session, reference: 'cs_another' }),
      paid({ ...session, merchantReference: 'not-of-this-shop' }),
      paid(session, 'a.type.of.next.year'),
    ]
    for (const one of mismatches) expect((await post(one, sign(one))).status).toBe(204)
    expect((await readOrderPage(id)).page).toContain('Waiting for your payment')
    expect(shipmentsOf(id)).toBe(0)
  })
})

describe('after kill -9', () => {
  test('the shop ships orders that were paid while it was down, once', async () => {
    const [first, second] = [await buy(), await buy()]
    await killShop()
    await manilla.checkout.simulate(first.session.reference)
    // This one was recorded as paid but not shipped.
    const kept = Object.fromEntries(orders().map((order) => [order.id, order]))
    kept[second.id]!.status = 'paid'
    writeFileSync(path.join(data, 'orders.json'), JSON.stringify(kept))
    shop = await startShop()
    await until(() => shipmentsOf(first.id) > 0 && shipmentsOf(second.id) > 0)
    // Its webhook is delivered too.
    const { items } = await manilla.events.list({ resource: first.session.reference }).page()
    const [event] = items
    await manilla.events.redeliver(event!.id)
    await until(async () => {
      const { items } = await manilla.events.deliveries(event!.id).page()
      return items.every(({ status }) => status === 'DELIVERED')
    })
    expect([first, second].map(({ id }) => shipmentsOf(id))).toEqual([1, 1])
  })

  test('an order without a session gets its session', async () => {
    const form = await fillIn(shop.url)
    const location = await submit(shop.url, form)
    const { id } = orderOf(location)
    await killShop()
    const kept = Object.fromEntries(orders().map((order) => [order.id, order]))
    delete kept[id]!.session
    writeFileSync(path.join(data, 'orders.json'), JSON.stringify(kept))
    shop = await startShop()
    expect(await submit(shop.url, form)).toBe(location)
  })

  test('the shop still has one endpoint, and only its owner can read the secret', async () => {
    const { items } = await manilla.webhookEndpoints.list().page()
    expect(items.map(({ url }) => url)).toEqual([`${shop.url}/webhooks`])
    expect(statSync(path.join(data, 'endpoint.json')).mode & 0o777).toBe(0o600)
  })
})

describe.runIf(isFull)('starting the shop', () => {
  test('after losing its secret replaces its endpoint', async () => {
    const [before] = (await manilla.webhookEndpoints.list().page()).items
    const { port } = new URL(shop.url)
    await killShop()
    rmSync(path.join(data, 'endpoint.json'))
    shop = await startShop({ STORE_PORT: port })
    const { items } = await manilla.webhookEndpoints.list().page()
    expect(items.map(({ url }) => url)).toEqual([before!.url])
    const { session, id } = await buy()
    await manilla.checkout.simulate(session.reference)
    await untilShippedOnce(id)
  })

  test('without a service prints one line', async () => {
    const empty = createHome()
    const away = { MANILLA_KEY: 'sk_test_x', MANILLA_URL: 'http://127.0.0.1:1' }
    for (const more of [{}, away]) {
      const program = spawnStore(empty, { STORE_DATA: empty, ...more })
      expect(await program.ended).toMatchObject({ code: 1 })
      expect(program.text()).toMatch(
        /(No Manilla service has been started here|Manilla does not run): start it with `npm start`.*\n$/,
      )
    }
    await removeHome(empty)
  })

  test('with a configured secret registers no endpoint and disables its own', async () => {
    const more = { STORE_DATA: path.join(data, 'forwarded') }
    const listEnabled = async () => {
      const { items } = await manilla.webhookEndpoints.list().page()
      return items.filter(({ enabled }) => enabled).map(({ url }) => url)
    }
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const forwarded = await startShop({ ...more, WEBHOOK_SECRET: secret })
    expect(await listEnabled()).toEqual([`${shop.url}/webhooks`])
    const body = paid({}, 'webhook_endpoint.test')
    const headers = sign(body, secret)
    const { status } = await fetch(`${forwarded.url}/webhooks`, { method: 'POST', body, headers })
    expect(status).toBe(204)

    const registered = await startShop(more)
    expect(await listEnabled()).toEqual([`${registered.url}/webhooks`, `${shop.url}/webhooks`])
    await startShop({ ...more, WEBHOOK_SECRET: secret })
    expect(await listEnabled()).toEqual([`${shop.url}/webhooks`])
  })

  test('on a port in use says what to do', async () => {
    const program = spawnStore(home, { STORE_DATA: data, STORE_PORT: new URL(shop.url).port })
    expect(await program.ended).toMatchObject({ code: 1 })
    expect(program.text()).toBe('The port is in use. Choose another with STORE_PORT.\n')
  })
})

// These are last: they move the test clock and then stop the service.
test('an unpaid order expires, and is still paid by a late notice', async () => {
  const { session, id } = await buy()
  await manilla.test.clock.advance({ seconds: 3_600 })
  await until(async () => (await readOrderPage(id)).page.includes('Time is up'))
  const body = paid(session)
  expect((await post(body, sign(body))).status).toBe(204)
  await untilShippedOnce(id)
})

// The webhook may have been given up by then, so the shop must check expired orders itself.
test('the shop checks expired orders too when it restarts', async () => {
  const { session, id } = await buy()
  const account = await manilla.virtualAccounts.get(session.virtualAccount!)
  await manilla.test.clock.advance({ seconds: 3_600 })
  await until(async () => (await readOrderPage(id)).page.includes('Time is up'))
  await killShop()
  const { accountNumber, amount, createdAt: sentAt } = account
  await manilla.test.bankTransfers.create({ accountNumber, amount, sentAt })
  for await (const { id: endpoint } of manilla.webhookEndpoints.list())
    await manilla.webhookEndpoints.update(endpoint, { enabled: false })
  shop = await startShop()
  await untilShippedOnce(id)
})

test('while Manilla is down, an order is kept and the customer is asked to retry', async () => {
  const form = await fillIn(shop.url)
  const before = orders().length
  service.signal('SIGTERM')
  await service.ended
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(submit(shop.url, form)).rejects.toThrow(/^502: .*Reload to try again/s)
  expect(orders().slice(before)).toMatchObject([{ status: 'waiting' }])
  expect((await fetch(shop.url)).status).toBe(200)
})
