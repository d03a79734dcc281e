import { type Command, Option } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import type { Environment, Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { getEnvironment, listEnvironments, unknownMerchant } from '../../merchants/environments.js'
import {
  addBankAccount,
  type BankAccount,
  confirmBankAccount,
  deactivateBankAccount,
  listBankAccounts,
  makePrimary,
} from '../../merchants/settings/bank-accounts.js'
import {
  announceDestination,
  readSettlementDestination,
} from '../../payouts/settlements/destination.js'
import type { Database } from '../../postgres/database.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { isNameMismatch } from '../../rails/bank/judge-name.js'
import {
  merchantArgument,
  modeOption,
  readAccountNumber,
  readBankCode,
  readName,
} from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'
import { tableOf } from './table.js'

/** Asks a bank for the holder of an account. Undefined: no bank is configured. */
export type ResolveHolder = (
  db: Database,
  environment: Environment,
  account: { bankCode: string; accountNumber: string },
) => Promise<Outcome<{ bankName: string; accountName: string }> | undefined>

export function registerBankAccounts(
  program: Command,
  context: OperateContext,
  resolveHolder: ResolveHolder,
): void {
  const accounts = program
    .command('bank-accounts')
    .description("a merchant's own bank accounts (live accounts need a primary one)")
  setOperation<AddOptions>(describeAdd(accounts.command('add')), context, (run) =>
    addOne(run, resolveHolder),
  )

  const list = accounts
    .command('list')
    .description('list the bank accounts of both modes')
    .argument(...merchantArgument)
  setOperation(list, context, listAll)

  const primary = accounts
    .command('primary')
    .description('make an account the primary account of its mode')
  setOperation(describeAccount(primary), context, makeOnePrimary)

  const confirm = accounts
    .command('confirm')
    .description("confirm that an account which a member added is the merchant's")
  setOperation(describeAccount(confirm), context, confirmOne)

  const deactivate = accounts.command('deactivate').description('stop using an account')
  setOperation(describeAccount(deactivate), context, deactivateOne)
}

function describeAccount(command: Command): Command {
  return command
    .argument(...merchantArgument)
    .argument('<account>', 'reference of the bank account, ba_…')
}

function describeAdd(command: Command): Command {
  const code = new Option('--bank-code <code>', '3 to 9 digits').argParser(readBankCode)
  const number = new Option('--account-number <number>', '10 digits').argParser(readAccountNumber)
  const name = new Option(
    '--account-name <name>',
    "the holder's name; by default the name at the bank",
  ).argParser(readName)
  return command
    .description('add a bank account; the bank is asked for the name of its holder')
    .argument(...merchantArgument)
    .addOption(modeOption().makeOptionMandatory())
    .addOption(code.makeOptionMandatory())
    .addOption(number.makeOptionMandatory())
    .addOption(name)
    .option('--primary', 'make it the primary account')
    .option('--any-name', 'add it even if the bank names another holder or does not know it')
}

type AddOptions = {
  mode: Mode
  bankCode: string
  accountNumber: string
  accountName?: string
  primary?: true
  anyName?: boolean
}

async function addOne(
  { db, now, actor, args, options }: Run<AddOptions>,
  resolveHolder: ResolveHolder,
): Promise<CommandOutput> {
  const { mode, bankCode, accountNumber, primary = false } = options
  const environment = await getEnvironment(db, { merchant: args[0]!, mode })
  const environmentId = environment.id
  const found = await resolveHolder(db, environment, { bankCode, accountNumber })
  const { accountName, nameAtBank, remark } = judgeHolder(found, options)
  const added = await db.transaction(async (tx) => {
    const newAccount = { environmentId, bankCode, accountNumber, accountName }
    const before = await readSettlementDestination(tx, environment)
    const added = await addBankAccount(tx, now, newAccount)
    const account = primary ? await makePrimary(tx, added) : added
    await announceDestination(tx, now, environment, before)
    const { details, ...about } = auditOf(environment, account)
    const audited = { ...about, details: { ...details, nameAtBank } }
    writeAuditLine(tx, now, { actor, action: 'bank_account.add', ...audited })
    return account
  })
  return {
    data: { ...showAccount(mode, added), nameAtBank },
    text: `${describeAccountState(mode, added)} ${remark}`,
  }
}

type Judged = { accountName: string; nameAtBank: string | null; remark: string }

/**
 * Settlements pay to this account without comparing names again, so an account that clearly belongs
 * to another holder is refused here. A bank that cannot be asked refuses nothing.
 */
function judgeHolder(
  found: Awaited<ReturnType<ResolveHolder>>,
  { accountName, anyName = false }: AddOptions,
): Judged {
  if (found && !(found instanceof Refusal)) {
    const { bankName, accountName: nameAtBank } = found
    const sent = accountName ?? [...nameAtBank].slice(0, limits.names.length).join('')
    if (!anyName && isNameMismatch({ sent, holder: nameAtBank }))
      throw refuseAccount(
        `At ${bankName} the account belongs to ${nameAtBank}, not ${sent}. Correct the number or the name.`,
      )
    return { accountName: sent, nameAtBank, remark: `Name at the bank: ${nameAtBank}.` }
  }
  const isAnswered = found !== undefined && found.reason !== 'rail_unavailable'
  if (isAnswered && !anyName) throw refuseAccount(found.message)
  const why = isAnswered
    ? 'the bank does not know the account'
    : found
      ? 'the bank does not answer'
      : 'no bank is configured here for this mode'
  if (accountName === undefined)
    throw new Refusal('validation_failed', { message: `Add --account-name: ${why}.` })
  return { accountName, nameAtBank: null, remark: `The name was not checked: ${why}.` }
}

function refuseAccount(why: string): Refusal {
  const message = `${why} If you are sure that the account is the merchant's, add --any-name.`
  return new Refusal('validation_failed', { message })
}

async function listAll({ db, args: [merchant = ''] }: Run<object>): Promise<CommandOutput> {
  const found = await listBoth(db, merchant)
  const data = found.map(({ environment, account }) => showAccount(environment.mode, account))
  const rows = found.map(({ environment, account }) => [
    account.reference,
    environment.mode,
    account.bankCode,
    account.accountNumber,
    account.accountName,
    stateOf(account),
  ])
  const head = ['reference', 'mode', 'bank', 'number', 'name', 'state']
  return { data, text: tableOf(head, rows) }
}

/** An operator who makes it primary confirms it: settlements use it at once. */
function makeOnePrimary(run: Run<object>): Promise<CommandOutput> {
  return changeOne(run, 'bank_account.make_primary', async (tx, account) => {
    await makePrimary(tx, account)
    return confirmBankAccount(tx, run.now, { ...account, userId: null })
  })
}

function confirmOne(run: Run<object>): Promise<CommandOutput> {
  return changeOne(run, 'bank_account.confirm', (tx, account) =>
    confirmBankAccount(tx, run.now, { ...account, userId: null }),
  )
}

function deactivateOne(run: Run<object>): Promise<CommandOutput> {
  return changeOne(run, 'bank_account.deactivate', deactivateBankAccount)
}

async function changeOne(
  { db, now, actor, args: [merchant = '', reference = ''] }: Run<object>,
  action: string,
  change: (tx: Tx, name: BankAccount) => Promise<BankAccount>,
): Promise<CommandOutput> {
  const found = (await listBoth(db, merchant)).find(
    ({ account }) => account.reference === reference,
  )
  if (!found)
    throw new Refusal('not_found', { message: `${merchant} has no bank account ${reference}.` })
  const { environment } = found
  const changed = await db.transaction(async (tx) => {
    const before = await readSettlementDestination(tx, environment)
    const changed = await change(tx, found.account)
    await announceDestination(tx, now, environment, before)
    writeAuditLine(tx, now, { actor, action, ...auditOf(environment, changed) })
    return changed
  })
  return toOutput(environment.mode, changed)
}

async function listBoth(db: Database, merchant: string) {
  const environments = await listEnvironments(db, merchant)
  if (environments.length === 0) throw unknownMerchant(merchant)
  const lists = await Promise.all(
    environments.map(async (environment) => {
      const accounts = await listBankAccounts(db, environment.id)
      return accounts.map((account) => ({ environment, account }))
    }),
  )
  return lists.flat()
}

function toOutput(mode: Mode, account: BankAccount): CommandOutput {
  return { data: showAccount(mode, account), text: describeAccountState(mode, account) }
}

function describeAccountState(mode: Mode, account: BankAccount): string {
  const { reference, bankCode, accountNumber } = account
  const what = `account ${accountNumber} at bank ${bankCode}, ${mode} mode`
  return `${reference}  ${what}: ${stateOf(account)}.`
}

function showAccount(mode: Mode, account: BankAccount): object {
  const { id: _, environmentId: __, reference, ...shown } = account
  return { reference, mode, ...shown }
}

function auditOf(environment: Environment, account: BankAccount) {
  const { reference, bankCode, accountNumber, accountName, isPrimary } = account
  return {
    merchantId: environment.merchantId,
    environmentId: environment.id,
    details: { reference, bankCode, accountNumber, accountName, isPrimary },
  }
}

function stateOf(account: BankAccount): string {
  if (account.isPrimary) return 'primary'
  return account.isActive ? 'active' : 'inactive'
}
