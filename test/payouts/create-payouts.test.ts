import { expect, test } from 'vitest'
import { newId } from '../../src/base/ids.js'
import { limits } from '../../src/base/limits.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { createPayouts, toNewPayout } from '../../src/payouts/create-payouts.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, now } from '../support/movements.js'
import { payoutOf } from '../support/payouts.js'

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
        toNewPayout(payout, { token: payout.id, wire: Buffer.from(payout.id), validUntil: 150n }),
      ),
    ),
  )
  expect(outcomes).toMatchObject([
    { amount: 10n, status: 'SUBMITTED' },
    { code: 'crypto_transfer_failed', reason: 'balance_limit' },
    { amount: 1n, status: 'SUBMITTED' },
  ])
})
