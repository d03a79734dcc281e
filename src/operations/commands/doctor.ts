import type { Command } from 'commander'
import type { CheckResult } from '../doctor/finding.js'
import type { OperateContext } from './operation.js'

/** Exit code 1 when something is wrong, so that a deployment can stop there. */
export function registerDoctor(
  program: Command,
  { print }: Pick<OperateContext, 'print'>,
  examine: () => Promise<CheckResult[]>,
): void {
  program
    .command('doctor')
    .description(
      'check configuration, database, clock, workers, rails and treasury, and say what to do',
    )
    .option('--json', 'print one line of JSON, for machines')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine()
      const isWell = findings.every(({ state }) => state !== 'wrong')
      if (!isWell) process.exitCode = 1
      print(json ? JSON.stringify({ isWell, findings }) : describe(findings, isWell))
    })
}

const marks = { well: '✓', remark: '!', wrong: '✗' } as const

function describe(findings: CheckResult[], isWell: boolean): string {
  const width = Math.max(...findings.map(({ about }) => about.length))
  const lines = findings.flatMap(({ about, state, says, mend }) => [
    `${marks[state]} ${about.padEnd(width)}  ${says}`,
    ...(mend ? [`  ${' '.repeat(width)}  → ${mend}`] : []),
  ])
  const hasRemarks = findings.some(({ state }) => state === 'remark')
  const verdict = isWell
    ? 'Nothing is wrong.'
    : 'Something is wrong: ✗ says what, → how to mend it.'
  const more = isWell && hasRemarks ? ' What ! says is worth knowing.' : ''
  return [...lines, '', verdict + more].join('\n')
}
