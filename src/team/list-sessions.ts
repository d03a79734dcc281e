import { after, type RealTime } from '../base/clock.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { consoleLimits, signInLimits } from './limits.js'

/** A session as its user sees it. */
export type OwnSession = {
  id: string
  address: string
  browser: string
  hasSecondFactor: boolean
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
}

/** Those that still work, the latest used first. */
export async function listOwnSessions(
  db: Queryable,
  now: RealTime,
  userId: string,
): Promise<OwnSession[]> {
  const rows = await db.rows(sql<OwnSession & { idleMs: number }>`
    select id, address, browser, has_second_factor, created_at, last_seen_at, expires_at,
      idle_ms::float8 as idle_ms
    from user_sessions
    where user_id = ${userId} and ended_at is null and expires_at > ${now}
    order by last_seen_at desc, id desc limit ${signInLimits.sessionsListedMax}`)
  // "Last seen" is written once a minute.
  const graceMs = consoleLimits.lastSeenIntervalMs
  return rows.filter(({ lastSeenAt, idleMs }) => after(lastSeenAt, idleMs + graceMs) > now)
}

/** False if the user has no such session that still runs. */
export async function endOwnSession(
  tx: Tx,
  now: RealTime,
  { userId, id }: { userId: string; id: string },
): Promise<boolean> {
  const count = await tx.count(sql`
    update user_sessions set ended_at = ${now}
    where user_id = ${userId} and id = ${id} and ended_at is null`)
  return count > 0
}

/** Where a user signed in from, the latest first, as far as it is stored. */
export function listSessionPlaces(
  db: Queryable,
  userId: string,
): Promise<{ address: string; browser: string }[]> {
  return db.rows(sql<{ address: string; browser: string }>`
    select address, browser from user_sessions where user_id = ${userId}
    order by created_at desc limit ${signInLimits.sessionsListedMax}`)
}
