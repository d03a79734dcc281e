import { after } from '../base/clock.js'
import { fromReference, prefixes } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'

/**
 * Whether one person may hold the accounts of both users: the maker of a link by which a member
 * joined, or set a password, could have used it. Links of the last 72 hours count.
 */
export async function haveSharedAccess(
  db: Queryable,
  now: Date,
  [one, other]: [userId: string, userId: string],
): Promise<boolean> {
  const since = after(now, -limits.signIn.linkDistrustMs)
  const holders = await listHolders(db, since, one)
  const others = await listHolders(db, since, other)
  return [...others].some((userId) => holders.has(userId))
}

/** The user, the makers of their links, the makers of the links of those, and so on. */
async function listHolders(db: Queryable, since: Date, userId: string): Promise<Set<string>> {
  const holders = new Set([userId])
  for (const holder of holders) {
    const rows = await db.rows(sql<{ maker: string }>`
      select i.created_by as maker from invitations i
      where i.resets_user_id = ${holder} and i.used_at > ${since}
      union all
      select i.created_by from invitations i join users u on u.email = i.email
      where u.id = ${holder} and i.resets_user_id is null and i.used_at > ${since}`)
    for (const { maker } of rows) {
      // Links made on the operator's command line have no user as their maker.
      const makerId = fromReference(prefixes.user, maker)
      if (makerId) holders.add(makerId)
    }
  }
  return holders
}
