import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { allowCopying } from '../support/clipboard.js'

export const state = (page: Page) => page.locator('main').getAttribute('data-state')
export const announced = (page: Page) => page.locator('#announcer').textContent()

/** All announcements since `recordAnnouncements`, in order. */
export const allAnnounced = (page: Page) => page.evaluate<string[]>('window.allAnnounced')
export const recordAnnouncements = (page: Page) =>
  page.evaluate(`{
    window.allAnnounced = []
    const announcer = document.querySelector('#announcer')
    new MutationObserver(() => {
      if (announcer.textContent) window.allAnnounced.push(announcer.textContent)
    }).observe(announcer, { childList: true })
  }`)

/** Milliseconds until the page shows the state. Fails if the page was reloaded. */
export async function whenShown(page: Page, wanted: string): Promise<number> {
  const began = performance.now()
  await page.waitForSelector(`main[data-state="${wanted}"]`)
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  return Math.round(performance.now() - began)
}

/**
 * Opens pages on a phone and waits until their streams are open. A page that a test leaves serves
 * the next one: the browser starts no process for it and keeps the compiled scripts.
 */
export async function openVisits(browser: Browser) {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
  })
  await allowCopying(context)

  let left: Page | undefined

  async function visit(url: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    const page = (!prepare && left) || (await context.newPage())
    if (page === left) left = undefined
    await prepare?.(page)
    const [reference] = /cs_\w+/.exec(url)!
    const isStream = (found: string) => found.endsWith(`/${reference}/stream`)
    const streaming = page.waitForResponse((one) => isStream(one.url())).catch(() => {})
    await page.goto(url)
    await streaming
    await page.evaluate('window.isSamePage = true')
    await recordAnnouncements(page)
    return page
  }

  /** Not for pages that were prepared. */
  async function leave(page: Page): Promise<void> {
    await left?.close()
    left = page.removeAllListeners('dialog')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.emulateMedia({ colorScheme: null })
  }

  return { context, visit, leave }
}
