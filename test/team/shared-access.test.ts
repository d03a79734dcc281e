import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { after, hour } from '../../src/base/clock.js'
import { newId } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { findFreedom } from '../../src/team/shared-access.js'
import { addMembership, createUser } from '../../src/team/users.js'
import { freshDatabase } from '../support/database.js'

const now = new Date('2026-11-17T12:00:00Z')
const db = await freshDatabase()
const merchantId = newId(now)
await db.rows(sql`insert into merchants values (${merchantId}, 'Ada Stores', ${now})`)
const users = await db.transaction(async (tx) =>
  ['ada', 'bola', 'chidi', 'dayo'].map((name) => {
    const email = `${name}@example.com`
    return { id: createUser(tx, now, { email, name, isOperator: false }), email }
  }),
)
await db.transaction(async (tx) => {
  for (const { id: userId } of users)
    addMembership(tx, after(now, -1_000 * hour), {
      merchantId,
      userId,
      role: 'owner',
      maySeeLive: true,
    })
})

type Given = { kind: 'joined' | 'password' | 'right'; maker: number; target: number; hours: number }

/** As joining, setting a password and getting the right to approve leave it. */
async function give({ kind, maker, target, hours }: Given): Promise<void> {
  const [from, to] = [users[maker]!, users[target]!]
  const at = after(now, hours * hour)
  if (kind === 'right') {
    await db.rows(sql`
      update memberships set role = 'viewer' where user_id = ${to.id}`)
    await db.rows(sql`
      update memberships set role = 'owner', approver_since = ${at}, approver_by = ${from.id}
      where user_id = ${to.id}`)
    return
  }
  const isReset = kind === 'password'
  await db.rows(sql`
    insert into invitations (id, hash, email, merchant_id, role, may_see_live, is_operator,
      resets_user_id, created_by_user, created_by, created_at, expires_at, used_at)
    values (${newId(now)}, ${randomBytes(32)}, ${to.email}, ${isReset ? null : merchantId},
      ${isReset ? null : 'viewer'}, false, false, ${isReset ? to.id : null}, ${from.id}, '', ${at},
      ${at}, ${at})`)
}

async function forget(): Promise<void> {
  await db.rows(sql`delete from invitations`)
  await db.rows(sql`update memberships set role = 'viewer' where user_id <> ${users[3]!.id}`)
  await db.rows(sql`
    update memberships set role = 'owner', approver_since = ${after(now, -1_000 * hour)},
      approver_by = null
    where user_id <> ${users[3]!.id}`)
}

test('the service and the database agree on who shares access, at every moment', async () => {
  const index = fc.integer({ min: 0, max: 2 })
  const given = fc.record({
    kind: fc.constantFrom('joined' as const, 'password' as const, 'right' as const),
    maker: index,
    target: index,
    hours: fc.integer({ min: -100, max: 0 }),
  })
  let shared = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(given, { maxLength: 6 }),
      fc.integer({ min: 0, max: 80 }),
      async (all, hours) => {
        await forget()
        for (const one of all) await give(one)
        const pair: [string, string] = [users[0]!.id, users[1]!.id]
        const at = after(now, hours * hour)
        const { from } = await findFreedom(db, at, pair)
        const [row] = await db.rows(sql<{ isShared: boolean }>`
          select have_shared_access(${pair[0]}, ${pair[1]}, ${at}) as is_shared`)
        expect(row!.isShared).toBe(from > at)
        if (row!.isShared) shared += 1
      },
    ),
    { numRuns: 60 },
  )
  expect(shared).toBeGreaterThan(5)
})
