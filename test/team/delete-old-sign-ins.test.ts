import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { limits } from '../../src/base/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { deleteOldSignIns } from '../../src/team/delete-old-sign-ins.js'
import { signInLimits } from '../../src/team/limits.js'
import { findFreedom } from '../../src/team/shared-access.js'
import { freshDatabase } from '../support/database.js'

const now = new Date()
const db = await freshDatabase()
const hash = () => randomBytes(32)

async function insertUser(email: string): Promise<string> {
  const id = newId(now)
  await db.rows(sql`
    insert into users (id, email, name, created_at) values (${id}, ${email}, 'Ada', ${now})`)
  return id
}

async function insertSession(userId: string, times: { endedAt: Date | null; expiresAt: Date }) {
  const id = newId(now)
  await db.rows(sql`
    insert into user_sessions (id, user_id, hash, address, browser, has_second_factor, proven_at,
      created_at, last_seen_at, idle_ms, expires_at, ended_at)
    values (${id}, ${userId}, ${hash()}, '', '', false, ${now}, ${now}, ${now}, 1,
      ${times.expiresAt}, ${times.endedAt})`)
  return id
}

async function insertInvitation(
  { email, maker }: { email: string; maker: string },
  times: { usedAt: Date | null; expiresAt: Date },
) {
  const id = newId(now)
  await db.rows(sql`
    insert into invitations (id, hash, email, may_see_live, is_operator, created_by_user,
      created_by, created_at, expires_at, used_at)
    values (${id}, ${hash()}, ${email}, false, true, ${maker},
      ${toReference(prefixes.user, maker)}, ${now}, ${times.expiresAt}, ${times.usedAt})`)
  return id
}

/** Without the triggers that judge a decision: only the row matters here. */
async function insertDecision(of: { merchantId: string; userId: string; sessionId: string }) {
  await db.transaction(async (tx) => {
    const [environment] = await tx.rows(sql<{ id: number }>`
      insert into environments (merchant_id, mode, created_at)
      values (${of.merchantId}, 'test', ${now}) returning id`)
    await tx.rows(sql`set local session_replication_role = replica`)
    await tx.rows(sql`
      insert into payout_approvals (environment_id, payout_id, verdict, user_id, session_id,
        order_hash, decided_at)
      values (${environment!.id}, ${newId(now)}, 'APPROVED', ${of.userId}, ${of.sessionId},
        ${hash()}, ${now})`)
  })
}

const listIds = async (table: string) => {
  const rows = await db.rows(sql<{ id: string }>`
    select id from ${sql.identifier(table)} order by id`)
  return rows.map(({ id }) => id)
}

test('sessions, links and guesses are deleted some time after they ended', async () => {
  const { sessionMs, signInMs } = limits.retention
  const userId = await insertUser('ada@example.com')
  const [old, recent] = [after(now, -sessionMs - hour), after(now, -sessionMs + hour)]
  const viewed = await insertSession(userId, { endedAt: null, expiresAt: old })
  await insertSession(userId, { endedAt: old, expiresAt: after(now, day) })
  const kept = [
    await insertSession(userId, { endedAt: recent, expiresAt: after(now, day) }),
    await insertSession(userId, { endedAt: null, expiresAt: recent }),
    await insertSession(userId, { endedAt: null, expiresAt: after(now, day) }),
  ]
  const merchantId = newId(now)
  await db.rows(sql`
    insert into merchants (id, display_name, created_at) values (${merchantId}, 'Ada', ${now})`)
  await db.rows(sql`
    insert into operator_views (session_id, merchant_id, reason, created_at, until)
    values (${viewed}, ${merchantId}, 'support', ${old}, ${old})`)
  for (const at of [after(now, -signInMs - hour), after(now, -signInMs + hour)]) {
    await db.rows(sql`
      insert into start_links (hash, user_id, expires_at) values (${hash()}, ${userId}, ${at})`)
    await db.rows(sql`
      insert into sign_in_steps (hash, user_id, created_at, expires_at)
      values (${hash()}, ${userId}, ${at}, ${at})`)
    await db.rows(sql`insert into used_challenges (hash, expires_at) values (${hash()}, ${at})`)
    await db.rows(sql`
      insert into sign_in_guesses (id, subject, network, created_at)
      values (${newId(now)}, ${hash()}, 'x', ${at})`)
  }
  await db.rows(sql`
    insert into session_ends (session_id, merchant_id, ended_at)
    values (${viewed}, ${merchantId}, ${old})`)
  // Decisions about payouts are kept, with the session in which they were made.
  const decided = await insertSession(userId, { endedAt: old, expiresAt: old })
  kept.push(decided)
  await insertDecision({ merchantId, userId, sessionId: decided })
  expect(await deleteOldSignIns(db, now)).toBe(2)
  expect(await listIds('user_sessions')).toEqual(kept.toSorted())
  for (const table of ['start_links', 'sign_in_steps', 'used_challenges', 'sign_in_guesses'])
    expect(await db.rows(sql`select from ${sql.identifier(table)}`), table).toHaveLength(1)
  expect(await db.rows(sql`select from operator_views`)).toEqual([])
  expect(await deleteOldSignIns(db, now)).toBe(0)
})

// Two approvals must come from two people: who invited whom counts for 72 hours.
test('a link is kept while approvals depend on it, and long after', async () => {
  const { invitationMs } = limits.retention
  const maker = await insertUser('maker@example.com')
  const invited = await insertUser('invited@example.com')
  const by = { email: 'invited@example.com', maker }
  const old = after(now, -invitationMs - hour)
  await insertInvitation(by, { usedAt: old, expiresAt: now })
  await insertInvitation(by, { usedAt: null, expiresAt: old })
  const kept = await insertInvitation(by, { usedAt: after(now, -hour), expiresAt: after(now, day) })
  expect(await deleteOldSignIns(db, now)).toBe(2)
  expect(await listIds('invitations')).toEqual([kept])
  const { from } = await findFreedom(db, now, [maker, invited])
  expect(from).toEqual(after(now, signInLimits.linkDistrustMs - hour))
})
