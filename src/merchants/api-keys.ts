import type { Environment, EnvironmentId, Mode } from '../base/environment.js'
import { newId, prefixes, toReference } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import type { Seal } from '../base/sealed.js'
import type { Secret } from '../base/secret.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/tx.js'
import { hintOf, type KeyKind, makeKey } from './key-format.js'

/** All that is kept of a key. Its text is not: only a keyed hash, which is never read back. */
export type ApiKey = {
  id: string
  environmentId: EnvironmentId
  merchantId: string
  mode: Mode
  kind: KeyKind
  name: string
  hint: string
  allowedAddresses: string[]
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
  rolledInto: string | null
}

/** The only moment at which the whole key exists outside of its owner's hands. */
export type IssuedKey = ApiKey & { key: Secret }

/** A key is always named together with its environment. */
export type KeyName = { environmentId: EnvironmentId; id: string }

export type NewKey = {
  seal: Seal
  environment: Pick<Environment, 'id' | 'merchantId' | 'mode'>
  kind: KeyKind
  name: string
  expiresAt: Date | null
  allowedAddresses: string[]
}

export const selectKeys = sql`
  select k.id, k.environment_id as "environmentId", e.merchant_id as "merchantId", e.mode, k.kind,
    k.name, k.hint, k.allowed_addresses as "allowedAddresses", k.created_at as "createdAt",
    k.last_used_at as "lastUsedAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
    k.rolled_into as "rolledInto"
  from api_keys k join environments e on e.id = k.environment_id`

export function insertKey(tx: Tx, now: Date, order: NewKey): IssuedKey {
  const { seal, environment, kind, name, expiresAt, allowedAddresses } = order
  const key = makeKey({ kind, mode: environment.mode })
  const [id, hint] = [newId(now), hintOf(key)]
  tx.write(sql`
    insert into api_keys
      (id, environment_id, kind, name, hash, hint, allowed_addresses, created_at, expires_at)
    values (${id}, ${environment.id}, ${kind}, ${name}, ${seal.hash(key.reveal())}, ${hint},
      ${allowedAddresses}, ${now}, ${expiresAt})`)
  return {
    id,
    environmentId: environment.id,
    merchantId: environment.merchantId,
    mode: environment.mode,
    kind,
    name,
    hint,
    allowedAddresses,
    createdAt: now,
    lastUsedAt: null,
    expiresAt,
    revokedAt: null,
    rolledInto: null,
    key,
  }
}

/** Locked until the transaction ends, so that rolling and revoking one key take turns. */
export async function lockKey(tx: Tx, { environmentId, id }: KeyName): Promise<ApiKey> {
  const [key] = await tx.rows(sql<ApiKey>`
    ${selectKeys} where k.environment_id = ${environmentId} and k.id = ${id}
    for no key update of k`)
  if (!key) throw unknownKey(toReference(prefixes.apiKey, id))
  return key
}

export function unknownKey(reference: string): Refusal {
  return new Refusal('not_found', { message: `There is no API key ${reference}.` })
}
