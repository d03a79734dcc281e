import { Argument, type Command } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import { createMerchant } from '../../merchants/create-merchant.js'
import { getEnvironment } from '../../merchants/environments.js'
import { issueKey } from '../../merchants/issue-key.js'
import { listMerchants } from '../../merchants/list-merchants.js'
import { resumeMerchant, suspendMerchant } from '../../merchants/suspension.js'
import { merchantArgument, readName, reasonOption } from './arguments.js'
import { addBankCommands } from './bank-bindings.js'
import { auditOf, describeIssued, showIssued, shownOnce } from './keys.js'
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
  setOperation(suspend, context, (run: Run<{ reason: string }>) => changeSuspension(run, true))
  const resume = merchants
    .command('resume')
    .description('end the suspension of a merchant')
    .argument(...merchantArgument)
    .addOption(reasonOption())
  setOperation(resume, context, (run: Run<{ reason: string }>) => changeSuspension(run, false))
  addBankCommands(merchants, context)
}

async function changeSuspension(
  { db, now, actor, args: [merchant = ''], options: { reason } }: Run<{ reason: string }>,
  isSuspended: boolean,
): Promise<CommandOutput> {
  const { merchantId } = await getEnvironment(db, { merchant, mode: 'live' })
  const isFresh = await db.transaction(async (tx) => {
    const isFresh = isSuspended
      ? await suspendMerchant(tx, now, merchantId)
      : await resumeMerchant(tx, merchantId)
    const action = isSuspended ? 'merchant.suspend' : 'merchant.resume'
    if (isFresh) writeAuditLine(tx, now, { actor, action, merchantId, details: { reason } })
    return isFresh
  })
  const state = isSuspended ? 'suspended' : 'active'
  return {
    data: { merchant, isSuspended },
    text: `${merchant} ${isFresh ? 'is' : 'was already'} ${state}.`,
  }
}

async function createOne(run: Run<object>): Promise<CommandOutput> {
  const { db, seal, now, actor, args } = run
  const { merchant, keys } = await db.transaction(async (tx) => {
    const merchant = await createMerchant(tx, now, args[0]!)
    const details = { displayName: merchant.displayName }
    writeAuditLine(tx, now, { actor, action: 'merchant.create', merchantId: merchant.id, details })
    const newKey = {
      seal,
      environment: merchant.environments.test,
      name: 'First key',
      expiresAt: null,
      allowedAddresses: [],
    }
    const secretKey = await issueKey(tx, now, { ...newKey, kind: 'secret', isRevealable: true })
    const publicKey = await issueKey(tx, now, { ...newKey, kind: 'public' })
    for (const key of [secretKey, publicKey])
      writeAuditLine(tx, now, { actor, action: 'key.create', ...auditOf(key) })
    return { merchant, keys: [secretKey, publicKey] }
  })
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
