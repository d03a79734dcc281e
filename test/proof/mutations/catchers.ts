import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { violationMark } from '../matrix/violation.js'
import type { MatrixPaths } from './breakage.js'

/** A proof that should notice a breakage: test files, and the environment that scales them. */
export type Catcher = {
  name: string
  tests: (paths: MatrixPaths) => string[]
  variables: (paths: MatrixPaths) => Record<string, string>
  /** Runs what a quicker catcher runs, and more. */
  isSlow?: boolean
  /** The violation that a failed test is about, if it did not fail for another reason. */
  findViolation: (message: string, folder: string) => string | undefined
}

const simulationFile = 'simulated-world.json'

const matrixTests = ({ of }: MatrixPaths) => of.map((file) => `test/proof/matrix/${file}.test.ts`)

function findMarked(message: string): string | undefined {
  const [, violation] = message.split(violationMark)
  return violation
}

/** The simulator writes its violations to a file, and an error of its own among them. */
function findSimulated(_message: string, folder: string): string | undefined {
  const file = path.join(folder, simulationFile)
  if (!existsSync(file)) return undefined
  const { violations } = JSON.parse(readFileSync(file, 'utf8')) as { violations: string[] }
  return violations.find((violation) => !violation.startsWith('the simulation failed'))
}

/**
 * The first runs each path without a fault and with one: most breakages do not need more. The
 * second tries all faults, in a random order, until one has an effect.
 */
export const catchers: Catcher[] = [
  {
    name: 'matrix, sample',
    tests: matrixTests,
    variables: ({ named }) => ({ PROOF_PATHS: named.join(','), PROOF_CASES: '1' }),
    findViolation: findMarked,
  },
  {
    name: 'matrix',
    tests: matrixTests,
    variables: ({ named }) => ({
      PROOF_PATHS: named.join(','),
      PROOF_CASES: 'all',
      PROOF_FIRST: '1',
    }),
    isSlow: true,
    findViolation: findMarked,
  },
  {
    name: 'simulator',
    tests: () => ['test/proof/simulator/simulate-long.test.ts'],
    variables: () => ({
      LONG_RUN: '1',
      SIMULATE_RESULT: simulationFile,
      SIMULATE_OPERATIONS: '2000',
      SIMULATE_SEED: '35',
      SIMULATE_WORLD: '0',
      SIMULATE_SHRINK_MINUTES: '0',
    }),
    findViolation: findSimulated,
  },
]

/** `file` is without its folder and ending. */
export type PassedTest = { file: string; name: string }

/** `proof` is the failing case, `counterexample` the first violation. */
export type Finding =
  | { state: 'passed'; tests: PassedTest[] }
  | { state: 'caught'; proof: string; counterexample: string }
  /** Says nothing: its time was over, or it failed for another reason than a violation. */
  | { state: 'unfinished'; reason: string }

type Report = {
  testResults: {
    name: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** Runs a catcher in a folder, until the first failure. */
export async function runCatcher(
  folder: string,
  catcher: Catcher,
  { paths, timeoutMs }: { paths: MatrixPaths; timeoutMs: number },
): Promise<Finding> {
  const { tests, variables } = catcher
  const reportFile = path.join(folder, 'mutations-report.json')
  for (const file of [reportFile, path.join(folder, simulationFile)]) rmSync(file, { force: true })
  const vitest = path.join(folder, 'node_modules/vitest/vitest.mjs')
  const reporting = ['--bail=1', '--reporter=json', `--outputFile=${reportFile}`]
  // A slow machine is no violation: only the limit of the whole run ends a test.
  const timeouts = [`--testTimeout=${timeoutMs * 2}`, `--hookTimeout=${timeoutMs * 2}`]
  const words = ['run', ...tests(paths), ...reporting, ...timeouts]
  const child = spawn(process.execPath, [vitest, ...words], {
    cwd: folder,
    env: { ...process.env, ...variables(paths) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = Promise.all([readText(child.stdout), readText(child.stderr)])
  const kill = () => child.kill('SIGKILL')
  const timer = setTimeout(kill, timeoutMs)
  process.prependOnceListener('exit', kill)
  const [code, signal] = await once(child, 'exit')
  process.off('exit', kill)
  clearTimeout(timer)
  if (signal) return { state: 'unfinished', reason: `ended by ${signal}` }
  if (!existsSync(reportFile)) return { state: 'unfinished', reason: summarizeEnd(await output) }
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  if (code === 0) return { state: 'passed', tests: listPassed(report) }
  return judgeFailure(report, (message) => catcher.findViolation(message, folder))
}

/** A run whose tests were all left out has shown nothing. */
export function listPassed({ testResults }: Report): PassedTest[] {
  const passed = testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed')
      .map(({ fullName }) => ({ file: path.basename(file, '.test.ts'), name: fullName })),
  )
  if (passed.length === 0) throw new Error('The proof ran no test.')
  return passed
}

/**
 * Only a test that failed with a violation has caught something: not a file that does not load, a
 * hook, or an error in the proof itself.
 */
export function judgeFailure(
  { testResults }: Report,
  findViolation: (message: string) => string | undefined,
): Finding {
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages: [message = ''] }) => ({ fullName, message }))
  for (const { fullName, message } of failed) {
    const violation = findViolation(message)
    if (violation) return { state: 'caught', proof: fullName, counterexample: summarize(violation) }
  }
  const [other] = [
    ...failed.map(({ message }) => message),
    ...testResults.map(({ message }) => message).filter(Boolean),
    'failed outside of the tests',
  ]
  return { state: 'unfinished', reason: summarize(other!) }
}

const summaryLengthMax = 300

/** The message in one line, without the stack. */
function summarize(message: string): string {
  const [text = ''] = message.replace(/^\w*Error( \[\w+\])?: /, '').split(/\n {4}at /)
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, summaryLengthMax)
}

function summarizeEnd(output: string[]): string {
  return output.join('').replaceAll(/\s+/g, ' ').trim().slice(-summaryLengthMax)
}
