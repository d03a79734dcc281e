import { show } from '../../support/show.js'

/** Breaches of a promise, in the order in which they were found. */
export class Violations {
  readonly found: string[] = []

  report(violation: string): void {
    this.found.push(violation)
  }

  /** Reports an inequality of two values that JSON can show. */
  expectEqual(what: string, expected: unknown, actual: unknown): void {
    const [want, have] = [show(expected), show(actual)]
    if (want !== have) this.report(`${what}: expected ${want}, found ${have}`)
  }
}
