import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { listenForErrors, picture, sizes } from '../pages/checkout-pictures.js'
import { openBrowser } from '../support/browser.js'
import { type Console, fill, openConsole } from './open-console.js'

/**
 * Every screen with data: no script error, no breach of the content policy, accessible in one size
 * and color scheme. `npm run pages` checks all of them and takes pictures.
 */

let site: Console
let page: Page
let paths: Record<string, string>

const merchantScreens = {
  home: '',
  payments: '/payments',
  payouts: '/payouts',
  balances: '/balances',
  collect: '/collect',
  'quick-start': '/quick-start',
  keys: '/keys',
  webhooks: '/webhooks',
  events: '/events',
  requests: '/requests',
  team: '/team',
  audit: '/audit',
  settings: '/settings',
  you: '/you',
}

beforeAll(async () => {
  site = await openConsole(await openBrowser())
  const { payments, payouts, endpoint } = await fill(site)
  paths = {
    ...merchantScreens,
    'payment-held': `/payments/${payments[0]!.reference}`,
    payout: `/payouts/${payouts[0].reference}`,
    endpoint: `/webhooks/${endpoint.id}`,
  }
  await site.become(site.owner)
  page = await site.visit('/console')
})

/** Waits until the screen shows its data. */
async function open(path: string): Promise<void> {
  await page.setViewportSize(sizes.desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${site.url}/console${path}`)
  await page.waitForSelector('main h1')
  await page.waitForSelector('[aria-busy=true]', { state: 'detached' })
}

describe('screens of a merchant', () => {
  test.each(Object.keys(merchantScreens))('%s', async (name) => {
    const stop = listenForErrors(page, { isConsoleRead: true })
    await open(paths[name]!)
    expect(stop()).toEqual([])
    await picture(page, 'script', `console-${name}`)
  })
})
