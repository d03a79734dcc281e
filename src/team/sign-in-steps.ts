import { randomBytes } from 'node:crypto'
import { after, type RealTime } from '../base/clock.js'
import { sql } from '../postgres/sql.js'
import { insertInto } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'
import { hashToken } from './sessions.js'

/** The password was right. Returns a token for the browser, with which the next factor is sent. */
export function startStep(tx: Tx, now: RealTime, userId: string): string {
  const token = randomBytes(32).toString('base64url')
  tx.write(sql`
    delete from sign_in_steps where user_id = ${userId} and expires_at < ${now}`)
  const expiresAt = after(now, signInLimits.signInStepMs)
  const step = { hash: hashToken(token), userId, createdAt: now, expiresAt }
  tx.write(insertInto('sign_in_steps', step))
  return token
}

/** The user whose password was right a moment ago. */
export async function findStep(
  db: Queryable,
  now: RealTime,
  token: string,
): Promise<{ userId: string } | undefined> {
  const [row] = await db.rows(sql<{ userId: string }>`
    select s.user_id from sign_in_steps s
    left join passwords p on p.user_id = s.user_id
    where s.hash = ${hashToken(token)} and s.used_at is null and s.expires_at > ${now}
      and p.changed_at <= s.created_at`)
  return row
}

/** False if it was used in the meantime. */
export async function takeStepToken(tx: Tx, now: RealTime, token: string): Promise<boolean> {
  const count = await tx.count(sql`
    update sign_in_steps set used_at = ${now}
    where hash = ${hashToken(token)} and used_at is null and expires_at > ${now}`)
  return count > 0
}
