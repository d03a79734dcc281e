import { type Command, InvalidArgumentError } from 'commander'
import type { Database } from '../../postgres/database.js'
import { type ReconcilableRails, type Reconciled, reconcile } from '../reconcile.js'
import { type CommandOutput, type OperateContext, setOperation } from './operation.js'

/** Opens the rails for the duration of `work`. */
export type WithRails = <Result>(
  db: Database,
  work: (rails: ReconcilableRails) => Promise<Result>,
) => Promise<Result>

export function registerReconcile(
  program: Command,
  context: OperateContext,
  withRails: WithRails,
): void {
  const command = program
    .command('reconcile')
    .description('compare the books with the chain and the bank')
    .option('--since-slot <slot>', 'compare only chain transactions since this slot', readSlot)
  setOperation<{ sinceSlot?: bigint }>(command, context, ({ db, now, options }) =>
    withRails(db, async (rails) => {
      const progress = context.startProgress('Comparing the books with chain and bank')
      const compared = reconcile({ db, rails }, now, options.sinceSlot)
      return show(await compared.finally(progress.end))
    }),
  )
}

function readSlot(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.')
  return BigInt(text)
}

/** Exits with 1 when anything differs, so that a scheduler can alert. */
function show(results: Reconciled[]): CommandOutput {
  const isClean = results.every(({ differences }) => differences.length === 0)
  if (!isClean) process.exitCode = 1
  const lines = results.flatMap(({ rail, differences }) =>
    differences.map(
      ({ kind, name, inBooks, atRail }) =>
        `✗ ${kind.replaceAll('_', ' ')}: ${name} (${rail})\n` +
        `    in the books: ${inBooks}\n    at the rail:  ${atRail}`,
    ),
  )
  const rails = results.map(({ rail, differences }) => ({ rail, differences }))
  return {
    data: { isClean, rails },
    text: isClean ? 'Books, chain and bank agree.' : lines.join('\n'),
  }
}
