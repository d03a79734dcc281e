import { inject, TestRunner, test } from 'vitest'
import { needsBrowser, withoutBrowser } from './browser-ways.js'

/** Replaces suites that need a browser by one skipped test where there is no browser. */
export default class Runner extends TestRunner {
  override importFile(file: string, source: 'collect' | 'setup'): unknown {
    const isWithout = source === 'collect' && inject('browser') === undefined && needsBrowser(file)
    // In CI the suite runs, and fails when it opens the browser.
    const isSkipped = isWithout && withoutBrowser(process.env.CI) === 'skip'
    return isSkipped ? test.skip(inject('browserAdvice')) : super.importFile(file, source)
  }
}
