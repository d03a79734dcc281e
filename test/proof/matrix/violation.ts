/**
 * Begins the message of a test that failed because something did not hold. One that failed for
 * another reason, such as a world that does not open, says nothing about the rules.
 */
export const violationMark = 'Violation: '

export function refuseViolations(violations: string[]): void {
  if (violations.length > 0) throw new Error(`${violationMark}${violations.join('\n')}`)
}
