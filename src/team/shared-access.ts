import type { RealTime } from '../base/clock.js'
import { after, hour, minute } from '../base/clock.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { signInLimits } from './limits.js'

/** How a user got an account, a password or the right to approve from another user. */
export type AccessLink = {
  maker: string
  target: string
  targetName: string
  kind: 'joined' | 'password' | 'right'
  at: RealTime
}

/** The links given after a moment to these users, to the makers of those, and so on. */
export async function findAccessLinks(
  db: Queryable,
  since: Date,
  userIds: Iterable<string>,
): Promise<AccessLink[]> {
  return db.rows(sql<AccessLink>`
    with recursive links as (select * from access_links(${since})),
    holders as (
      select unnest(${[...userIds]}::uuid[]) as id
      union
      select links.maker from holders join links on links.target = holders.id)
    select links.maker, links.target, u.name as target_name, links.kind, links.given_at as at
    from links join holders on holders.id = links.target join users u on u.id = links.target
    order by links.given_at, links.target, links.kind, links.maker`)
}

/** When two users no longer share access, and the link that lasted until then. */
export type Freedom = { from: Date; because: AccessLink | null }

/**
 * Decides from when on no single person may hold the accounts of both users: the maker of a link by
 * which a member joined, or set a password, could have used it, and a member may make an account
 * of their own an approver. A link counts for 72 hours.
 */
export function judgeFreedom(
  links: AccessLink[],
  start: Date,
  [userId, otherId]: [userId: string, userId: string],
): Freedom {
  let freedom: Freedom = { from: start, because: null }
  // Oldest first: the links end in this order.
  for (const link of links.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const counting = links.filter(({ at }) => endOf(at) > freedom.from)
    const holders = listHolders(counting, userId)
    if (![...listHolders(counting, otherId)].some((holder) => holders.has(holder))) break
    if (endOf(link.at) > freedom.from) freedom = { from: endOf(link.at), because: link }
  }
  return freedom
}

const endOf = (at: Date) => after(at, signInLimits.linkDistrustMs)

/** The user, the makers of their links, the makers of the links of those, and so on. */
function listHolders(links: AccessLink[], userId: string): Set<string> {
  const holders = new Set([userId])
  for (const holder of holders)
    for (const { maker, target } of links) if (target === holder) holders.add(maker)
  return holders
}

/** From when on two users share no access, as of now. */
export async function findFreedom(
  db: Queryable,
  at: Date,
  pair: [userId: string, userId: string],
): Promise<Freedom> {
  const links = await findAccessLinks(db, after(at, -signInLimits.linkDistrustMs), pair)
  return judgeFreedom(links, at, pair)
}

const didWhat = {
  joined: 'joined',
  password: 'set a password by a link',
  right: 'became an approver',
}

/** "from 2026-11-20 13:05 UTC, because you joined 2 days ago", as one of the two reads it. */
export function explainWait(
  { from, because }: Freedom,
  { userId, at }: { userId: string; at: Date },
): string {
  // A minute that is named is over when the member may approve.
  const time = new Date(minute * Math.ceil(from.getTime() / minute)).toISOString()
  const when = `from ${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
  if (!because) return when
  const who = because.target === userId ? 'you' : because.targetName
  return `${when}, because ${who} ${didWhat[because.kind]} ${sayAge(because.at, at)}`
}

function sayAge(since: Date, at: Date): string {
  const hours = Math.floor((at.getTime() - since.getTime()) / hour)
  if (hours < 1) return 'less than an hour ago'
  const [count, unit] = hours < 24 ? [hours, 'hour'] : [Math.floor(hours / 24), 'day']
  return count === 1 ? `1 ${unit} ago` : `${count} ${unit}s ago`
}
