import { expect, test } from 'vitest'
import { violationMark } from './matrix/violation.js'
import { catchers, judgeFailure, listPassed } from './mutations/catchers.js'

const [sample] = catchers
const findViolation = (message: string) => sample!.findViolation(message, '')

function failedTest(message: string) {
  return { status: 'failed', fullName: 'payment is refunded', failureMessages: [message] }
}

test('a failed test with a violation has caught the breakage', () => {
  const failed = failedTest(`Error: ${violationMark}killed before: 1 !== 0\n    at refuse (a.ts:1)`)
  const report = { testResults: [{ name: 'a.test.ts', message: '', assertionResults: [failed] }] }
  expect(judgeFailure(report, findViolation)).toEqual({
    state: 'caught',
    proof: 'payment is refunded',
    counterexample: 'killed before: 1 !== 0',
  })
})

test.each([
  ['a test that failed for another reason', '', [failedTest('TypeError: x is not a function')]],
  ['a file that does not load', 'Error: Cannot find module ./a.js', []],
  ['a failure outside of the tests', '', []],
])('%s has caught nothing', (_case, message, assertionResults) => {
  const report = { testResults: [{ name: 'a.test.ts', message, assertionResults }] }
  expect(judgeFailure(report, findViolation).state).toBe('unfinished')
})

test('a run whose tests were all skipped has not passed', () => {
  const skipped = { status: 'skipped', fullName: 'payment is refunded', failureMessages: [] }
  const report = { testResults: [{ name: 'a.test.ts', message: '', assertionResults: [skipped] }] }
  expect(() => listPassed(report)).toThrow('The proof ran no test.')
})
