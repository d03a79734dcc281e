import { randomBytes } from 'node:crypto'
import { after, type RealTime } from '../base/clock.js'
import { sql } from '../postgres/sql.js'
import { insertInto } from '../postgres/table.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { consoleLimits } from './limits.js'
import { createSession, hashToken } from './sessions.js'

/** Returns the token of a new one-use link that signs a user in. */
export function createStartLink(tx: Tx, now: RealTime, userId: string): string {
  const token = randomBytes(24).toString('base64url')
  const expiresAt = after(now, consoleLimits.startLinkMs)
  tx.write(insertInto('start_links', { hash: hashToken(token), userId, expiresAt }))
  return token
}

type Visit = { token: string; address: string; browser: string }

/**
 * Uses a link up and returns the cookie token of a new session; undefined for an unknown, used or
 * expired link, and for one of a disabled user. The holder of the link can read this machine's
 * files, so it counts as a second factor and as a step-up: its user may have no password yet.
 */
export async function useStartLink(
  tx: Tx,
  now: RealTime,
  { token, address, browser }: Visit,
): Promise<string | undefined> {
  const [link] = await tx.rows(sql<{ userId: string }>`
    update start_links set used_at = ${now}
    where hash = ${hashToken(token)} and used_at is null and expires_at > ${now}
      and exists (select from users u where u.id = user_id and u.disabled_at is null)
    returning user_id`)
  if (!link) return undefined
  return createSession(tx, now, {
    userId: link.userId,
    isOperator: false,
    hasSecondFactor: true,
    provenAt: after(now, consoleLimits.sessionMaxMs),
    address,
    browser,
  })
}
