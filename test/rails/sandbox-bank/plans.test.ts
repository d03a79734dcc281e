import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../../../src/postgres/tx.js'
import { lookUpTransfers } from '../../../src/rails/sandbox-bank/look-up-transfers.js'
import { lockTransfers, replanTransfers } from '../../../src/rails/sandbox-bank/store-transfers.js'
import { manualClock } from '../../support/clock.js'
import { freshDatabase } from '../../support/database.js'
import { plansOf } from '../../support/plans.js'
import { openSession } from '../../support/sessions.js'

// Every payout of test mode stays in the bank's table. Asking about a few must not read them all,
// also on the pool, whose planner is free to.

const db = await freshDatabase()
const now = manualClock().now()

await db.rows(sql`
  insert into sandbox_transfers (reference, payment_order, amount, received_at, is_lost, ending,
    ends_at)
  select 'bt-' || n, '{}', 1, ${now}, false, 'completed', ${now}
  from generate_series(1, 60000) n`)
await db.rows(sql`analyze`)

const references = ['bt-1', 'bt-2', 'bt-60000']
const list = `{${references.join(',')}}`

async function openFreeSession() {
  const session = await openSession(db)
  await session.query(
    'set enable_seqscan = on; set enable_hashjoin = on; set enable_mergejoin = on',
  )
  return session
}

test('looking transfers up and telling their endings go by the reference', async () => {
  const session = await openFreeSession()
  await inTransaction(session, (tx) => lookUpTransfers(tx, now, references))
  for (const statement of ['lock_sandbox_transfers', 'tell_sandbox_endings'])
    for (const { scans } of await plansOf(session, statement, [list]))
      expect(scans).toEqual([expect.stringMatching(/^by sandbox_transfers_pkey/)])
})

test('changing what happens to transfers goes by the reference', async () => {
  const session = await openFreeSession()
  await inTransaction(session, async (tx) => {
    replanTransfers(tx, [...(await lockTransfers(tx, ['bt-3'])).values()])
  })
  const at = now.toISOString()
  const values = ['{bt-3}', `{${at}}`, '{f}', '{completed}', '{null}', `{${at}}`, '{null}']
  for (const { scans } of await plansOf(session, 'replan_sandbox_transfers', values))
    expect(scans).toEqual(['by sandbox_transfers_pkey'])
})
