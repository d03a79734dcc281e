import type { Command } from 'commander'
import { Refusal } from '../../base/refusal.js'
import { listPausedRails } from '../../payouts/requests/paused-rails.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { changeRailPause } from '../actions/pause-rail.js'
import { reasonOption } from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTime, tableOf } from './table.js'

export function registerRails(program: Command, context: OperateContext): void {
  const rails = program.command('rails').description('banks and chains that pay out')
  const paused = rails.command('paused').description('list rails that take no new payouts')
  setOperation(paused, context, listAll)
  const pause = rails
    .command('pause')
    .description('refuse new payouts on a rail and send nothing; what was sent is still polled')
    .argument('<rail>', 'name of the rail, as `reconcile` prints it')
    .addOption(reasonOption())
  setOperation(pause, context, (run: Run<{ reason: string }>) => changeOne(run, true))
  const resume = rails
    .command('resume')
    .description('send payouts on a rail again')
    .argument('<rail>', 'name of the rail')
    .addOption(reasonOption())
  setOperation(resume, context, (run: Run<{ reason: string }>) => changeOne(run, false))
}

async function listAll({ db }: Run<object>): Promise<CommandOutput> {
  const data = await listPausedRails(db)
  const rows = data.map(({ rail, reason, pausedBy, pausedAt }) => [
    rail,
    reason,
    pausedBy,
    formatTime(pausedAt),
  ])
  const head = ['rail', 'reason', 'by', 'since']
  return { data, text: tableOf(head, rows, { empty: 'No rail is paused.' }) }
}

async function changeOne(
  { db, now, actor, args: [rail = ''], options: { reason } }: Run<{ reason: string }>,
  isPaused: boolean,
): Promise<CommandOutput> {
  if (isPaused) await refuseUnknown(db, rail)
  await db.transaction((tx) => changeRailPause(tx, now, { rail, isPaused, reason }, actor))
  return { data: { rail, isPaused }, text: `${rail} is ${isPaused ? 'paused' : 'resumed'}.` }
}

/** A mistyped name would pause nothing. Every rail that workers serve is compared by them. */
async function refuseUnknown(db: Database, rail: string): Promise<void> {
  const rows = await db.rows(sql<{ rail: string }>`
    select rail from reconciliations where rail not like '% deposits' order by rail`)
  if (rows.some((row) => row.rail === rail)) return
  const known = rows.map((row) => row.rail).join(', ') || 'none'
  throw new Refusal('not_found', { message: `No rail ${rail} is known. Known: ${known}.` })
}
