import { createHash, randomBytes } from 'node:crypto'
import { after, type Clock, type RealTime } from '../base/clock.js'
import type { Environment, EnvironmentId, Mode } from '../base/environment.js'
import { ExpiringCache } from '../base/expiring-cache.js'
import { newId } from '../base/ids.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { consoleLimits } from './limits.js'
import { belongsElsewhere } from './members.js'
import { type Permission, permissionsOf, type Role, viewPermissions } from './permissions.js'
import { lockUsers } from './users.js'

/** A member of a merchant, or an operator who views it. */
export type Membership = {
  merchantId: string
  merchantName: string
  role: Role | 'operator_view'
  maySeeLive: boolean
  isSuspended: boolean
  /** This session ended at this merchant. A new one works there again. */
  isSignedOut: boolean
  environments: Record<Mode, Environment>
}

/** A user who is signed in. */
export type SignedIn = {
  sessionId: string
  userId: string
  name: string
  email: string
  isOperator: boolean
  hasSecondFactor: boolean
  /** When a factor was last proven. */
  provenAt: Date
  lastSeenAt: Date
  idleMs: number
  expiresAt: Date
  memberships: Membership[]
}

export type NewSession = {
  userId: string
  isOperator: boolean
  hasSecondFactor: boolean
  /** Now, if absent. In the future for a start link, whose user may have no factor to prove. */
  provenAt?: Date
  address: string
  browser: string
}

export type Sessions = {
  /** The session of a cookie, if it is valid now. */
  find(token: string): Promise<SignedIn | undefined>
  /** Makes this process read every session again, after a change that its caller expects to see. */
  forgetAll(): void
  /** Writes when sessions were last used. Called by a timer. */
  writeUses(): Promise<void>
}

type Lookup = { found: Promise<SignedIn | undefined>; at: number }

/**
 * Finds signed-in users by cookie. A lookup is cached for a second, counted from when it started,
 * so an ended session, a changed role or a suspension takes effect everywhere within a second.
 */
export function createSessions({ db, clock }: { db: Database; clock: Clock }): Sessions {
  const { sessionCacheMs, sessionsCachedMax, lastSeenIntervalMs } = consoleLimits
  const cache = new ExpiringCache<Lookup>({ ageMaxMs: sessionCacheMs, sizeMax: sessionsCachedMax })
  const seen = new Map<string, Date>()

  function lookUp(token: string): Lookup {
    const name = hashToken(token).toString('latin1')
    const at = clock.elapsedMs()
    const cached = cache.get(name, at)
    if (cached) return cached
    const lookup = { found: findSession(db, clock.now(), token), at }
    cache.set(name, { value: lookup, at })
    lookup.found.catch(() => cache.delete(name, lookup))
    return lookup
  }

  return {
    async find(token) {
      if (!isToken(token)) return undefined
      const session = await lookUp(token).found
      const now = clock.now()
      if (!session || session.expiresAt <= now) return undefined
      const lastSeenAt = seen.get(session.sessionId) ?? session.lastSeenAt
      if (now.getTime() - lastSeenAt.getTime() >= session.idleMs) return undefined
      if (now.getTime() - lastSeenAt.getTime() >= lastSeenIntervalMs)
        seen.set(session.sessionId, now)
      return session
    },
    forgetAll: () => cache.clear(),
    async writeUses() {
      const used = [...seen]
      seen.clear()
      if (used.length === 0) return
      await db.rows(sql`
        update user_sessions s set last_seen_at = greatest(s.last_seen_at, used.at)
        from unnest(${used.map(([id]) => id)}::uuid[], ${used.map(([, at]) => at)}::timestamptz[])
          as used (id, at)
        where s.id = used.id`)
    },
  }
}

/** Returns the token for the cookie: 256 random bits, of which only a hash is stored. */
export function createSession(tx: Tx, now: RealTime, session: NewSession): string {
  const token = randomBytes(32).toString('base64url')
  const { idleMs, sessionMaxMs, operatorIdleMs, operatorSessionMaxMs } = consoleLimits
  const [idle, longest] = session.isOperator
    ? [operatorIdleMs, operatorSessionMaxMs]
    : [idleMs, sessionMaxMs]
  tx.write(sql`
    insert into user_sessions (id, user_id, hash, address, browser, has_second_factor, proven_at,
      created_at, last_seen_at, idle_ms, expires_at)
    values (${newId(now)}, ${session.userId}, ${hashToken(token)}, ${session.address},
      ${session.browser.slice(0, consoleLimits.browserNameLength)}, ${session.hasSecondFactor},
      ${session.provenAt ?? now}, ${now}, ${now}, ${idle}, ${after(now, longest)})`)
  return token
}

export function endSession(tx: Tx, now: RealTime, sessionId: string): void {
  tx.write(sql`
    update user_sessions set ended_at = ${now} where id = ${sessionId} and ended_at is null`)
}

/** A browser that signs in again gets a new session in place of the one it had. */
export function endSessionOfToken(tx: Tx, now: RealTime, token: string): void {
  tx.write(sql`
    update user_sessions set ended_at = ${now}
    where hash = ${hashToken(token)} and ended_at is null`)
}

/** Signs the user out after a change of password or role, except from session `exceptId`. */
export function endSessionsOf(tx: Tx, now: RealTime, userId: string, exceptId?: string): void {
  tx.write(sql`
    update user_sessions set ended_at = ${now}
    where user_id = ${userId} and ended_at is null and id is distinct from ${exceptId ?? null}`)
}

/**
 * Signs a member out of a merchant. A user who also belongs elsewhere stays signed in there: one
 * merchant must not end work at another.
 */
export async function endSessionsAt(
  tx: Tx,
  now: RealTime,
  { merchantId, userId }: { merchantId: string; userId: string },
): Promise<void> {
  if (!(await belongsElsewhere(tx, { merchantId, userId }))) return endSessionsOf(tx, now, userId)
  tx.write(sql`
    insert into session_ends (session_id, merchant_id, ended_at)
    select id, ${merchantId}, ${now} from user_sessions
    where user_id = ${userId} and ended_at is null and expires_at > ${now}
    on conflict do nothing`)
}

type SessionPlace = { environmentId: EnvironmentId; sessionId: string }

/** Sessions that may still see the environment. Does not count as a use of the session. */
export async function findOpenPlaces<Place extends SessionPlace>(
  db: Queryable,
  now: RealTime,
  places: Place[],
): Promise<Place[]> {
  const rows = await db.rows(sql<{ number: number }>`
    select place.number::int from unnest(${places.map(({ environmentId }) => environmentId)}::int[],
        ${places.map(({ sessionId }) => sessionId)}::uuid[])
      with ordinality as place (environment_id, session_id, number)
    join environments e on e.id = place.environment_id
    join user_sessions s on s.id = place.session_id
    join users u on u.id = s.user_id
    where s.ended_at is null and s.expires_at > ${now} and u.disabled_at is null
      and not exists (select from session_ends x
        where x.session_id = s.id and x.merchant_id = e.merchant_id)
      and (exists (select from memberships m where m.user_id = u.id
          and m.merchant_id = e.merchant_id and m.disabled_at is null
          and (e.mode = 'test' or m.may_see_live))
        or exists (select from operator_views v where v.session_id = s.id
          and v.merchant_id = e.merchant_id and v.until > ${now} and u.is_operator))`)
  const open = new Set(rows.map(({ number }) => number - 1))
  return places.filter((_, index) => open.has(index))
}

/**
 * False if the session ended since it was found, which may have been a second ago. Locks the
 * user: a new password and a new factor wait for each other.
 */
export async function lockOpenSession(
  tx: Tx,
  { userId, sessionId }: Pick<SignedIn, 'userId' | 'sessionId'>,
): Promise<boolean> {
  await lockUsers(tx, [userId])
  const rows = await tx.rows(sql`
    select from user_sessions s join users u on u.id = s.user_id
    where s.id = ${sessionId} and s.user_id = ${userId} and s.ended_at is null
      and u.disabled_at is null`)
  return rows.length > 0
}

/** Notes that a factor was proven: opens the minutes of a step-up. */
export function noteProof(
  tx: Tx,
  now: RealTime,
  { sessionId, isSecondFactor }: { sessionId: string; isSecondFactor: boolean },
): void {
  tx.write(sql`
    update user_sessions set proven_at = greatest(proven_at, ${now}),
      has_second_factor = has_second_factor or ${isSecondFactor}
    where id = ${sessionId}`)
}

export function hasStepUp({ provenAt }: Pick<SignedIn, 'provenAt'>, now: Date): boolean {
  return now < after(provenAt, consoleLimits.stepUpMs)
}

/** What a user may do at a merchant in a mode. */
export function permissionsIn(membership: Membership, mode: Mode): Permission[] {
  if (membership.isSignedOut) return []
  if (membership.role === 'operator_view') return viewPermissions
  if (mode === 'live' && !membership.maySeeLive) return []
  return permissionsOf(membership.role, mode)
}

/** An unkeyed hash suffices: the token has 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

type SessionRow = Omit<SignedIn, 'memberships'>

async function findSession(
  db: Queryable,
  now: RealTime,
  token: string,
): Promise<SignedIn | undefined> {
  const [session] = await db.rows(sql<SessionRow>`
    select s.id as session_id, u.id as user_id, u.name, u.email, u.is_operator, s.has_second_factor,
      s.proven_at, s.last_seen_at, s.idle_ms::float8 as idle_ms, s.expires_at
    from user_sessions s join users u on u.id = s.user_id
    where s.hash = ${hashToken(token)} and s.ended_at is null and u.disabled_at is null`)
  return session && { ...session, memberships: await findMemberships(db, now, session) }
}

/** A membership with one of the two environments of its merchant. */
type MembershipRow = Omit<Membership, 'environments'> & Environment

async function findMemberships(
  db: Queryable,
  now: RealTime,
  { userId, sessionId, isOperator }: SessionRow,
): Promise<Membership[]> {
  const rows = await db.rows(sql<MembershipRow>`
    select m.id as merchant_id, m.display_name as merchant_name, seen.role, seen.may_see_live,
      m.suspended_at is not null as is_suspended,
      exists (select from session_ends x where x.session_id = ${sessionId}
        and x.merchant_id = m.id) as is_signed_out,
      e.id, e.mode, e.clock_offset_ms::float8 as clock_offset_ms, e.collect_bank,
      e.payout_bank
    from (
      select merchant_id, role, may_see_live from memberships
      where user_id = ${userId} and disabled_at is null
      union all
      select distinct v.merchant_id, 'operator_view', true from operator_views v
      where v.session_id = ${sessionId} and v.until > ${now} and ${isOperator}
        and not exists (select from memberships m where m.user_id = ${userId}
          and m.merchant_id = v.merchant_id and m.disabled_at is null)
    ) seen
    join merchants m on m.id = seen.merchant_id
    join environments e on e.merchant_id = m.id
    order by m.display_name, m.id`)
  const byMerchant = new Map<string, MembershipRow[]>()
  for (const row of rows)
    byMerchant.set(row.merchantId, [...(byMerchant.get(row.merchantId) ?? []), row])
  return [...byMerchant.values()].map(toMembership)
}

function toMembership(rows: MembershipRow[]): Membership {
  const [first] = rows as [MembershipRow]
  const { merchantId, merchantName, role, maySeeLive, isSuspended, isSignedOut } = first
  const environmentIn = (mode: Mode): Environment => {
    const row = rows.find((candidate) => candidate.mode === mode)!
    const { id, clockOffsetMs, collectBank, payoutBank } = row
    return {
      id,
      mode,
      merchantId,
      merchantName,
      clockOffsetMs,
      collectBank,
      payoutBank,
      isSuspended,
    }
  }
  return {
    merchantId,
    merchantName,
    role,
    maySeeLive,
    isSuspended,
    isSignedOut,
    environments: { test: environmentIn('test'), live: environmentIn('live') },
  }
}
