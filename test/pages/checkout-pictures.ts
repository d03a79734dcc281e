import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type axe from 'axe-core'
import type { Browser, ConsoleMessage, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)
const pictures = path.resolve(import.meta.dirname, '../../screenshots')

export const sizes = { phone: { width: 360, height: 740 }, desktop: { width: 1_280, height: 800 } }
const schemes = ['light', 'dark'] as const

/** Set by `npm run pages`: every state in every size and color scheme, with screenshots. */
export const isFull = process.env.PAGES === 'all'

/** Browser contexts with and without script. */
export async function openContexts(browser: Browser) {
  if (isFull) afterAll(() => console.log(`Screenshots are in ${pictures}`))
  return {
    script: await browser.newContext({ reducedMotion: 'reduce', viewport: sizes.phone }),
    bare: await browser.newContext({ javaScriptEnabled: false, viewport: sizes.phone }),
  }
}

/**
 * Opens a state in a page that has shown others. A new page for each takes four times as long: the
 * browser starts a process for it and compiles all scripts again.
 */
export async function reopen(page: Page, url: string): Promise<void> {
  await page.setViewportSize(sizes.phone)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(url)
}

/** Collects what goes wrong in a page until stopped. */
export function listenForErrors(page: Page, { isConsoleRead }: { isConsoleRead: boolean }) {
  const errors: string[] = []
  const noteError = (error: Error) => errors.push(error.message)
  const noteLine = (line: ConsoleMessage) => line.type() === 'error' && errors.push(line.text())
  page.on('pageerror', noteError)
  if (isConsoleRead) page.on('console', noteLine)
  return () => {
    page.off('pageerror', noteError).off('console', noteLine)
    return errors
  }
}

/** Creates each state once, on first use. */
export function makeOnce(states: Record<string, { make(): Promise<string> }>) {
  const made = new Map<string, Promise<string>>()
  return (name: string): Promise<string> => {
    if (!made.has(name)) made.set(name, states[name]!.make())
    return made.get(name)!
  }
}

export const variants = Object.entries(sizes).flatMap(([size, viewport]) =>
  schemes.map((colorScheme) => ({ size, viewport, colorScheme })),
)
let count = 0

/**
 * Screens that together show every part of the themes: badges, notices, forms, dialogs, charts.
 * `npm test` checks the contrast of these, in both color schemes: contrast depends on the theme and
 * not on the data, and takes two thirds of a check.
 */
const withContrast = new Set([
  'pending',
  'held',
  'coins',
  'console-home',
  'console-payment-held',
  'console-keys-create',
  'console-payout-new',
  'console-payout-approve',
  'console-sign-in',
  'console-operator-health',
  'console-operator-kyc-review',
  'console-operator-confirm',
])

/**
 * Checks the accessibility of every second state, and of those whose contrast is checked, in one
 * size and color scheme; successive states alternate between the combinations. `npm run pages`
 * checks every state in all of them and takes screenshots for review. Pages without script are not
 * checked.
 */
export async function picture(page: Page, kind: string, name: string): Promise<void> {
  if (kind === 'bare' && !isFull) return
  count += 1
  if (!isFull && count % 2 === 0 && !withContrast.has(name)) return
  const chosen = isFull ? variants : [variants[Math.floor(count / 2) % variants.length]!]
  const before = page.viewportSize()
  for (const { size, viewport, colorScheme } of chosen) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    if (kind === 'script') await expectAccessible(page)
    await takeScreenshot(page, `${name}-${kind}-${size}-${colorScheme}`)
  }
  // What a test does next must not depend on how many pages were pictured before.
  if (before) await page.setViewportSize(before)
  if (!isFull && withContrast.has(name)) await expectContrast(page)
}

/** Screenshots are for people to review, so `npm test` takes none. */
export async function takeScreenshot(
  page: Page,
  name: string,
  { fullPage = true } = {},
): Promise<void> {
  if (isFull) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage })
}

/**
 * Every rule, but contrast only in `npm run pages`. An open menu is no landmark and stands at the
 * end of the page, as menus do.
 */
export async function expectAccessible(page: Page, { hasMenu = false } = {}): Promise<void> {
  const isFit = 'document.documentElement.scrollWidth <= innerWidth'
  expect(await page.evaluate(isFit), 'no horizontal overflow').toBe(true)
  await expectNoViolation(page, {
    rules: { 'color-contrast': { enabled: isFull }, region: { enabled: !hasMenu } },
  })
}

/** In both color schemes; the page stays in the dark one. */
export async function expectContrast(page: Page): Promise<void> {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    await expectNoViolation(page, { runOnly: ['color-contrast'] })
  }
}

async function expectNoViolation(page: Page, options: axe.RunOptions): Promise<void> {
  const hasAxe = await page.evaluate("typeof axe === 'object'")
  if (!hasAxe) await page.evaluate(`${axeSource};0`)
  const all = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${all})`)
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`)
  expect(found).toEqual([])
}
