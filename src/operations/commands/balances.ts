import { type Command, Option } from 'commander'
import type { Mode } from '../../base/environment.js'
import { listBalances } from '../../ledger/balances.js'
import { getEnvironment } from '../../merchants/environments.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import { type Asset, assetNames } from '../../money/assets.js'
import { creditBalance } from '../actions/credit-balance.js'
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
  const shown = formatMoney(amount, asset)
  const now = await run.confirm({
    mode,
    facts: [
      ['Credit', shown],
      ['Merchant', `${environment.merchantName}, ${args[0]}`],
      ['Note', note],
    ],
  })
  const credit = { environment, asset, amount, note, once: options.once }
  const { reference, available } = await db.transaction((tx) =>
    creditBalance(tx, now, credit, actor),
  )
  return {
    data: {
      mode,
      asset,
      note,
      amount: formatDecimal(amount, asset),
      reference,
      available: formatDecimal(available, asset),
    },
    text: `${reference}: credited ${shown}; ${formatMoney(available, asset)} available.`,
  }
}
