import { type Command, InvalidArgumentError, Option } from 'commander'
import { limits } from '../../base/limits.js'
import type { RateConfig } from '../../base/rate-sources.js'
import { Refusal } from '../../base/refusal.js'
import type { Coin } from '../../money/assets.js'
import { formatRate } from '../../money/rates.js'
import { formatPair } from '../../rates/combine-readings.js'
import { listRates } from '../../rates/store-rates.js'
import { type RateView, viewRates } from '../../rates/view-rates.js'
import {
  acceptRate,
  clearRate,
  compareRate,
  describeNoMedian,
  setRate,
} from '../actions/change-rates.js'
import { showRateView } from '../actions/show-rates.js'
import { readCoinArgument, readCountArgument, readDuration, readRateArgument } from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTime, tableOf } from './table.js'

/** The sources and bounds of the service's configuration. */
export type ReadRateConfig = () => RateConfig

const coinArgument = ['<coin>', 'USDC or USDT; also as USDC/NGN'] as const

export function registerRates(
  program: Command,
  context: OperateContext,
  readConfig: ReadRateConfig,
): void {
  // The API client has a command of this name too.
  const rates =
    program.commands.find((command) => command.name() === 'rates') ?? program.command('rates')
  rates.description('naira for one coin')
  const show = rates.command('show').description('show the live rates and their sources')
  setOperation(show, context, (run) => showAll(run, readConfig()))
  const set = describeSet(rates.command('set'))
  setOperation<SetOptions>(set, context, setOne)
  const clear = rates
    .command('clear')
    .description('withdraw the rate that an operator set; the sources apply again')
    .argument(...coinArgument, readCoinArgument)
  setOperation(clear, context, clearOne)
  const accept = rates
    .command('accept')
    .description('accept the median of the sources although it jumped')
    .argument(...coinArgument, readCoinArgument)
    .option('--yes', 'do not ask')
  setOperation(accept, context, (run) => acceptOne(run, readConfig()))
  const history = rates
    .command('history')
    .description('list rates, newest first')
    .argument(...coinArgument, readCoinArgument)
    .addOption(
      new Option('--limit <count>', 'number of rates')
        .argParser(readCountArgument)
        .default(limits.operator.rowsListedDefault),
    )
  setOperation<{ limit: number }>(history, context, listOne)
}

function describeSet(command: Command): Command {
  const rateOption = (name: string, description: string) =>
    new Option(`--${name} <naira>`, description).argParser(readRateArgument).makeOptionMandatory()
  return command
    .description('set the live rate of a coin; it overrides the sources')
    .argument(...coinArgument, readCoinArgument)
    .addOption(rateOption('buy', 'naira that a merchant gets for one coin'))
    .addOption(rateOption('sell', 'naira that a merchant pays for one coin'))
    .option(
      '--for <duration>',
      'how long it is valid, such as 24h; without it, until cleared',
      readHeld,
    )
    .option('--yes', 'do not ask if it is the first rate or differs much from the previous one')
}

function readHeld(text: string): number {
  const heldMs = readDuration(text)
  if (heldMs > 0 && heldMs <= limits.rates.heldMaxMs) return heldMs
  throw new InvalidArgumentError('Must be positive and at most 365d.')
}

/** Commander passes parsed values only to its own actions. */
const coinOf = ({ args: [coin = ''] }: Run<object>): Coin => readCoinArgument(coin)

async function showAll({ db, now }: Run<object>, config: RateConfig): Promise<CommandOutput> {
  const views = await viewRates({ db, config }, now)
  const rates = views.map((view) => [
    view.asset,
    view.rate ? formatRate(view.rate.buy) : '-',
    view.rate ? formatRate(view.rate.sell) : '-',
    view.rate ? `${view.rate.origin}: ${view.rate.givenBy}` : 'no rate',
    view.rate ? describeAge(view.rate.createdAt, now) : '-',
    view.rate?.expiresAt ? formatTime(view.rate.expiresAt) : '-',
  ])
  const amounts = ['buy', 'sell']
  const sources = views.flatMap((view) => view.sources.map((one) => [view.asset, one] as const))
  const rows = sources.map(([asset, { source, buy, sell, readAt, problem }]) => [
    asset,
    source,
    buy === null ? '-' : formatRate(buy),
    sell === null ? '-' : formatRate(sell),
    readAt ? describeAge(readAt, now) : '-',
    problem ?? 'used',
  ])
  const empty = 'No sources are configured (RATE_SOURCES).'
  return {
    data: views.map(showRateView),
    text: [
      tableOf(['coin', ...amounts, 'from', 'age', 'until'], rates, { amounts }),
      '',
      tableOf(['coin', 'source', ...amounts, 'read', 'state'], rows, { amounts, empty }),
      ...views.flatMap(describeAccept),
    ],
  }
}

/** How to accept a jump that is real, or why nothing can be accepted. */
function describeAccept(view: RateView): string[] {
  const { asset, median, isDisputed, sources } = view
  if (isDisputed) return ['', describeNoMedian(view)]
  if (!median || sources.some(({ problem }) => problem === null)) return []
  return [
    '',
    `The median of the sources of ${asset} is ${formatPair(median)}. To accept it: manilla rates accept ${asset}`,
  ]
}

function describeAge(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`
}

type SetOptions = { buy: bigint; sell: bigint; for?: number }

async function setOne(run: Run<SetOptions>): Promise<CommandOutput> {
  const { db, actor, options } = run
  const asset = coinOf(run)
  const { buy, sell, for: heldMs } = options
  if (sell < buy)
    throw new Refusal('validation_failed', { message: '--sell must be at least --buy.' })
  const { isFar, previous } = await compareRate(db, run.now, { asset, buy, sell })
  const now = isFar
    ? await run.confirm({
        mode: 'live',
        facts: [
          ['Rate', `${asset} at ${formatPair({ buy, sell })}`],
          ['Previous', previous ? formatPair(previous) : 'no rate'],
        ],
      })
    : run.now
  const order = { asset, buy, sell, heldMs, isConfirmed: true }
  const { expiresAt } = await db.transaction((tx) => setRate(tx, now, order, actor))
  const until = expiresAt ? ` until ${formatTime(expiresAt)}` : ''
  return {
    data: { asset, buy: formatRate(buy), sell: formatRate(sell), expiresAt },
    text: `${asset}: ${formatPair({ buy, sell })}${until}.`,
  }
}

async function clearOne(run: Run<object>): Promise<CommandOutput> {
  const asset = coinOf(run)
  await run.db.transaction((tx) => clearRate(tx, run.now, asset, run.actor))
  return { data: { asset }, text: `${asset}: withdrawn. The sources apply, if any are configured.` }
}

async function acceptOne(run: Run<object>, config: RateConfig): Promise<CommandOutput> {
  const { db, actor } = run
  const asset = coinOf(run)
  const view = (await viewRates({ db, config }, run.now)).find((one) => one.asset === asset)!
  const seen = view.median
  if (!seen) throw new Refusal('validation_failed', { message: describeNoMedian(view) })
  const now = await run.confirm({
    mode: 'live',
    facts: [
      ['Rate', `${asset} at ${formatPair(seen)}`],
      ['Previous', view.rate ? formatPair(view.rate) : 'no rate'],
    ],
  })
  const accepted = await db.transaction((tx) => acceptRate(tx, now, { asset, seen, config }, actor))
  return {
    data: { asset, buy: formatRate(accepted.buy), sell: formatRate(accepted.sell) },
    text: `${asset}: ${formatPair(accepted)}. The sources are compared with it from now on.`,
  }
}

async function listOne(run: Run<{ limit: number }>): Promise<CommandOutput> {
  const rates = await listRates(run.db, { asset: coinOf(run), limit: run.options.limit })
  const data = rates.map(({ buy, sell, origin, givenBy, createdAt, expiresAt, withdrawnAt }) => ({
    buy: formatRate(buy),
    sell: formatRate(sell),
    origin,
    givenBy,
    createdAt,
    expiresAt,
    withdrawnAt,
  }))
  const rows = data.map(({ buy, sell, origin, givenBy, createdAt, expiresAt, withdrawnAt }) => [
    formatTime(createdAt),
    buy,
    sell,
    `${origin}: ${givenBy}`,
    formatTime(withdrawnAt ?? expiresAt),
  ])
  const amounts = ['buy', 'sell']
  const head = ['since', ...amounts, 'from', 'until']
  return { data, text: tableOf(head, rows, { amounts, empty: 'No rates yet.' }) }
}
