import { expect, test } from 'vitest'
import { newId } from '../../src/ids.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.000Z')

// Ten payouts of 30 race for a balance of 100. Three fit; seven must be refused, and the money set
// aside must be exactly what the winners asked for.
test('racing holds never set aside more than the balance', async () => {
  const environmentId = await insertEnvironment(db)
  const fund: Movement = {
    environmentId,
    asset: 'USDC',
    causeId: newId(now),
    isHold: false,
    lines: [{ debit: 'treasury', credit: 'available', amount: 100n, purpose: 'test_funding' }],
  }
  await db.transaction((tx) => moveAll(tx, now, [fund]))
  const holds = Array.from({ length: 10 }, (): Movement => ({
    environmentId,
    asset: 'USDC',
    causeId: newId(now),
    isHold: true,
    lines: [
      { debit: 'available', credit: 'treasury', amount: 29n, purpose: 'crypto_payout' },
      { debit: 'available', credit: 'fees', amount: 1n, purpose: 'crypto_payout_fee' },
    ],
  }))
  const outcomes = await Promise.all(
    holds.map((hold) => db.transaction((tx) => moveAll(tx, now, [hold]))),
  )
  expect(outcomes.filter(([outcome]) => outcome!.isMoved)).toHaveLength(3)
  const winners = holds.filter((_, index) => outcomes[index]![0]!.isMoved)
  const resolved = await db.transaction((tx) =>
    resolveAll(tx, now, [
      { environmentId, causeId: winners[0]!.causeId, verb: 'settle' },
      { environmentId, causeId: winners[1]!.causeId, verb: 'release' },
      { environmentId, causeId: winners[1]!.causeId, verb: 'settle' },
    ]),
  )
  expect(resolved).toEqual([true, true, false])
})
