import { after, type RealTime } from '../../base/clock.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { fromReference, newId, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { lockEnvironment } from '../environments.js'
import { bankAccountLimits } from '../limits.js'

const bankAccounts = new Table('merchant_bank_accounts', {
  id: column.uuid(),
  environmentId: column.int4<EnvironmentId>(),
  bankCode: column.text(),
  accountNumber: column.text(),
  accountName: column.text(),
  isActive: column.bool(),
  isPrimary: column.bool(),
  /** Settlements wait until then. Null: it was never chosen by a member in live mode. */
  usableFrom: column.time().orNull(),
  /** The member who added it. Null: an operator did. */
  chosenByUser: column.uuid().orNull(),
  /** Whether the bank names another holder than the operator approved. */
  nameDiffers: column.bool(),
  /** When a second member or an operator confirmed that it is the merchant's. */
  confirmedAt: column.time().orNull(),
  createdAt: column.time(),
})

/** The merchant's own bank account. */
export type BankAccount = typeof bankAccounts.row & { reference: string }

export type NewBankAccount = Pick<BankAccount, 'bankCode' | 'accountNumber' | 'accountName'> & {
  environmentId: EnvironmentId
  usableFrom?: Date | null
  /** Absent: an operator adds it, who has seen the holder's name. */
  chosenBy?: { userId: string; nameDiffers: boolean }
}

/**
 * When settlements may use an account that a member of the merchant has just chosen. In live mode
 * they wait, so that the other members can stop a thief. Operators choose without a wait.
 */
export function usableFromFor(now: Date, mode: Mode): Date | null {
  return mode === 'live' ? after(now, bankAccountLimits.usableAfterMs) : null
}

/**
 * Whether settlements to an account wait for a second member or an operator. The database decides
 * the same for the primary account with `is_unconfirmed`.
 */
export function needsConfirmation(
  { chosenByUser, confirmedAt, nameDiffers }: BankAccount,
  { mode, hasRule }: { mode: Mode; hasRule: boolean },
): boolean {
  if (chosenByUser === null || confirmedAt !== null) return false
  return hasRule || (mode === 'live' && nameDiffers)
}

export type BankAccountName = { environmentId: EnvironmentId; reference: string }

type Row = typeof bankAccounts.row

/**
 * Adding a deactivated account reactivates it, and takes back its confirmation. Refuses an active
 * one, and too many.
 */
export async function addBankAccount(
  tx: Tx,
  now: RealTime,
  account: NewBankAccount,
): Promise<BankAccount> {
  const { environmentId, bankCode, accountNumber, accountName, usableFrom = null } = account
  const { userId: chosenByUser = null, nameDiffers = false } = account.chosenBy ?? {}
  await lockEnvironment(tx, environmentId)
  const { activeMax } = bankAccountLimits
  if ((await countActive(tx, environmentId)) >= activeMax)
    throw new Refusal('validation_failed', {
      message: `There are already ${activeMax} active bank accounts. Deactivate one first.`,
    })
  const added = bankAccounts.insert({
    environmentId,
    id: newId(now),
    bankCode,
    accountNumber,
    accountName,
    isActive: true,
    isPrimary: false,
    usableFrom,
    chosenByUser,
    nameDiffers,
    createdAt: now,
  })
  const [row] = await tx.rows(sql<Row>`
    ${added}
    on conflict on constraint one_bank_account_once
      do update set is_active = true, account_name = excluded.account_name,
        usable_from = excluded.usable_from, chosen_by_user = excluded.chosen_by_user,
        name_differs = excluded.name_differs, confirmed_at = null, confirmed_by_user = null
      where not merchant_bank_accounts.is_active
    returning ${bankAccounts.columns}`)
  if (!row)
    throw new Refusal('validation_failed', {
      message: `Account ${accountNumber} at bank ${bankCode} already exists.`,
    })
  return toBankAccount(row)
}

/**
 * Replaces the primary account. The environment lock prevents two primary accounts. An account that
 * is primary already keeps its wait.
 */
export async function makePrimary(
  tx: Tx,
  name: BankAccountName,
  usableFrom: Date | null = null,
): Promise<BankAccount> {
  await lockEnvironment(tx, name.environmentId)
  const id = fromReference(prefixes.bankAccount, name.reference)
  if (id === undefined) throw unknownAccount(name)
  tx.write(sql`
    update merchant_bank_accounts set is_primary = false
    where environment_id = ${name.environmentId} and is_primary and id <> ${id}`)
  const [row] = await tx.rows(sql<Row>`
    update merchant_bank_accounts set is_primary = true,
      usable_from = case
        when is_primary and ${usableFrom}::timestamptz is not null then usable_from
        else ${usableFrom} end
    where environment_id = ${name.environmentId} and id = ${id} and is_active
    returning ${bankAccounts.columns}`)
  if (!row) throw unknownAccount(name)
  return toBankAccount(row)
}

/**
 * Records that an account which a member added is the merchant's. `userId` is null for an operator.
 * The caller has checked that it is not the member who added it; a constraint does, too.
 */
export async function confirmBankAccount(
  tx: Tx,
  now: RealTime,
  { userId, ...name }: BankAccountName & { userId: string | null },
): Promise<BankAccount> {
  await lockEnvironment(tx, name.environmentId)
  const account = await getActive(tx, name)
  if (account.chosenByUser === null || account.confirmedAt) return account
  tx.write(sql`
    update merchant_bank_accounts set confirmed_at = ${now}, confirmed_by_user = ${userId}
    where environment_id = ${name.environmentId} and id = ${account.id} and confirmed_at is null`)
  return { ...account, confirmedAt: now }
}

/** Refuses the primary account. */
export async function deactivateBankAccount(tx: Tx, name: BankAccountName): Promise<BankAccount> {
  await lockEnvironment(tx, name.environmentId)
  const account = await getActive(tx, name)
  if (account.isPrimary)
    throw new Refusal('validation_failed', {
      message: 'This is the primary bank account. Make another one primary first.',
    })
  tx.write(sql`
    update merchant_bank_accounts set is_active = false
    where environment_id = ${name.environmentId} and id = ${account.id} and is_active`)
  return { ...account, isActive: false }
}

export async function findPrimary(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<BankAccount | undefined> {
  const [row] = await db.rows(sql<Row>`
    select ${bankAccounts.columns} from merchant_bank_accounts
    where environment_id = ${environmentId} and is_primary`)
  return row && toBankAccount(row)
}

/** The same, which stays the primary account until the transaction ends. */
export async function lockPrimary(
  tx: Tx,
  environmentId: EnvironmentId,
): Promise<BankAccount | undefined> {
  const [row] = await tx.rows(sql<Row>`
    select ${bankAccounts.columns} from merchant_bank_accounts
    where environment_id = ${environmentId} and is_primary for share`)
  return row && toBankAccount(row)
}

const accountNumbers = { environmentId: 'int4', bankCode: 'text', accountNumber: 'text' } as const

/** A holder of another name counts once a second member or an operator has confirmed it. */
const selectOwn = listStatement<typeof accountNumbers, { key: string }>({
  name: 'find_own_bank_accounts',
  columns: accountNumbers,
  text: (list) => `
    select concat_ws('/', a.environment_id, a.bank_code, a.account_number) as key
    from ${list} join merchant_bank_accounts a
      using (environment_id, bank_code, account_number)
    where a.is_active and (not a.name_differs or a.confirmed_at is not null)`,
})

/** Whether each is a bank account of its merchant, as saved there. */
export async function findOwnAccounts(
  db: Queryable,
  accounts: Pick<BankAccount, 'environmentId' | 'bankCode' | 'accountNumber'>[],
): Promise<boolean[]> {
  const rows = await db.rows(selectOwn(accounts))
  const own = new Set(rows.map(({ key }) => key))
  return accounts.map(({ environmentId, bankCode, accountNumber }) =>
    own.has(`${environmentId}/${bankCode}/${accountNumber}`),
  )
}

/** Newest first, including deactivated ones. */
export async function listBankAccounts(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<BankAccount[]> {
  const rows = await db.rows(sql<Row>`
    select ${bankAccounts.columns} from merchant_bank_accounts
    where environment_id = ${environmentId}
    order by id desc limit ${limits.operator.rowsListedMax}`)
  return rows.map(toBankAccount)
}

async function countActive(tx: Tx, environmentId: EnvironmentId): Promise<number> {
  const [row] = await tx.rows(sql<{ count: number }>`
    select count(*)::int as count from merchant_bank_accounts
    where environment_id = ${environmentId} and is_active`)
  return row!.count
}

export async function getActive(tx: Tx, name: BankAccountName): Promise<BankAccount> {
  const id = fromReference(prefixes.bankAccount, name.reference)
  const [row] = await tx.rows(sql<Row>`
    select ${bankAccounts.columns} from merchant_bank_accounts
    where environment_id = ${name.environmentId} and id = ${id ?? null} and is_active`)
  if (!row) throw unknownAccount(name)
  return toBankAccount(row)
}

function unknownAccount({ reference }: BankAccountName): Refusal {
  return new Refusal('not_found', { message: `No active bank account ${reference} exists.` })
}

function toBankAccount(row: Row): BankAccount {
  return { ...row, reference: toReference(prefixes.bankAccount, row.id) }
}
