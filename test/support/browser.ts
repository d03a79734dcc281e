import type { Browser } from 'playwright-core'
import { afterAll, inject } from 'vitest'
import { launch } from './find-browser.js'

/** Launches Chromium with an empty profile for this file, and closes it with the file. */
export async function openBrowser(): Promise<Browser> {
  const found = inject('browser')
  if (found === undefined) throw new Error(inject('browserAdvice'))
  const browser = await launch(found)
  afterAll(() => browser.close())
  return browser
}
