import { expect, test } from 'vitest'
import { after, day } from '../../src/base/clock.js'
import { deleteOldKeys } from '../../src/idempotency/delete-old-keys.js'
import { idempotencyLimits } from '../../src/idempotency/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { openSession } from '../support/sessions.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.000Z')

async function insertKeys(name: string, count: number, forgetAt: Date | null): Promise<void> {
  await db.rows(sql`
    insert into idempotency_keys
    select 1, gen_random_uuid(), ${name}, ${Buffer.alloc(32)}, 201, '{}', false, ${now},
      ${forgetAt}::timestamptz
    from generate_series(1, ${count}::int)`)
}

async function countKeys(name: string): Promise<number> {
  const rows = await db.rows(sql`select from idempotency_keys where key = ${name}`)
  return rows.length
}

// A payout's key lives as long as the payout; other keys expire at their exact time. A bounded
// number is deleted per run, so that no delete takes minutes.
test('only expired keys are deleted, a bounded number per run', async () => {
  const { keysDeletedPerBatchMax } = idempotencyLimits
  await insertKeys('of a payout', 50, null)
  await insertKeys('not yet', 50, after(now, 1))
  await insertKeys('just now', 50, now)
  await insertKeys('long ago', keysDeletedPerBatchMax, after(now, -day))

  expect(await deleteOldKeys(db, now)).toBe(keysDeletedPerBatchMax)
  // The oldest go first.
  expect(await countKeys('long ago')).toBe(0)
  expect(await countKeys('just now')).toBe(50)
  expect(await deleteOldKeys(db, now)).toBe(50)
  expect(await deleteOldKeys(db, now)).toBe(0)
  expect(await countKeys('not yet')).toBe(50)
  expect(await countKeys('of a payout')).toBe(50)
})

// An expired key is being replayed. The delete skips it instead of waiting, and the next run
// deletes it.
test('a key in use is skipped', async () => {
  await insertKeys('in use', 3, now)
  const session = await openSession(db)
  await session.query('begin')
  await session.query(`select from idempotency_keys where key = 'in use' limit 1 for update`)
  expect(await deleteOldKeys(db, now)).toBe(2)
  await session.query('commit')
  expect(await deleteOldKeys(db, now)).toBe(1)
})

// Several workers delete at once: together they delete each key once, without waiting.
test('workers that delete at the same time do not count a key twice', async () => {
  await insertKeys('many', 3_000, now)
  const counts = await Promise.all(Array.from({ length: 6 }, () => deleteOldKeys(db, now)))
  const rest = await deleteOldKeys(db, now)
  const last = await deleteOldKeys(db, now)
  expect([...counts, rest, last].reduce((sum, count) => sum + count, 0)).toBe(
    3_000 - (await countKeys('many')),
  )
  expect(Math.max(...counts)).toBeLessThanOrEqual(idempotencyLimits.keysDeletedPerBatchMax)
})
