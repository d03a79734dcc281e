import type { Clock } from '../base/clock.js'
import type { Environment, EnvironmentId, Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { Seal } from '../base/sealed.js'
import type { Database } from '../postgres/database.js'
import { gather } from '../postgres/gather.js'
import { listStatement } from '../postgres/statement.js'
import { type AddressCheck, createAddressCheck } from './address-ranges.js'
import { type KeyFormat, type KeyKind, parseKey } from './key-format.js'
import { KeyUses } from './key-uses.js'
import { Recent } from './recent.js'

export type AuthenticatedKey = {
  id: string
  name: string
  kind: KeyKind
  environment: Environment
}

export type KeyRing = {
  /** The key behind a text, if it may be used now and from this address. */
  find(keyText: string, address: string): Promise<AuthenticatedKey | undefined>
  /** Writes down when keys were last used; a timer calls it. Answers for how many keys. */
  rememberUses(): Promise<number>
  readonly unrememberedUses: number
  /** From now on, keys that were read before a clock was moved know of it here, too. */
  noteClock(environmentId: EnvironmentId, clockOffsetMs: number): void
}

type KnownKey = { key: AuthenticatedKey; expiresAt: Date | null; isAllowed: AddressCheck }
type Answer = Promise<KnownKey | undefined>

/**
 * Tells callers by their keys. An answer of the database is believed for a second at most, counted
 * from the question, so a revocation holds everywhere within a second with nothing announced.
 */
export function createKeyRing(needs: { db: Database; seal: Seal; clock: Clock }): KeyRing {
  const { db, seal, clock } = needs
  const bounds = { ageMs: limits.keys.cachedMs, most: limits.keys.cached }
  const known = new Recent<Answer>(bounds)
  // Apart from the known ones, so that a flood of invented keys cannot push those out.
  const unknown = new Recent<Answer>(bounds)
  const uses = new KeyUses()
  // Clocks only move forward, so that a note is never wrong for being old.
  const offsets = new Recent<number>({ ...bounds, ageMs: Number.POSITIVE_INFINITY })
  const ask = gather((hashes: Buffer[]) => findKeys(db, hashes))

  function recall(hash: Buffer): Answer {
    const name = hash.toString('latin1')
    const at = clock.elapsedMs()
    const recent = known.get(name, at) ?? unknown.get(name, at)
    if (recent) return recent
    const answer = ask(hash)
    known.set(name, { value: answer, at })
    answer.then(
      (key) => {
        if (key) return
        known.forget(name, answer)
        unknown.set(name, { value: answer, at })
      },
      () => known.forget(name, answer),
    )
    return answer
  }

  const notedOffset = (id: EnvironmentId) => offsets.get(String(id), clock.elapsedMs()) ?? 0

  return {
    async find(keyText, address) {
      const format = parseKey(keyText)
      if (!format) return undefined
      const found = await recall(seal.hash(keyText))
      const now = clock.now()
      if (!found || !mayOpen(found, { format, now, address })) return undefined
      uses.note(found.key.id, now)
      return ahead(found.key, notedOffset(found.key.environment.id))
    },
    rememberUses: () => uses.write(db),
    get unrememberedUses() {
      return uses.count
    },
    noteClock(id, clockOffsetMs) {
      const value = Math.max(clockOffsetMs, notedOffset(id))
      offsets.set(String(id), { value, at: clock.elapsedMs() })
    },
  }
}

function ahead(key: AuthenticatedKey, notedMs: number): AuthenticatedKey {
  const { environment } = key
  if (environment.clockOffsetMs >= notedMs) return key
  return { ...key, environment: { ...environment, clockOffsetMs: notedMs } }
}

type Attempt = { format: KeyFormat; now: Date; address: string }

function mayOpen({ key, expiresAt, isAllowed }: KnownKey, attempt: Attempt): boolean {
  const { kind, mode } = attempt.format
  const isExpired = expiresAt !== null && expiresAt <= attempt.now
  const isAsItSays = key.kind === kind && key.environment.mode === mode
  return isAsItSays && !isExpired && isAllowed(attempt.address)
}

type KeyRow = {
  hash: Buffer
  id: string
  name: string
  kind: KeyKind
  allowedAddresses: string[]
  expiresAt: Date | null
  environmentId: EnvironmentId
  mode: Mode
  merchantId: string
  merchantName: string
  clockOffsetMs: number
}

const columns = { hash: 'bytea' } as const

const selectKeys = listStatement<typeof columns, KeyRow>({
  name: 'find_keys',
  columns,
  text: (list) => `
    select k.hash, k.id, k.name, k.kind, k.allowed_addresses as "allowedAddresses",
      k.expires_at as "expiresAt", k.environment_id as "environmentId", e.mode,
      e.clock_offset_ms::float8 as "clockOffsetMs", e.merchant_id as "merchantId",
      m.display_name as "merchantName"
    from ${list} join api_keys k on k.hash = list.hash
      join environments e on e.id = k.environment_id
      join merchants m on m.id = e.merchant_id
    where k.revoked_at is null`,
})

async function findKeys(db: Database, hashes: Buffer[]): Promise<(KnownKey | undefined)[]> {
  const rows = await db.rows(selectKeys(hashes.map((hash) => ({ hash }))))
  const found = new Map(rows.map((row) => [row.hash.toString('latin1'), toKnownKey(row)]))
  return hashes.map((hash) => found.get(hash.toString('latin1')))
}

function toKnownKey(row: KeyRow): KnownKey {
  const { id, name, kind, environmentId, mode, merchantId, merchantName, clockOffsetMs } = row
  const environment = { id: environmentId, mode, merchantId, merchantName, clockOffsetMs }
  return {
    key: { id, name, kind, environment },
    expiresAt: row.expiresAt,
    isAllowed: createAddressCheck(row.allowedAddresses),
  }
}
