import { type Command, InvalidArgumentError } from 'commander'
import type { Database } from '../../postgres/database.js'
import {
  type Compared,
  type ReconcilableRails,
  type Reconciled,
  reconcile,
} from '../reconcile/reconcile.js'
import { type CommandOutput, type OperateContext, setOperation } from './operation.js'
import { formatTime } from './table.js'

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
      return show(context, await compared.finally(progress.end))
    }),
  )
}

function readSlot(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.')
  return BigInt(text)
}

/** Exits with 1 when anything differs, so that a scheduler can alert. */
function show({ paint }: OperateContext, results: Reconciled[]): CommandOutput {
  const isClean = results.every(({ differences }) => differences.length === 0)
  if (!isClean) process.exitCode = 1
  const lines = results.flatMap(({ rail, compared, differences }) => [
    `${differences.length === 0 ? paint('green', '✓') : paint('red', '✗')} ${rail}`,
    ...(compared ? [`    ${describePeriod(compared)}`, `    ${describeCounts(compared)}`] : []),
    ...differences.map(
      ({ kind, name, inBooks, atRail }) =>
        `  ${paint('red', '✗')} ${kind.replaceAll('_', ' ')}: ${name} (${rail})\n` +
        `      in the books: ${inBooks}\n      at the rail:  ${atRail}`,
    ),
  ])
  const verdict = isClean ? 'Books, chain and bank agree.' : 'Books, chain and bank differ.'
  return {
    data: { isClean, rails: results.map(showResult) },
    text: [...lines, '', verdict].join('\n'),
  }
}

/** In slots for a chain, else in time. */
function describePeriod({ from, to, slots }: Compared): string {
  if (slots) return `slots ${slots.first} to ${slots.last}`
  return `${from ? formatTime(from) : 'beginning'} to ${formatTime(to)}`
}

function describeCounts({ counts }: Compared): string {
  return Object.entries(counts)
    .map(([what, count]) => `${what}: ${count}`)
    .join(', ')
}

function showResult({ rail, compared, differences }: Reconciled) {
  const slots = compared?.slots
  return {
    rail,
    compared: compared && {
      from: compared.from,
      to: compared.to,
      slots: slots ? { first: String(slots.first), last: String(slots.last) } : null,
      counts: compared.counts,
    },
    differences,
  }
}
