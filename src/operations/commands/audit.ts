import { type Command, Option } from 'commander'
import { listAuditLines } from '../../audit/find-lines.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { readCountArgument } from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTime, tableOf } from './table.js'

export function registerAudit(program: Command, context: OperateContext): void {
  const audit = program.command('audit').description('log of changes by operators')
  const list = audit
    .command('list')
    .description('list the latest changes')
    .addOption(
      new Option('--limit <count>', 'number of lines')
        .argParser(readCountArgument)
        .default(limits.operator.rowsListedDefault),
    )
  setOperation(list, context, listNewest)
}

async function listNewest({ db, options }: Run<{ limit: number }>): Promise<CommandOutput> {
  const lines = await listAuditLines(db, options.limit)
  const data = lines.map(({ merchantId, actor, action, details, createdAt, number }) => ({
    actor,
    action,
    details,
    createdAt,
    merchant: merchantId && toReference(prefixes.merchant, merchantId),
    number: Number(number),
  }))
  const rows = data.map((line) => [
    formatTime(line.createdAt),
    line.actor,
    line.action,
    line.merchant ?? '-',
    JSON.stringify(line.details),
  ])
  return { data, text: tableOf(['time', 'actor', 'action', 'merchant', 'details'], rows) }
}
