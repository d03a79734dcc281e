import { createHash, randomBytes } from 'node:crypto'
import type { RealTime } from '../base/clock.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'

/** Leaves out letters that look like digits. */
const signs = '23456789abcdefghjkmnpqrstuvwxyz'
const groups = 4
const signsPerGroup = 4

/** Codes of 79 random bits, such as `7k3p-9xwd-m4ra-t2hv`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: signInLimits.recoveryCodes }, newCode)
}

function newCode(): string {
  const group = () => Array.from({ length: signsPerGroup }, drawSign).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** Draws again above the largest multiple, so that no sign is more likely. */
function drawSign(): string {
  for (;;) {
    const [byte] = randomBytes(1)
    if (byte! < 256 - (256 % signs.length)) return signs[byte! % signs.length]!
  }
}

/** Whether a text may be a recovery code and not a code of an authenticator app. */
export function isRecoveryCode(text: string): boolean {
  return plainCode(text).length === groups * signsPerGroup
}

function plainCode(text: string): string {
  return text.toLowerCase().replace(/[\s-]/g, '')
}

/** An unkeyed hash suffices for 79 random bits. */
function hashCode(text: string): Buffer {
  return createHash('sha256').update(plainCode(text)).digest()
}

/** Replaces all earlier codes. */
export function saveRecoveryCodes(tx: Tx, now: RealTime, userId: string, codes: string[]): void {
  tx.write(sql`delete from recovery_codes where user_id = ${userId}`)
  tx.write(sql`
    insert into recovery_codes (user_id, hash, created_at)
    select ${userId}, hash, ${now} from unnest(${codes.map(hashCode)}::bytea[]) as hash`)
}

/** False if the code is unknown or was used before. */
export async function takeRecoveryCode(
  tx: Tx,
  now: RealTime,
  { userId, code }: { userId: string; code: string },
): Promise<boolean> {
  const count = await tx.count(sql`
    update recovery_codes set used_at = ${now}
    where user_id = ${userId} and hash = ${hashCode(code)} and used_at is null`)
  return count > 0
}

export function deleteRecoveryCodes(tx: Tx, userId: string): void {
  tx.write(sql`delete from recovery_codes where user_id = ${userId}`)
}
