import type { Command } from 'commander'
import type { Database } from '../../postgres/database.js'
import { allProofs, verifyLedger } from '../proofs/verify-ledger.js'
import { type CommandOutput, type OperateContext, setOperation } from './operation.js'

export function registerVerifyLedger(program: Command, context: OperateContext): void {
  const command = program
    .command('verify-ledger')
    .description('check every ledger invariant against every row')
  setOperation(command, context, ({ db }) => verify(db, context))
}

/** Exits with 1 when an invariant is violated, so that a scheduler can alert. */
async function verify(
  db: Database,
  { startProgress, paint }: OperateContext,
): Promise<CommandOutput> {
  const progress = startProgress('Checking every claim against every row', allProofs.length)
  const results = await verifyLedger(db, allProofs, { onChecked: progress.step }).finally(
    progress.end,
  )
  const isClean = results.every(({ counterexamples }) => counterexamples.length === 0)
  if (!isClean) process.exitCode = 1
  const lines = results.flatMap(({ claim, counterexamples }) => [
    `${counterexamples.length === 0 ? paint('green', '✓') : paint('red', '✗')} ${claim}`,
    ...counterexamples.map((row) => `    ${toText(row)}`),
  ])
  const verdict = isClean
    ? 'The ledger is consistent.'
    : 'THE LEDGER IS INCONSISTENT. Stop payouts and investigate.'
  return {
    data: { isClean, findings: JSON.parse(toText(results)) },
    text: [...lines, '', verdict].join('\n'),
  }
}

function toText(value: unknown): string {
  return JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? `${field}` : field))
}
