import { readdirSync, readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { isFull, picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { addPerson, type Person } from '../support/people.js'
import { type Console, openConsole } from './open-console.js'

/**
 * In `npm run pages`: every screen of the console without data, with filters that match nothing,
 * and while the server refuses every read. Screens are read from the routes, so none is forgotten.
 */

const screens = new URL('../../console/src/screens/', import.meta.url)
const paths = readdirSync(screens, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((area) => readdirSync(new URL(`${area}/`, screens)).includes('routes.ts'))
  .flatMap((area) => {
    const text = readFileSync(new URL(`${area}/routes.ts`, screens), 'utf8')
    return [...text.matchAll(/path: '([^']+)'/g)].map(([, path]) => path!)
  })

/** Screens that read nothing: there is no error to show. */
const withoutReads = new Set(['/payouts/batches/new'])

/** Lists with filters, and one that nothing matches. */
const filtered: Record<string, string> = {
  '/payments': 'q=zzzz',
  '/payouts': 'q=zzzz',
  '/payouts/batches': 'status=REJECTED',
  '/payouts/recipients': 'q=zzzz',
  '/payouts/claims': 'status=EXPIRED',
  '/cases': 'status=CLOSED',
  '/balances': 'reference=zzzz',
  '/balances/conversions': 'from=2020-01-01&to=2020-01-01',
  '/subaccounts': 'externalReference=zzzz',
  '/subaccounts/rules': 'from=2020-01-01&to=2020-01-01',
  '/collect': 'q=zzzz',
  '/customers': 'q=zzzz',
  '/invoices': 'status=VOID',
  '/invoices/schedules': 'status=ENDED',
  '/events': 'resource=pay_zzzz',
  '/requests': 'path=/zzzz',
  '/audit': 'from=2020-01-01&to=2020-01-01',
  '/operator/merchants': 'q=zzzz',
  '/operator/audit': 'action=zzzz',
}

const nameOf = (path: string) => path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'home'

describe.runIf(isFull)('states of', () => {
  let site: Console
  let page: Page
  let fresh: Person

  beforeAll(async () => {
    expect(paths.length).toBeGreaterThan(55)
    site = await openConsole(await openBrowser())
    const merchant = await site.addMerchant('Bola Foods')
    fresh = await addPerson(site, {
      role: 'owner',
      name: 'Bola Ige',
      merchant: merchant.reference,
      isOperator: true,
    })
    await site.become(fresh)
    page = await site.context.newPage()
    page.setDefaultTimeout(20_000)
  })

  /** Loads the page, and waits until it has shown what it reads. */
  async function open(path: string): Promise<void> {
    await page.setViewportSize(sizes.desktop)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${site.url}/console${path}`)
    await page.locator('h1').first().waitFor({ state: 'attached' })
    await expect
      .poll(() => page.locator('.skeleton').count(), { message: `${path}: placeholders` })
      .toBe(0)
  }

  test.each(paths.filter((path) => !path.includes('$')))('%s without data', async (path) => {
    await open(path)
    await picture(page, 'script', `empty-${nameOf(path)}`)
  })

  test.each(Object.entries(filtered))(
    '%s with a filter that matches nothing',
    async (path, query) => {
      await open(`${path}?${query}`)
      await picture(page, 'script', `nothing-matches-${nameOf(path)}`)
    },
  )

  test.each(paths)('%s while reads are refused', async (path) => {
    const message =
      'Something went wrong on our side. It was logged; quote the requestId to report it.'
    await page.route(/\/v1\/|session\/factors/, (route) =>
      route.fulfill({
        // Not 5xx, which is tried again for seconds.
        status: 409,
        json: {
          message,
          code: 'internal_error',
          requestId: 'req_01a1dd1194ef73ddb6fb1c263f63557b',
        },
      }),
    )
    await open(path.replace('$reference', 'pay_01kc3v8x2n4q6r8t').replace('$id', 'evt_01kc3v8x'))
    if (!withoutReads.has(path)) await page.getByText('req_01a1dd1194ef').first().waitFor()
    await picture(page, 'script', `error-${nameOf(path)}`)
    await page.unrouteAll()
  })

  test('a screen that a role may not open, and one that does not exist', async () => {
    await open('/nowhere')
    await picture(page, 'script', 'error-not-found')
    await open('/payments/pay_01kc3v8x2n4q6r8t')
    await picture(page, 'script', 'error-no-such-payment')
    await site.become(await addPerson(site, { role: 'viewer', name: 'Vera Viewer' }))
    await open('/keys')
    await picture(page, 'script', 'error-forbidden')
    await site.become(await addPerson(site, { name: 'Nobody Yet' }))
    await open('/')
    await picture(page, 'script', 'empty-no-merchant')
  })
})
