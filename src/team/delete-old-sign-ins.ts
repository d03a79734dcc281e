import { after, type RealTime } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Database } from '../postgres/database.js'
import { type Sql, sql } from '../postgres/sql.js'

/**
 * Deletes a bounded number of rows of each kind that no longer have a use, and returns the largest
 * number. Who signed in, was invited or viewed a merchant stays in the audit log.
 */
export async function deleteOldSignIns(db: Database, now: RealTime): Promise<number> {
  const { sessionMs, invitationMs, signInMs } = limits.retention
  const ended = sql`least(s.ended_at, s.expires_at) < ${after(now, -sessionMs)}`
  const forgotten = after(now, -signInMs)
  const counts = [
    await deleteSessions(db, ended),
    await deleteRows(db, 'invitations', {
      key: 'id',
      // Approvals check who invited whom: `signInLimits.linkDistrustMs`.
      where: sql`coalesce(used_at, revoked_at, expires_at) < ${after(now, -invitationMs)}`,
    }),
    await deleteRows(db, 'start_links', { key: 'hash', where: sql`expires_at < ${forgotten}` }),
    await deleteRows(db, 'sign_in_steps', { key: 'hash', where: sql`expires_at < ${forgotten}` }),
    await deleteRows(db, 'used_challenges', { key: 'hash', where: sql`expires_at < ${forgotten}` }),
    await deleteRows(db, 'sign_in_guesses', { key: 'id', where: sql`created_at < ${forgotten}` }),
  ]
  return Math.max(...counts)
}

/**
 * Also deletes the views of merchants by an operator in these sessions. A session in which a member
 * decided about payouts stays: the decision names it.
 */
async function deleteSessions(db: Database, ended: Sql): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx.rows(sql<{ id: string }>`
      select s.id from user_sessions s where ${ended}
        and not exists (select from payout_approvals a where a.session_id = s.id)
        and not exists (select from payout_batch_approvals a where a.session_id = s.id)
      order by s.id limit ${limits.retention.rowsDeletedPerBatchMax}
      for update of s skip locked`)
    const ids = rows.map(({ id }) => id)
    tx.write(sql`delete from operator_views where session_id = any(${ids}::uuid[])`)
    tx.write(sql`delete from session_ends where session_id = any(${ids}::uuid[])`)
    tx.write(sql`delete from user_sessions where id = any(${ids}::uuid[])`)
    return ids.length
  })
}

async function deleteRows(
  db: Database,
  table: string,
  { key, where }: { key: string; where: Sql },
): Promise<number> {
  const [from, name] = [sql.identifier(table), sql.identifier(key)]
  const deleted = await db.rows(sql`
    delete from ${from} where ${name} in (
      select ${name} from ${from} where ${where}
      limit ${limits.retention.rowsDeletedPerBatchMax} for update skip locked)
    returning 1`)
  return deleted.length
}
