import { inject, TestRunner, test } from 'vitest'
import { needsBrowser, withoutBrowser } from './browser-ways.js'

/** Where there is no browser, replaces each suite that needs one by a test that says so. */
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
