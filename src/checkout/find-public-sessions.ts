import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import {
  type FoundSession,
  findWalletsOf,
  isSessionReference,
  type SessionRow,
  sessionColumns,
  sessionJoins,
  toFound,
} from '../collections/find-sessions.js'
import type { Payment } from '../collections/payment.js'
import { findDestinations } from '../collections/store-returns.js'
import type { SettingsPatch } from '../merchants/settings-document.js'
import type { Destination } from '../payouts/ports.js'
import { listStatement } from '../postgres/statement.js'
import type { Reader } from '../postgres/tx.js'
import { findShownPayments, type ShownPayments } from './find-shown-payments.js'

/** With what only payers are told. */
export type PublicSession = FoundSession &
  ShownPayments & {
    /** Where money goes back to, by the id of the payment. */
    sentBackTo: Map<string, Destination>
  }

const nothing: ShownPayments = { payments: [], hasMore: false }

type PublicRow = SessionRow & { settingsVersion: number }

const names = { reference: 'text' } as const

const findPublic = listStatement<typeof names, PublicRow>({
  name: 'find_public_sessions',
  columns: names,
  text: (list) => `
    select ${sessionColumns}, coalesce(c.version, 0) as "settingsVersion" from ${list}
    join checkout_sessions s on s.reference = list.reference ${sessionJoins}`,
})

/**
 * For everyone who knows a reference, whoever's session it is; undefined where there is none, and
 * for what cannot be one. Every answer is read after it was asked for.
 */
export function createPublicFinder(db: Reader) {
  const readSettings = createSettingsReader(db)

  return async (references: string[]): Promise<(PublicSession | undefined)[]> => {
    // Many pages may show one session: named twice, its payments would be found twice.
    const unique = [...new Set(references)].filter(isSessionReference)
    if (unique.length === 0) return references.map(() => undefined)
    const rows = await db.rows(findPublic(unique.map((reference) => ({ reference }))))
    const wallets = await findWalletsOf(db, rows)
    const paid = [...rows, ...wallets.values()].filter(({ amountReceived }) => amountReceived > 0n)
    const [settings, shown] = await Promise.all([
      readSettings(rows),
      findShownPayments(db, paid, limits.checkout.paymentsShown),
    ])
    const goingBack = [...shown.values()].flatMap(({ payments }) => payments).filter(isGoingBack)
    const sentBackTo = await findDestinations(db, goingBack)
    const found = rows.map(({ settingsVersion: _read, ...row }) => ({
      ...toFound(row, { patch: settings.get(row.environmentId)!, wallets }),
      ...shownOf(shown, row),
      sentBackTo,
    }))
    const byReference = new Map(found.map((one) => [one.session.reference, one]))
    return references.map((reference) => byReference.get(reference))
  }
}

/** Of both ways to pay, newest first. */
function shownOf(shown: Map<string, ShownPayments>, { id, walletId }: SessionRow): ShownPayments {
  const own = shown.get(id) ?? nothing
  const coins = walletId === null ? undefined : shown.get(walletId)
  if (!coins) return own
  const payments = [...own.payments, ...coins.payments]
  return {
    payments: payments.sort((one, other) => (one.id < other.id ? 1 : -1)),
    hasMore: own.hasMore || coins.hasMore,
  }
}

function isGoingBack({ amountReturning, amountReturned }: Payment): boolean {
  return amountReturning > 0n || amountReturned > 0n
}

type Version = Pick<PublicRow, 'environmentId' | 'settingsVersion'>
type Stored = { environmentId: EnvironmentId; version: number; patch: SettingsPatch }

/**
 * A version of the settings never changes, and with a logo it is large: it is read and parsed once.
 * Which version holds is asked every time.
 */
function createSettingsReader(db: Reader) {
  const known = new Map<EnvironmentId, Stored>()

  /** Answers may overtake each other: a newer version is not forgotten for an older one. */
  function remember(one: Stored): void {
    if (known.size >= limits.settings.remembered) known.clear()
    if ((known.get(one.environmentId)?.version ?? 0) < one.version)
      known.set(one.environmentId, one)
  }

  return async (versions: Version[]): Promise<Map<EnvironmentId, SettingsPatch>> => {
    const found = new Map<EnvironmentId, SettingsPatch>()
    const missing = new Set<EnvironmentId>()
    for (const { environmentId, settingsVersion } of versions) {
      const one = known.get(environmentId)
      if (settingsVersion === 0) found.set(environmentId, {})
      else if (one?.version === settingsVersion) found.set(environmentId, one.patch)
      else missing.add(environmentId)
    }
    for (const one of await readStored(db, [...missing])) {
      found.set(one.environmentId, one.patch)
      remember(one)
    }
    return found
  }
}

async function readStored(db: Reader, ids: EnvironmentId[]): Promise<Stored[]> {
  if (ids.length === 0) return []
  const rows = await db.rows<Omit<Stored, 'patch'> & { document: string }>({
    name: 'find_settings_of_sessions',
    text: `
      select environment_id as "environmentId", version, document
      from environment_settings where environment_id = any($1)`,
    values: [ids],
  })
  return rows.map(({ document, ...row }) => ({ ...row, patch: JSON.parse(document) }))
}
