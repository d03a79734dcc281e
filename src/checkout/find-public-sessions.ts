import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Payment } from '../collections/payments/payment.js'
import { findReturnSummaries, type ReturnSummary } from '../collections/returns/store-returns.js'
import {
  accountsOf,
  findWalletsOf,
  isSessionReference,
  type SessionRow,
  type SessionWithAccounts,
  sessionColumns,
  sessionJoins,
  sortPayments,
  toSessionWithAccounts,
} from '../collections/sessions/find-sessions.js'
import { settingsLimits } from '../merchants/limits.js'
import type { SettingsPatch } from '../merchants/settings/settings-document.js'
import { listStatement } from '../postgres/statement.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { findShownPayments, type ShownPayments } from './find-shown-payments.js'

export type PublicSession = SessionWithAccounts &
  ShownPayments & {
    /** Returns by payment id; only of payments with money that is sent back. */
    returns: Map<string, ReturnSummary>
  }

type PublicRow = SessionRow & { settingsVersion: number }

const sessionKey = { reference: 'text' } as const

const findByReference = listStatement<typeof sessionKey, PublicRow>({
  name: 'find_public_sessions',
  columns: sessionKey,
  text: (list) => `
    select ${sessionColumns}, coalesce(c.version, 0) as settings_version from ${list}
    join checkout_sessions s on s.reference = list.reference ${sessionJoins}`,
})

/**
 * Finds sessions of any merchant by reference; undefined for unknown and malformed references.
 * Never returns data older than the call.
 */
export function createPublicSessionFinder(db: Queryable) {
  const readSettings = createSettingsReader(db)

  return async (references: string[]): Promise<(PublicSession | undefined)[]> => {
    // Many pages may show one session, and listing it twice would return its payments twice.
    const unique = [...new Set(references)].filter(isSessionReference)
    if (unique.length === 0) return references.map(() => undefined)
    const rows = await db.rows(findByReference(unique.map((reference) => ({ reference }))))
    const wallets = await findWalletsOf(db, rows)
    const accountsWithPayments = [...rows, ...wallets.values()].filter(
      ({ amountReceived }) => amountReceived > 0n,
    )
    const [settings, shown] = await Promise.all([
      readSettings(rows),
      findShownPayments(db, accountsWithPayments, limits.checkout.paymentsShownMax),
    ])
    const withReturn = [...shown.values()].flatMap(({ payments }) => payments).filter(hasReturn)
    const returns = await findReturnSummaries(db, withReturn)
    const sessions = rows.map(({ settingsVersion: _, ...row }) => {
      const storedSettings = settings.get(row.environmentId)!
      const session = toSessionWithAccounts(row, { storedSettings, wallets })
      return { ...session, ...paymentsOf(session, shown), returns }
    })
    const byReference = new Map(
      sessions.map((publicSession) => [publicSession.session.reference, publicSession]),
    )
    return references.map((reference) => byReference.get(reference))
  }
}

/** The payments of both accounts of a session, newest first. */
function paymentsOf(
  session: SessionWithAccounts,
  shown: Map<string, ShownPayments>,
): ShownPayments {
  const perAccount = accountsOf(session).flatMap(({ id }) => shown.get(id) ?? [])
  return {
    payments: sortPayments(perAccount.flatMap(({ payments }) => payments)),
    hasMore: perAccount.some(({ hasMore }) => hasMore),
  }
}

function hasReturn({ amountReturning, amountReturned }: Payment): boolean {
  return amountReturning > 0n || amountReturned > 0n
}

type Version = Pick<PublicRow, 'environmentId' | 'settingsVersion'>
type StoredSettings = { environmentId: EnvironmentId; version: number; settings: SettingsPatch }

/**
 * Reads the settings of environments. Caches the newest version of each, because one with a logo is
 * large. Every session is read with the current version number, so an older one is never used.
 */
function createSettingsReader(db: Queryable) {
  const cache = new Map<EnvironmentId, StoredSettings>()

  /** Queries may finish out of order: an older version never replaces a newer one. */
  function remember(stored: StoredSettings): void {
    if (cache.size >= settingsLimits.environmentsCachedMax) cache.clear()
    if ((cache.get(stored.environmentId)?.version ?? 0) < stored.version)
      cache.set(stored.environmentId, stored)
  }

  return async (versions: Version[]): Promise<Map<EnvironmentId, SettingsPatch>> => {
    const settings = new Map<EnvironmentId, SettingsPatch>()
    const missing = new Set<EnvironmentId>()
    for (const { environmentId, settingsVersion } of versions) {
      const cached = cache.get(environmentId)
      if (settingsVersion === 0) settings.set(environmentId, {})
      else if (cached?.version === settingsVersion) settings.set(environmentId, cached.settings)
      else missing.add(environmentId)
    }
    for (const stored of await findSettings(db, [...missing])) {
      settings.set(stored.environmentId, stored.settings)
      remember(stored)
    }
    return settings
  }
}

async function findSettings(db: Queryable, ids: EnvironmentId[]): Promise<StoredSettings[]> {
  if (ids.length === 0) return []
  const rows = await db.rows<Omit<StoredSettings, 'settings'> & { document: string }>({
    name: 'find_settings_of_sessions',
    text: `
      select environment_id, version, document
      from environment_settings where environment_id = any($1)`,
    values: [ids],
  })
  return rows.map(({ document, ...row }) => ({ ...row, settings: JSON.parse(document) }))
}
