import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { toOptions } from './find-browser.js'

declare module 'vitest' {
  interface ProvidedContext {
    browserUrl: string | undefined
  }
}

/** One Chromium for the whole run: launching it takes longer than many tests of pages. */
export default async function setup(project: TestProject) {
  const { browser } = project.getProvidedContext()
  const server = browser && (await chromium.launchServer(toOptions(browser)))
  project.provide('browserUrl', server?.wsEndpoint())
  return server && (() => server.close())
}
