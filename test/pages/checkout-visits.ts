import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

export const state = (page: Page) => page.locator('main').getAttribute('data-state')
export const said = (page: Page) => page.locator('#announcer').textContent()

/** All that was said aloud since somebody listens, in order. */
export const allSaid = (page: Page) => page.evaluate<string[]>('window.allSaid')
export const listenTo = (page: Page) =>
  page.evaluate(`{
    window.allSaid = []
    const announcer = document.querySelector('#announcer')
    new MutationObserver(() => {
      if (announcer.textContent) window.allSaid.push(announcer.textContent)
    }).observe(announcer, { childList: true })
  }`)

/** Of this page, until it shows the state; a reload in between would lose the mark. */
export async function whenShown(page: Page, wanted: string): Promise<number> {
  const began = performance.now()
  await page.waitForSelector(`main[data-state="${wanted}"]`)
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  return Math.round(performance.now() - began)
}

/** Payers with a phone who open pages, and whose pages listen. */
export async function openVisits(browser: Browser) {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })

  async function visit(url: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    const page = await context.newPage()
    await prepare?.(page)
    const listening = page.waitForResponse(/\/stream$/).catch(() => {})
    await page.goto(url)
    await listening
    await page.evaluate('window.isSamePage = true')
    await listenTo(page)
    return page
  }

  return { context, visit }
}
