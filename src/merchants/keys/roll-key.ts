import { after, type RealTime } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { keyLimits } from '../limits.js'
import {
  type ApiKey,
  type IssuedKey,
  insertKey,
  type KeyName,
  lockKey,
  type NewKey,
} from './api-keys.js'

export type KeyRoll = KeyName & { seal: Seal; graceMs: number } & Pick<NewKey, 'createdBy'>

/** The new key, and when the old one stops working. */
export type RolledKey = { issued: IssuedKey; oldExpiresAt: Date }

/**
 * Replaces a key with a new one of the same scope. The old one keeps working for the grace period,
 * but not beyond its own expiry. Refuses a key that is invalid or was already rolled.
 */
export async function rollKey(tx: Tx, now: RealTime, roll: KeyRoll): Promise<RolledKey> {
  if (roll.graceMs < 0 || roll.graceMs > keyLimits.rollGraceMaxMs)
    throw new Refusal('validation_failed', { message: 'The grace period must be 0 to 7 days.' })
  const old = await lockKey(tx, roll)
  const reason = whyNotRollable(now, old)
  if (reason)
    throw new Refusal('validation_failed', { message: `This key ${reason}. Create a new one.` })

  const issued = insertKey(tx, now, {
    seal: roll.seal,
    environment: { id: old.environmentId, merchantId: old.merchantId, mode: old.mode },
    kind: old.kind,
    name: old.name,
    expiresAt: nextExpiry(now, old),
    allowedAddresses: old.allowedAddresses,
    permissions: old.permissions,
    subaccountId: old.subaccountId,
    payoutsWait: old.payoutsWait,
    isRevealable: old.isRevealable,
    createdBy: roll.createdBy ?? null,
    isRolled: true,
  })
  const graceEnd = after(now, roll.graceMs)
  const oldExpiresAt = old.expiresAt && old.expiresAt < graceEnd ? old.expiresAt : graceEnd
  tx.write(sql`
    update api_keys set expires_at = ${oldExpiresAt}, rolled_into = ${issued.id}
    where environment_id = ${old.environmentId} and id = ${old.id} and rolled_into is null`)
  return { issued, oldExpiresAt }
}

function whyNotRollable(now: Date, key: ApiKey): string | undefined {
  if (key.revokedAt) return 'was revoked'
  if (key.rolledInto) return 'was already rolled'
  if (key.expiresAt && key.expiresAt <= now) return 'has expired'
  return undefined
}

/** The new key is valid for as long as the old one was. */
function nextExpiry(now: Date, { createdAt, expiresAt }: ApiKey): Date | null {
  return expiresAt && after(now, expiresAt.getTime() - createdAt.getTime())
}
