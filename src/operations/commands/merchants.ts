import { Argument, type Command } from 'commander'
import { writeAuditLine } from '../../merchants/audit.js'
import { createMerchant } from '../../merchants/create-merchant.js'
import { issueKey } from '../../merchants/issue-key.js'
import { listMerchants } from '../../merchants/list-merchants.js'
import { readName } from './arguments.js'
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
  addBankCommands(merchants, context)
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
    const secretKey = await issueKey(tx, now, { ...newKey, kind: 'secret' })
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
    formatTime(merchant.createdAt),
  ])
  return { data, text: tableOf(['reference', 'name', 'live KYC', 'created'], rows) }
}
