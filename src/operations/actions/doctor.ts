import type { Command } from 'commander'
import type { Terminal } from '../definitions/definition.js'
import type { CheckResult } from '../doctor/check-result.js'

/**
 * Exits with 1 when a check fails, so that a deployment can stop there. Opens the database itself:
 * whether that works is one of the checks.
 */
export function registerDoctor(
  program: Command,
  { print, paint }: Pick<Terminal, 'print' | 'paint'>,
  examine: () => Promise<CheckResult[]>,
): void {
  program
    .command('doctor')
    .description(
      'check configuration, database, clock, workers, rails and treasury, and suggest fixes',
    )
    .option('--json', 'print one line of JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const checks = await examine()
      const isHealthy = checks.every(({ state }) => state !== 'error')
      if (!isHealthy) process.exitCode = 1
      print(json ? JSON.stringify({ isHealthy, checks }) : describe(paint, checks, isHealthy))
    })
}

const marks = {
  ok: { sign: '✓', color: 'green' },
  warning: { sign: '!', color: 'yellow' },
  error: { sign: '✗', color: 'red' },
} as const

function describe(paint: Terminal['paint'], checks: CheckResult[], isHealthy: boolean): string {
  const width = Math.max(...checks.map(({ check }) => check.length))
  const lines = checks.flatMap(({ check, state, message, fix }) => [
    `${paint(marks[state].color, marks[state].sign)} ${check.padEnd(width)}  ${message}`,
    ...(fix ? [`  ${' '.repeat(width)}  ${paint('dim', '→')} ${fix}`] : []),
  ])
  const hasWarnings = checks.some(({ state }) => state === 'warning')
  const review = hasWarnings ? ' Review the warnings marked "!".' : ''
  const verdict = isHealthy
    ? `No problems found.${review}`
    : 'Problems found. Fix those marked "✗".'
  return [...lines, '', verdict].join('\n')
}
