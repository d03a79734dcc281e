import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { text as readText } from 'node:stream/consumers'
import type { MatrixPaths } from './breakage.js'

/** A proof that should notice a breakage: test files, and the environment that scales them. */
export type Catcher = {
  name: string
  tests: (paths: MatrixPaths) => string[]
  variables: (paths: MatrixPaths) => Record<string, string>
  /** Runs what a quicker catcher runs, and more. */
  isSlow?: boolean
  /** A file with what it found, where the message of the failed test does not say it. */
  violationsFile?: string
}

const matrixTests = ({ of }: MatrixPaths) => of.map((file) => `test/proof/matrix/${file}.test.ts`)

/**
 * The first runs each path without a fault and with one: most breakages do not need more. The
 * second tries all faults, in a random order, until one has an effect.
 */
export const catchers: Catcher[] = [
  {
    name: 'matrix, sample',
    tests: matrixTests,
    variables: ({ named }) => ({ PROOF_PATHS: named.join(','), PROOF_CASES: '1' }),
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
  },
  {
    name: 'simulator',
    tests: () => ['test/proof/simulator/simulate-long.test.ts'],
    variables: () => ({
      LONG_RUN: '1',
      SIMULATE_OPERATIONS: '2000',
      SIMULATE_SEED: '35',
      SIMULATE_SHRINK_MINUTES: '0',
    }),
    violationsFile: 'bench/results/proof-simulate.json',
  },
]

/** `proof` is the failing case, `counterexample` the first violation. */
type Caught = { state: 'caught'; proof: string; counterexample: string }

export type Finding =
  | { state: 'passed'; tests: string[] }
  | Caught
  /** Neither passed nor failed, such as within its time. */
  | { state: 'unfinished'; output: string }

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
  { tests, variables, violationsFile }: Catcher,
  { paths, timeoutMs }: { paths: MatrixPaths; timeoutMs: number },
): Promise<Finding> {
  const reportFile = path.join(folder, 'mutations-report.json')
  rmSync(reportFile, { force: true })
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
  const [code] = await once(child, 'exit')
  process.off('exit', kill)
  clearTimeout(timer)
  if (code === 0) return { state: 'passed', tests: listPassed(readReport(reportFile)) }
  const failure = existsSync(reportFile) ? findFailure(readReport(reportFile)) : undefined
  const violation = violationsFile && readViolation(path.join(folder, violationsFile))
  if (failure && violation) return { ...failure, counterexample: summarize(violation) }
  return failure ?? { state: 'unfinished', output: (await output).join('').slice(-2_000) }
}

function readViolation(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  const { violations } = JSON.parse(readFileSync(file, 'utf8')) as { violations: string[] }
  rmSync(file)
  return violations[0]
}

function readReport(file: string): Report {
  return JSON.parse(readFileSync(file, 'utf8')) as Report
}

function listPassed({ testResults }: Report): string[] {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed')
    .map(({ fullName }) => fullName)
}

function findFailure({ testResults }: Report): Caught | undefined {
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed) {
      const counterexample = summarize(failed.failureMessages[0] ?? '')
      return { state: 'caught', proof: failed.fullName, counterexample }
    }
    if (message) return { state: 'caught', proof: name, counterexample: summarize(message) }
  }
  return undefined
}

const summaryLengthMax = 300

/** The message in one line, without the stack. */
function summarize(message: string): string {
  const [text = ''] = message.replace(/^\w*Error( \[\w+\])?: /, '').split(/\n {4}at /)
  return text.replaceAll(/\s+/g, ' ').slice(0, summaryLengthMax)
}
