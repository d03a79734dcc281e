import { type Command, Option } from 'commander'
import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironment } from '../../merchants/environments.js'
import {
  type FeeOperation,
  feeOperationNames,
  feeOperations,
  getFeeSchedules,
} from '../../merchants/settings/fee-schedules.js'
import type { Asset } from '../../money/assets.js'
import type { FeeSchedule } from '../../money/fees.js'
import { changeFee, describeFee, showFee } from '../actions/change-fees.js'
import {
  collect,
  merchantArgument,
  modeOption,
  readAmountOrZero,
  readBasisPoints,
} from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { tableOf } from './table.js'

export function registerFees(program: Command, context: OperateContext): void {
  // The commands of the API have one of this name.
  const fees =
    program.commands.find((command) => command.name() === 'fees') ?? program.command('fees')
  fees.description('fees charged to a merchant')
  const show = fees
    .command('show')
    .description('show the current fees; version 0 is the default')
    .argument(...merchantArgument)
    .addOption(modeOption().makeOptionMandatory())
  setOperation(show, context, showAll)
  setOperation(describeSet(fees.command('set')), context, setOne)
}

function describeSet(command: Command): Command {
  const operation = new Option('--operation <operation>', 'operation to price')
  const points = new Option('--basis-points <points>', 'hundredths of a percent of the amount')
  const tier = new Option('--tier <upTo:flat:points>', 'different rate up to an amount; repeatable')
  return command
    .description(
      'replace the fee of one operation. Amounts are decimals in the main unit of the asset: ' +
        '--cap 2000 is ₦2,000.00, --flat 0.5 is 0.5 USDC. Omitted amounts are zero; without ' +
        '--cap there is no cap.',
    )
    .argument(...merchantArgument)
    .addOption(modeOption().makeOptionMandatory())
    .addOption(operation.choices(feeOperationNames).makeOptionMandatory())
    .option('--flat <amount>', 'flat part of the fee')
    .addOption(points.argParser(readBasisPoints))
    .option('--floor <amount>', 'minimum fee', '0')
    .option('--cap <amount>', 'maximum fee')
    .addOption(tier.argParser(collect((text) => text)))
}

async function showAll({ db, args, options }: Run<{ mode: Mode }>): Promise<CommandOutput> {
  const { id } = await getEnvironment(db, { merchant: args[0]!, mode: options.mode })
  const names = feeOperationNames.map((operation) => ({ environmentId: id, operation }))
  const fees = await getFeeSchedules(db, names)
  const shown = fees.map((fee, index) => showFee(feeOperationNames[index]!, fee))
  const rows = fees.map((fee, index) => {
    const operation = feeOperationNames[index]!
    const { flat, basisPoints, floor, cap, tiers } = describeFee(operation, fee)
    return [operation, `${fee.version}`, flat, `${basisPoints}`, floor, cap ?? '-', tiers.join(' ')]
  })
  const head = ['operation', 'version', 'flat', 'basis points', 'floor', 'cap', 'tiers']
  const amounts = ['flat', 'basis points', 'floor', 'cap']
  return { data: shown, text: tableOf(head, rows, { amounts }) }
}

type SetOptions = {
  mode: Mode
  operation: FeeOperation
  flat?: string
  basisPoints?: number
  floor: string
  cap?: string
  tier?: string[]
}

async function setOne({ db, now, actor, args, options }: Run<SetOptions>): Promise<CommandOutput> {
  const { mode, operation } = options
  if (options.flat === undefined && options.basisPoints === undefined)
    throw new Refusal('validation_failed', {
      message: 'Set --flat, --basis-points or both. For no fee, use --flat 0.',
    })
  const schedule = readSchedule(options, feeOperations[operation].unit)
  const environment = await getEnvironment(db, { merchant: args[0]!, mode })
  const change = { environment, operation, schedule }
  const fee = await db.transaction((tx) => changeFee(tx, now, change, actor))
  const { flat, basisPoints, floor, cap, tiers } = describeFee(operation, fee)
  const parts = [
    `flat ${flat}`,
    `${basisPoints} basis points`,
    `at least ${floor}`,
    cap === null ? 'no cap' : `at most ${cap}`,
    ...(tiers.length === 0 ? [] : [`tiers ${tiers.join(' ')}`]),
  ]
  const text = `New fee of ${operation}, version ${fee.version}: ${parts.join(', ')}.`
  return { data: showFee(operation, fee), text }
}

function readSchedule(options: SetOptions, unit: Asset): FeeSchedule {
  return {
    flat: readAmountOrZero(options.flat ?? '0', unit),
    basisPoints: options.basisPoints ?? 0,
    floor: readAmountOrZero(options.floor, unit),
    cap: options.cap === undefined ? null : readAmountOrZero(options.cap, unit),
    tiers: (options.tier ?? []).map((text) => readTier(text, unit)),
  }
}

function readTier(text: string, unit: Asset): FeeSchedule['tiers'][number] {
  const [, upTo = '', flat = '', points = ''] = /^([^:]+):([^:]+):(\d{1,5})$/.exec(text) ?? []
  if (!upTo)
    throw new Refusal('validation_failed', {
      message: `Tier "${text}" must have the form upTo:flat:points, such as 5000:10:0.`,
    })
  return {
    upTo: readAmountOrZero(upTo, unit),
    flat: readAmountOrZero(flat, unit),
    basisPoints: Number(points),
  }
}
