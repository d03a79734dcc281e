import { afterAll } from 'vitest'

const works: (() => unknown)[] = []

// Each test file evaluates this module anew.
afterAll(async () => {
  const failures: unknown[] = []
  for (const work of works.toReversed()) {
    try {
      await work()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
})

/**
 * Runs the work after the last test of the file, the latest first. Vitest ignores an `afterAll` that
 * a hook or a test registers: what it should close would run until the end of the whole run.
 */
export function afterFile(work: () => unknown): void {
  works.push(work)
}
