import type { Command } from 'commander'
import type { Database } from '../../postgres/database.js'
import { allProofs, verifyLedger } from '../verify-ledger.js'
import { type CommandOutput, type OperateContext, setOperation } from './operation.js'

export function registerVerifyLedger(program: Command, context: OperateContext): void {
  const command = program
    .command('verify-ledger')
    .description('prove the books right: every claim is checked against every row')
  setOperation(command, context, ({ db }) => verify(db, context))
}

/** Exit code 1 when a claim does not hold, so that a scheduler can raise the alarm. */
async function verify(db: Database, { startProgress }: OperateContext): Promise<CommandOutput> {
  const progress = startProgress('Checking every claim against every row', allProofs.length)
  const findings = await verifyLedger(db, allProofs, progress.step).finally(progress.end)
  const isClean = findings.every(({ counterexamples }) => counterexamples.length === 0)
  if (!isClean) process.exitCode = 1
  const lines = findings.flatMap(({ claim, counterexamples }) => [
    `${counterexamples.length === 0 ? '✓' : '✗'} ${claim}`,
    ...counterexamples.map((row) => `    ${toText(row)}`),
  ])
  const verdict = isClean ? 'The books are right.' : 'THE BOOKS ARE WRONG. Stop payouts and look.'
  return {
    data: { isClean, findings: JSON.parse(toText(findings)) },
    text: [...lines, '', verdict].join('\n'),
  }
}

function toText(value: unknown): string {
  return JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? `${field}` : field))
}
