import { inject, TestRunner, test } from 'vitest'
import { needsBrowser, withoutBrowser } from './browser-ways.js'

/** Without a browser, replaces each browser suite by one test that reports it. */
export default class Runner extends TestRunner {
  override importFile(file: string, source: 'collect' | 'setup'): unknown {
    const isWithout = source === 'collect' && inject('browser') === undefined && needsBrowser(file)
    if (!isWithout) return super.importFile(file, source)
    const advice = inject('browserAdvice')
    if (withoutBrowser(process.env.CI) === 'skip') return test.skip(advice)
    return test('needs a browser', () => {
      throw new Error(advice)
    })
  }
}
