import { type Command, Option } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import { providers } from '../../base/config.js'
import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironment, lockEnvironment } from '../../merchants/environments.js'
import { type BankBinding, bindBanks } from '../../merchants/settings/bind-banks.js'
import { merchantArgument, modeOption } from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'

const configured = 'configured'

/** `merchants bind` and `merchants banks`. */
export function addBankCommands(merchants: Command, context: OperateContext): void {
  const bind = merchants
    .command('bind')
    .description('choose the banks of a merchant for new accounts and payouts')
    .argument(...merchantArgument)
    .addOption(modeOption().default('live'))
    .addOption(bankOption('--collect <bank>', 'bank that opens accounts and receives payments'))
    .addOption(bankOption('--payout <bank>', 'bank that pays out'))
  setOperation(bind, context, bindOne)
  const show = merchants
    .command('banks')
    .description('show the banks that were chosen for a merchant')
    .argument(...merchantArgument)
    .addOption(modeOption().default('live'))
  setOperation(show, context, showOne)
}

function bankOption(flags: string, description: string): Option {
  const choices = [configured, 'sandbox-bank', ...providers]
  return new Option(flags, `${description}; "${configured}" follows the configuration`).choices(
    choices,
  )
}

type BindOptions = { mode: Mode; collect?: string; payout?: string }

async function bindOne(run: Run<BindOptions>): Promise<CommandOutput> {
  const { db, now, actor, args, options } = run
  const { mode } = options
  if (mode === 'live' && [options.collect, options.payout].includes('sandbox-bank'))
    throw new Refusal('validation_failed', { message: 'The sandbox bank is for test mode only.' })
  const name = { merchant: args[0]!, mode }
  const { id, merchantId } = await getEnvironment(db, name)
  const binding = await db.transaction(async (tx) => {
    await lockEnvironment(tx, id)
    // Read under the lock: another command may change the other half.
    const before = await getEnvironment(tx, name)
    const changed = {
      collectBank: chooseBank(options.collect, before.collectBank),
      payoutBank: chooseBank(options.payout, before.payoutBank),
    }
    bindBanks(tx, id, changed)
    writeAuditLine(tx, now, {
      actor,
      action: 'banks.bind',
      merchantId,
      environmentId: id,
      details: { mode, collectBank: changed.collectBank, payoutBank: changed.payoutBank },
    })
    return changed
  })
  return describe(name.merchant, mode, binding)
}

function chooseBank(choice: string | undefined, before: string | null): string | null {
  if (choice === undefined) return before
  return choice === configured ? null : choice
}

async function showOne({ db, args, options }: Run<{ mode: Mode }>): Promise<CommandOutput> {
  const { mode } = options
  return describe(args[0]!, mode, await getEnvironment(db, { merchant: args[0]!, mode }))
}

function describe(merchant: string, mode: Mode, binding: BankBinding): CommandOutput {
  const { collectBank, payoutBank } = binding
  return {
    data: { merchant, mode, collect: collectBank, payout: payoutBank },
    text: `${merchant}, ${mode} mode: collects with ${collectBank ?? 'the configured bank'}, pays out with ${payoutBank ?? 'the configured bank'}.`,
  }
}
