import { createHash } from 'node:crypto'
import { type Command, Option } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { newId, prefixes, toReference, toUuid } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { listBalances } from '../../ledger/balances.js'
import { fundAll } from '../../ledger/fund.js'
import { getEnvironment } from '../../merchants/environments.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import { type Asset, assetNames } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/tx.js'
import { merchantArgument, modeOption, readAmountArgument, readNote } from './arguments.js'
import {
  type CommandOutput,
  type OperateContext,
  type Run,
  setOperation,
  yesFlag,
} from './operation.js'
import { tableOf } from './table.js'

export function registerBalances(program: Command, context: OperateContext): void {
  // The API client has a command of this name too.
  const balances =
    program.commands.find((command) => command.name() === 'balances') ?? program.command('balances')
  balances.description("a merchant's balances")
  const show = balances
    .command('show')
    .description('show available, held (open payouts) and pending (not accepted yet) money')
    .argument(...merchantArgument)
    .addOption(modeOption().makeOptionMandatory())
  setOperation(show, context, showAll)
  setOperation(describeCredit(balances.command('credit')), context, creditOne)
}

function describeCredit(command: Command): Command {
  const asset = new Option('--asset <asset>', 'asset to credit').choices(assetNames)
  const amount = new Option('--amount <amount>', '2000 or ₦2,000.00 for NGN; 25.5 for a coin')
  const note = new Option('--note <note>', 'reason, for the audit log').argParser(readNote)
  return command
    .description('credit money that you received outside of the rails')
    .argument(...merchantArgument)
    .addOption(modeOption().makeOptionMandatory())
    .addOption(asset.makeOptionMandatory())
    .addOption(amount.makeOptionMandatory())
    .addOption(note.makeOptionMandatory())
    .option('--once <reference>', "the bank's reference; a second credit with it is refused")
    .option(...yesFlag)
}

async function showAll({ db, args, options }: Run<{ mode: Mode }>): Promise<CommandOutput> {
  const { id } = await getEnvironment(db, { merchant: args[0]!, mode: options.mode })
  const balances = await listBalances(db, id)
  const data = balances.map(({ asset, available, held, pending }) => ({
    asset,
    available: formatDecimal(available, asset),
    held: formatDecimal(held, asset),
    pending: formatDecimal(pending, asset),
  }))
  const rows = balances.map(({ asset, ...one }) => [
    asset,
    ...[one.available, one.held, one.pending].map((amount) => formatMoney(amount, asset)),
  ])
  const amounts = ['available', 'held', 'pending']
  return { data, text: tableOf(['asset', ...amounts], rows, { amounts }) }
}

type CreditOptions = { mode: Mode; asset: Asset; amount: string; note: string; once?: string }

async function creditOne(run: Run<CreditOptions>): Promise<CommandOutput> {
  const { db, actor, args, options } = run
  const { mode, asset, note } = options
  const amount = readAmountArgument(options.amount, asset)
  const environment = await getEnvironment(db, { merchant: args[0]!, mode })
  const { id: environmentId, merchantId } = environment
  const shown = formatMoney(amount, asset)
  const now = await run.confirm({
    mode,
    facts: [
      ['Credit', shown],
      ['Merchant', `${environment.merchantName}, ${args[0]}`],
      ['Note', note],
    ],
  })
  const id = options.once === undefined ? newId(now) : toCauseId(options.once)
  const reference = toReference(prefixes.credit, id)
  const details = { mode, asset, note, amount: shown, reference }
  const available = await db.transaction(async (tx) => {
    const funding = { id, environmentId, asset, amount, purpose: 'operator_credit' } as const
    await refuseDuplicate(tx, environmentId, id)
    const [outcome] = await fundAll(tx, now, [funding])
    if (outcome instanceof Refusal) throw outcome
    writeAuditLine(tx, now, { actor, action: 'balance.credit', merchantId, environmentId, details })
    return outcome!.entries[0]!.availableAfter!
  })
  return {
    data: {
      ...details,
      amount: formatDecimal(amount, asset),
      available: formatDecimal(available, asset),
    },
    text: `${reference}: credited ${shown}; ${formatMoney(available, asset)} available.`,
  }
}

/** The same reference gives the same cause, and the primary key lets a cause move money once. */
function toCauseId(reference: string): string {
  return toUuid(createHash('sha256').update(`credit/${reference}`).digest('hex').slice(0, 32))
}

async function refuseDuplicate(tx: Tx, environmentId: EnvironmentId, id: string): Promise<void> {
  const [earlier] = await tx.rows(sql`
    select from ledger_transfers where environment_id = ${environmentId} and cause_id = ${id}`)
  if (earlier)
    throw new Refusal('validation_failed', {
      message: 'A credit with this reference already exists. Nothing was changed.',
    })
}
