import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/tx.js'
import { parseAddressRange } from './address-ranges.js'
import { type IssuedKey, insertKey, type NewKey } from './api-keys.js'
import { lockEnvironment } from './environments.js'

/**
 * Makes a key and shows it this once. Refuses an expiry that has passed, addresses that are none,
 * and more keys than an environment may have.
 */
export async function issueKey(tx: Tx, now: Date, order: NewKey): Promise<IssuedKey> {
  const refusal = judgeOrder(now, order)
  if (refusal) throw refusal
  await lockEnvironment(tx, order.environment.id)
  const working = await countWorkingKeys(tx, now, order.environment.id)
  if (working >= limits.keys.perEnvironment)
    throw refuse('name', `This environment has ${working} keys already; revoke one first.`)
  return insertKey(tx, now, order)
}

function judgeOrder(now: Date, order: NewKey): Refusal | undefined {
  if (order.expiresAt && order.expiresAt <= now)
    return refuse('expiresAt', 'A key must expire in the future.')
  if (order.allowedAddresses.length > limits.keys.allowedAddresses)
    return refuse('allowedAddresses', `At most ${limits.keys.allowedAddresses} can be allowed.`)
  const wrong = order.allowedAddresses.find((range) => !parseAddressRange(range))
  if (wrong !== undefined)
    return refuse('allowedAddresses', `"${wrong}" is neither an IP address nor a CIDR range.`)
  return undefined
}

function refuse(field: string, message: string): Refusal {
  return new Refusal('validation_failed', { message, details: [{ field, issue: message }] })
}

/**
 * A rolled key is on its way out and its successor counts, so rolling is never refused for number.
 */
async function countWorkingKeys(tx: Tx, now: Date, environmentId: EnvironmentId): Promise<number> {
  const [row] = await tx.rows(sql<{ count: bigint }>`
    select count(*) from api_keys
    where environment_id = ${environmentId} and revoked_at is null and rolled_into is null
      and (expires_at is null or expires_at > ${now})`)
  return Number(row!.count)
}
