import { strict as assert } from 'node:assert'
import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { lockEnvironment } from '../environments.js'
import { keyLimits } from '../limits.js'
import { parseAddressRange } from './address-ranges.js'
import { type IssuedKey, insertKey, type NewKey } from './api-keys.js'

/**
 * Creates a key and returns it, this once. Refuses an expiry in the past, invalid addresses, and
 * more keys than an environment may have.
 */
export async function issueKey(tx: Tx, now: RealTime, newKey: NewKey): Promise<IssuedKey> {
  const refusal = judgeNewKey(now, newKey)
  if (refusal) throw refusal
  await lockEnvironment(tx, newKey.environment.id)
  const working = await countWorkingKeys(tx, now, newKey.environment.id)
  if (working >= keyLimits.perEnvironmentMax)
    throw refuse('name', `This environment already has ${working} keys. Revoke one first.`)
  return insertKey(tx, now, newKey)
}

function judgeNewKey(now: Date, newKey: NewKey): Refusal | undefined {
  if (newKey.expiresAt && newKey.expiresAt <= now)
    return refuse('expiresAt', 'A key must expire in the future.')
  const { allowedAddressesMax } = keyLimits
  if (newKey.allowedAddresses.length > allowedAddressesMax)
    return refuse('allowedAddresses', `Allow at most ${allowedAddressesMax} addresses or ranges.`)
  const invalid = newKey.allowedAddresses.find((range) => !parseAddressRange(range))
  if (invalid !== undefined)
    return refuse('allowedAddresses', `"${invalid}" is neither an IP address nor a CIDR range.`)
  if (newKey.kind === 'public' && newKey.permissions)
    return refuse('permissions', 'A public key cannot be restricted further.')
  if (newKey.kind === 'public' && newKey.payoutsWait)
    return refuse(
      'payoutsWaitForApproval',
      'A public key makes no payouts. Leave it out, or create a secret key.',
    )
  assert(!newKey.isRevealable || isTestSecret(newKey), 'only secret test keys are kept')
  return undefined
}

function isTestSecret({ kind, environment }: NewKey): boolean {
  return kind === 'secret' && environment.mode === 'test'
}

function refuse(field: string, message: string): Refusal {
  return new Refusal('validation_failed', { message, details: [{ field, issue: message }] })
}

/** Rolled keys do not count, only their successors, so rolling never exceeds the limit. */
async function countWorkingKeys(
  tx: Tx,
  now: RealTime,
  environmentId: EnvironmentId,
): Promise<number> {
  const [row] = await tx.rows(sql<{ count: bigint }>`
    select count(*) from api_keys
    where environment_id = ${environmentId} and revoked_at is null and rolled_into is null
      and (expires_at is null or expires_at > ${now})`)
  return Number(row!.count)
}
