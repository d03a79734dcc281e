import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.js'
import { createHome, readDemo, startProgram } from '../support/program.js'
import { trackPrograms } from '../support/track-programs.js'
import { isFull, picture, sizes } from './checkout-pictures.js'

/** The API reference of a freshly started installation, used in a browser. */

/** Operations whose example can only be refused, and why. */
const refused: Record<string, { status: string; because: string }> = {
  receiveNotice: { status: '401', because: 'only a bank can sign its notices' },
  receiveBounces: { status: '404', because: 'the service has no secret for bounces' },
  deleteMailSuppression: { status: '404', because: 'no address of a new merchant is suppressed' },
}

const root = path.resolve(import.meta.dirname, '../..')
const { paths } = JSON.parse(readFileSync(path.join(root, 'openapi.json'), 'utf8'))
type Operation = { operationId: string; requestBody?: object; security?: object }
const operations: string[] = []
const visited = new Set<string>()

/**
 * `npm run pages` visits every operation. `npm test` visits one of each method, with each key, with
 * and without a body, and one about each resource. The journey of the first start sends the example
 * of every operation without a browser, in `npm run test:long`.
 */
for (const [place, methods] of Object.entries<Record<string, Operation>>(paths))
  for (const [method, { operationId, requestBody, security }] of Object.entries(methods)) {
    const [, version, resource] = place.split('/')
    const parameters = place.match(/\{\w+\}/g)
    const kinds = [
      JSON.stringify({ method, hasBody: requestBody !== undefined, security }),
      JSON.stringify(parameters && { version, resource, parameters }),
    ]
    if (isFull || kinds.some((kind) => !visited.has(kind))) operations.push(operationId)
    for (const kind of kinds) visited.add(kind)
  }

const home = createHome()
const programs = trackPrograms(home)
const browser = await openBrowser()
programs.push(await startProgram(home))
const { baseUrl, test: keys } = readDemo(home)

async function openPage(options: object = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: sizes.desktop, ...options })
  return context.newPage()
}

/** Opens the page of an operation, presses "Send" and returns the status shown. */
async function sendExample(page: Page, operation: string): Promise<string> {
  await page.goto(`${baseUrl}/docs/operations/${operation}`, { waitUntil: 'commit' })
  await page.waitForSelector('form[data-ready]')
  return press(page)
}

/** In one call: the checks before a click of Playwright take longer than most requests. */
function press(page: Page): Promise<string> {
  return page.evaluate<string>(`new Promise((resolve) => {
    document.querySelector('button.send').click()
    const { dataset } = document.querySelector('.answer')
    const timer = setInterval(() => dataset.status && (clearInterval(timer), resolve(dataset.status)), 5)
  })`)
}

const textOf = async (page: Page, selector: string) =>
  (await page.locator(selector).textContent()) ?? ''

describe('"Send"', async () => {
  const page = await openPage()

  // One page visits them in order, as a reader would: what an example needs is found or created.
  test('on each kind of operation succeeds with the example, on the first click', async () => {
    const foreign: string[] = []
    const errors: string[] = []
    page.on('request', (one) => one.url().startsWith(baseUrl) || foreign.push(one.url()))
    page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`))
    page.on('console', (line) => {
      const isRefusal = Object.keys(refused).some((name) => page.url().endsWith(`/${name}`))
      if (line.type() === 'error' && !isRefusal) errors.push(`${page.url()}: ${line.text()}`)
    })
    const wrong: string[] = []
    for (const operation of operations) {
      const status = await sendExample(page, operation)
      const expected = refused[operation]?.status
      if (expected ? status !== expected : !/^2\d\d$/.test(status))
        wrong.push(`${operation}: ${status} ${await textOf(page, '.answer')}`)
    }
    expect(wrong).toEqual([])
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] })
  }, 180_000)

  // A quote can be used once, and a reference can be paid once.
  test('converts, and submits a batch, as often as it is pressed', async () => {
    for (const [operation, status] of [
      ['getConversion', '200'],
      ['createConversion', '201'],
      ['createConversion', '201'],
      ['submitPayoutBatch', '200'],
      ['submitPayoutBatch', '200'],
    ] as const) {
      const shown = await sendExample(page, operation)
      expect([operation, shown, await textOf(page, '.answer')]).toEqual([
        operation,
        status,
        expect.any(String),
      ])
    }
  }, 60_000)

  test('shows a request that can be pasted into a shell and into Node', async () => {
    expect(await sendExample(page, 'createVirtualAccount')).toBe('201')
    const shown = JSON.parse(await textOf(page, '.answer pre'))
    // The same key: both replay the answer that the page shows.
    const curl = await textOf(page, '#curl')
    expect(curl).toContain(keys.secretKey)
    const replayed = execFileSync('sh', ['-c', `${curl} -s`], { encoding: 'utf8' })
    expect(JSON.parse(replayed)).toEqual(shown)
    const program = await textOf(page, '#node')
    const printed = execFileSync('node', ['--input-type=module', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(printed).toContain(shown.data.reference)
  })

  test('makes unchanged references and times new, and leaves changed values alone', async () => {
    await sendExample(page, 'createVirtualAccount')
    const body = page.getByLabel('Body')
    const example = JSON.parse(await body.inputValue())
    await body.fill(JSON.stringify({ ...example, amount: 70_000, merchantReference: 'mine' }))
    expect(await press(page)).toBe('201')
    const { data } = JSON.parse(await textOf(page, '.answer pre'))
    expect(data).toMatchObject({ amount: 70_000, merchantReference: 'mine' })
  })

  test('refuses live keys, and says what is wrong with a body', async () => {
    await sendExample(page, 'createVirtualAccount')
    await page.getByLabel('Body').fill('{')
    expect(await press(page)).toBe('failed')
    await page.getByLabel('Secret test key').fill('sk_live_x')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Use a test key here.').waitFor()
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('sk_live_x')
  })
})

describe('a reader', () => {
  test('follows an old link to an operation', async () => {
    const page = await openPage({ viewport: sizes.phone })
    await page.goto(`${baseUrl}/docs/#operation/refundPayment`)
    await page.getByRole('heading', { name: 'Refund a payment' }).waitFor()
    expect(page.url()).toBe(`${baseUrl}/docs/operations/refundPayment`)
  })

  test('searches with the keyboard alone', async () => {
    const page = await openPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()))
    await page.goto(`${baseUrl}/docs/guides/payouts`)
    const input = page.getByRole('combobox', { name: 'Search' })
    const options = page.getByRole('option')
    await page.keyboard.press('/')
    const isFocused = "document.activeElement === document.querySelector('input.search')"
    expect(await page.evaluate(isFocused)).toBe(true)
    // "/" is a letter once a reader types.
    await page.keyboard.type('refund')
    await options.first().waitFor()
    expect(await options.first().textContent()).toContain('Refund a payment')
    expect(await input.getAttribute('aria-expanded')).toBe('true')
    expect(await input.getAttribute('aria-activedescendant')).toBe('hit-0')
    await page.keyboard.press('ArrowDown')
    expect(await input.getAttribute('aria-activedescendant')).toBe('hit-1')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    const last = (await options.count()) - 1
    expect(await input.getAttribute('aria-activedescendant')).toBe(`hit-${last}`)
    await page.keyboard.press('Escape')
    expect(await options.first().isVisible()).toBe(false)
    for (const [query, address, heading] of [
      ['idempotency_in_progress', '/docs/reference/errors#idempotency_in_progress', 'Errors'],
      ['MANILLA_SECRET', '/docs/operating/configuration#MANILLA_SECRET', 'Configuration'],
      [
        'create virtual account',
        '/docs/operations/createVirtualAccount',
        'Create a virtual account',
      ],
      ['idempotancy', '/docs/guides/idempotency', 'Idempotency'],
    ] as const) {
      await page.keyboard.press('/')
      await page.keyboard.type(query)
      await page.locator(`#hit-0[href="${address}"]`).waitFor()
      if (query === 'idempotancy')
        expect(await page.getByRole('status').first().textContent()).toBe(
          'Searched “idempotency” instead.',
        )
      await page.keyboard.press('Enter')
      await page.waitForURL(`${baseUrl}${address}`)
      await page.getByRole('heading', { name: heading, exact: true, level: 1 }).waitFor()
    }
    await page.keyboard.press('/')
    await page.keyboard.type('xqzwvk')
    await page.getByText('Nothing found.').waitFor()
    expect(errors).toEqual([])
  })

  test('searches on a phone, and in the dark, with assistive technology', async () => {
    for (const [name, options] of [
      ['phone', { viewport: { width: 360, height: 740 } }],
      ['desktop-dark', { colorScheme: 'dark' }],
    ] as const) {
      const page = await openPage({ ...options, reducedMotion: 'reduce', bypassCSP: true })
      await page.goto(`${baseUrl}/docs/operations/createBankTransfer`)
      await page.getByRole('combobox', { name: 'Search' }).fill('idempotancy')
      await page.getByRole('option').first().waitFor()
      const widths = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect([name, await page.evaluate(widths)]).toEqual([name, 0])
      const tall = await page.getByRole('option').first().boundingBox()
      expect(tall!.height).toBeGreaterThanOrEqual(44)
      await picture(page, 'script', `reference-search-${name}`)
    }
  })

  test('finds every page in a list, without script', async () => {
    const page = await openPage({ javaScriptEnabled: false })
    await page.goto(`${baseUrl}/docs/`)
    expect(await page.getByRole('combobox').count()).toBe(0)
    await page.getByRole('link', { name: 'All pages' }).click()
    for (const name of [
      'Refund a payment',
      'Idempotency',
      'idempotency_in_progress',
      'MANILLA_SECRET',
    ])
      await page.getByRole('main').getByRole('link', { name, exact: true }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'MANILLA_SECRET', exact: true }).click()
    expect(page.url()).toBe(`${baseUrl}/docs/operating/configuration#MANILLA_SECRET`)
  })

  test('reads everything without script', async () => {
    const page = await openPage({ javaScriptEnabled: false })
    await page.goto(`${baseUrl}/docs/operations/createCryptoTransfer`)
    await page.getByText('destinationAddress', { exact: true }).first().waitFor()
    expect(await textOf(page, '#curl')).toContain('curl -X POST "$MANILLA_URL/v1/disbursements')
    expect(await page.getByRole('button', { name: 'Send' }).isVisible()).toBe(false)
  })

  test.runIf(isFull)('can use each kind of page with assistive technology', async () => {
    const page = await openPage({ reducedMotion: 'reduce', bypassCSP: true })
    for (const name of ['', 'guides/payouts', 'events', 'reference/errors']) {
      await page.goto(`${baseUrl}/docs/${name}`)
      await picture(page, 'script', `reference-${name.replace('/', '-') || 'introduction'}`)
    }
    for (const operation of ['listBalances', 'getPayment', 'createCheckoutSession']) {
      await sendExample(page, operation)
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
      await picture(page, 'script', `reference-${operation}`)
    }
  })
})
