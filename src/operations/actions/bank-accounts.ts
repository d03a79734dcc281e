import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import type { RealTime } from '../../base/clock.js'
import type { Environment, Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
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
import { auditOperator } from '../changes/audit-operator.js'
import { type Action, command, type ResolveHolder } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'

/** Bank accounts of merchants. */
export const bankAccountActions: Action[] = [
  command({
    name: 'bank-accounts add',
    description: 'add a bank account; the bank is asked for the name of its holder',
    args: ['merchant'],
    input: {
      merchant: fields.merchant,
      mode: fields.mode,
      bankCode: fields.read(readBankCode, '3 to 9 digits', { placeholder: 'code' }),
      accountNumber: fields.read(readAccountNumber, '10 digits', { placeholder: 'number' }),
      accountName: Type.Optional(
        fields.name("the holder's name; by default the name at the bank", { placeholder: 'name' }),
      ),
      primary: fields.flag('make it the primary account'),
      anyName: fields.flag('add it even if the bank names another holder or does not know it'),
    },
    async run(
      { db, now, operator, service },
      { merchant, mode, bankCode, accountNumber, ...given },
    ) {
      const environment = await getEnvironment(db, { merchant, mode })
      const holder = await service.resolveHolder(db, environment, { bankCode, accountNumber })
      const { accountName, nameAtBank, remark } = judgeHolder(holder, given)
      const added = await db.transaction(async (tx) => {
        const environmentId = environment.id
        const newAccount = { environmentId, bankCode, accountNumber, accountName }
        const before = await readSettlementDestination(tx, environment)
        const added = await addBankAccount(tx, now, newAccount)
        const account = given.primary ? await makePrimary(tx, added) : added
        await announceDestination(tx, now, environment, before)
        const { details, ...about } = auditOf(environment, account)
        auditOperator(tx, now, operator, {
          action: 'bank_account.add',
          ...about,
          details: { ...details, nameAtBank },
        })
        return account
      })
      return {
        data: { ...showAccount(mode, added), nameAtBank },
        text: `${describeAccount(mode, added)} ${remark}`,
      }
    },
  }),
  command({
    name: 'bank-accounts list',
    description: 'list the bank accounts of both modes',
    args: ['merchant'],
    input: { merchant: fields.merchant },
    async run({ db }, { merchant }) {
      const accounts = await listBoth(db, merchant)
      const text = tableOf(
        accounts.map(({ environment, account }) => ({ mode: environment.mode, ...account })),
        {
          reference: 'reference',
          mode: 'mode',
          bank: 'bankCode',
          number: 'accountNumber',
          name: 'accountName',
          state: stateOf,
        },
      )
      const data = accounts.map(({ environment, account }) =>
        showAccount(environment.mode, account),
      )
      return { data, text }
    },
  }),
  change(
    {
      verb: 'primary',
      description: 'make an account the primary account of its mode',
      action: 'bank_account.make_primary',
    },
    // An operator who makes it primary confirms it: settlements use it at once.
    async (tx, now, account) => {
      await makePrimary(tx, account)
      return confirmBankAccount(tx, now, { ...account, userId: null })
    },
  ),
  change(
    {
      verb: 'confirm',
      description: "confirm that an account which a member added is the merchant's",
      action: 'bank_account.confirm',
    },
    (tx, now, account) => confirmBankAccount(tx, now, { ...account, userId: null }),
  ),
  change(
    {
      verb: 'deactivate',
      description: 'stop using an account',
      action: 'bank_account.deactivate',
    },
    (tx, _now, account) => deactivateBankAccount(tx, account),
  ),
]

function change(
  { verb, description, action }: { verb: string; description: string; action: string },
  apply: (tx: Tx, now: RealTime, account: BankAccount) => Promise<BankAccount>,
): Action {
  return command({
    name: `bank-accounts ${verb}`,
    description,
    args: ['merchant', 'account'],
    input: {
      merchant: fields.merchant,
      account: fields.text('reference of the bank account, ba_…'),
    },
    async run({ db, now, operator }, { merchant, account: reference }) {
      const found = (await listBoth(db, merchant)).find(
        ({ account }) => account.reference === reference,
      )
      if (!found)
        throw new Refusal('not_found', { message: `${merchant} has no bank account ${reference}.` })
      const { environment } = found
      const changed = await db.transaction(async (tx) => {
        const before = await readSettlementDestination(tx, environment)
        const changed = await apply(tx, now, found.account)
        await announceDestination(tx, now, environment, before)
        auditOperator(tx, now, operator, { action, ...auditOf(environment, changed) })
        return changed
      })
      const { mode } = environment
      return { data: showAccount(mode, changed), text: describeAccount(mode, changed) }
    },
  })
}

function readBankCode(text: string): string {
  if (!/^[0-9A-Za-z]{3,9}$/.test(text))
    throw new InvalidArgumentError('Must be 3 to 9 digits or letters.')
  return text
}

function readAccountNumber(text: string): string {
  if (!/^\d{10}$/.test(text)) throw new InvalidArgumentError('Must be 10 digits.')
  return text
}

type Judged = { accountName: string; nameAtBank: string | null; remark: string }

/**
 * Settlements pay to this account without comparing names again, so an account that clearly belongs
 * to another holder is refused here. A bank that cannot be asked refuses nothing.
 */
function judgeHolder(
  holder: Awaited<ReturnType<ResolveHolder>>,
  { accountName, anyName = false }: { accountName?: string; anyName?: boolean },
): Judged {
  if (holder && !(holder instanceof Refusal)) {
    const { bankName, accountName: nameAtBank } = holder
    const sent = accountName ?? [...nameAtBank].slice(0, limits.names.length).join('')
    if (!anyName && isNameMismatch({ sent, holder: nameAtBank }))
      throw refuseAccount(
        `At ${bankName} the account belongs to ${nameAtBank}, not ${sent}. Correct the number or the name.`,
      )
    return { accountName: sent, nameAtBank, remark: `Name at the bank: ${nameAtBank}.` }
  }
  const isAnswered = holder !== undefined && holder.reason !== 'rail_unavailable'
  if (isAnswered && !anyName) throw refuseAccount(holder.message)
  const why = isAnswered
    ? 'the bank does not know the account'
    : holder
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

function describeAccount(mode: Mode, account: BankAccount): string {
  const { reference, bankCode, accountNumber } = account
  const what = `account ${accountNumber} at bank ${bankCode}, ${mode} mode`
  return `${reference}  ${what}: ${stateOf(account)}.`
}

function showAccount(mode: Mode, account: BankAccount) {
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

function stateOf({ isPrimary, isActive }: BankAccount): string {
  if (isPrimary) return 'primary'
  return isActive ? 'active' : 'inactive'
}
