import { type Command, Option } from 'commander'
import { type Mode, modes } from '../../base/environment.js'
import { inventoryOf } from '../../conversions/positions.js'
import { formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { SimulatedRates } from '../../rates/ports.js'
import { createRateBook } from '../../rates/rate-book.js'
import { addStock, checkStock, limitPosition, takeStock } from '../actions/change-exchange.js'
import { showExchange } from '../actions/show-exchange.js'
import { type ExchangeView, viewExchange } from '../actions/view-exchange.js'
import { modeOption, readAmountArgument, readAssetArgument, readNote } from './arguments.js'
import {
  type CommandOutput,
  type OperateContext,
  type Run,
  setOperation,
  yesFlag,
} from './operation.js'
import type { WithRails } from './reconcile.js'
import { tableOf } from './table.js'

const assetArgument = ['<asset>', 'NGN, USDC or USDT'] as const
const amountArgument = ['<amount>', '2000 or ₦2,000.00 for NGN; 25.5 for a coin'] as const

export function registerExchange(
  program: Command,
  context: OperateContext,
  { withRails, simulated }: { withRails: WithRails; simulated: SimulatedRates },
): void {
  const exchange = program
    .command('exchange')
    .description('your own money that conversions sell, and what they earned')
  const show = exchange
    .command('show')
    .description('show stock, what was bought and sold, limits, fees and profit')
    .addOption(modeOption())
  setOperation<{ mode?: Mode }>(show, context, (run) => showAll(run, context, simulated))
  const stock = (name: string, description: string) =>
    exchange
      .command(name)
      .description(description)
      .argument(...assetArgument, readAssetArgument)
      .argument(...amountArgument)
      .addOption(modeOption().default('live'))
      .addOption(
        new Option('--note <note>', 'where it comes from or goes, for the audit log')
          .argParser(readNote)
          .makeOptionMandatory(),
      )
      .option(...yesFlag)
  const add = stock('add', 'add money that you sent to the treasury or hold at the bank').option(
    '--once <reference>',
    'reference of your transfer; a second addition with it is refused',
  )
  setOperation<StockOptions>(add, context, (run) => addOne(run, withRails))
  setOperation<StockOptions>(stock('take', 'remove money that was not sold'), context, takeOne)
  const limit = exchange
    .command('limit')
    .description('refuse conversions that would increase a position beyond this amount')
    .argument(...assetArgument, readAssetArgument)
    .argument('<amount>', 'the most that you want to have, or none')
    .addOption(modeOption().default('live'))
  setOperation<{ mode: Mode }>(limit, context, limitOne)
}

async function showAll(
  { db, now, options }: Run<{ mode?: Mode }>,
  { clock }: OperateContext,
  simulated: SimulatedRates,
): Promise<CommandOutput> {
  const rates = createRateBook({ db, clock, simulated })
  const shown = options.mode ? [options.mode] : modes
  const views = await Promise.all(shown.map((mode) => viewExchange({ db, rates }, mode, now)))
  return {
    data: views.map(showExchange),
    text: views.flatMap((view, index) => [...(index === 0 ? [] : ['']), ...describe(view)]),
  }
}

function describe({ mode, positions, profit }: ExchangeView) {
  const amounts = ['stock', 'bought', 'sold', 'to sell', 'limit', 'fees']
  const rows = positions.map((one) => [
    one.asset,
    ...[one.stock, one.bought, one.sold, one.inventory].map((sum) => formatMoney(sum, one.asset)),
    one.ceiling === null ? 'none' : formatMoney(one.ceiling, one.asset),
    formatMoney(one.fees, one.asset),
  ])
  const earned = profit === null ? 'unknown: a coin has no rate' : formatMoney(profit, 'NGN')
  return [
    tableOf([mode, ...amounts], rows, { amounts }),
    `Profit in ${mode} mode, at the midpoint of the current rates: ${earned}`,
  ]
}

type StockOptions = { mode: Mode; note: string; once?: string }

function readOrder({ args: [name = '', text = ''], options }: Run<StockOptions>) {
  const asset = readAssetArgument(name)
  return { mode: options.mode, asset, amount: readAmountArgument(text, asset), note: options.note }
}

async function addOne(run: Run<StockOptions>, withRails: WithRails): Promise<CommandOutput> {
  const { db, actor } = run
  const order = { ...readOrder(run), once: run.options.once }
  const { mode, asset, amount, note } = order
  const checked =
    asset === 'NGN'
      ? await checkStock(db, order, undefined)
      : await withRails(db, ({ solana }) => checkStock(db, order, solana[mode]))
  const now = await run.confirm({
    mode,
    facts: [
      ['Add', formatMoney(amount, asset)],
      ['Note', note],
    ],
  })
  const position = await db.transaction((tx) => addStock(tx, now, { ...order, checked }, actor))
  return showChange('added', { ...order, inventory: inventoryOf(position) })
}

async function takeOne(run: Run<StockOptions>): Promise<CommandOutput> {
  const { db, actor } = run
  const order = readOrder(run)
  const { mode, asset, amount, note } = order
  const now = await run.confirm({
    mode,
    facts: [
      ['Take', formatMoney(amount, asset)],
      ['Note', note],
    ],
  })
  const position = await db.transaction((tx) => takeStock(tx, now, order, actor))
  return showChange('took', { ...order, inventory: inventoryOf(position) })
}

function showChange(
  verb: string,
  {
    mode,
    asset,
    amount,
    inventory,
  }: { mode: Mode; asset: Asset; amount: bigint; inventory: bigint },
): CommandOutput {
  const [size, toSell] = [amount, inventory].map((sum) => formatMoney(sum, asset))
  return {
    data: { mode, asset, amount: size, inventory: toSell },
    text: `${mode}: ${verb} ${size}; ${toSell} to sell.`,
  }
}

async function limitOne(run: Run<{ mode: Mode }>): Promise<CommandOutput> {
  const [name = '', text = ''] = run.args
  const { mode } = run.options
  const asset = readAssetArgument(name)
  const ceiling = text === 'none' ? null : readAmountArgument(text, asset)
  await run.db.transaction((tx) => limitPosition(tx, run.now, { mode, asset, ceiling }, run.actor))
  const limit = ceiling === null ? 'none' : formatMoney(ceiling, asset)
  return { data: { mode, asset, limit }, text: `${mode}: the limit of ${asset} is ${limit}.` }
}
