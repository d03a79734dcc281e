import type { TestModule } from 'vitest/node'
import type { Reporter } from 'vitest/reporters'

/** Ends the run with one line: `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    // Errors outside of tests count as failures, too.
    const counts = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state] += 1
      if (module.errors().length > 0) counts.failed += 1
    }
    process.on('exit', () => {
      const failed = counts.failed + counts.pending
      console.log(`${counts.passed} passed, ${failed} failed`)
    })
  }
}
