import type { RealTime } from '../../base/clock.js'
import type { Environment, EnvironmentId, Mode } from '../../base/environment.js'
import { fromReference, newId, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { Secret } from '../../base/secret.js'
import { sql } from '../../postgres/sql.js'
import { column, insertInto, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { hintOf, type KeyKind, makeKey } from './key-format.js'
import type { KeyPermission } from './key-permissions.js'

const apiKeys = new Table('api_keys', {
  id: column.uuid(),
  environmentId: column.int4<EnvironmentId>(),
  kind: column.text<KeyKind>(),
  name: column.text(),
  hint: column.text(),
  allowedAddresses: column.texts(),
  /** Null: every permission. */
  permissions: column.texts<KeyPermission>().orNull(),
  /** It reads this sub-account and nothing else. Null: it is bound to none. */
  subaccountId: column.uuid().orNull(),
  /** Every payout made with it waits for a member. Stays as it is, also when the key is rolled. */
  payoutsWait: column.bool(),
  createdAt: column.time(),
  lastUsedAt: column.time().orNull(),
  expiresAt: column.time().orNull(),
  revokedAt: column.time().orNull(),
  rolledInto: column.uuid().orNull(),
})

/**
 * A key as stored. The database holds a keyed hash of it; of some test keys also the key itself,
 * sealed, so that the console can show it again.
 */
export type ApiKey = typeof apiKeys.row & {
  merchantId: string
  mode: Mode
  /** Whether it can be shown again. */
  isRevealable: boolean
  /** The member who created it in the console, if one did. */
  createdByName: string | null
}

/** A new key, shown to its owner once. */
export type IssuedKey = ApiKey & { key: Secret }

export type KeyName = { environmentId: EnvironmentId; id: string }

export type NewKey = {
  seal: Seal
  environment: Pick<Environment, 'id' | 'merchantId' | 'mode'>
  kind: KeyKind
  name: string
  expiresAt: Date | null
  allowedAddresses: string[]
  /** Absent or null: every permission. */
  permissions?: KeyPermission[] | null
  /** Binds it to a sub-account of the environment. */
  subaccountId?: string | null
  /** Secret keys only. */
  payoutsWait?: boolean
  /** Keeps the key itself, sealed, so that it can be shown again. Secret keys of test mode only. */
  isRevealable?: boolean
  /** The member who creates it in the console, who may not approve what it pays out. */
  createdBy?: KeyCreator | null
  /** The operator who creates it in the console and sees it. Operators may be members, too. */
  shownTo?: string | null
  /** Whether it replaces another key. */
  isRolled?: boolean
}

type KeyCreator = { userId: string; name: string }

const selectKeys = sql`
  select ${apiKeys.of('k')}, e.merchant_id, e.mode, k.sealed_key is not null as is_revealable,
    u.name as created_by_name
  from api_keys k join environments e on e.id = k.environment_id
    left join users u on u.id = k.created_by_user`

export function insertKey(tx: Tx, now: RealTime, newKey: NewKey): IssuedKey {
  const { seal, environment, kind, name, expiresAt, allowedAddresses } = newKey
  const { permissions = null, isRevealable = false, createdBy = null, shownTo = null } = newKey
  const key = makeKey({ kind, mode: environment.mode })
  const row: typeof apiKeys.row = {
    id: newId(now),
    environmentId: environment.id,
    kind,
    name,
    hint: hintOf(key),
    allowedAddresses,
    permissions,
    subaccountId: newKey.subaccountId ?? null,
    payoutsWait: newKey.payoutsWait ?? false,
    createdAt: now,
    lastUsedAt: null,
    expiresAt,
    revokedAt: null,
    rolledInto: null,
  }
  const secrets = {
    hash: seal.hash(key.reveal()),
    secretFingerprint: seal.fingerprint,
    sealedKey: isRevealable ? seal.seal(key.reveal()) : null,
  }
  tx.write(apiKeys.insert(row, { ...secrets, createdByUser: createdBy?.userId ?? null }))
  const how = newKey.isRolled ? 'rolled' : 'created'
  const userId = createdBy?.userId ?? shownTo
  if (userId !== null) insertHolder(tx, now, { ...row, userId, how })
  return {
    ...row,
    merchantId: environment.merchantId,
    mode: environment.mode,
    isRevealable,
    createdByName: createdBy?.name ?? null,
    key,
  }
}

type KeySighting = KeyName & { userId: string; how: 'created' | 'rolled' | 'revealed' }

/** Records that a user has seen a key, and so may use it: see `creators_of` in the schema. */
export function insertHolder(
  tx: Tx,
  now: RealTime,
  { environmentId, id, userId, how }: KeySighting,
): void {
  const holder = { environmentId, keyId: id, userId, how, seenAt: now }
  tx.write(sql`${insertInto('api_key_holders', holder)} on conflict do nothing`)
}

/** Locks the key, so that rolling and revoking it take turns. */
export async function lockKey(tx: Tx, { environmentId, id }: KeyName): Promise<ApiKey> {
  const [key] = await tx.rows(sql<ApiKey>`
    ${selectKeys} where k.environment_id = ${environmentId} and k.id = ${id}
    for no key update of k`)
  if (!key) throw unknownKey(toReference(prefixes.apiKey, id))
  return key
}

/**
 * Ends a key for good; every process rejects it within a second. Revoking it again changes nothing
 * and returns when it was first revoked.
 */
export async function revokeKey(
  tx: Tx,
  now: RealTime,
  name: KeyName,
): Promise<{ key: ApiKey; isFresh: boolean }> {
  const key = await lockKey(tx, name)
  if (key.revokedAt) return { key, isFresh: false }
  tx.write(sql`
    update api_keys set revoked_at = ${now}, sealed_key = null
    where environment_id = ${key.environmentId} and id = ${key.id} and revoked_at is null`)
  return { key: { ...key, revokedAt: now, isRevealable: false }, isFresh: true }
}

/**
 * Shows a test key again to a user, who from then on counts as a creator of what it pays out.
 * Refuses every other key. The caller writes an audit line.
 */
export async function revealKey(
  tx: Tx,
  now: RealTime,
  { environmentId, id, seal, userId }: KeyName & { seal: Seal; userId: string },
): Promise<IssuedKey> {
  const [found] = await tx.rows(sql<ApiKey & { sealedKey: string | null }>`
    select k.*, a.sealed_key from (${selectKeys}) k join api_keys a using (id)
    where k.environment_id = ${environmentId} and k.id = ${id}`)
  if (!found) throw unknownKey(toReference(prefixes.apiKey, id))
  const { sealedKey, ...key } = found
  const isOver = key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)
  if (sealedKey === null || key.mode !== 'test' || isOver)
    throw new Refusal('validation_failed', {
      message: 'This key was shown once and is not kept. Roll it to get a new one.',
    })
  insertHolder(tx, now, { environmentId, id, userId, how: 'revealed' })
  return { ...key, key: new Secret(seal.open(sealedKey)) }
}

/** Newest first, including expired and revoked keys. */
export async function listKeys(db: Queryable, environmentId: EnvironmentId): Promise<ApiKey[]> {
  return db.rows(sql<ApiKey>`
    ${selectKeys} where k.environment_id = ${environmentId}
    order by k.created_at desc, k.id desc limit ${limits.operator.rowsListedMax}`)
}

export type KeyOfMember = Pick<ApiKey, 'id' | 'name' | 'mode'> & { userId: string }

/** Working keys of a merchant that members created in the console: they outlive their access. */
export async function listKeysOfMembers(
  db: Queryable,
  now: RealTime,
  merchantId: string,
): Promise<KeyOfMember[]> {
  return db.rows(sql<KeyOfMember>`
    select k.id, k.name, e.mode, k.created_by_user as user_id
    from environments e join api_keys k on k.environment_id = e.id
    where e.merchant_id = ${merchantId} and k.created_by_user is not null
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
    order by e.mode, k.name, k.id limit ${limits.operator.rowsListedMax}`)
}

/** Searches all environments: an operator names a key by its reference alone. */
export async function getKey(db: Queryable, reference: string): Promise<ApiKey> {
  const id = fromReference(prefixes.apiKey, reference)
  const [key] = id ? await db.rows(sql<ApiKey>`${selectKeys} where k.id = ${id}`) : []
  if (!key) throw unknownKey(reference)
  return key
}

function unknownKey(reference: string): Refusal {
  return new Refusal('not_found', { message: `No API key ${reference} exists.` })
}
