import type { Command } from 'commander'
import { prefixes, toReference } from '../../base/ids.js'
import { listSettlementSchedules } from '../../merchants/settings/settlement-schedule.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTime, tableOf } from './table.js'

export function registerSettlements(program: Command, context: OperateContext): void {
  // The API client has a command of this name too.
  const settlements =
    program.commands.find((command) => command.name() === 'settlements') ??
    program.command('settlements')
  settlements.description('payouts of available naira to the primary bank account of a merchant')
  const scheduled = settlements
    .command('scheduled')
    .description('list the next settlement of every merchant, and why the last one paid nothing')
  setOperation(scheduled, context, listScheduled)
}

async function listScheduled({ db }: Run<object>): Promise<CommandOutput> {
  const data = (await listSettlementSchedules(db)).map(({ merchantId, ...schedule }) => ({
    merchant: toReference(prefixes.merchant, merchantId),
    ...schedule,
  }))
  const rows = data.map(({ merchant, mode, scheduledFor, dueAt, lastRefusal, isSuspended }) => [
    merchant,
    mode,
    formatTime(scheduledFor),
    formatTime(dueAt),
    isSuspended ? 'The merchant is suspended.' : (lastRefusal ?? '-'),
  ])
  // The test clock of an environment can be ahead.
  const head = ['merchant', 'mode', 'for (environment time)', 'due (real time)', 'refused because']
  return { data, text: tableOf(head, rows) }
}
