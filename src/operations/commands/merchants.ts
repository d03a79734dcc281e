import { Argument, type Command } from 'commander'
import { getEnvironment } from '../../merchants/environments.js'
import { listMerchants } from '../../merchants/list-merchants.js'
import { changeSuspension, openMerchant } from '../actions/change-merchants.js'
import { merchantArgument, readName, reasonOption } from './arguments.js'
import { addBankCommands } from './bank-bindings.js'
import { describeIssued, showIssued, shownOnce } from './keys.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTime, tableOf } from './table.js'

export function registerMerchants(program: Command, context: OperateContext): void {
  const merchants = program.command('merchants').description('merchants of this installation')
  const create = merchants
    .command('create')
    .description('create a merchant with both environments, and test keys (secret and public)')
    .addArgument(new Argument('<displayName>', 'name shown to payers').argParser(readName))
  setOperation(create, context, createOne)

  const list = merchants.command('list').description('list all merchants, newest first')
  setOperation(list, context, listAll)

  const suspend = merchants
    .command('suspend')
    .description(
      'stop a merchant in both modes: it creates nothing and pays nothing out; reads, webhooks and incoming payments keep working',
    )
    .argument(...merchantArgument)
    .addOption(reasonOption())
  setOperation(suspend, context, (run: Run<{ reason: string }>) => setSuspension(run, true))
  const resume = merchants
    .command('resume')
    .description('end the suspension of a merchant')
    .argument(...merchantArgument)
    .addOption(reasonOption())
  setOperation(resume, context, (run: Run<{ reason: string }>) => setSuspension(run, false))
  addBankCommands(merchants, context)
}

async function setSuspension(
  { db, now, actor, args: [merchant = ''], options: { reason } }: Run<{ reason: string }>,
  isSuspended: boolean,
): Promise<CommandOutput> {
  const { merchantId } = await getEnvironment(db, { merchant, mode: 'live' })
  const change = { merchantId, isSuspended, reason }
  const isFresh = await db.transaction((tx) => changeSuspension(tx, now, change, actor))
  const state = isSuspended ? 'suspended' : 'active'
  return {
    data: { merchant, isSuspended },
    text: `${merchant} ${isFresh ? 'is' : 'was already'} ${state}.`,
  }
}

async function createOne(run: Run<object>): Promise<CommandOutput> {
  const { db, seal, now, actor, args } = run
  const { merchant, keys } = await db.transaction((tx) =>
    openMerchant(tx, now, { seal, displayName: args[0]! }, actor),
  )
  const { reference, displayName, createdAt } = merchant
  return {
    data: { reference, displayName, createdAt, keys: keys.map(showIssued) },
    text: [`${reference}  ${displayName}`, ...keys.map(describeIssued), shownOnce].join('\n'),
  }
}

async function listAll({ db }: Run<object>): Promise<CommandOutput> {
  const merchants = await listMerchants(db)
  const data = merchants.map(({ id: _, ...merchant }) => merchant)
  const rows = data.map((merchant) => [
    merchant.reference,
    merchant.displayName,
    merchant.isKycApproved ? 'approved' : 'not approved',
    merchant.suspendedAt ? 'suspended' : 'active',
    formatTime(merchant.createdAt),
  ])
  return { data, text: tableOf(['reference', 'name', 'live KYC', 'state', 'created'], rows) }
}
