import type { Clock } from '../../base/clock.js'
import type { Environment, EnvironmentId } from '../../base/environment.js'
import { ExpiringCache } from '../../base/expiring-cache.js'
import type { Seal } from '../../base/sealed.js'
import { vatRates } from '../../money/vat.js'
import type { Database } from '../../postgres/database.js'
import { listStatement } from '../../postgres/statement.js'
import { gather } from '../../postgres/transactions/gather.js'
import type { Permission } from '../../team/permissions.js'
import { keyLimits } from '../limits.js'
import { type AddressCheck, createAddressCheck } from './address-ranges.js'
import type { ApiKey } from './api-keys.js'
import { type KeyFormat, type KeyKind, parseKey } from './key-format.js'
import { KeyRehashes } from './key-rehashes.js'
import { KeyUses } from './key-uses.js'

export type AuthenticatedKey = {
  id: string
  name: string
  kind: KeyKind
  environment: Environment
  /** Null: every permission. */
  permissions: ReadonlySet<Permission> | null
  /** The sub-account that it reads, and nothing else; null: it is bound to none. */
  subaccountId: string | null
  /** Every payout made with it waits for a member. */
  payoutsWait: boolean
  expiresAt: Date | null
}

export type KeyRing = {
  /** The API key for this text, if it is valid now and from this address. */
  find(keyText: string, address: string): Promise<AuthenticatedKey | undefined>
  /**
   * The same without a promise, for a key that was fetched less than a second ago. Undefined: call
   * `find`.
   */
  recall(keyText: string, address: string): AuthenticatedKey | undefined
  /**
   * Writes when keys were last used, and the new hashes of a rotation; returns the number of used
   * keys. Called by a timer.
   */
  writeUses(): Promise<number>
  readonly unwrittenUses: number
  /** Applies a moved test clock to cached keys at once. */
  noteClock(environmentId: EnvironmentId, clockOffsetMs: number): void
}

type KnownKey = { key: AuthenticatedKey; expiresAt: Date | null; isAllowed: AddressCheck }
type Lookup = { found: Promise<KnownKey | undefined>; at: number }

/**
 * Authenticates callers by API key. A lookup is cached for a second, counted from when it started,
 * so a revocation or suspension takes effect in every process within a second.
 */
export function createKeyRing(needs: { db: Database; seal: Seal; clock: Clock }): KeyRing {
  const { db, seal, clock } = needs
  const bounds = { ageMaxMs: keyLimits.cacheMs, sizeMax: keyLimits.keysCachedMax }
  const known = new ExpiringCache<Lookup>(bounds)
  // Separate, so that a flood of invented keys cannot evict real ones.
  const unknown = new ExpiringCache<Lookup>(bounds)
  // Known keys by their text: saves the checksum, the keyed hash and the promise.
  const recalled = new ExpiringCache<KnownKey>(bounds)
  const uses = new KeyUses()
  const rehashes = new KeyRehashes(seal.fingerprint)
  // Never expire: clocks only move forward, so an old offset is still a lower bound.
  const offsets = new ExpiringCache<number>({ ...bounds, ageMaxMs: Number.POSITIVE_INFINITY })
  const fetchKey = gather((hashes: Buffer[]) => findKeys(db, hashes))

  function lookUp(hash: Buffer): Lookup {
    const name = hash.toString('latin1')
    const at = clock.elapsedMs()
    const cached = known.get(name, at) ?? unknown.get(name, at)
    if (cached) return cached
    const lookup = { found: fetchKey(hash), at }
    known.set(name, { value: lookup, at })
    lookup.found.then(
      (key) => {
        if (key) return
        known.delete(name, lookup)
        unknown.set(name, { value: lookup, at })
      },
      () => known.delete(name, lookup),
    )
    return lookup
  }

  /** While the secret is rotated, keys that were not used since have another hash. */
  async function findByOtherSecret(
    keyText: string,
    hash: Buffer,
  ): Promise<{ key: KnownKey; at: number } | undefined> {
    const others = seal.otherHashes(keyText)
    if (others.length === 0) return undefined
    for (const other of others) {
      const { found, at } = lookUp(other.hash)
      const key = await found
      if (!key) continue
      if (other.isOld) rehashes.note({ id: key.key.id, oldHash: other.hash, hash })
      return { key, at }
    }
    // Another process may have replaced the hash between the queries.
    const at = clock.elapsedMs()
    const key = await fetchKey(hash)
    return key && { key, at }
  }

  const notedOffset = (id: EnvironmentId) => offsets.get(String(id), clock.elapsedMs()) ?? 0

  /** Checks what may differ between two requests with the same key, and notes the use. */
  function admitKey(
    { key, expiresAt, isAllowed }: KnownKey,
    address: string,
  ): AuthenticatedKey | undefined {
    const now = clock.now()
    const isExpired = expiresAt !== null && expiresAt <= now
    if (isExpired || !isAllowed(address)) return undefined
    uses.note(key.id, now)
    return withClockOffset(key, notedOffset(key.environment.id))
  }

  return {
    async find(keyText, address) {
      const format = parseKey(keyText)
      if (!format) return undefined
      const hash = seal.hash(keyText)
      const { found, at: lookedUpAt } = lookUp(hash)
      const current = await found
      const known = current
        ? { key: current, at: lookedUpAt }
        : await findByOtherSecret(keyText, hash)
      if (!known || !hasClaimedScope(known.key, format)) return undefined
      recalled.set(keyText, { value: known.key, at: known.at })
      return admitKey(known.key, address)
    },
    recall(keyText, address) {
      const known = recalled.get(keyText, clock.elapsedMs())
      return known && admitKey(known, address)
    },
    async writeUses() {
      recalled.deleteExpired(clock.elapsedMs())
      await rehashes.write(db)
      return uses.write(db)
    },
    get unwrittenUses() {
      return uses.count
    },
    noteClock(id, clockOffsetMs) {
      const value = Math.max(clockOffsetMs, notedOffset(id))
      offsets.set(String(id), { value, at: clock.elapsedMs() })
    },
  }
}

function withClockOffset(key: AuthenticatedKey, notedMs: number): AuthenticatedKey {
  const { environment } = key
  if (environment.clockOffsetMs >= notedMs) return key
  return { ...key, environment: { ...environment, clockOffsetMs: notedMs } }
}

function hasClaimedScope({ key }: KnownKey, { kind, mode }: KeyFormat): boolean {
  return key.kind === kind && key.environment.mode === mode
}

type KeyRow = Omit<Environment, 'id'> &
  Pick<
    ApiKey,
    | 'id'
    | 'name'
    | 'kind'
    | 'allowedAddresses'
    | 'permissions'
    | 'subaccountId'
    | 'payoutsWait'
    | 'expiresAt'
    | 'environmentId'
  > & { hash: Buffer; keysMayWait: boolean; hasRecipients: boolean }

const columns = { hash: 'bytea' } as const

const selectKeys = listStatement<typeof columns, KeyRow>({
  name: 'find_keys',
  columns,
  text: (list) => `
    select k.hash, k.id, k.name, k.kind, k.allowed_addresses, k.permissions, k.expires_at,
      k.subaccount_id, k.payouts_wait, k.environment_id, e.mode,
      e.clock_offset_ms::float8 as clock_offset_ms, e.merchant_id, e.collect_bank,
      e.payout_bank, m.display_name as merchant_name, m.suspended_at is not null as
      is_suspended, k.payouts_wait or coalesce(e.approval_rule ->> 'appliesTo' = 'all'
        or has_controls(e.approval_rule), false)
        or exists (select from payout_freezes f where f.thawed_at is null
          and (f.environment_id = e.id or f.environment_id is null)) as keys_may_wait,
      exists (select from recipients r where r.environment_id = e.id) as has_recipients
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
  const environment = {
    id: environmentId,
    mode,
    merchantId,
    merchantName,
    clockOffsetMs,
    collectBank: row.collectBank,
    payoutBank: row.payoutBank,
    isSuspended: row.isSuspended,
    keysMayWait: row.keysMayWait,
    hasRecipients: row.hasRecipients,
  }
  vatRates.noteEnvironment(environment)
  return {
    key: {
      id,
      name,
      kind,
      environment,
      permissions: row.permissions && new Set(row.permissions),
      subaccountId: row.subaccountId,
      payoutsWait: row.payoutsWait,
      expiresAt: row.expiresAt,
    },
    expiresAt: row.expiresAt,
    isAllowed: createAddressCheck(row.allowedAddresses),
  }
}
