import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { limits } from '../../src/base/limits.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { createPayouts, toNewPayout } from '../../src/payouts/requests/create-payouts.js'
import { sql } from '../../src/postgres/sql.js'
import { inTransaction, type Tx } from '../../src/postgres/transactions/tx.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, now } from '../support/movements.js'
import { payoutOf } from '../support/payouts.js'
import { openSession } from '../support/sessions.js'

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const most = limits.money.ledgerMax

// The balance covers both, but the treasury's account cannot hold the sum of both.
test('open payouts beyond what the ledger can hold are refused as such, not as uncovered', async () => {
  const held: Movement = {
    ...fundingOf({ environmentId, asset: 'USDC' }, 10n),
    causeId: newId(now),
    lines: [{ debit: 'deposits', credit: 'suspense', amount: 10n, purpose: 'payment_held' }],
  }
  const funding = fundingOf({ environmentId, asset: 'USDC' }, most)
  await db.transaction((tx) => moveAll(tx, now, [funding, held]))
  const returned = { ...payoutOf(environmentId, 'crypto_return'), takesFrom: 'suspense' as const }
  const transfer = payoutOf(environmentId, 'crypto_transfer')
  const payouts = [
    { ...returned, amount: 10n, fee: 0n, eventSequence: 0 },
    { ...transfer, amount: most, fee: 0n },
    { ...transfer, id: newId(now), amount: 1n, fee: 0n },
  ]
  const outcomes = await db.transaction((tx) =>
    createPayouts(
      tx,
      now,
      payouts.map((payout) =>
        toNewPayout(
          payout,
          { token: payout.id, wire: Buffer.from(payout.id), validUntil: 150n },
          payout.createdAt,
        ),
      ),
    ),
  )
  expect(outcomes).toMatchObject([
    { amount: 10n, status: 'SUBMITTED' },
    { code: 'crypto_transfer_failed', reason: 'balance_limit' },
    { amount: 1n, status: 'SUBMITTED' },
  ])
})

// A connection keeps the plan of a named statement after five runs. At about 200 payouts without
// statistics the planner prefers other indexes, by which it reads every payout of the environment.
test('looking up references reads no other payouts, also after the first 200', async () => {
  const merchantId = await insertEnvironment(db)
  const funding = fundingOf({ environmentId: merchantId, asset: 'USDC' }, most / 2n)
  await db.transaction((tx) => moveAll(tx, now, [funding]))
  const session = await openSession(db)
  await session.query('alter table payouts set (autovacuum_enabled = off)')
  /** Returns how many rows of payouts it read. */
  const create = (count: number) =>
    inTransaction(session, async (tx) => {
      const newPayouts = Array.from({ length: count }, () => {
        const id = newId(now)
        const transfer = payoutOf(merchantId, 'crypto_transfer')
        const payout = { ...transfer, id, amount: 1n, fee: 0n, merchantReference: `order-${id}` }
        return toNewPayout(
          payout,
          { token: id, wire: Buffer.from(id), validUntil: 150n },
          payout.createdAt,
        )
      })
      const before = await countRead(tx)
      const outcomes = await createPayouts(tx, now, newPayouts)
      expect(outcomes).toEqual(newPayouts.map(({ payout }) => payout))
      return (await countRead(tx)) - before
    })
  for (const count of [190, ...Array<number>(9).fill(3), 500, 500, 500]) await create(count)
  expect(await create(64)).toBeLessThanOrEqual(2 * 64)
})

/** Rows of payouts that this connection has read lately: unflushed statistics count too. */
async function countRead(tx: Tx): Promise<number> {
  const [row] = await tx.rows(sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::int4 as read from pg_stat_xact_user_tables
    where relname = 'payouts'`)
  return row!.read
}
