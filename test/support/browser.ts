import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'
import { afterFile } from './after-file.js'

/** A connection of this file to the run's Chromium; its contexts have empty profiles. */
export async function openBrowser(): Promise<Browser> {
  const url = inject('browserUrl')
  if (url === undefined) throw new Error(inject('browserAdvice'))
  const browser = await chromium.connect(url)
  // Closes the contexts of this connection.
  afterFile(() => browser.close())
  return browser
}
