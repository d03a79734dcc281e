import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

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

/** Opens pages on a phone and waits until their streams are open. */
export async function openVisits(browser: Browser) {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })

  async function visit(url: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    const page = await context.newPage()
    await prepare?.(page)
    const streaming = page.waitForResponse(/\/stream$/).catch(() => {})
    await page.goto(url)
    await streaming
    await page.evaluate('window.isSamePage = true')
    await recordAnnouncements(page)
    return page
  }

  return { context, visit }
}
