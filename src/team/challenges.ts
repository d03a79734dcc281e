import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { after, type RealTime } from '../base/clock.js'
import type { Seal } from '../base/sealed.js'
import { sql } from '../postgres/sql.js'
import { insertInto } from '../postgres/table.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'

/** The purpose of a challenge, which cannot be used for another one. */
export type ChallengePurpose =
  | { act: 'sign_in' }
  | { act: 'step_up'; sessionId: string }
  | { act: 'enrol'; userId: string }

const randomLength = 16
const timeLength = 6
const headLength = randomLength + timeLength

/**
 * A challenge carries its own end and proof, so that asking for one stores nothing: any caller may
 * ask.
 */
export function newChallenge(
  seal: Seal,
  now: Date,
  purpose: ChallengePurpose,
): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(headLength)
  randomBytes(randomLength).copy(head)
  head.writeUIntBE(after(now, signInLimits.challengeMs).getTime(), randomLength, timeLength)
  return new Uint8Array(Buffer.concat([head, seal.hash(textOf(head, purpose))]))
}

/** Whether the challenge, in base64url, is one of ours for this purpose and still valid. */
export function isOwnChallenge(
  seal: Seal,
  now: Date,
  { challenge, purpose }: { challenge: string; purpose: ChallengePurpose },
): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== headLength + 32) return false
  const head = bytes.subarray(0, headLength)
  const proof = bytes.subarray(headLength)
  const text = textOf(head, purpose)
  const hashes = [seal.hash(text), ...seal.otherHashes(text).map(({ hash }) => hash)]
  if (!hashes.some((hash) => timingSafeEqual(hash, proof))) return false
  return now.getTime() < head.readUIntBE(randomLength, timeLength)
}

function textOf(head: Buffer, purpose: ChallengePurpose): string {
  const holder = 'sessionId' in purpose ? purpose.sessionId : 'userId' in purpose && purpose.userId
  return `passkey challenge ${purpose.act} ${holder || 'anyone'} ${head.toString('base64url')}`
}

/** False if the challenge was signed before. Deletes a few old ones. */
export async function takeChallenge(tx: Tx, now: RealTime, challenge: string): Promise<boolean> {
  const hash = createHash('sha256').update(Buffer.from(challenge, 'base64url')).digest()
  const expiresAt = after(now, signInLimits.challengeMs)
  tx.write(sql`
    delete from used_challenges where hash in (
      select hash from used_challenges where expires_at < ${now}
      limit ${signInLimits.rowsDeletedMax} for update skip locked)`)
  const used = insertInto('used_challenges', { hash, expiresAt })
  const count = await tx.count(sql`${used} on conflict do nothing`)
  return count > 0
}
