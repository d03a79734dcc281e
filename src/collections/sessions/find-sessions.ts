import type { EnvironmentId, Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import {
  defaultSettings,
  mergeSettings,
  type Settings,
  type SettingsPatch,
} from '../../merchants/settings/settings-document.js'
import { named } from '../../postgres/named.js'
import { toColumn } from '../../postgres/names.js'
import { type Sql, sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { gather } from '../../postgres/transactions/gather.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Split } from '../../subaccounts/splits/split.js'
import { findSplits } from '../../subaccounts/splits/store-splits.js'
import type { CollectionAccount } from '../accounts/account.js'
import { splitNames } from '../accounts/find-accounts.js'
import { accountColumns } from '../accounts/store-accounts.js'
import { collectionLimits } from '../limits.js'
import type { Payment } from '../payments/payment.js'
import { findLatestPayments } from '../payments/store-payments.js'
import { checkoutSessions, referencePattern, type Session } from './session.js'

/** A session has a virtual account, a wallet, or both. */
export type SessionWithAccounts = Owner & {
  session: Session
  account: CollectionAccount | null
  wallet: CollectionAccount | null
  checkout: Settings['checkout']
  paymentMethods: Settings['paymentMethods']
}

export type FoundSession = SessionWithAccounts & {
  /** The latest of each account, newest first. */
  payments: Payment[]
  /** Of its virtual account, or else of its wallet. */
  split?: Split | undefined
}

type Owner = { mode: Mode; clockOffsetMs: number; merchantId: string }

/**
 * A session joined with its virtual account, or with its wallet if it has no virtual account. Both
 * have columns such as `id` and `metadata`, so the session's are named `session.id` and so on.
 */
export type SessionRow = CollectionAccount & {
  [Field in keyof Session as `session.${Field}`]: Session[Field]
} & Owner & { merchantName: string }

const sessionFields = checkoutSessions.fields

export const sessionColumns = `${accountColumns},
  ${sessionFields.map((field) => `s.${toColumn(field)} as "session.${field}"`).join(', ')},
  e.mode, e.clock_offset_ms::float8 as clock_offset_ms, e.merchant_id,
  m.display_name as merchant_name`

/** Joins each session `s` with its account, environment, merchant and settings. */
export const sessionJoins = `
  join collection_accounts a on a.environment_id = s.environment_id
    and a.id = coalesce(s.account_id, s.wallet_id)
  join environments e on e.id = s.environment_id
  join merchants m on m.id = e.merchant_id
  left join environment_settings c on c.environment_id = s.environment_id`

const isWellFormed = new RegExp(referencePattern)

/** Malformed references are not queried; callers answer them like unknown ones. */
export function isSessionReference(text: string): boolean {
  return isWellFormed.test(text)
}

type SessionKey = { environmentId: EnvironmentId; reference: string }

type RowWithSettings = SessionRow & { settings: string | null }

const keyColumns = { environmentId: 'int4', reference: 'text' } as const

const findByReference = listStatement<typeof keyColumns, RowWithSettings>({
  name: 'read_sessions',
  columns: keyColumns,
  text: (list) => `
    select ${sessionColumns}, c.document as settings from ${list}
    join checkout_sessions s
      on s.environment_id = list.environment_id and s.reference = list.reference
    ${sessionJoins}`,
})

async function findSessions(
  db: Queryable,
  keys: SessionKey[],
): Promise<(FoundSession | undefined)[]> {
  const list = keys.filter(({ reference }) => isSessionReference(reference))
  const found =
    list.length === 0 ? [] : await completeSessions(db, await db.rows(findByReference(list)))
  const byReference = new Map(found.map((one) => [one.session.reference, one]))
  return keys.map(({ environmentId, reference }) => {
    const one = byReference.get(reference)
    return one?.session.environmentId === environmentId ? one : undefined
  })
}

/** Reads single sessions; calls that arrive together share queries. */
export function createSessionReader(db: Queryable) {
  const findOne = gather((keys: SessionKey[]) => findSessions(db, keys))
  return async (key: SessionKey) => checkFound(key, await findOne(key))
}

export async function getSession(db: Queryable, key: SessionKey): Promise<FoundSession> {
  const [found] = await findSessions(db, [key])
  return checkFound(key, found)
}

function checkFound({ reference }: SessionKey, found: FoundSession | undefined): FoundSession {
  if (found) return found
  throw new Refusal('not_found', {
    message: `No checkout session ${reference} exists in this environment.`,
  })
}

export const columnsWithSettings = sql.raw(`${sessionColumns}, c.document as settings`)

/** `payments` are the latest ones of accounts, if known: they are not read again. */
export async function findByIds(
  db: Queryable,
  given: { environmentId: EnvironmentId; ids: string[]; payments: Map<string, Payment[]> },
): Promise<FoundSession[]> {
  const { environmentId, ids, payments } = given
  const where = sql`s.environment_id = ${environmentId} and s.id = any(${ids}::uuid[])`
  return completeSessions(db, await findWhere(db, where), payments)
}

async function findWhere(db: Queryable, where: Sql<unknown>): Promise<RowWithSettings[]> {
  const found = sql<RowWithSettings>`
    select ${columnsWithSettings} from checkout_sessions s
    ${sql.raw(sessionJoins)} where ${where}`
  return db.rows(named('find_sessions', found))
}

/** Payments are read only for accounts that have received some: a pending session has none. */
export async function completeSessions(
  db: Queryable,
  rows: RowWithSettings[],
  known: Map<string, Payment[]> = new Map(),
): Promise<FoundSession[]> {
  const wallets = await findWalletsOf(db, rows)
  const sessions = rows.map(({ settings, ...row }) => {
    const storedSettings = settings === null ? {} : (JSON.parse(settings) as SettingsPatch)
    return toSessionWithAccounts(row, { storedSettings, wallets })
  })
  const unread = sessions
    .flatMap(accountsOf)
    .filter(({ id, amountReceived }) => amountReceived > 0n && !known.has(id))
  const [read, splits] = await Promise.all([
    findLatestPayments(db, unread, collectionLimits.paymentsShownMax),
    findSplits(db, splitNames(sessions.flatMap((one) => accountsOf(one).slice(0, 1)))),
  ])
  return sessions.map((one) => {
    const payments = accountsOf(one).flatMap(({ id }) => known.get(id) ?? read.get(id) ?? [])
    const splitId = accountsOf(one)[0]!.splitId
    const split = splitId === null ? undefined : splits.get(splitId)
    return { ...one, payments: sortPayments(payments), split }
  })
}

export function accountsOf({ account, wallet }: SessionWithAccounts): CollectionAccount[] {
  return [account, wallet].filter((one) => one !== null)
}

/** Newest first. */
export function sortPayments(payments: Payment[]): Payment[] {
  return payments.sort((a, b) => (a.id < b.id ? 1 : -1))
}

const accountKey = { environmentId: 'int4', id: 'uuid' } as const

const findAccountsByKey = listStatement<typeof accountKey, CollectionAccount>({
  name: 'find_wallets_of_sessions',
  columns: accountKey,
  text: (list) => `
    select ${accountColumns} from ${list}
    join collection_accounts a on a.environment_id = list.environment_id and a.id = list.id`,
})

/**
 * The wallets of sessions that have one beside their virtual account, by wallet id. Read after the
 * accounts: a session whose account was cancelled by a payment to its wallet must show as paid, not
 * as cancelled.
 */
export async function findWalletsOf(
  db: Queryable,
  rows: SessionRow[],
): Promise<Map<string, CollectionAccount>> {
  const keys = rows.flatMap(({ environmentId, id: joined, 'session.walletId': id }) =>
    id === null || id === joined ? [] : [{ environmentId, id }],
  )
  const found = keys.length === 0 ? [] : await db.rows(findAccountsByKey(keys))
  return new Map(found.map((wallet) => [wallet.id, wallet]))
}

/** `storedSettings` are those that the merchant has changed; the others have their defaults. */
export function toSessionWithAccounts(
  row: SessionRow,
  options: { storedSettings: SettingsPatch; wallets: Map<string, CollectionAccount> },
): SessionWithAccounts {
  const { mode, clockOffsetMs, merchantId, merchantName, ...rest } = row
  const { session, account: joined } = splitColumns(rest)
  const account = session.accountId === null ? null : joined
  const beside = session.walletId === null ? null : options.wallets.get(session.walletId)!
  const wallet = session.accountId === null ? joined : beside
  const defaults = defaultSettings({ merchantName })
  const { checkout, paymentMethods } = mergeSettings(defaults, options.storedSettings)
  return { session, account, wallet, mode, clockOffsetMs, merchantId, checkout, paymentMethods }
}

function splitColumns(row: Omit<SessionRow, keyof Owner | 'merchantName'>) {
  const isOfSession = ([name]: [string, unknown]) => name.startsWith('session.')
  const columns = Object.entries(row)
  const session = columns
    .filter(isOfSession)
    .map(([name, value]) => [name.slice('session.'.length), value])
  const account = columns.filter((column) => !isOfSession(column))
  return {
    session: Object.fromEntries(session) as Session,
    account: Object.fromEntries(account) as CollectionAccount,
  }
}
