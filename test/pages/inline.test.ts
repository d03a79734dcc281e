import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { inlineVersions, newestInline } from '../../src/api/inline/inline-versions.js'
import { afterFile } from '../support/after-file.js'
import { expectAccessible, sizes, takeScreenshot } from './checkout-pictures.js'
import { openCheckout } from './open-checkout.js'

/** The payment page in a dialog of a shop of another origin, and attacks on it. */

const { service, browser, shop, open } = await openCheckout()
const home = service.url
const root = path.resolve(import.meta.dirname, '../..')

/** Everything that inline.js needs, and nothing more. */
const policy = [
  "default-src 'none'",
  `script-src ${home} 'nonce-shop'`,
  `frame-src ${home}`,
  'img-src data:',
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join(';')

/** Serves any page: the body is in its address. */
const site = createServer((request, response) => {
  const { searchParams } = new URL(request.url!, 'http://localhost')
  response.setHeader('content-type', 'text/html; charset=utf-8')
  if (!searchParams.has('lax')) response.setHeader('content-security-policy', policy)
  response.end(`<!doctype html><html lang="${searchParams.get('lang') ?? 'en'}"><head>
    <meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <script src="${home}/inline.js"></script></head><body>
    <main><h1>Shop</h1>${searchParams.get('body') ?? ''}</main></body></html>`)
}).listen(0, '127.0.0.1')
await once(site, 'listening')
afterFile(() => {
  site.close()
  site.closeAllConnections()
})
const { port } = site.address() as AddressInfo
/** Listed by the merchant; `http://localhost` is another origin, which is not. */
const shopUrl = `http://127.0.0.1:${port}`
const frameOrigins = [shopUrl]
await service.ask('PATCH', '/v1/settings', {
  key: service.merchant.test.secret,
  body: { checkout: { frameOrigins } },
})

async function visit({
  origin = shopUrl,
  more = '',
  body = '<button id="pay">Pay</button> <a href="#later">Later</a>',
  ...options
}: BrowserContextOptions & { origin?: string; body?: string; more?: string } = {}) {
  const context = await browser.newContext({ viewport: sizes.phone, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const problems: string[] = []
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(`${origin}/?body=${encodeURIComponent(body)}${more}`)
  return { page, problems, close: () => context.close() }
}

/** Opens the dialog without waiting for its result, which `resultOf` returns. */
async function pay(page: Page, session: unknown): Promise<void> {
  await page.evaluate(`{
    window.isSettled = false
    window.result = window.Manilla.open({ session: ${JSON.stringify(session)} })
      .then((result) => result, (error) => String(error))
      .finally(() => { window.isSettled = true })
    // Not awaited.
    0
  }`)
}

const resultOf = (page: Page) => page.evaluate<unknown>('window.result')
const isSettled = (page: Page) => page.evaluate<boolean>('window.isSettled')
const dialogsOf = (page: Page) => page.locator('dialog').count()
const inside = (page: Page) => page.frameLocator('iframe')
const whenReady = (page: Page) =>
  page.locator('dialog:not([aria-busy])').waitFor({ state: 'visible' })
const statusOf = async (reference: string) =>
  (await shop.get(`/v1/checkout/sessions/${reference}`)).json.data.status

/** Opens a session in the dialog of a fresh page. */
async function openDialog(options: Parameters<typeof visit>[0] = {}) {
  const session = await open()
  const visited = await visit(options)
  await visited.page.locator('#pay').focus()
  await pay(visited.page, session.url)
  await whenReady(visited.page)
  return { ...visited, ...session }
}

describe('a payer', () => {
  test('pays in the dialog and returns to the shop, under a strict policy', async () => {
    const { page, problems, reference, close } = await openDialog()
    await inside(page).getByRole('button', { name: 'Simulate transfer' }).click()
    await inside(page).getByRole('link', { name: 'Return to Ada Stores', exact: true }).click()
    expect(await resultOf(page)).toEqual({ status: 'paid', session: reference })
    expect([await dialogsOf(page), page.url()]).toEqual([0, expect.stringContaining(shopUrl)])
    expect(await statusOf(reference)).toBe('paid')
    expect(problems).toEqual([])
    await close()
  })

  const ways: [string, (page: Page) => Promise<unknown>][] = [
    ['the close button', (page) => page.getByRole('button', { name: 'Close' }).click()],
    ['Esc in the payment page', (page) => page.keyboard.press('Escape')],
    [
      'Esc on the close button',
      async (page) => {
        await page.getByRole('button', { name: 'Close' }).focus()
        await page.keyboard.press('Escape')
      },
    ],
    ['the back button', (page) => page.evaluate('history.back()')],
    [
      'the link back to the shop',
      (page) =>
        inside(page)
          .getByRole('link', { name: /without paying/ })
          .click(),
    ],
  ]
  test.each(ways)('closes it with %s, and is where they were', async (_name, closeDialog) => {
    const { page, reference, close } = await openDialog()
    expect(await page.evaluate('document.documentElement.style.overflow')).toBe('hidden')
    await closeDialog(page)
    expect(await resultOf(page)).toEqual({ status: 'closed', session: reference })
    expect(await dialogsOf(page)).toBe(0)
    expect(await page.evaluate('document.activeElement.id')).toBe('pay')
    expect(await page.evaluate('document.documentElement.style.overflow')).toBe('')
    expect(await page.evaluate('[history.state, location.pathname]')).toEqual([null, '/'])
    await close()
  })

  test('closes it while paying, and the payment still counts', async () => {
    const { page, reference, number, url, close } = await openDialog()
    await inside(page).getByRole('link', { name: "I've sent the money" }).click()
    await inside(page).getByRole('heading', { name: 'Waiting for your transfer' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await resultOf(page)).toEqual({ status: 'closed', session: reference })
    await shop.payIn(number, { amount: 1_250_000 })
    await expect.poll(() => statusOf(reference)).toBe('paid')
    await pay(page, url)
    await inside(page).getByRole('heading', { name: 'Payment successful' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await resultOf(page)).toEqual({ status: 'paid', session: reference })
    await close()
  })

  test('learns that the time is up', async () => {
    const { page, reference, close } = await openDialog()
    await shop.post(`/v1/checkout/sessions/${reference}/cancel`, {})
    await inside(page).locator('main[data-state=cancelled]').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await resultOf(page)).toEqual({ status: 'cancelled', session: reference })
    await close()
  })

  test('stays in the dialog with the keyboard', async () => {
    const { page, close } = await openDialog()
    const reached = new Set<string>()
    for (let pressed = 0; pressed < 14; pressed += 1) {
      await page.keyboard.press('Tab')
      reached.add(await page.evaluate<string>('document.activeElement.tagName'))
    }
    // DIV is the host of the dialog; BODY is the browser's own controls.
    expect([...reached].sort()).not.toContain('BUTTON')
    expect([...reached].sort()).not.toContain('A')
    expect(reached).toContain('DIV')
    await close()
  })

  test.each([
    ['phone', 360, 740],
    ['desktop', 448, 752],
  ] as const)('sees it fit the screen of a %s', async (size, width, height) => {
    const { page, close } = await openDialog({ viewport: sizes[size], reducedMotion: 'reduce' })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page)
      await takeScreenshot(page, `inline-${size}-${colorScheme}`, { fullPage: false })
    }
    const box = (await page.locator('dialog').boundingBox())!
    expect([box.width, box.height]).toEqual([width, height])
    const running = "document.querySelector('body > div').shadowRoot.getAnimations().length"
    expect(await page.evaluate(running)).toBe(0)
    await close()
  })

  test('moves nothing for those who prefer reduced motion', async () => {
    const names = async (reducedMotion: 'reduce' | 'no-preference') => {
      const { page, close } = await openDialog({ reducedMotion })
      const styles = "getComputedStyle(document.querySelector('body > div').shadowRoot.firstChild)"
      const name = await page.evaluate<string>(`${styles}.animationName`)
      await close()
      return name
    }
    expect([await names('reduce'), await names('no-preference')]).toEqual(['none', 'rise'])
  })

  test('reads the dialog in French on a French page', async () => {
    const { page, close } = await openDialog({ more: '&lang=fr-FR' })
    await page.getByRole('dialog', { name: 'Paiement' }).waitFor()
    await page.getByRole('button', { name: 'Fermer' }).click()
    await close()
  })

  test('gets the hosted page in a browser without what the dialog needs', async () => {
    const { url } = await open()
    const { page, close } = await visit({ body: '' })
    await page.addInitScript('delete Document.prototype.adoptedStyleSheets')
    await page.reload()
    await pay(page, url)
    await page.waitForURL(url)
    await close()
  })
})

describe('a second dialog', () => {
  test('is not opened beside the first', async () => {
    const { page, url, reference, close } = await openDialog()
    const other = await open()
    const opened = `Manilla.open({ session: '${other.url}' }).catch((error) => error.message)`
    expect(await page.evaluate(opened)).toBe('Another payment dialog is open.')
    // The same session is the same dialog: a button pressed twice opens one.
    await page.evaluate(`{ window.again = Manilla.open({ session: { url: '${url}' } }); 0 }`)
    expect(await dialogsOf(page)).toBe(1)
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await page.evaluate('window.again')).toEqual({ status: 'closed', session: reference })
    await close()
  })

  test('opens when the first has closed, at once', async () => {
    const { page, url, close } = await openDialog()
    await page.evaluate(`{
      document.querySelector('body > div').shadowRoot.querySelector('button').click()
      window.second = Manilla.open({ session: '${url}' })
      window.second.then(() => { window.isSecondOver = true })
      0
    }`)
    expect(await resultOf(page)).toMatchObject({ status: 'closed' })
    await whenReady(page)
    // Leaving the first dialog's history entry must not close the second.
    await page.waitForTimeout(300)
    expect([await dialogsOf(page), await page.evaluate('window.isSecondOver')]).toEqual([
      1,
      undefined,
    ])
    await page.evaluate('history.back()')
    expect(await page.evaluate('window.second')).toMatchObject({ status: 'closed' })
    await close()
  })
})

describe('an attacker', () => {
  test('cannot frame the page on an origin that is not listed', async () => {
    const { url } = await open()
    const { page, close } = await visit({ origin: `http://localhost:${port}` })
    await pay(page, url)
    expect(await resultOf(page)).toMatch(
      /cannot be shown here\. Check the session, and that checkout\.frameOrigins lists http:\/\/localhost/,
    )
    expect(await dialogsOf(page)).toBe(0)
    await close()
  })

  test('cannot frame a listed shop that shows the page', async () => {
    const { url } = await open()
    const listed = `${shopUrl}/?lax=1&body=${encodeURIComponent(`<iframe src="${url}"></iframe>`)}`
    const shownIn = async (address: string) => {
      const { page, close } = await visit({ body: '' })
      await page.goto(address)
      await page.waitForTimeout(500)
      const texts = await Promise.all(page.frames().map((frame) => frame.content()))
      await close()
      return texts.filter((text) => text.includes('Simulate transfer')).length
    }
    const around = encodeURIComponent(`<iframe src="${listed}"></iframe>`)
    expect(await shownIn(listed)).toBe(1)
    expect(await shownIn(`http://localhost:${port}/?lax=1&body=${around}`)).toBe(0)
  })

  test('cannot forge a result with messages, from any window', async () => {
    const { page, url, close } = await openDialog({ more: '&lax=1' })
    // The shop's own page, as an extension or an advertisement would.
    await page.evaluate(`for (const data of [{ state: 'paid' }, { isClosed: true }, 'manilla-inline'])
      postMessage(data, '*')`)
    // Another frame of the shop's page, of another origin, with ports of its own.
    await page.evaluate(`{
      const frame = document.createElement('iframe')
      frame.src = 'http://localhost:${port}/?lax=1&body=' + encodeURIComponent(
        '<script>for (const data of [{ state: "paid" }, { isClosed: true }]) ' +
        'parent.postMessage(data, "*", [new MessageChannel().port2]); document.title = "sent"</' + 'script>')
      document.body.append(frame)
    }`)
    await expect
      .poll(async () => Promise.all(page.frames().map((frame) => frame.title())))
      .toContain('sent')
    await page.waitForTimeout(200)
    expect([await dialogsOf(page), await isSettled(page)]).toEqual([1, false])
    await page.getByRole('button', { name: 'Close' }).click()
    expect(await resultOf(page)).toMatchObject({ status: 'closed' })
    expect(await statusOf(url.slice(url.lastIndexOf('/') + 1))).toBe('pending')
    await close()
  })

  test('cannot become the window that the payment page reports to', async () => {
    const { page, close } = await openDialog({ more: '&lax=1' })
    const [payment] = page.frames().filter((frame) => frame.url().startsWith(home))
    // From a frame beside it, and from the payment page itself: neither is its parent.
    const heard = await page.evaluate<number>(`new Promise((resolve) => {
      let count = 0
      const target = document.querySelector('body > div').shadowRoot.querySelector('iframe')
      const frame = document.createElement('iframe')
      document.body.append(frame)
      const { port1, port2 } = new frame.contentWindow.MessageChannel()
      port1.onmessage = () => { count += 1 }
      frame.contentWindow.eval('(target, port) => target.postMessage("manilla-inline", "*", [port])')(
        target.contentWindow, port2)
      setTimeout(() => resolve(count), 300)
    })`)
    expect(heard).toBe(0)
    const own = await payment!.evaluate<number>(`new Promise((resolve) => {
      let count = 0
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => { count += 1 }
      postMessage('manilla-inline', '*', [port2])
      setTimeout(() => resolve(count), 300)
    })`)
    expect(own).toBe(0)
    // The real port is still in use.
    await page.keyboard.press('Escape')
    expect(await resultOf(page)).toMatchObject({ status: 'closed' })
    await close()
  })

  const reference = `cs_${'0'.repeat(39)}`
  test('cannot have another page shown as a session', async () => {
    const { page, close } = await visit()
    const elsewhere = home.replace('127.0.0.1', 'localhost')
    const sessions = [
      'javascript:alert(1)',
      `javascript:alert(1)//checkout/${reference}`,
      `data:text/html,/checkout/${reference}`,
      `${elsewhere}/checkout/${reference}`,
      `//localhost/checkout/${reference}`,
      `${home}@localhost/checkout/${reference}`,
      `${home}/docs/`,
      `${home}/checkout/${reference}/receipt.pdf`,
      `${home}/checkout/../public/checkout/${reference}`,
      `cs_/../../docs/${reference}`,
      'pay_1',
      '',
      null,
      {},
    ]
    for (const session of sessions) {
      await pay(page, session)
      expect(await resultOf(page), String(session)).toMatch(/^TypeError/)
    }
    expect(await dialogsOf(page)).toBe(0)
    await close()
  })

  test('cannot add a query or fragment to the page', async () => {
    const { url } = await open()
    const { page, close } = await visit()
    await pay(page, `${url}?sent=0#top`)
    await whenReady(page)
    expect(await page.locator('iframe').getAttribute('src')).toBe(url)
    await close()
  })

  test('learns nothing of an unknown session', async () => {
    const { page, close } = await visit()
    await pay(page, reference)
    expect(await resultOf(page)).toMatch(/cannot be shown here/)
    await close()
  })
})

describe('<manilla-button>', () => {
  test('opens its session, reports the result, and has the focus again', async () => {
    const { url, reference } = await open()
    const { page, problems, close } = await visit({
      body: `<manilla-button session="${url}">Pay ₦12,500</manilla-button>
        <script nonce="shop">document.addEventListener('manilla-result', ({ detail }) => {
          window.detail = detail
        })</script>`,
    })
    await expectAccessible(page)
    await takeScreenshot(page, 'inline-button', { fullPage: false })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await whenReady(page)
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.evaluate('window.detail'))
      .toEqual({ status: 'closed', session: reference })
    expect(await page.evaluate('document.activeElement.localName')).toBe('manilla-button')
    expect(problems).toEqual([])
    await close()
  })

  test('leads to the hosted page if the dialog cannot be shown, unless the page handles it', async () => {
    const { url } = await open()
    const { page, close } = await visit({
      origin: `http://localhost:${port}`,
      body: `<manilla-button session="${url}"></manilla-button>`,
    })
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.waitForURL(url)
    await page.goBack()
    await page.evaluate(`document.addEventListener('manilla-error', (event) => {
      window.message = event.detail.message
      event.preventDefault()
    })`)
    await page.getByRole('button', { name: 'Pay' }).click()
    await expect.poll(() => page.evaluate('window.message')).toMatch(/cannot be shown here/)
    expect(page.url()).toContain('localhost')
    await close()
  })
})

describe('the script', () => {
  test('is at most 4 kB compressed and cached by its version', async () => {
    const read = async (path: string, encoding: string) => {
      const response = await fetch(`${home}${path}`, { headers: { 'accept-encoding': encoding } })
      return { response, bytes: (await response.clone().arrayBuffer()).byteLength }
    }
    const sizeOf = async (encoding: string) => {
      const { headers } = await service.wire(
        `GET /inline.js HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${encoding}\r\n\r\n`,
      )
      expect(headers.get('content-encoding')).toBe(encoding)
      return Number(headers.get('content-length'))
    }
    const [gzip, brotli] = [await sizeOf('gzip'), await sizeOf('br')]
    console.log(`inline.js: ${gzip} bytes gzipped, ${brotli} bytes with brotli`)
    expect(gzip).toBeLessThanOrEqual(4_000)
    expect(brotli).toBeLessThanOrEqual(4_000)
    const { response } = await read('/inline.js', 'identity')
    const text = await response.text()
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const [, version] = /version: '([\d.]+)'/.exec(text)!
    const pinned = await read(`/inline/${version}.js`, 'identity')
    expect(await pinned.response.text()).toBe(text)
    expect(pinned.response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    for (const name of [
      '9.9.9.js',
      '1.0.0',
      'constructor.js',
      '..%2fcheckout-script.js',
      'tsconfig.json',
    ])
      expect((await fetch(`${home}/inline/${name}`)).status).toBe(404)
  })

  // Merchants pin the hash of a version: a change of a published file breaks their shops.
  test('has the integrity that its version was published with, as in the guide', async () => {
    for (const [version, integrity] of Object.entries(inlineVersions)) {
      const file = readFileSync(path.join(root, `web/inline/${version}.js`))
      const hash = createHash('sha384').update(file).digest('base64')
      expect([version, `sha384-${hash}`]).toEqual([version, integrity])
    }
    const guide = readFileSync(path.join(root, 'docs/guides/inline-checkout.md'), 'utf8')
    expect(guide).toContain(`/inline/${newestInline}.js`)
    expect(guide).toContain(`integrity="${inlineVersions[newestInline]}"`)
    const files = readdirSync(path.join(root, 'web/inline')).filter((name) => name.endsWith('.js'))
    expect(files.sort()).toEqual(
      Object.keys(inlineVersions)
        .map((version) => `${version}.js`)
        .sort(),
    )
  })

  test('runs with its integrity, and not without', async () => {
    const text = await (await fetch(`${home}/inline/1.0.0.js`)).text()
    const hash = createHash('sha384').update(text).digest('base64')
    const tag = (integrity: string) =>
      `<script src="${home}/inline/1.0.0.js" integrity="sha384-${integrity}" crossorigin></script>`
    const load = async (integrity: string) => {
      const { page, close } = await visit({ more: '&lax=1', body: '' })
      await page.route(`${home}/inline.js`, (route) => route.abort())
      await page.goto(`${shopUrl}/?lax=1&body=${encodeURIComponent(tag(integrity))}`)
      const version = await page.evaluate('window.Manilla?.version')
      await close()
      return version
    }
    expect([await load(hash), await load(hash.replace(/^./, '_'))]).toEqual(['1.0.0', undefined])
  })
})
