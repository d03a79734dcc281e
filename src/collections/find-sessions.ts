import type { EnvironmentId, Mode } from '../base/environment.js'
import { Refusal } from '../base/refusal.js'
import {
  defaultSettings,
  mergeSettings,
  type Settings,
  type SettingsPatch,
} from '../merchants/settings-document.js'
import { newestRows } from '../postgres/newest-rows.js'
import { type Sql, sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import type { Queryable } from '../postgres/tx.js'
import { type SessionStatus, sessionStatuses } from '../resources/checkout-session.js'
import type { CollectionAccount } from './account.js'
import { referencePattern, type Session, type SessionAccounts } from './session.js'
import { accountColumns } from './store-accounts.js'

export type FoundSession = SessionAccounts & {
  session: Session
  mode: Mode
  clockOffsetMs: number
  merchantId: string
  checkout: Settings['checkout']
  paymentMethods: Settings['paymentMethods']
}

/** Columns of the session. Those that its account has too are prefixed with `own`. */
type OwnColumns = Pick<
  Session,
  | 'reference'
  | 'description'
  | 'customerName'
  | 'customerEmail'
  | 'url'
  | 'successUrl'
  | 'cancelUrl'
  | 'walletId'
> & {
  ownId: string
  ownReference: string | null
  ownMetadata: string
  ownSequence: number
  ownCreatedAt: Date
}

type OwnerColumns = Pick<FoundSession, 'mode' | 'clockOffsetMs' | 'merchantId'> & {
  merchantName: string
}

export type SessionRow = CollectionAccount & OwnColumns & OwnerColumns

export const sessionColumns = `${accountColumns}, s.id as "ownId", s.reference, s.description,
  s.customer_name as "customerName", s.customer_email as "customerEmail", s.url,
  s.success_url as "successUrl", s.cancel_url as "cancelUrl", s.wallet_id as "walletId",
  s.merchant_reference as "ownReference", s.metadata as "ownMetadata",
  s.event_sequence as "ownSequence", s.created_at as "ownCreatedAt", e.mode,
  e.clock_offset_ms::float8 as "clockOffsetMs", e.merchant_id as "merchantId",
  m.display_name as "merchantName"`

/** Joins each session `s` with its account, environment, merchant and settings. */
export const sessionJoins = `
  join collection_accounts a on a.environment_id = s.environment_id and a.id = s.account_id
  join environments e on e.id = s.environment_id
  join merchants m on m.id = e.merchant_id
  left join environment_settings c on c.environment_id = s.environment_id`

const isWellFormed = new RegExp(referencePattern)

/** Malformed references are not queried; callers answer them like unknown ones. */
export function isSessionReference(text: string): boolean {
  return isWellFormed.test(text)
}

type SessionName = { environmentId: EnvironmentId; reference: string }

export async function getSession(db: Queryable, name: SessionName): Promise<FoundSession> {
  const { environmentId, reference } = name
  const isOne = sql`s.environment_id = ${environmentId} and s.reference = ${reference}`
  const [found] = isSessionReference(reference) ? await findWhere(db, isOne) : []
  if (found) return found
  throw new Refusal('not_found', {
    message: `No checkout session ${reference} exists in this environment.`,
  })
}

type SessionFilter = {
  merchantReference: string | undefined
  status: SessionStatus | undefined
  beforeId: string | undefined
  limit: number
}

/** Newest first. */
export async function listSessions(
  db: Queryable,
  environmentId: EnvironmentId,
  { merchantReference, status, beforeId, limit }: SessionFilter,
): Promise<FoundSession[]> {
  const reference =
    merchantReference === undefined
      ? []
      : [{ name: 'merchant_reference', type: 'text', values: [merchantReference] } as const]
  const newest = newestRows({
    table: 'checkout_sessions',
    environmentId,
    where: sql.raw(reference.length > 0 ? 'merchant_reference is not null' : 'true'),
    columns: [
      ...reference,
      { name: 'status', type: 'text', values: status ? [status] : sessionStatuses },
    ],
    order: [{ name: 'id', type: 'uuid' }],
    before: beforeId === undefined ? undefined : [beforeId],
    limit,
  })
  return findWhere(db, sql`true order by s.id desc`, newest)
}

export async function findByIds(
  db: Queryable,
  environmentId: EnvironmentId,
  ids: string[],
): Promise<FoundSession[]> {
  return findWhere(db, sql`s.environment_id = ${environmentId} and s.id = any(${ids}::uuid[])`)
}

async function findWhere(
  db: Queryable,
  where: Sql<unknown>,
  from: Sql<unknown> = sql`checkout_sessions`,
): Promise<FoundSession[]> {
  const rows = await db.rows(sql<SessionRow & { settings: string | null }>`
    select ${sql.raw(sessionColumns)}, c.document as settings from ${from} s
    ${sql.raw(sessionJoins)} where ${where}`)
  const wallets = await findWalletsOf(db, rows)
  return rows.map(({ settings, ...row }) => {
    const patch = settings === null ? {} : (JSON.parse(settings) as SettingsPatch)
    return toFoundSession(row, { patch, wallets })
  })
}

const named = { environment_id: 'int4', id: 'uuid' } as const

const findNamed = listStatement<typeof named, CollectionAccount>({
  name: 'find_wallets_of_sessions',
  columns: named,
  text: (list) => `
    select ${accountColumns} from ${list}
    join collection_accounts a on a.environment_id = list.environment_id and a.id = list.id`,
})

/**
 * The wallets of sessions that have one, by wallet id. Read after the accounts: a session whose
 * account was cancelled by a payment to its wallet must show as paid, not as cancelled.
 */
export async function findWalletsOf(
  db: Queryable,
  rows: Pick<SessionRow, 'environmentId' | 'walletId'>[],
): Promise<Map<string, CollectionAccount>> {
  const names = rows.flatMap(({ environmentId, walletId }) =>
    walletId === null ? [] : [{ environment_id: environmentId, id: walletId }],
  )
  const found = names.length === 0 ? [] : await db.rows(findNamed(names))
  return new Map(found.map((wallet) => [wallet.id, wallet]))
}

export function toFoundSession(
  row: SessionRow,
  { patch, wallets }: { patch: SettingsPatch; wallets: Map<string, CollectionAccount> },
): FoundSession {
  const {
    ownId,
    ownReference,
    ownMetadata,
    ownSequence,
    ownCreatedAt,
    reference,
    description,
    customerName,
    customerEmail,
    url,
    successUrl,
    cancelUrl,
    walletId,
    mode,
    clockOffsetMs,
    merchantId,
    merchantName,
    ...account
  } = row
  const wallet = walletId === null ? null : wallets.get(walletId)!
  const session = {
    environmentId: account.environmentId,
    id: ownId,
    reference,
    accountId: account.id,
    walletId,
    description,
    customerName,
    customerEmail,
    merchantReference: ownReference,
    url,
    successUrl,
    cancelUrl,
    metadata: ownMetadata,
    eventSequence: ownSequence,
    createdAt: ownCreatedAt,
  }
  const { checkout, paymentMethods } = mergeSettings(defaultSettings({ merchantName }), patch)
  return { session, account, wallet, mode, clockOffsetMs, merchantId, checkout, paymentMethods }
}
